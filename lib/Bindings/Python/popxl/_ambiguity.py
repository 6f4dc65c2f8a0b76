# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds operators whose order matters and which nothing orders.

An operator that writes a tensor in place, and another one that reads or writes the same memory,
have to be ordered: by tensors that lead from one to the other, or by `in_sequence`. The ancestors
of each operator, as both say, are the bits of a number, so that a graph is gone through once.
"""

from typing import Any, Dict, Iterator, List, Tuple

from popart import popart_exception

from popxl.graph import Graph, OpRecord
from popxl.tensor import Tensor

# Views of the whole of a tensor; others are of a part.
_WHOLE = ("Reshape", "Transpose", "Detach", "Identity", "Squeeze", "Flatten")


def check(graph: Graph) -> None:
    """Raises where what is read depends on an order that the program leaves open."""
    uses = _uses_of_written(graph)
    if not uses:
        return
    before = _ancestors(graph._ops)
    number = {op: i for i, op in enumerate(graph._ops)}
    for writer, other, tensor in uses:
        i, j = number[writer], number[other]
        if not (before[i] >> j & 1 or before[j] >> i & 1):
            raise popart_exception(
                f"Inplacing ambiguity detected. In the graph {graph.name or 'main'}, "
                f"{writer.op_type} writes Tensor {tensor.id} in place, and nothing says whether "
                f"{other.op_type}, which uses it, is before or after it. Create both inside of "
                "`with popxl.in_sequence(True):`, or let one depend on the other.")


def _uses_of_written(graph: Graph) -> List[Tuple[OpRecord, OpRecord, Tensor]]:
    """Operators that write a tensor, with others that use the same memory."""
    users: Dict[Any, List[Tuple[OpRecord, Tensor]]] = {}
    writers: List[Tuple[OpRecord, Tensor]] = []
    for op in graph._ops:
        for index, tensor in op.inputs.items():
            if _is_view_of(op, tensor) and not op.modifies:
                continue
            users.setdefault(tensor._memory, []).append((op, tensor))
            if index in op.modifies:
                writers.append((op, tensor))
    return [(writer, op, tensor) for writer, tensor in writers
            for op, used in users[tensor._memory]
            if op is not writer and _may_overlap(tensor, used)]


def _is_view_of(op: OpRecord, tensor: Tensor) -> bool:
    """Whether it only names the memory of the tensor, and reads nothing."""
    return any(t._view is not None and t._view.base is tensor for t in op.outputs.values())


def _may_overlap(a: Tensor, b: Tensor) -> bool:
    """Different parts of a tensor are taken not to."""
    return all(p is q for p, q in zip(_parts(a), _parts(b)))


def _parts(tensor: Tensor) -> List[Tensor]:
    """The views of parts on the way to the memory, from the memory on."""
    found: List[Tensor] = []
    while tensor._view is not None:
        op = tensor._producer
        if tensor._view.forward is not None and not (
                op is not None and op.op_type.startswith(_WHOLE)):
            found.append(tensor)
        tensor = tensor._view.base
    return found[::-1]


class _Progress:
    """How far a sequence has been gone through: the ancestors of its next part."""

    def __init__(self) -> None:
        self.part = 0
        self.done = 0
        self.current = 0


def _ancestors(ops: List[OpRecord]) -> List[int]:
    before: List[int] = []
    number = {op: i for i, op in enumerate(ops)}
    sequences: Dict[Any, _Progress] = {}
    for i, op in enumerate(ops):
        bits = 0
        for producer in _producers(op):
            at = number[producer]
            bits |= before[at] | 1 << at
        for sequence, part in op.place:
            progress = sequences.setdefault(sequence, _Progress())
            if part != progress.part:
                progress.part = part
                progress.done |= progress.current
                progress.current = 0
            if sequence.is_ordered:
                bits |= progress.done
        before.append(bits)
        for sequence, _ in op.place:
            sequences[sequence].current |= bits | 1 << i
    return before


def _producers(op: OpRecord) -> Iterator[OpRecord]:
    for tensor in op.inputs.values():
        if tensor._producer is not None:
            yield tensor._producer
