# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradient graphs."""

from enum import Enum
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

import popxl_core
from popart import popart_exception

from popxl import context
from popxl.call_site import CallSiteInfo
from popxl.dtypes import is_float8
from popxl.graph import Graph, OpRecord
from popxl.tensor import Tensor, new_tensor


class ExpectedConnectionType(Enum):
    """What an input or output of a gradient graph is: a tensor of the forward graph, or its
    gradient."""

    Fwd = "Fwd"
    FwdGrad = "FwdGrad"


class ExpectedConnection:
    """What an input or output of a gradient graph is connected with."""

    def __init__(self) -> None:
        raise TypeError("Cannot create popxl.transforms.ExpectedConnection instances.")

    @classmethod
    def _new(cls, kind: ExpectedConnectionType, tensor: Tensor) -> "ExpectedConnection":
        self = object.__new__(cls)
        self._kind = kind
        self._tensor = tensor
        return self

    @property
    def _pb_ec(self):
        """What programs reach: the tensor's id and the kind."""
        from popart._internal.ir import ExpectedConnection as Connection

        return Connection(self._tensor.id, self._kind)

    @classmethod
    def _from_pb(cls, graph: Any, connection: Any) -> "ExpectedConnection":
        """Of a graph, or its `_pb_graph`, and a popart._internal.ir.ExpectedConnection."""
        return cls._new(connection.type, graph.get_tensor(connection.fwdId))

    @property
    def connection_type(self) -> ExpectedConnectionType:
        return self._kind

    @property
    def fwd_tensor(self) -> Tensor:
        return self._tensor

    def __repr__(self) -> str:
        return f"ExpectedConnection({self._kind.name}, {self._tensor!r})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ExpectedConnection) and (
            self._kind is other._kind and self._tensor is other._tensor)

    def __hash__(self) -> int:
        return hash((self._kind, self._tensor))


class GradGraphInfo:
    """A gradient graph, and how it is connected with its forward graph."""

    def __init__(self) -> None:
        raise TypeError("Cannot create popxl.transforms.GradGraphInfo instances.")

    @classmethod
    def _new(cls, forward: Graph, graph: Graph, inputs: List[ExpectedConnection],
             outputs: List[ExpectedConnection]) -> "GradGraphInfo":
        self = object.__new__(cls)
        self._forward = forward
        self._graph = graph
        self._expected_inputs = inputs
        self._expected_outputs = outputs
        return self

    @classmethod
    def _from_pb(cls, ir: Any, fwd_graph: Any, bwd_graph_info: Any) -> "GradGraphInfo":
        """Of what programs reach: the `_pb_ir`, the `_pb_graph` of the forward graph, and a
        popart._internal.ir.BwdGraphInfo."""
        forward = fwd_graph._graph
        graph = next(g for g in ir._ir._graphs if g.name == str(bwd_graph_info.bwdGraphId))
        return cls._new(
            forward, graph,
            [ExpectedConnection._from_pb(forward, c) for c in bwd_graph_info.expectedInputs],
            [ExpectedConnection._from_pb(forward, c) for c in bwd_graph_info.expectedOutputs])

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def forward_graph(self) -> Graph:
        return self._forward

    @property
    def expected_inputs(self) -> Tuple[ExpectedConnection, ...]:
        """What the inputs of the gradient graph are."""
        return tuple(self._expected_inputs)

    @property
    def expected_outputs(self) -> Tuple[ExpectedConnection, ...]:
        """What the outputs of the gradient graph are."""
        return tuple(self._expected_outputs)

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        """The tensors of the forward graph that inputs are, or are gradients of."""
        return tuple(c.fwd_tensor for c in self._expected_inputs)

    @property
    def outputs(self) -> Tuple[Tensor, ...]:
        """The tensors of the forward graph whose gradients outputs are."""
        return tuple(c.fwd_tensor for c in self._expected_outputs)

    def inputs_dict(self, fwd_call_info: CallSiteInfo) -> Dict[Tensor, Tensor]:
        """By input of the gradient graph that is a forward tensor, that tensor where the forward
        graph was called."""
        if fwd_call_info.called_graph is not self._forward:
            raise TypeError("The called graph does not match: the call is of "
                            f"{fwd_call_info.called_graph.name!r}, and the forward graph is "
                            f"{self._forward.name!r}.")
        return {tensor: fwd_call_info.graph_to_parent(connection.fwd_tensor)
                for tensor, connection in zip(self._graph._inputs, self._expected_inputs)
                if connection.connection_type is ExpectedConnectionType.Fwd}

    def fwd_graph_ins_to_grad_parent_outs(self, grad_call_info: CallSiteInfo
                                          ) -> Dict[Tensor, Tensor]:
        """By tensor of the forward graph, its gradient where the gradient graph was called."""
        return dict(zip(self.outputs, grad_call_info.outputs))

    def fwd_parent_ins_to_grad_parent_outs(self, fwd_call_info: CallSiteInfo,
                                           grad_call_info: CallSiteInfo) -> Dict[Tensor, Tensor]:
        """By tensor of the parent that the forward graph was called with, its gradient where the
        gradient graph was called."""
        return {fwd_call_info.graph_to_parent(tensor): gradient for tensor, gradient in
                self.fwd_graph_ins_to_grad_parent_outs(grad_call_info).items()}


def autodiff(graph: Graph, grads_provided: Optional[Iterable[Tensor]] = None,
             grads_required: Optional[Iterable[Tensor]] = None,
             called_graphs_grad_info: Optional[Mapping[Graph, GradGraphInfo]] = None,
             return_all_grad_graphs: bool = False
             ) -> Union[GradGraphInfo, Dict[Graph, GradGraphInfo]]:
    """The gradient graph of a graph.

    It takes the gradients of `grads_provided` (all outputs, unless they are given) and tensors
    of the forward graph, and returns the gradients of `grads_required` (all inputs). The
    forward graph gets outputs for what the gradient graph needs.

    Graphs that the graph calls are differentiated with it. `called_graphs_grad_info` may have
    what autodiff gave for them; a gradient graph that was changed since is a popart_exception.
    With `return_all_grad_graphs` the result is in a dictionary, by graph.
    """
    _check_unchanged(called_graphs_grad_info or {})
    provided = _checked(graph, grads_provided, graph._outputs, "grads_provided")
    required = _checked(graph, grads_required, graph._inputs, "grads_required")
    _check_differentiable(graph)
    name = graph.ir._exact_graph_name(f"{graph.name}_bwd")
    core, values = popxl_core.make_gradient_graph(
        graph._core, name, [t._read() for t in provided], [t._read() for t in required])
    for each in graph.ir._graphs:
        each._know_results()
    with context.outside_scopes():
        forward = _tensors_of(graph, values)
        info = _info(graph, core, name, provided, required, forward)
    return {graph: info} if return_all_grad_graphs else info


def _checked(graph: Graph, given: Optional[Iterable[Tensor]], default: List[Tensor],
             what: str) -> List[Tensor]:
    graph.ir._check_open()
    if given is None:
        return list(default)
    tensors = list(given)
    if not tensors:
        raise popart_exception(f"[Autodiff] {what} is an empty list.")
    for tensor in tensors:
        if not isinstance(tensor, Tensor) or tensor._graph is not graph:
            raise ValueError(f"[Autodiff] {tensor!r} of {what} is not in the graph "
                             f"{graph.name!r}.")
    return tensors


def _check_unchanged(infos: Mapping[Graph, GradGraphInfo]) -> None:
    """Gradient graphs of called graphs are made anew, so they have to be what autodiff makes."""
    for called, info in infos.items():
        if info.forward_graph is not called:
            raise popart_exception(f"[Autodiff] The gradient graph for {called.name} is that of "
                                   f"{info.forward_graph.name}.")
        if len(info.graph._ops) != info.graph._made_ops or len(info.graph._outputs) != len(info.expected_outputs):
            raise popart_exception(f"[Autodiff] The gradient graph of {called.name} was changed, "
                                   "and gradients of called graphs cannot be replaced.")


def _check_differentiable(graph: Graph) -> None:
    if not graph._is_differentiable:
        raise popart_exception(f"[Autodiff] The graph {graph.name} has been marked as unsafe to "
                               "autodiff.")
    for op in graph._ops:
        if op.modifies:
            raise popart_exception(f"The graph {graph.name} contains a modifying op, "
                                   f"{op.op_type}, and cannot be differentiated.")
        if any(is_float8(t.dtype) for t in [*op.inputs.values(), *op.outputs.values()]):
            raise popart_exception("PopART does not have a valid grad op corresponding to "
                                   f"{op.op_type}Op of 8-bit floats, in the graph {graph.name}.")
        for called in op.called:
            _check_differentiable(called)


def _tensors_of(graph: Graph, values: List[Any]) -> List[Tensor]:
    """The tensors of values of the forward graph, which become outputs unless they are inputs or
    outputs."""
    # Inputs and outputs come last, so that a name is theirs.
    known = {t._value.name: t for t in
             [*graph._tensors.values(), *graph._outputs, *graph._inputs] if t._value is not None}
    tensors = []
    for value in values:
        tensor = known.get(value.name)
        if tensor is None:
            tensor = new_tensor(graph, value.name.rpartition("/")[2], value)
        if tensor not in graph._inputs and tensor not in graph._outputs:
            graph._add_graph_output(tensor)
        tensors.append(tensor)
    return tensors


def _record_ops(graph: Graph, core: Any) -> None:
    """The operators that autodiff made, as those of graphs that programs make."""
    tensors = {t._value.name: t for t in reversed(graph._tensors.values())}

    def tensor_of(value: Any) -> Tensor:
        if value.name not in tensors:
            tensors[value.name] = new_tensor(graph, value.name.rpartition("/")[2], value)
        return tensors[value.name]

    for op_type, inputs, outputs in popxl_core.graph_ops(core):
        record = OpRecord(
            graph, op_type, {i: tensor_of(value) for i, value in inputs.items()},
            {i: tensor_of(value) for i, value in outputs.items()}, place=())
        for tensor in record.outputs.values():
            tensor._producer = record
        graph._ops.append(record)
    graph._made_ops = len(graph._ops)


def _info(forward: Graph, core: Any, name: str, provided: List[Tensor], required: List[Tensor],
          needed: List[Tensor]) -> GradGraphInfo:
    graph = forward.ir._graph_class._new(forward.ir, name, core)
    connections = [ExpectedConnection._new(ExpectedConnectionType.FwdGrad, t) for t in provided]
    connections += [ExpectedConnection._new(ExpectedConnectionType.Fwd, t) for t in needed]
    for connection, value in zip(connections, popxl_core.graph_arguments(core)):
        tensor = connection.fwd_tensor
        prefix = ("Gradient___"
                  if connection.connection_type is ExpectedConnectionType.FwdGrad else "")
        made = new_tensor(graph, prefix + tensor.name, value, dtype=tensor.dtype)
        made._memory.input_index = len(graph._inputs)
        graph._inputs.append(made)
    for tensor, value in zip(required, popxl_core.graph_results(core)):
        made = new_tensor(graph, f"Gradient___{tensor.name}", value, dtype=tensor.dtype)
        graph._outputs.append(made)
        graph._results.append(("output", made))
    _record_ops(graph, core)
    outputs = [ExpectedConnection._new(ExpectedConnectionType.FwdGrad, t) for t in required]
    return GradGraphInfo._new(forward, graph, connections, outputs)
