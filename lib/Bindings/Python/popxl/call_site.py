# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known about a place where a graph is called."""

from typing import Any, Dict, List, Tuple

from popart import popart_exception

from popxl.tensor import Tensor, new_tensor


def _at(tensors: List[Tensor], index: int, what: str) -> Tensor:
    if not 0 <= index < len(tensors):
        raise IndexError(f"There is no {what} {index}; there are {len(tensors)}.")
    return tensors[index]


class CallSiteInfo:
    """How tensors of a called graph go with those of the graph that calls it."""

    def __init__(self) -> None:
        raise RuntimeError("popxl.CallSiteInfo cannot be constructed directly.")

    @classmethod
    def _new(cls, parent: Any, called: Any, inputs: List[Tensor], op: Any) -> "CallSiteInfo":
        self = object.__new__(cls)
        self._parent = parent
        self._called = called
        self._inputs = inputs
        self._outputs: List[Tensor] = []
        self._op_core = op
        # By result of the called graph of the IR that is no output: its value here.
        self._hidden: Dict[int, Any] = {}
        self._modified: set = set()
        self._is_loop = False
        self._record = None
        return self

    @property
    def called_graph(self):
        return self._called

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        """The parent's tensors, by input of the called graph."""
        return tuple(self._inputs)

    @property
    def outputs(self) -> Tuple[Tensor, ...]:
        """The parent's tensors, by output of the called graph."""
        return tuple(self._outputs)

    @property
    def _op(self):
        from popxl._shim import PbOp

        return PbOp(self._record)

    def graph_to_parent(self, graph_tensor: Tensor) -> Tensor:
        """The parent's tensor of an input or output of the called graph."""
        if graph_tensor in self._called._inputs:
            return self._inputs[self._called._inputs.index(graph_tensor)]
        if graph_tensor in self._called._outputs:
            return self._outputs[self._called._outputs.index(graph_tensor)]
        raise ValueError(f"The tensor {graph_tensor!r} is not an input or output of the called "
                         f"graph {self._called.name!r}.")

    def parent_to_graph(self, parent_tensor: Tensor) -> Tensor:
        """The input or output of the called graph of a parent's tensor."""
        if parent_tensor in self._inputs:
            return self._called._inputs[self._inputs.index(parent_tensor)]
        if parent_tensor in self._outputs:
            return self._called._outputs[self._outputs.index(parent_tensor)]
        raise ValueError(f"The tensor {parent_tensor!r} is not an input or output of this call.")

    def graph_to_parent_input_index(self, index: int) -> int:
        _at(self._inputs, index, "input")
        return index

    def parent_to_graph_input_index(self, index: int) -> int:
        _at(self._inputs, index, "input")
        return index

    def graph_to_parent_output_index(self, index: int) -> int:
        _at(self._outputs, index, "output")
        return index

    def parent_to_graph_output_index(self, index: int) -> int:
        _at(self._outputs, index, "output")
        return index

    def parent_input(self, index: int) -> Tensor:
        return _at(self._inputs, index, "input")

    def parent_output(self, index: int) -> Tensor:
        return _at(self._outputs, index, "output")

    def set_parent_input_modified(self, parent_tensor: Tensor,
                                  infer_modified_regions: bool = False) -> None:
        """Lets what the called graph does to an input be done to the parent's tensor."""
        if parent_tensor not in self._inputs:
            raise ValueError(f"The tensor {parent_tensor!r} is not an input of this call.")
        for index, tensor in enumerate(self._inputs):
            if tensor is parent_tensor and index not in self._modified:
                self._set_modified(index)

    def _set_modified(self, index: int) -> None:
        called_input = self._called._inputs[index]
        if called_input._memory.version != 0:
            if self._is_loop:
                raise NotImplementedError("An input of a repeat is modified for the parent where "
                                          "the graph takes it by reference.")
            number = self._called._return_input(index)
            self._inputs[index]._write(self._hidden[number])
        self._modified.add(index)
        if self._record is not None:
            self._record.modifies.add(index)

    # ---- Results that the called graph gets later -----------------------------

    def _add_output(self, number: int, output: Tensor) -> None:
        self._check_open(output)
        value = self._parent._core.add_output(self._op_core, number, output.name)
        tensor = new_tensor(self._parent, output.name.rpartition("/")[2], value,
                            dtype=output.dtype)
        tensor._producer = self._record
        self._record.outputs[len(self._outputs)] = tensor
        self._outputs.append(tensor)

    def _add_hidden_output(self, number: int) -> None:
        self._check_open(None)
        self._hidden[number] = self._parent._core.add_output(self._op_core, number,
                                                             "modified")

    def _check_open(self, _output: Any) -> None:
        if self._is_loop:
            raise popart_exception(f"The graph {self._called.name} is repeated already and "
                                   "cannot get more outputs.")


class ConditionalSiteInfo:
    """How tensors of the branches of a conditional go with those of the parent graph."""

    def __init__(self) -> None:
        raise RuntimeError("popxl.ConditionalSiteInfo cannot be constructed directly.")

    @classmethod
    def _new(cls, parent, then_graph, else_graph, cond, then_inputs, else_inputs,
             outputs) -> "ConditionalSiteInfo":
        self = object.__new__(cls)
        self._parent = parent
        self._then, self._else = then_graph, else_graph
        self._cond = cond
        self._then_inputs, self._else_inputs = then_inputs, else_inputs
        self._outputs = outputs
        self._record: Any = None
        return self

    @property
    def _op(self):
        from popxl._shim import PbOp

        return PbOp(self._record)

    @property
    def then_graph(self):
        return self._then

    @property
    def else_graph(self):
        return self._else

    @property
    def inputs(self) -> Tuple[Tensor, ...]:
        """The condition, and the inputs of both branches."""
        return (self._cond, *self._then_inputs, *self._else_inputs)

    @property
    def outputs(self) -> Tuple[Tensor, ...]:
        return tuple(self._outputs)

    def _sides(self):
        return ((self._then, self._then_inputs), (self._else, self._else_inputs))

    def graph_to_parent(self, graph_tensor: Tensor) -> Tensor:
        """The parent's tensor of an input or output of a branch."""
        for graph, inputs in self._sides():
            if graph_tensor in graph._inputs:
                return inputs[graph._inputs.index(graph_tensor)]
            if graph_tensor in graph._outputs:
                return self._outputs[graph._outputs.index(graph_tensor)]
        raise ValueError(f"The tensor {graph_tensor!r} is not an input or output of a branch.")

    def parent_to_graph(self, parent_tensor: Tensor) -> Tuple[Tensor, ...]:
        """The tensors of the branches that a parent's tensor is."""
        found: List[Tensor] = []
        for graph, inputs in self._sides():
            found += [graph._inputs[i] for i, t in enumerate(inputs) if t is parent_tensor]
            found += [graph._outputs[i] for i, t in enumerate(self._outputs)
                      if t is parent_tensor]
        if not found:
            raise ValueError(f"The tensor {parent_tensor!r} is not an input or output of this "
                             "conditional.")
        return tuple(found)

    def parent_input(self, index: int) -> Tensor:
        return _at(list(self.inputs), index, "input")

    def parent_output(self, index: int) -> Tensor:
        return _at(self._outputs, index, "output")

    def set_parent_input_modified(self, *_args: Any, **_kwargs: Any) -> None:
        raise NotImplementedError("Branches of a conditional do not modify inputs.")

    def _add_output(self, _number: int, output: Tensor) -> None:
        raise popart_exception(f"The graph {output._graph.name} is a branch of a conditional and "
                               "cannot get more outputs.")

    def _add_hidden_output(self, _number: int) -> None:
        raise popart_exception("A branch of a conditional does not modify its inputs.")
