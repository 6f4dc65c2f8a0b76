# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of the objects behind popxl: graphs, tensors, operators. `op.AddOp` is the class of
operators of the type Add, and so on for all types."""

import sys
import types
from typing import Any, List

from popart import (DataType, OperatorIdentifier, PatternsLevel, RecomputeType, SessionOptions,
                    TensorInfo, TileSet, VirtualGraphMode)
from popxl._shim import PbGraph as Graph
from popxl._shim import PbIr as Ir
from popxl._shim import PbOp as Op
from popxl._shim import PbTensor as Tensor
from popxl._shim import ExecutionContext, GraphId, OptionalFloat, Settings, op_class
from popxl.ops.collectives.collectives import CollectiveOperator
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


class ExpectedConnection:
    """What an input or output of a gradient graph is connected with: a tensor's id and a kind."""

    def __init__(self, fwdId: str, type: ExpectedConnectionType) -> None:
        self.fwdId = fwdId
        self.type = type

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ExpectedConnection) and (
            self.fwdId, self.type) == (other.fwdId, other.type)

    def __hash__(self) -> int:
        return hash((self.fwdId, self.type))


class BwdGraphInfo:
    """A gradient graph: its id, and what its inputs and outputs are connected with."""

    def __init__(self, bwdGraphId: GraphId, expectedInputs: List[ExpectedConnection],
                 expectedOutputs: List[ExpectedConnection]) -> None:
        self.bwdGraphId = bwdGraphId
        self.expectedInputs = list(expectedInputs)
        self.expectedOutputs = list(expectedOutputs)


class _Region:
    """A part of a tensor: all of it, or nothing."""

    def __init__(self, shape: Any, isEmpty: bool) -> None:
        self._shape = list(shape)
        self._is_empty = isEmpty

    @staticmethod
    def getFull(shape: Any) -> "_Region":
        return _Region(shape, False)

    @staticmethod
    def getEmpty(rank: int) -> "_Region":
        return _Region([0] * rank, True)

    def isEmpty(self) -> bool:
        return self._is_empty

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Region) and (
            self._shape, self._is_empty) == (other._shape, other._is_empty)


def _plain_module(name: str, **members: Any) -> types.ModuleType:
    module = types.ModuleType(f"{__name__}.{name}")
    vars(module).update(members)
    sys.modules[module.__name__] = module
    return module


def _patterns(level: Any = None) -> Any:
    from popart import Patterns

    return Patterns() if level is None else Patterns(level)


view = _plain_module("view", Region=_Region)
patterns = _plain_module("patterns", Patterns=_patterns, PatternsLevel=PatternsLevel)
op = _add_module("op")
for _name in ("collectives", "dynamic", "exchange"):
    setattr(op, _name, _add_module(f"op.{_name}"))
