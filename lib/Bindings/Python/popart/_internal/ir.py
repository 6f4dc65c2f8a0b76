# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of the objects behind popxl: graphs, tensors, operators. `op.AddOp` is the class of
operators of the type Add, and so on for all types."""

import sys
import types
from typing import Any

from popxl._shim import PbGraph as Graph
from popxl._shim import PbIr as Ir
from popxl._shim import PbOp as Op
from popxl._shim import PbTensor as Tensor
from popxl._shim import op_class
from popxl.transforms.autodiff import ExpectedConnectionType


class _OpClasses(types.ModuleType):
    """A module that has a class for each type of operator."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return op_class(name)


def _add_module(name: str) -> types.ModuleType:
    module = _OpClasses(f"{__name__}.{name}", "Classes of operators.")
    sys.modules[module.__name__] = module
    return module


op = _add_module("op")
for _name in ("collectives", "dynamic", "exchange"):
    setattr(op, _name, _add_module(f"op.{_name}"))
