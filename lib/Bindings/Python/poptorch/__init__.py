# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models on IPUs."""

from ._host import *  # noqa: F403
from ._state import isRunningOnIpu
from ._structure import ICustomArgParser, registerCustomArgParser
from .executor import PoplarExecutor, inferenceModel, trainingModel
from .ops import identity_loss, nop
