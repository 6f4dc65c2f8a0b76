# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs: tensors, operators, inputs and outputs.

A graph of popxl stands on one of the IR. Tensors that a graph gets by reference and writes are
results of the graph of the IR, behind or between those that the user sees; whoever calls it
lets the parent's tensor hold what comes back.
"""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
from popart import popart_exception

from popxl import context, dtypes
from popxl.tensor import Constant, Tensor, Variable, _Memory, new_tensor


# Makes an operator again, in the current graph, of inputs by their number.
Again = Callable[[Dict[int, Tensor]], Any]


class OpRecord:
    """An operator as popxl knows it: its type, its tensors, and how to make it again."""

    def __init__(self, graph: "Graph", op_type: str, inputs: Dict[int, Tensor],
                 outputs: Dict[int, Tensor], modifies: Tuple[int, ...] = (),
                 called: Tuple["Graph", ...] = (),
                 place: Optional[context.Place] = None, again: Optional[Again] = None) -> None:
        self.graph = graph
        self.op_type = op_type
        self.inputs = inputs
        self.outputs = outputs
        self.modifies = set(modifies)
        self.called = called
        self.place = context.next_place() if place is None else place
        self.id = graph.ir._next_op_id()
        self.again = again
        self.ipu = context.current_ipu()
        self.tile_set = context.current_tile_set()


class HookHandle(int):
    """What `register_op_created_hook` returns."""


class Graph:
    """A graph of an Ir: `Ir.create_graph`, `Ir.create_empty_graph` and `Ir.main_graph` make
    them. In a `with` statement, operators inside are added to it."""

    def __init__(self) -> None:
        raise RuntimeError("popxl.Graph cannot be constructed directly. "
                           "Use popxl.Ir.create_graph instead.")

    @classmethod
    def _new(cls, ir, name: str, core=None) -> "Graph":
        self = object.__new__(cls)
        self._ir = ir
        self._name = name
        self._core = core or ir._module.add_graph(name or "main")
        self._tensors: Dict[str, Tensor] = {}
        self._names: set = set()
        self._inputs: List[Tensor] = []
        self._outputs: List[Tensor] = []
        self._by_ref_inputs: set = set()
        # Results of the graph of the IR: ("output", tensor), ("input", index), or those that
        # only gradient graphs of callers read, ("gradient", None).
        self._results: List[Tuple[str, Any]] = []
        self._result_of_input: Dict[int, int] = {}
        self._ops: List[OpRecord] = []
        self._call_sites: List[Any] = []
        self._constants_of: Dict[Any, Any] = {}
        self._hooks: Dict[int, Callable] = {}
        self._is_differentiable = True
        # Number of operators that autodiff made, if this is a gradient graph.
        self._made_ops = 0
        ir._graphs.append(self)
        return self

    @classmethod
    def _from_pb(cls, pb_graph: Any) -> "Graph":
        """The graph that a `_pb_graph` is of."""
        return pb_graph._graph

    # ---- What it is -----------------------------------------------------------

    @property
    def ir(self):
        return self._ir

    @property
    def name(self) -> str:
        return self._name

    @property
    def id(self) -> str:
        return self._name

    @property
    def main_graph(self) -> "Graph":
        return self._ir.main_graph

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._inputs)

    @property
    def inputs_by_name(self) -> Dict[str, Tensor]:
        return {t.name: t for t in self._inputs}

    @property
    def outputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._outputs)

    @property
    def tensors(self) -> Tuple[Tensor, ...]:
        return tuple(self._tensors.values())

    @property
    def variables(self) -> Tuple[Variable, ...]:
        return tuple(t for t in self._tensors.values() if isinstance(t, Variable))

    @property
    def constants(self) -> Tuple[Constant, ...]:
        return tuple(t for t in self._tensors.values() if isinstance(t, Constant))

    @property
    def called_graphs(self) -> Tuple["Graph", ...]:
        """The graphs that its operators call, each once."""
        return tuple(dict.fromkeys(g for op in self._ops for g in op.called))

    def get_tensor(self, tensor_id: str) -> Tensor:
        """The tensor of that id or name; ValueError where there is none."""
        name = tensor_id
        if self._name and tensor_id.startswith(self._name + "/"):
            name = tensor_id[len(self._name) + 1:]
        if name not in self._tensors:
            raise ValueError(f"There is no Tensor {tensor_id!r} in the Graph {self._name!r}.")
        return self._tensors[name]

    def __contains__(self, value: Any) -> bool:
        return isinstance(value, Tensor) and value._graph is self

    def __enter__(self) -> "Graph":
        context.push_graph(self)
        return self

    def __exit__(self, *_error: Any) -> None:
        context.pop_graph()

    def __eq__(self, other: Any) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"Graph[id={self._name} name={self._name}]"

    def _repr_html_(self) -> str:
        import html

        lines = [f"{', '.join(repr(t) for t in op.outputs.values())} = {op.op_type}"
                 f"({', '.join(t.name for t in op.inputs.values())})" for op in self._ops]
        return f"<pre>{html.escape(chr(10).join([repr(self), *lines]))}</pre>"

    @property
    def _pb_graph(self):
        from popxl._shim import PbGraph

        return PbGraph(self)

    def register_op_created_hook(self, fn: Callable[[Any], Any]) -> HookHandle:
        """Calls `fn` with each operator that is added from now on."""
        handle = HookHandle(self._ir._next_op_id())
        self._hooks[handle] = fn
        return handle

    def remove_op_created_hook(self, handle: HookHandle) -> None:
        """Ends what `register_op_created_hook` began; ValueError for another handle."""
        if handle not in self._hooks:
            raise ValueError(f"No hook of this graph has the handle {int(handle)}.")
        del self._hooks[handle]

    # ---- Making tensors -------------------------------------------------------

    def _create_tensor_id(self, name: str) -> str:
        """A new id for a tensor of that name."""
        unique = self._unique_name(name)
        return f"{self._name}/{unique}" if self._name else unique

    def _unique_name(self, name: str) -> str:
        name = context.scoped(name or "t")
        while name in self._names:
            name = f"{name}__t{self._ir._next_tensor_number()}"
        self._names.add(name)
        return name

    def _add_tensor(self, tensor: Tensor) -> None:
        self._tensors[tensor._name] = tensor

    def _add_input(self, shape, dtype, name, by_ref, meta_shape=()) -> Tensor:
        self._ir._check_open()
        if self is self._ir.main_graph:
            raise RuntimeError("The main graph has no inputs; use a host load or a variable.")
        if self._call_sites:
            raise RuntimeError(f"The graph {self._name} is called already and gets no new inputs.")
        value = self._core.add_argument(name or "t", dtypes.to_ir(dtype), list(shape))
        tensor = new_tensor(self, name or "t", value)
        tensor._memory.input_index = len(self._inputs)
        tensor._meta_shape = meta_shape
        self._inputs.append(tensor)
        if by_ref:
            self._by_ref_inputs.add(tensor)
        return tensor

    def _add_variable(self, name, array, dtype, replica_grouping, retrieval_mode) -> Variable:
        self._ir._check_open()
        unique = self._unique_name(name or "t")
        first = _of_first_group(self._ir, array, replica_grouping)
        core = self._ir._module.add_variable(unique, dtypes.to_ir(dtype), first)
        tensor = self._variable_of(core, unique, array, dtype)
        tensor._grouping = replica_grouping
        tensor._retrieval_mode = retrieval_mode
        return tensor

    def _variable_of(self, core, name, array, dtype) -> Variable:
        value = self._core.use_variable(core)
        self._names.discard(name)
        scopes, context._scopes[:] = context._scopes[:], []
        try:
            tensor = new_tensor(self, name, value, Variable, dtype=dtype)
        finally:
            context._scopes[:] = scopes
        tensor._memory.variable = core
        tensor._memory.variable_name = core.name
        tensor._host = array
        return tensor

    def _add_constant(self, name, array, dtype) -> Constant:
        self._ir._check_open()
        value = self._core.add_constant(name or "t", dtypes.to_ir(dtype), array)
        tensor = new_tensor(self, name or "t", value, Constant, dtype=dtype)
        tensor._memory.is_constant = True
        tensor._host = array
        return tensor

    def _add_graph_output(self, t: Tensor) -> None:
        self._ir._check_open()
        index = len(self._results)
        self._core.add_result(f"{t.name}/{index}", t._read())
        self._results.append(("output", t))
        self._outputs.append(t)
        for site in list(self._call_sites):
            site._add_output(index, t)

    def _remove_output(self, index: int) -> None:
        self._ir._check_open()
        if self._call_sites:
            raise popart_exception(f"The graph {self._name} is called already and keeps its "
                                   "outputs.")
        outputs = [i for i, (kind, _) in enumerate(self._results) if kind == "output"]
        if index < 0 or not outputs:
            raise IndexError(f"There is no output {index}; there are {len(outputs)}.")
        index = min(index, len(outputs) - 1)
        number = outputs[index]
        self._core.remove_result(number)
        del self._results[number]
        del self._outputs[index]
        self._result_of_input = {i: n - (n > number) for i, n in self._result_of_input.items()}

    def _erase_op(self, op_id: int) -> None:
        """Compiling drops what the IR has of it."""
        self._ir._check_open()
        found = [op for op in self._ops if op.id == op_id]
        if not found:
            raise popart_exception(f"The graph {self._name} has no operator {op_id}.")
        op = found[0]
        made = list(op.outputs.values())
        used = [t for other in self._ops if other is not op for t in other.inputs.values()]
        if any(t in used or t in self._outputs for t in made):
            raise popart_exception(f"{op.op_type} {op_id} cannot be erased: its results are used.")
        if op.modifies or op.called or not made or op.op_type in ("HostLoad", "PrintTensor"):
            raise popart_exception(f"{op.op_type} {op_id} cannot be erased: it does more than its "
                                   "results show.")
        self._ops.remove(op)
        for tensor in made:
            self._tensors.pop(tensor._name, None)

    # ---- Writes ---------------------------------------------------------------

    def _before_write(self, tensor: Tensor) -> None:
        memory = tensor._memory
        if memory.is_constant:
            raise popart_exception(f"Constant {tensor.id} cannot be written in place.")
        index = memory.input_index
        is_returned = index is not None and index in self._result_of_input
        if self._call_sites and index is not None and not is_returned and (
                self._inputs[index] in self._by_ref_inputs):
            raise popart_exception(
                f"Input {tensor.id} is written after its graph has been called; "
                "write it before the first call.")

    def _after_write(self, memory: _Memory) -> None:
        """What the graph returns of a memory is what it holds at the end."""
        for i, (kind, what) in enumerate(self._results):
            if kind == "gradient":
                continue
            tensor = what if kind == "output" else self._inputs[what]
            if tensor._memory is memory:
                self._core.set_result(i, tensor._read())

    def _return_input(self, index: int) -> int:
        """Lets the graph of the IR return what an input holds at the end; which result it is."""
        if index not in self._result_of_input:
            tensor = self._inputs[index]
            number = len(self._results)
            self._core.add_result(f"{tensor.name}/{number}", tensor._read())
            self._results.append(("input", index))
            self._result_of_input[index] = number
            for site in list(self._call_sites):
                site._add_hidden_output(number)
        return self._result_of_input[index]

    def _know_results(self) -> None:
        """Counts results that autodiff added to the graph of the IR."""
        while len(self._results) < self._core.num_results:
            self._results.append(("gradient", None))

    def _return_written_inputs(self) -> None:
        for i, tensor in enumerate(self._inputs):
            if tensor in self._by_ref_inputs and tensor._memory.version != 0:
                self._return_input(i)

    # ---- Making operators -----------------------------------------------------

    def _check_own(self, **tensors: Any) -> None:
        """That tensors are tensors, of this graph."""
        for name, tensor in tensors.items():
            if not isinstance(tensor, Tensor):
                raise TypeError(f"The input `{name}` has to be a popxl Tensor, not "
                                f"{type(tensor).__name__}.")
            if tensor._graph is not self:
                raise ValueError(
                    f"The input tensor `{name}` is not in the current Graph {self._name!r}: "
                    f"{tensor!r} is in the Graph {tensor._graph._name!r}.")

    def _check_place(self, **tensors: Tensor) -> None:
        """That tensors are on one IPU and tile set, as far as these are known."""
        for what, attribute in (("IPUs", "_ipu"), ("tile sets", "_tile_set")):
            first = None
            for name, tensor in tensors.items():
                place = getattr(tensor, attribute)
                if place is None:
                    continue
                if first is None:
                    first = (name, place)
                elif first[1] != place:
                    raise ValueError(f"The input tensors are on different {what}: `{first[0]}` "
                                     f"is on {first[1]}, and `{name}` on {place}.")

    def _output_ipus(self) -> Dict[int, int]:
        """By number of an output, its IPU, where the graph is on several IPUs."""
        ipus = {t._ipu for t in self._tensors.values() if t._ipu is not None}
        return {i: t._ipu for i, t in enumerate(self._outputs)
                if t._ipu is not None} if len(ipus) > 1 else {}

    def _record(self, op_type: str, inputs: Dict[int, Tensor], outputs: Dict[int, Tensor],
                modifies: Tuple[int, ...] = (), called: Tuple["Graph", ...] = (),
                again: Optional[Again] = None) -> OpRecord:
        self._ir._check_open()
        record = OpRecord(self, op_type, inputs, outputs, modifies, called, again=again)
        ipu = context.current_ipu()
        tile_set = context.current_tile_set()
        inside = called[0]._output_ipus() if called else {}
        for tensor in inputs.values():
            # A graph on several IPUs reads each of its inputs somewhere else.
            if tensor._ipu is None and tensor._producer is None and not inside:
                tensor._ipu = ipu or 0
                tensor._tile_set = tile_set
        known = [t._ipu for t in inputs.values() if t._ipu is not None]
        for index, tensor in outputs.items():
            tensor._producer = record
            if tensor._ipu is None:
                tensor._ipu = ipu if ipu is not None else (known[0] if known else 0)
                tensor._ipu = inside.get(index, tensor._ipu)
                tensor._tile_set = tile_set
        self._ops.append(record)
        of_all = context.get_current_context()._hooks
        if self._hooks or of_all:
            from popxl._shim import PbOp

            for hook in [*self._hooks.values(), *of_all.values()]:
                hook(PbOp(record))
        return record


def _of_first_group(ir, array: np.ndarray, grouping: Any) -> np.ndarray:
    """Of data with a value for each group of replicas, that of the first one."""
    if grouping is None:
        return array
    ir._uses_replication_factor = True
    groups = grouping.num_groups
    if groups == 1:
        return array
    if array.ndim == 0 or array.shape[0] != groups:
        raise ValueError(f"The data of a variable with {groups} groups of replicas has a value for "
                         f"each in front, which {array.shape} has not.")
    return array[0]


class Builder:
    """Adds operators of the IR to a graph, where the contexts of the moment say.

    Methods take and return values of the IR."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph = graph
        self.core = graph._core
        self.name = context.scoped(name)
        self.ipu = context.current_ipu()
        self.io_tiles = context.current_tile_set() == "io"

    def ops(self, op_type: str, inputs: List[Any], outputs: int, domain: str = "",
            **attributes: Any) -> List[Any]:
        return self.core.op(op_type, inputs, attributes, outputs, domain, self.name, self.ipu,
                            self.io_tiles)

    def op(self, op_type: str, inputs: List[Any], domain: str = "", **attributes: Any):
        return self.ops(op_type, inputs, 1, domain, **attributes)[0]

    def gc(self, op_type: str, inputs: List[Any], **attributes: Any):
        """An operator of Graphcore's domain."""
        return self.op(op_type, inputs, "ai.graphcore", **attributes)

    def constant(self, array: Any, ir_type: str):
        return self.core.add_constant(f"{self.name}/constant", ir_type, np.asarray(array))

    def ints(self, values: Any):
        return self.constant(np.array(values, dtype=np.int64), "int64")

    def scalar(self, number: float, like):
        """A number of the type of a value."""
        known = dtypes.from_ir(like.type)
        return self.constant(np.array(number, dtype=known.as_numpy()), like.type)

    def cast(self, value, to: dtypes.dtype):
        if value.type == dtypes.to_ir(to):
            return value
        return self.op("Cast", [value], to=_onnx_type(to))

    def reshape(self, value, shape):
        if tuple(value.shape) == tuple(shape):
            return value
        return self.op("Reshape", [value, self.ints(list(shape))], allowzero=1)

    def expand(self, value, shape):
        if tuple(value.shape) == tuple(shape):
            return value
        return self.op("Expand", [value, self.ints(list(shape))])

    def transpose(self, value, permutation):
        return self.op("Transpose", [value], perm=list(permutation))

    def slice(self, value, starts, ends, axes, steps=None):
        inputs = [value, self.ints(starts), self.ints(ends), self.ints(axes)]
        if steps is not None:
            inputs.append(self.ints(steps))
        return self.op("Slice", inputs)

    def add(self, a, b):
        return self.op("Add", [a, b])

    def sub(self, a, b):
        return self.op("Sub", [a, b])

    def mul(self, a, b):
        return self.op("Mul", [a, b])

    def div(self, a, b):
        return self.op("Div", [a, b])


_ONNX_TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
    "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13,
    "float8_143": 18, "float8_152": 20,
}


def _onnx_type(known: dtypes.dtype) -> int:
    if known.name not in _ONNX_TYPES:
        raise popart_exception(f"Tensors of {known!r} are not supported.")
    return _ONNX_TYPES[known.name]
