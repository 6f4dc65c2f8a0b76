# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models on IPUs."""

from . import _torch  # noqa: F401
from ._host import *  # noqa: F403
from ._files import load
from ._hooks import registerPostCompileHook, registerPreCompileHook
from ._state import isRunningOnIpu
from ._structure import ICustomArgParser, registerCustomArgParser
from .executor import PoplarExecutor, inferenceModel, trainingModel
from .ops import (Attribute, MultiConv, NameScope, ctc_beam_search_decoder, custom_op,
                  dynamic_slice, dynamic_update, identity_loss, ipu_print_tensor, nop,
                  recomputationCheckpoint, serializedMatMul, set_available_memory)
from .ops_cpu import CPU
from .ops_control import cond, for_loop
from .ops_overlap import set_overlap_for_input, set_overlap_for_output
from .ops_points import fps, nearest
from .poptorch_core import module_repr, __version__
