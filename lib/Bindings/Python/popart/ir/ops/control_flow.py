# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls and repeats."""

from typing import Any, Mapping, Optional, Tuple, Union

from popart.ir.graph import Graph
from popxl import ops
from popxl.call_site import CallSiteInfo
from popxl.tensor import Tensor

Outputs = Union[None, Tensor, Tuple[Tensor, ...]]


class CallInfo:
    """How tensors of a called graph go with those of the operator that calls it."""

    def __init__(self, site: CallSiteInfo) -> None:
        self._site = site

    @property
    def called_graph(self) -> Graph:
        return self._site.called_graph

    def subgraph_to_op_tensor(self, subgraph_tensor: Tensor) -> Tensor:
        return self._site.graph_to_parent(subgraph_tensor)

    def op_in_to_subgraph_in_tensor(self, parent_tensor: Tensor) -> Tensor:
        return self._site.parent_to_graph(parent_tensor)

    def subgraph_in_to_op_in_index(self, index: int) -> int:
        return self._site.graph_to_parent_input_index(index)

    def op_in_to_subgraph_in_index(self, index: int) -> int:
        return self._site.parent_to_graph_input_index(index)

    def subgraph_out_to_op_out_index(self, index: int) -> int:
        return self._site.graph_to_parent_output_index(index)

    def op_out_to_subgraph_out_index(self, index: int) -> int:
        return self._site.parent_to_graph_output_index(index)

    def get_op_input_tensor(self, index: int) -> Tensor:
        return self._site.parent_input(index)

    def get_op_output_tensor(self, index: int) -> Tensor:
        return self._site.parent_output(index)

    def get_input_tensors(self) -> Tuple[Tensor, ...]:
        return self._site.inputs

    def get_output_tensors(self) -> Tuple[Tensor, ...]:
        return self._site.outputs

    def set_op_input_modified(self, parent_tensor: Tensor) -> None:
        self._site.set_parent_input_modified(parent_tensor)


def _as_returned(outputs: Tuple[Tensor, ...]) -> Outputs:
    """None, the one output, or all."""
    return outputs if len(outputs) > 1 else outputs[0] if outputs else None


def call(subgraph: Graph, *args: Any,
         subgraph_in_to_parent_in: Optional[Mapping[Tensor, Any]] = None) -> Outputs:
    """Runs a graph; returns its output or outputs."""
    return _as_returned(ops.call(subgraph, *args, inputs_dict=subgraph_in_to_parent_in))


def call_with_info(subgraph: Graph, *args: Any,
                   subgraph_in_to_parent_in: Optional[Mapping[Tensor, Any]] = None) -> CallInfo:
    """`call` that returns what is known about the call."""
    return CallInfo(ops.call_with_info(subgraph, *args, inputs_dict=subgraph_in_to_parent_in))


def repeat(subgraph: Graph, repeat_trip_count: int, *args: Any,
           subgraph_in_to_parent_in: Optional[Mapping[Tensor, Any]] = None) -> Outputs:
    """Runs a graph several times; its outputs are its first inputs the next time."""
    return _as_returned(ops.repeat(subgraph, repeat_trip_count, *args,
                                   inputs_dict=subgraph_in_to_parent_in))


def repeat_with_info(subgraph: Graph, repeat_trip_count: int, *args: Any,
                     subgraph_in_to_parent_in: Optional[Mapping[Tensor, Any]] = None) -> CallInfo:
    """`repeat` that returns what is known about the call."""
    return CallInfo(ops.repeat_with_info(subgraph, repeat_trip_count, *args,
                                         inputs_dict=subgraph_in_to_parent_in))
