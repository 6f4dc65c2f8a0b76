# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that run a graph several times."""

from typing import Dict, List, Mapping, Optional, Tuple

import numpy as np

from popxl import context
from popxl.call_site import CallSiteInfo
from popxl.graph import Graph
from popxl.ops._make import checked
from popxl.ops.call import CallInputs, arguments, call_with_info, check_callee, unscoped
from popxl.tensor import Tensor, new_tensor


def repeat(graph: Graph, repeat_count: int, *inputs: CallInputs,
           inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None) -> Tuple[Tensor, ...]:
    """Runs a graph `repeat_count` times. What it returns is what its first inputs are the next
    time; the others stay the same."""
    return repeat_with_info(graph, repeat_count, *inputs, inputs_dict=inputs_dict).outputs


def repeat_with_info(graph: Graph, repeat_count: int, *inputs: CallInputs,
                     inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None,
                     check_inputs: bool = True) -> CallSiteInfo:
    """`repeat` that returns what is known about the call; its `called_graph` is a graph that
    calls the one that is repeated."""
    parent = checked()
    check_callee(parent, graph)
    if isinstance(repeat_count, bool) or not isinstance(repeat_count, (int, np.integer)):
        raise TypeError(f"The repeat count has to be an int, not {repeat_count!r}.")
    if repeat_count < 0:
        raise ValueError(f"Repeat count must be >= 0. Value: {repeat_count}")
    if len(graph._inputs) < len(graph._outputs):
        raise ValueError("To repeat the subgraph, the number of inputs must be greater than or "
                         f"equal to the number of outputs. The graph {graph.name} has "
                         f"{len(graph._inputs)} inputs and {len(graph._outputs)} outputs.")
    for tensor, output in zip(graph._inputs, graph._outputs):
        if tensor.shape != output.shape or tensor.dtype != output.dtype:
            raise ValueError(f"To repeat the subgraph, each output has to be what the input at "
                             f"its place is, unlike {output!r} and {tensor!r}.")
    tensors = arguments(parent, graph, inputs, inputs_dict)
    wrapper, written = _loop_body(graph)
    order = _carried_first(graph, written)
    carried = len(graph._outputs) + len(written)
    operands = [None, None] + [tensors[i]._read() for i in order]
    op, values = parent._core.caller(
        "Loop", [wrapper._core], operands,
        {"trip_count": int(repeat_count), "carried": carried}, context.scoped("repeat"),
        context.current_ipu())
    site = CallSiteInfo._new(parent, wrapper, tensors, op)
    site._is_loop = True
    count = len(graph._outputs)
    site._outputs = [new_tensor(parent, unscoped(what), value, dtype=what.dtype)
                     for what, value in zip(graph._outputs, values[:count])]
    for index, value in zip(written, values[count:]):
        tensors[index]._write(value)
        site._modified.add(index)
    site._record = parent._record("Loop", dict(enumerate(tensors)),
                                  dict(enumerate(site._outputs)), tuple(site._modified),
                                  (wrapper,),
                                  lambda ts: repeat_with_info(graph, repeat_count, *ts.values()))
    wrapper._call_sites.append(site)
    return site


def _loop_body(graph: Graph) -> Tuple[Graph, List[int]]:
    """The graph of one iteration, and which inputs are carried because they are written."""
    ir = graph.ir
    graph._return_written_inputs()
    written = sorted(i for i in graph._result_of_input
                     if graph._inputs[i] in graph._by_ref_inputs)
    overlap = [i for i in written if i < len(graph._outputs)]
    if overlap:
        raise ValueError(f"The input {graph._inputs[overlap[0]].name!r} is passed by reference and "
                         "takes an output of the iteration before, which cannot both be.")
    wrapper = ir._graph_class._new(ir, ir._graph_name(f"{graph.name}__loop_wrapper"))
    wrapper._core.add_argument("iteration", "int32", [])
    made: Dict[int, Tensor] = {}
    with wrapper, context.outside_scopes():
        for i in _carried_first(graph, written):
            tensor = graph._inputs[i]
            made[i] = wrapper._add_input(tensor.shape, tensor.dtype, tensor.name, i in written)
        wrapper._inputs = [made[i] for i in range(len(made))]
        for i, tensor in enumerate(wrapper._inputs):
            tensor._memory.input_index = i
        outputs = call_with_info(graph, *wrapper._inputs).outputs
        for output in outputs[:len(graph._outputs)]:
            wrapper._add_graph_output(output)
        for i in written:
            wrapper._return_input(i)
    return wrapper, written


def _carried_first(graph: Graph, written: List[int]) -> List[int]:
    """Inputs as the loop has them: what is carried, then what stays the same."""
    first = list(range(len(graph._outputs))) + list(written)
    return first + [i for i in range(len(graph._inputs)) if i not in first]
