# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which replicas belong together when variables are set and collectives run."""

from typing import Any, List, Optional


class ReplicaGrouping:
    """A partition of the replicas of an Ir into groups of one size."""

    def __init__(self) -> None:
        raise RuntimeError("popxl.ReplicaGrouping cannot be constructed directly.")

    @classmethod
    def _of_stride(cls, ir, stride: int, group_size: Optional[int]) -> "ReplicaGrouping":
        replicas = ir.replication_factor
        for name, value in (("stride", stride), ("group_size", group_size)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise ValueError(f"The {name} of a replica grouping is an int, not {value!r}.")
        if stride <= 0 or stride > replicas or replicas % stride != 0:
            raise ValueError(f"The stride {stride} has to be positive and to divide the number "
                             f"of replicas, {replicas}.")
        size = replicas // stride if group_size is None else group_size
        if size <= 0 or size > replicas or replicas % size != 0:
            raise ValueError(f"The group size {size} has to be positive and to divide the number "
                             f"of replicas, {replicas}.")
        return cls._of_assignment(ir, _greedy(replicas, 1 if size == 1 else stride, size))

    @classmethod
    def _of_assignment(cls, ir, assignment: List[int]) -> "ReplicaGrouping":
        replicas = ir.replication_factor
        assignment = list(assignment)
        if len(assignment) != replicas:
            raise ValueError(f"The assignment has {len(assignment)} elements for {replicas} "
                             "replicas.")
        first_seen = list(dict.fromkeys(assignment))
        if first_seen != list(range(len(first_seen))):
            raise ValueError("Groups of an assignment are numbered from 0 in the order in which "
                             f"they appear, unlike in {assignment}.")
        sizes = {assignment.count(group) for group in first_seen}
        if len(sizes) != 1:
            raise ValueError(f"Groups of an assignment are of one size, unlike in {assignment}.")
        self = object.__new__(cls)
        self._ir = ir
        self._assignment = assignment
        self._group_size = sizes.pop()
        return self

    @property
    def assignment(self) -> List[int]:
        """By replica, its group."""
        return list(self._assignment)

    @property
    def group_size(self) -> int:
        return self._group_size

    @property
    def num_groups(self) -> int:
        return len(self._assignment) // self._group_size

    @property
    def is_const(self) -> bool:
        """Whether all neighbours in all groups are equally far apart."""
        return len(self._strides()) <= 1

    @property
    def stride(self) -> int:
        """How far apart the replicas of a group are; NotImplementedError where that differs."""
        strides = self._strides()
        if len(strides) > 1:
            raise NotImplementedError(
                "The stride of a replica grouping is not constant: "
                f"{self._assignment}.")
        return strides.pop() if strides else 1

    def transpose(self) -> "ReplicaGrouping":
        """Groups of those that have the same place in their groups."""
        seen: dict = {}
        places = []
        for group in self._assignment:
            places.append(seen.setdefault(group, 0))
            seen[group] += 1
        return ReplicaGrouping._of_assignment(self._ir, places)

    def _strides(self) -> set:
        strides = set()
        for group in range(self.num_groups):
            members = [i for i, g in enumerate(self._assignment) if g == group]
            strides.update(b - a for a, b in zip(members, members[1:]))
        return strides

    def _to_rts_comm_group(self) -> None:
        raise NotImplementedError("Sharding over several replicas is not supported.")

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, ReplicaGrouping):
            raise TypeError(f"A ReplicaGrouping cannot be compared with {other!r}.")
        return self._assignment == other._assignment

    def __hash__(self) -> int:
        return hash(tuple(self._assignment))

    def __repr__(self) -> str:
        stride = f"stride={self.stride}, " if self.is_const else ""
        return (f"ReplicaGrouping(num_groups={self.num_groups}, {stride}"
                f"group_size={self.group_size})")


def _greedy(replicas: int, stride: int, size: int) -> List[int]:
    """Each group begins at the first replica that has none yet."""
    assignment = [-1] * replicas
    for group in range(replicas // size):
        first = assignment.index(-1)
        for place in range(size):
            replica = first + place * stride
            if replica >= replicas or assignment[replica] != -1:
                raise ValueError(f"Groups of {size} replicas {stride} apart do not partition "
                                 f"{replicas} replicas.")
            assignment[replica] = group
    return assignment
