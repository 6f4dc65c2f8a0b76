# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structure of graphs under the names of PopART's own objects: `_pb_ir`, `_pb_graph`,
`_pb_tensor` and `_op`."""

import copy
from typing import Any, Callable, Dict, List, Optional

from popart import TensorInfo, popart_exception

from popxl.tensor import Tensor

# Types of operators whose classes have another name than the type and "Op".
_CLASS_NAMES = {
    "BatchNormalization": "BatchNormOp", "GroupNormalization": "GroupNormOp", "IsInf": "IsInf",
    "IsNaN": "IsNaN", "Neg": "NegateOp", "Sub": "SubtractOp", "OneHot": "OnehotOp",
    "PopartSparseAccumulate": "SparseAccumulateOp", "PopartTiedGather": "TiedGatherOp",
}
_classes: Dict[str, type] = {}


class GraphId(str):
    """The id of a graph."""

    def str(self) -> "GraphId":
        return self


class Settings:
    """Where an operator is, and its name."""

    def __init__(self, graph: "PbGraph", name: "str", *_args: Any) -> None:
        self.graph = graph
        self.name = name

    @property
    def _public(self) -> Any:
        """The settings that operators of C++ take."""
        from popart_core import IrSettings

        return IrSettings(self.graph._public, self.name)


class ExecutionContext:
    """When operators run."""

    Normal = "Normal"
    WeightsFromHostFragment = "WeightsFromHostFragment"
    WeightsToHostFragment = "WeightsToHostFragment"


class OptionalFloat:
    """A number, or none."""

    def __init__(self, value: Optional[float] = None) -> None:
        self._value = None if value is None else float(value)

    def value(self) -> float:
        """The number; popart_exception where there is none."""
        if self._value is None:
            raise popart_exception("An OptionalFloat without a number has no value.")
        return self._value

    def __bool__(self) -> bool:
        return self._value is not None

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, OptionalFloat) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"OptionalFloat({'' if self._value is None else self._value})"


def _unchangeable(name: str, op: "PbOp") -> popart_exception:
    return popart_exception(f"{name} is not supported: operators of popxl keep the tensors and "
                            f"the graph that they are made with ({op.opType()} {op.id}).")


def _refused(name: str) -> Callable[..., Any]:
    """A method of operators that changes what an operator is connected with."""
    def refuse(self: "PbOp", *_args: Any, **_kwargs: Any) -> Any:
        raise _unchangeable(name, self)

    return refuse


class PbOp:
    """An operator."""

    def __new__(cls, record: Any) -> "PbOp":
        return object.__new__(op_class(class_name(record.op_type)))

    def __init__(self, record: Any) -> None:
        self._record = record
        self.id = record.id
        # Outputs that have their names for good: all but those of a copy.
        self._named = set(record.outputs)

    def opType(self) -> str:
        return self._record.op_type

    def name(self) -> str:
        return self._record.op_type.lower()

    def getGraph(self) -> "PbGraph":
        return PbGraph(self._record.graph)

    def modifiesIndex(self, index: int) -> bool:
        return index in self._record.modifies

    def modifies(self) -> bool:
        return bool(self._record.modifies)

    def inTensor(self, index: int) -> "PbTensor":
        return PbTensor(self._record.inputs[index])

    def outTensor(self, index: int) -> "PbTensor":
        return PbTensor(self._record.outputs[index])

    def hasInput(self, index: int) -> bool:
        return index in self._record.inputs

    def hasOutput(self, index: int) -> bool:
        return index in self._record.outputs

    def inId(self, index: int) -> str:
        return self._record.inputs[index].id

    def outId(self, index: int) -> str:
        return self._record.outputs[index].id

    def getInputIds(self) -> List[str]:
        return [t.id for t in self._record.inputs.values()]

    def getOutputIds(self) -> List[str]:
        return [t.id for t in self._record.outputs.values()]

    def getInputTensors(self) -> List["PbTensor"]:
        return [PbTensor(t) for t in self._record.inputs.values()]

    def getOutputTensors(self) -> List["PbTensor"]:
        return [PbTensor(t) for t in self._record.outputs.values()]

    def getInputIndexMap(self) -> Dict[int, "PbTensor"]:
        return {index: PbTensor(t) for index, t in self._record.inputs.items()}

    def getOutputIndexMap(self) -> Dict[int, "PbTensor"]:
        return {index: PbTensor(t) for index, t in self._record.outputs.items()}

    def hasInputTensor(self, tensor: "PbTensor") -> bool:
        return tensor in self.getInputTensors()

    def inIndex(self, tensor: "PbTensor") -> int:
        """The first input that a tensor is; ValueError where it is none."""
        for index, found in self.getInputIndexMap().items():
            if found == tensor:
                return index
        raise ValueError(f"Tensor {tensor.id} is no input of {self!r}.")

    def getCalledGraphs(self) -> List["PbGraph"]:
        return [PbGraph(g) for g in self._record.called]

    def hasVirtualGraphId(self) -> bool:
        """Whether it is known on which IPU the operator runs."""
        return bool(self._ipus())

    def getVirtualGraphId(self) -> int:
        """The IPU that the operator runs on, 0 where that is not known."""
        return (self._ipus() or [0])[0]

    def _ipus(self) -> List[int]:
        """The IPUs of its results; of an operator without any, those of what it reads."""
        tensors = self._record.outputs or self._record.inputs
        return [t._ipu for t in tensors.values() if t._ipu is not None]

    def cloneIntoGraph(self, graph: "PbGraph") -> "PbOp":
        """A copy in another graph, which has its inputs yet to get (_copies.py)."""
        from popxl._copies import OpCopy

        return PbOp(OpCopy(self._record, graph._graph))

    def _is_copy(self) -> bool:
        from popxl._copies import OpCopy

        return isinstance(self._record, OpCopy)

    def connectInTensor(self, index: int, tensor_id: str, *_source_ipu: int) -> None:
        """Gives a copy that is not made yet an input."""
        if not self._is_copy():
            raise _unchangeable("connectInTensor", self)
        self._record.connect(index, tensor_id)

    def createAndConnectOutTensor(self, index: int, tensor_id: str) -> None:
        """Names a result of a copy, which has all of its inputs."""
        from popxl._copies import rename

        if not self._is_copy() and index in self._named:
            raise _unchangeable("createAndConnectOutTensor", self)
        self.setup()
        if index not in self._record.outputs:
            raise popart_exception(f"{self.opType()} has no output {index}.")
        rename(self._record.outputs[index], tensor_id)
        self._named.add(index)

    def setup(self) -> None:
        """Makes a copy, unless it is made."""
        if self._is_copy():
            outputs = len(self._record.original.outputs)
            self._record = self._record.make()
            self.id = self._record.id
            self._named -= set(range(outputs))

    def getSourceIpu(self, *_tensor_id: str) -> int:
        """The IPU of what an IpuCopy copies."""
        return self._record.inputs[0]._ipu or 0

    disconnectAllInputs = _refused("disconnectAllInputs")
    disconnectAllOutputs = _refused("disconnectAllOutputs")
    addModified = _refused("addModified")
    addLoopInput = _refused("addLoopInput")
    addLoopOutput = _refused("addLoopOutput")

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PbOp) and self._record is other._record

    def __hash__(self) -> int:
        return id(self._record)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._record.op_type} {self.id})"


def class_name(op_type: str) -> str:
    return _CLASS_NAMES.get(op_type, op_type + "Op")


def op_class(name: str) -> type:
    """The class of that name, made at its first use."""
    if name not in _classes:
        calls = name in ("CallOp", "LoopOp")
        _classes[name] = type(name, (_CallingOp if calls else PbOp,), {})
    return _classes[name]


class _CallingOp(PbOp):
    """An operator that runs one graph; programs tell such by this method."""

    def getCalledGraph(self) -> "PbGraph":
        return self.getCalledGraphs()[0]


class PbGraph:
    """A graph."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    @property
    def _public(self) -> Any:
        """The graph to which modules of C++ add operators."""
        from popxl import _program_ops

        return _program_ops.graph_of(self._graph)

    @property
    def id(self) -> GraphId:
        return GraphId(self._graph.name)

    def getGraphId(self) -> GraphId:
        return self.id

    def removeIsolatedTensors(self, *_args: Any) -> None:
        """Compiling does that."""

    def removeOutput(self, index: int) -> None:
        """Takes an output away, of a graph that nothing calls yet; beyond the end, the last one.

        Programs take away several by the indices that these had at the beginning.
        """
        self._graph._remove_output(index)

    def eraseOp(self, op_id: int) -> None:
        """Takes an operator away whose results nobody uses, and that does nothing else."""
        self._graph._erase_op(op_id)

    def getOps(self) -> List[PbOp]:
        return [PbOp(record) for record in self._graph._ops]

    def getOpSchedule(self, *_args: Any) -> List[PbOp]:
        return self.getOps()

    def getInputIds(self) -> List[str]:
        return [t.id for t in self._graph.inputs]

    def getOutputIds(self) -> List[str]:
        return [t.id for t in self._graph.outputs]

    def getInputId(self, index: int) -> str:
        return self._graph.inputs[index].id

    def getOutputId(self, index: int) -> str:
        return self._graph.outputs[index].id

    def getInputTensor(self, index: int) -> "PbTensor":
        return PbTensor(self._graph.inputs[index])

    def getOutputTensor(self, index: int) -> "PbTensor":
        return PbTensor(self._graph.outputs[index])

    def getInputIndex(self, tensor_id: str) -> int:
        return self.getInputIds().index(tensor_id)

    def getOutputIndex(self, tensor_id: str) -> int:
        return self.getOutputIds().index(tensor_id)

    def hasInputId(self, tensor_id: str) -> bool:
        return tensor_id in self.getInputIds()

    def hasOutputId(self, tensor_id: str) -> bool:
        return tensor_id in self.getOutputIds()

    def getCalledGraphs(self) -> List["PbGraph"]:
        return [PbGraph(graph) for graph in self._graph.called_graphs]

    def get_tensor(self, tensor_id: str) -> Tensor:
        """The tensor of popxl of that id."""
        return self._graph.get_tensor(tensor_id)

    def getTensor(self, tensor_id: str) -> "PbTensor":
        return PbTensor(self.get_tensor(tensor_id))

    def setCanBeRecursivelyAutodiffed(self, value: bool) -> None:
        self._graph._is_differentiable = bool(value)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PbGraph) and self._graph is other._graph

    def __hash__(self) -> int:
        return id(self._graph)


class PbTensor:
    """A tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    @property
    def id(self) -> str:
        return self._tensor.id

    @property
    def info(self) -> Any:
        """A popart.TensorInfo; of a type that popart does not have, the spec."""
        try:
            return TensorInfo(self._tensor.dtype.as_numpy(), list(self._tensor.shape))
        except (TypeError, popart_exception):
            return self._tensor.spec

    def getGraph(self) -> PbGraph:
        return PbGraph(self._tensor._graph)

    def hasProducer(self) -> bool:
        return self._tensor._producer is not None

    def getProducer(self) -> PbOp:
        if self._tensor._producer is None:
            raise RuntimeError(f"No operator computes Tensor {self._tensor.id}.")
        return PbOp(self._tensor._producer)

    @property
    def consumers(self) -> "Consumers":
        return Consumers(self._tensor)

    def modifiedRegionsByOps(self, ops: List[PbOp], *_args: Any) -> List["PbTensor"]:
        """Not empty where one of the operators writes it."""
        records = [op._record for op in ops]
        return [self for record in records for index in record.modifies
                if record.inputs[index]._memory is self._tensor._memory]

    def isAliased(self) -> bool:
        memory = self._tensor._memory
        return any(t is not self._tensor and t._memory is memory
                   for t in self._tensor._graph._tensors.values())

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PbTensor) and self._tensor is other._tensor

    def __hash__(self) -> int:
        return hash(self._tensor)


class Consumers:
    """The operators that read a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    def getOps(self) -> List[PbOp]:
        return [PbOp(op) for op in self._tensor._graph._ops
                if any(t is self._tensor for t in op.inputs.values())]

    def getTotal(self) -> int:
        """The number of inputs that are the tensor."""
        return sum(t is self._tensor for op in self._tensor._graph._ops
                   for t in op.inputs.values())


class PbIr:
    """An Ir."""

    def __init__(self, ir: Any) -> None:
        self._ir = ir

    def getSessionOptions(self) -> Any:
        return self._ir._options

    def getAllGraphs(self) -> List[PbGraph]:
        return [PbGraph(graph) for graph in self._ir._graphs]

    # Functions that popart.ir's programs call before they make a session.

    def setDataFlow(self, dataFlow: Any) -> None:
        """The number of batches is the number of transfers."""
        self._ir.num_host_transfers = max(1, dataFlow.batchesPerStep())

    def setSessionOptions(self, options: Any) -> None:
        self._ir._options = copy.copy(options)

    def setUserOptions(self, options: Any) -> None:
        self._ir._options = copy.copy(options)

    def setPatterns(self, *_patterns: Any) -> None:
        """Which patterns run is the compiler's choice."""

    def applyPreAliasPatterns(self, *_args: Any) -> None:
        """Compiling does that."""

    def applyInplacePattern(self, *_args: Any) -> None:
        """Compiling does that."""

    def removeIsolatedTensors(self, *_args: Any) -> None:
        """Compiling does that."""

    def removeIsolatedGraphs(self, *_args: Any) -> None:
        """Compiling does that."""

    def updateVertices(self) -> None:
        """Operators are always up to date."""

    def setIsPrepared(self) -> None:
        """Making a session does that."""

    def getMainGraph(self) -> PbGraph:
        return PbGraph(self._ir.main_graph)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PbIr) and self._ir is other._ir

    def __hash__(self) -> int:
        return hash(self._ir)
