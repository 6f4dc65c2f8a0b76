# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options, by subject: one file for each group."""

from .distributed import DistributedOptions
from .files import ConfigFileError
from .options import JitOptions, Options
from .popart_options import PopartOptions
from .precision import PrecisionOptions
from .tensor_locations import TensorLocationOptions, TensorLocationSettings
from .training import TrainingOptions

__all__ = ["ConfigFileError", "DistributedOptions", "JitOptions", "Options", "PopartOptions",
           "PrecisionOptions", "TensorLocationOptions", "TensorLocationSettings",
           "TrainingOptions"]
