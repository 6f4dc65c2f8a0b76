# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which replicas share a variable, and which of them give it back."""

import enum
from typing import Any, List, Tuple

import popart_core
from popart_core import CommGroup, CommGroupType


class VariableRetrievalMode(enum.Enum):
    """Which replicas' values of a variable come back."""
    OnePerGroup = 0
    AllReduceReplicas = 1
    AllReplicas = 2


class VariableSettings:
    """VariableSettings([CommGroup][, VariableRetrievalMode]), or stride, group size and mode:
    replicas of a group are `stride` apart."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        values = list(args) + list(kwargs.values())
        self._mode = next((v for v in values if isinstance(v, VariableRetrievalMode)),
                          VariableRetrievalMode.OnePerGroup)
        self._group = next((v for v in values if isinstance(v, CommGroup)),
                           CommGroup(CommGroupType.All, 0))
        numbers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
        self._stride = numbers[0] if len(numbers) == 2 else None
        self._group_size = numbers[1] if len(numbers) == 2 else None

    def _parts(self) -> Tuple[CommGroup, int, int, int]:
        """The group, stride and group size (0 where the group says them), and the mode."""
        return self._group, self._stride or 0, self._group_size or 0, int(self._mode.value)

    def getRetrievalMode(self) -> VariableRetrievalMode:
        return self._mode

    def getSharedVariableDomain(self) -> CommGroup:
        return self._group

    def getRealGroupSize(self, replicaCount: int) -> int:
        """How many replicas a group has."""
        if self._group_size is not None:
            return self._group_size
        if self._group.type == CommGroupType.All:
            return replicaCount
        if self._group.type == getattr(CommGroupType, "None"):
            return 1
        return self._group.replicaGroupSize

    def getGroupCount(self, replicaCount: int) -> int:
        """How many groups there are."""
        return replicaCount // self.getRealGroupSize(replicaCount)

    def getStride(self, replicaCount: int) -> int:
        """How far apart the replicas of a group are."""
        if self._stride is not None:
            return self._stride
        if self._group.type == CommGroupType.Orthogonal:
            return self.getGroupCount(replicaCount)
        return 1

    def groups(self, replicaCount: int) -> List[List[int]]:
        """The replicas of each group."""
        size, stride = self.getRealGroupSize(replicaCount), self.getStride(replicaCount)
        left = list(range(replicaCount))
        result: List[List[int]] = []
        while left:
            group = [left[0] + i * stride for i in range(size)]
            if not set(group) <= set(left):
                raise popart_core.popart_exception(
                    f"VariableSettings: groups of {size} replicas {stride} apart do not divide "
                    f"{replicaCount} replicas")
            left = [replica for replica in left if replica not in group]
            result.append(group)
        return result

    def getGroupRepresentative(self, group: int) -> int:
        """The first replica of a group."""
        if self._stride is None and self._group.type == CommGroupType.Consecutive:
            return group * self._group.replicaGroupSize
        if self._stride not in (None, 1):
            block, place = divmod(group, self._stride)
            return block * self._stride * (self._group_size or 1) + place
        if self._stride == 1:
            return group * (self._group_size or 1)
        return 0 if self._group.type == CommGroupType.All else group

    def numReplicasReturningVariable(self, replicaCount: int) -> int:
        """How many values come back."""
        if self._mode == VariableRetrievalMode.AllReplicas:
            return replicaCount
        return self.getGroupCount(replicaCount)

    def shapeOnReplica(self, fullShape: List[int], replicaCount: int = 1,
                       name: str = "") -> List[int]:
        """The shape that a replica has, of that with a value for each group in front."""
        count, shape = self.getGroupCount(replicaCount), list(fullShape)
        if count == 1:
            return shape
        if not shape or shape[0] != count:
            raise popart_core.popart_exception(
                f"VariableSettings: the shape {shape} of '{name}' does not begin with the number "
                f"of groups, {count}")
        return shape[1:]

    def shapeOnHost(self, replicaShape: List[int], replicaCount: int = 1) -> List[int]:
        """The shape of what comes back: in front, how many values, where that is not 1."""
        count = self.numReplicasReturningVariable(replicaCount)
        return ([count] if count > 1 else []) + list(replicaShape)

    def verify(self) -> None:
        """Raises popart_exception where the groups cannot be."""
        sized = self._group.type in (CommGroupType.Consecutive, CommGroupType.Orthogonal)
        if sized and self._group.replicaGroupSize < 1:
            raise popart_core.popart_exception(
                "VariableSettings: a CommGroup of this type needs a size of 1 or more, not "
                f"{self._group.replicaGroupSize}")
        if self._stride is not None and (self._stride < 1 or (self._group_size or 0) < 1):
            raise popart_core.popart_exception(
                "VariableSettings: stride and group size are positive, not "
                f"{self._stride} and {self._group_size}")
