# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of operators in other graphs, as transforms of libraries make them:

    copy = op.cloneIntoGraph(graph._pb_graph)
    copy.connectInTensor(0, x.id)
    copy.createAndConnectOutTensor(0, graph._create_tensor_id("y"))
    copy.setup()

An operator of popxl never changes, so the copy is made when its inputs are known: by the function
that made the original, called again with other tensors.
"""

from typing import Dict

from popart import popart_exception

from popxl import context
from popxl.graph import Graph, OpRecord
from popxl.tensor import Tensor


class OpCopy:
    """An operator that is not made yet. It stands in the place of a record."""

    def __init__(self, original: OpRecord, graph: Graph) -> None:
        if original.again is None:
            raise popart_exception(f"{original.op_type} {original.id} cannot be copied: programs "
                                   "in C++ have made it.")
        if graph.ir is not original.graph.ir:
            raise popart_exception(f"{original.op_type} {original.id} cannot be copied into a "
                                   "graph of another Ir.")
        self.original = original
        self.graph = graph
        self.op_type = original.op_type
        self.modifies = set(original.modifies)
        self.called = original.called
        self.inputs: Dict[int, Tensor] = {}
        self.outputs: Dict[int, Tensor] = {}
        self.id = graph.ir._next_op_id()

    def connect(self, index: int, tensor_id: str) -> None:
        """Gives the copy an input."""
        wanted = self.original.inputs.get(index)
        if wanted is None:
            raise popart_exception(f"{self.op_type} has no input {index}.")
        tensor = self.graph.get_tensor(tensor_id)
        if tensor.shape != wanted.shape or tensor.dtype != wanted.dtype:
            raise popart_exception(f"Input {index} of {self.op_type} is {wanted.dtype!r} "
                                   f"{wanted.shape}, which {tensor!r} is not.")
        self.inputs[index] = tensor

    def make(self) -> OpRecord:
        """The operator, where the original is."""
        missing = [str(i) for i in self.original.inputs if i not in self.inputs]
        if missing:
            raise popart_exception(f"The copy of {self.op_type} {self.original.id} has no input "
                                   f"{', '.join(missing)} yet; call connectInTensor first.")
        before = len(self.graph._ops)
        with self.graph, context.outside_scopes(), context.place(self.original.ipu,
                                                                 self.original.tile_set):
            self.original.again(self.inputs)
        assert len(self.graph._ops) == before + 1
        return self.graph._ops[-1]


def rename(tensor: Tensor, tensor_id: str) -> None:
    """Gives a tensor a name that `Graph._create_tensor_id` has made."""
    graph = tensor._graph
    scope = f"{graph.name}/"
    name = tensor_id[len(scope):] if graph.name and tensor_id.startswith(scope) else tensor_id
    if name in graph._tensors:
        raise popart_exception(f"There is a Tensor {tensor_id} already.")
    del graph._tensors[tensor._name]
    graph._names.discard(tensor._name)
    graph._names.add(name)
    tensor._name = name
    graph._add_tensor(tensor)
