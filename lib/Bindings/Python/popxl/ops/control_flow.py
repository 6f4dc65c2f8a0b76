# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that run graphs: calls, repeats, conditionals."""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np

from popxl import context, dtypes
from popxl.call_site import CallSiteInfo, ConditionalSiteInfo
from popxl.graph import Graph
from popxl.ops._make import checked
from popxl.tensor import Tensor, new_tensor
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
    _check_callee(parent, graph)
    tensors = _arguments(parent, graph, inputs, inputs_dict)
    graph._return_written_inputs()
    op, values = parent._core.caller("Call", [graph._core], [t._read() for t in tensors],
                                     name=context.scoped("call"), ipu=context.current_ipu())
    site = CallSiteInfo._new(parent, graph, tensors, op)
    outputs = []
    for (kind, what), value in zip(graph._results, values):
        if kind == "output":
            outputs.append(new_tensor(parent, _unscoped(what), value, dtype=what.dtype))
            outputs[-1]._meta_shape = what.meta_shape
        elif kind == "input":
            site._hidden[graph._result_of_input[what]] = value
            if graph._inputs[what] in graph._by_ref_inputs:
                tensors[what]._write(value)
                site._modified.add(what)
    site._outputs = outputs
    site._record = parent._record("Call", dict(enumerate(tensors)), dict(enumerate(outputs)),
                                  tuple(site._modified), (graph,))
    graph._call_sites.append(site)
    return site


def _unscoped(tensor: Tensor) -> str:
    return tensor.name.rpartition("/")[2]


def _check_callee(parent: Graph, graph: Any) -> None:
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


def _arguments(parent: Graph, graph: Graph, inputs: Iterable[Any],
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
    return "\n".join(f"  {t.name:<20} {t.dtype.name:<10} {t.shape}" for t in tensors)


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


# ---- Repeat -----------------------------------------------------------------


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
    _check_callee(parent, graph)
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
    tensors = _arguments(parent, graph, inputs, inputs_dict)
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
    site._outputs = [new_tensor(parent, _unscoped(what), value, dtype=what.dtype)
                     for what, value in zip(graph._outputs, values[:count])]
    for index, value in zip(written, values[count:]):
        tensors[index]._write(value)
        site._modified.add(index)
    site._record = parent._record("Loop", dict(enumerate(tensors)),
                                  dict(enumerate(site._outputs)), tuple(site._modified),
                                  (wrapper,))
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


# ---- Conditional ------------------------------------------------------------


def conditional(cond: Tensor, then_branch: Graph, else_branch: Graph,
                then_inputs: Optional[Iterable[CallInputs]] = None,
                else_inputs: Optional[Iterable[CallInputs]] = None,
                then_inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None,
                else_inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None
                ) -> Tuple[Tensor, ...]:
    """Runs one graph where `cond` holds, a scalar bool, else the other one."""
    return conditional_with_info(cond, then_branch, else_branch, then_inputs, else_inputs,
                                 then_inputs_dict, else_inputs_dict).outputs


def conditional_with_info(cond: Tensor, then_branch: Graph, else_branch: Graph,
                          then_inputs: Optional[Iterable[CallInputs]] = None,
                          else_inputs: Optional[Iterable[CallInputs]] = None,
                          then_inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None,
                          else_inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None
                          ) -> ConditionalSiteInfo:
    """`conditional` that returns what is known about the call."""
    parent = checked(cond=cond)
    for branch in (then_branch, else_branch):
        _check_callee(parent, branch)
        if branch._by_ref_inputs:
            raise NotImplementedError("Inputs of a conditional cannot be passed by reference, as "
                                      f"in the graph {branch.name}.")
    if cond.dtype != dtypes.bool or cond.nelms != 1:
        raise ValueError(f"The condition has to be a scalar of bool, not {cond!r}.")
    if len(then_branch._outputs) != len(else_branch._outputs):
        raise ValueError("The branches of a conditional have to return equally many outputs: "
                         f"{len(then_branch._outputs)} and {len(else_branch._outputs)}.")
    for yes, no in zip(then_branch._outputs, else_branch._outputs):
        if yes.shape != no.shape or yes.dtype != no.dtype:
            raise ValueError("The branches of a conditional have to return the same shapes and "
                             f"types, unlike {yes!r} and {no!r}.")
    yes = _arguments(parent, then_branch, then_inputs or (), then_inputs_dict)
    no = _arguments(parent, else_branch, else_inputs or (), else_inputs_dict)
    op, values = parent._core.caller(
        "If", [then_branch._core, else_branch._core],
        [t._read() for t in [cond, *yes, *no]], {"then_inputs": len(yes)},
        context.scoped("conditional"), context.current_ipu())
    outputs = [new_tensor(parent, _unscoped(what), value, dtype=what.dtype)
               for (kind, what), value in zip(then_branch._results, values) if kind == "output"]
    site = ConditionalSiteInfo._new(parent, then_branch, else_branch, cond, yes, no, outputs)
    site._record = parent._record("If", dict(enumerate([cond, *yes, *no])),
                                  dict(enumerate(outputs)), called=(then_branch, else_branch))
    then_branch._call_sites.append(site)
    else_branch._call_sites.append(site)
    return site
