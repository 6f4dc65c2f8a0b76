# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that programs write in C++ and bind with pybind11.

Such a module adds its operator to a graph of C++ that stands beside the graph of popxl. The
graph of C++ asks here for the types of the tensors that the operator names; `adopt` adds the
operator to the graph of popxl, with tensors for its results.
"""

import weakref
from typing import Any, Dict

import popart_core
from popart import popart_exception

from popxl import context
from popxl._shim import PbTensor
from popxl.graph import Graph
from popxl.tensor import Tensor, _View, new_tensor

# By graph of popxl: its graph of C++, and the numbers of the operators that were adopted.
_graphs: "weakref.WeakKeyDictionary[Graph, Any]" = weakref.WeakKeyDictionary()
_adopted: "weakref.WeakKeyDictionary[Graph, set]" = weakref.WeakKeyDictionary()
_models: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()


def graph_of(graph: Graph) -> Any:
    """The graph of C++ beside a graph of popxl."""
    if graph in _graphs:
        return _graphs[graph]
    model = _models.setdefault(graph.ir, popart_core.IrModel())
    weak = weakref.ref(graph)

    def source(tensor_id: str) -> Any:
        try:
            return PbTensor(weak().get_tensor(tensor_id)).info
        except ValueError:
            return None

    made = model.add_graph(graph.name, source)
    made._popxl = weak
    _graphs[graph] = made
    _adopted[graph] = set()
    return made


def adopt(op: Any) -> None:
    """Adds an operator of C++ to its graph of popxl, once."""
    graph = op.getGraph()._popxl()
    if op.id in _adopted[graph]:
        return
    _adopted[graph].add(op.id)
    inputs = {index: graph.get_tensor(name) for index, name in op.input_ids().items()}
    names = {index: _name_in(graph, name) for index, name in op.output_ids().items()}
    graph._ir._check_open()
    graph._check_place(**{f"input {index}": t for index, t in inputs.items()})
    operands = [inputs[i]._read() if i in inputs else None
                for i in range(max(inputs, default=-1) + 1)]
    values = graph._core.program_op(op, operands, context.current_ipu(),
                                    context.current_tile_set() == "io")
    written = _written(op, inputs, names)
    outputs = {}
    for index, name in names.items():
        target = inputs[written[index]] if index in written else None
        if target is not None:
            target._write(values[index])
        outputs[index] = _named_tensor(graph, name, values[index],
                                       _View(target) if target is not None else None)
    graph._record(op.opType(), inputs, outputs, modifies=tuple(written.values()))


def tensor_of(pb_tensor: Any) -> Tensor:
    """The tensor of popxl beside one of C++."""
    if pb_tensor.hasProducer():
        adopt(pb_tensor.getProducer())
    return pb_tensor.getGraph()._popxl().get_tensor(pb_tensor.id)


def _name_in(graph: Graph, tensor_id: str) -> str:
    scope = f"{graph.name}/"
    return tensor_id[len(scope):] if graph.name and tensor_id.startswith(scope) else tensor_id


def _written(op: Any, inputs: Dict[int, Tensor], results: Dict[int, str]) -> Dict[int, int]:
    """By result, the input that the operator writes and whose memory the result is."""
    written = {}
    for index in inputs:
        if not op.modifiesIndex(index):
            continue
        aliases = [result for result in results if op.aliasesIndex(index, result)]
        if len(aliases) != 1:
            raise popart_exception(
                f"{op.opType()} writes its input {index}, and {len(aliases)} of its results are "
                "its memory; one is supported (popart::Op::aliases).")
        written[aliases[0]] = index
    return written


def _named_tensor(graph: Graph, name: str, value: Any, view: Any) -> Tensor:
    """A tensor whose name is taken already, as `Graph._create_tensor_id` made it."""
    graph._names.discard(name)
    scopes, context._scopes[:] = context._scopes[:], []
    try:
        return new_tensor(graph, name, value, view=view)
    finally:
        context._scopes[:] = scopes
