# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that call graphs, and the arguments of all operators that run one."""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from popxl import context
from popxl.call_site import CallSiteInfo
from popxl.graph import Graph
from popxl.ops._make import checked
from popxl.tensor import Tensor, new_tensor
from popxl.utils import table_to_string
from popxl.variables import constant, to_numpy

CallInputs = Union[Tensor, List[Tensor], int, float]


def call(graph: Graph, *inputs: CallInputs,
         inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None) -> Tuple[Tensor, ...]:
    """Runs a graph; returns its outputs. Inputs are given in the graph's order, or by the
    graph's tensor in `inputs_dict`."""
    return call_with_info(graph, *inputs, inputs_dict=inputs_dict).outputs


def call_with_info(graph: Graph, *inputs: CallInputs,
                   inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None) -> CallSiteInfo:
    """`call` that returns what is known about the call."""
    parent = checked()
    check_callee(parent, graph)
    tensors = arguments(parent, graph, inputs, inputs_dict)
    graph._return_written_inputs()
    op, values = parent._core.caller("Call", [graph._core], [t._read() for t in tensors],
                                     name=context.scoped("call"), ipu=context.current_ipu())
    site = CallSiteInfo._new(parent, graph, tensors, op)
    outputs = []
    for (kind, what), value in zip(graph._results, values):
        if kind == "output":
            outputs.append(new_tensor(parent, unscoped(what), value, dtype=what.dtype))
            outputs[-1]._meta_shape = what.meta_shape
        elif kind == "input":
            site._hidden[graph._result_of_input[what]] = value
            if graph._inputs[what] in graph._by_ref_inputs:
                tensors[what]._write(value)
                site._modified.add(what)
    site._outputs = outputs
    site._record = parent._record("Call", dict(enumerate(tensors)), dict(enumerate(outputs)),
                                  tuple(site._modified), (graph,),
                                  lambda ts: call_with_info(graph, *ts.values()))
    graph._call_sites.append(site)
    return site


def unscoped(tensor: Tensor) -> str:
    return tensor.name.rpartition("/")[2]


def check_callee(parent: Graph, graph: Any) -> None:
    if not isinstance(graph, Graph):
        raise TypeError(f"What is called has to be a popxl.Graph, not {graph!r}.")
    if graph is parent:
        raise ValueError(f"The graph {graph.name} cannot call itself.")
    if graph.ir is not parent.ir:
        raise ValueError(f"The graph {graph.name} is of another Ir than the current graph.")


def _flattened(inputs: Iterable[Any]) -> List[Any]:
    flat: List[Any] = []
    for value in inputs:
        if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
            flat.extend(value)
        else:
            flat.append(value)
    return flat


def arguments(parent: Graph, graph: Graph, inputs: Iterable[Any],
               inputs_dict: Optional[Mapping[Tensor, Any]]) -> List[Tensor]:
    """By input of the graph, the tensor of the parent that it gets."""
    given: Dict[Tensor, Any] = {}
    flat = _flattened(inputs)
    if len(flat) > len(graph._inputs):
        raise ValueError(f"Too many inputs have been provided. The graph {graph.name} has "
                         f"{len(graph._inputs)} inputs, and {len(flat)} are given.")
    for tensor, value in zip(graph._inputs, flat):
        given[tensor] = value
    for tensor, value in (inputs_dict or {}).items():
        if not isinstance(tensor, Tensor) or tensor not in graph._inputs:
            raise ValueError(f"The tensor {tensor!r} of the inputs_dict is not in the called "
                             f"graph {graph.name!r} as an input.")
        if tensor in given:
            raise ValueError(f"The input {tensor.name!r} of the graph {graph.name} is specified "
                             "twice, by its place and in the inputs_dict.")
        given[tensor] = value
    missing = [tensor for tensor in graph._inputs if tensor not in given]
    if missing:
        raise ValueError(
            "Not enough inputs have been provided: the number of graph inputs does not equal the "
            f"number of inputs given. The graph {graph.name} needs {len(graph._inputs)}.\n"
            f"Missing inputs:\n{_table(missing)}\nGiven inputs:\n{_table(given)}")
    return [_argument(parent, tensor, given[tensor]) for tensor in graph._inputs]


def _table(tensors: Iterable[Tensor]) -> str:
    return table_to_string(("", t.name, t.dtype.name, t.shape) for t in tensors)


def _argument(parent: Graph, wanted: Tensor, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        try:
            data = to_numpy(value, wanted.dtype)
        except (TypeError, ValueError) as error:
            raise TypeError(f"The input {wanted.name!r} gets {value!r}, which is no tensor and "
                            "cannot be made one.") from error
        value = constant(data, wanted.dtype)
    if value._graph is not parent:
        raise ValueError(f"The input {wanted.name!r} gets the tensor {value!r}, which is not in "
                         f"the current Graph {parent.name!r}.")
    if value.shape != wanted.shape or value.dtype != wanted.dtype:
        raise ValueError(f"The input {wanted!r} gets {value!r}, of another shape or type.")
    return value
