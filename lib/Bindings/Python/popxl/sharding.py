# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of which each replica keeps a part.

The elements of a variable, as one dimension, are divided into shards of one size; the last one
is padded with zeros. Of 5 elements over 2 replicas, replica 0 has [0, 1, 2] and replica 1 has
[3, 4, -]. The host sees the whole variable.
"""

import math
from typing import Any, Iterable, Optional, Tuple

import numpy as np
from popart import popart_exception

from popxl import context, dtypes
from popxl.graph import Graph
from popxl.remote_buffer import RemoteBuffer, _OffChip, _place
from popxl.tensor import Shape, Tensor, Variable, new_tensor
from popxl.variables import _checked_data, checked_retrieval


class _Sharded(Variable):
    """The host's side of a variable of shards."""

    _differs_by_replica = True

    @property
    def _full_shape(self) -> Shape:
        return self._meta_shape

    @property
    def shape_on_replica(self) -> Shape:
        return self._meta_shape

    def _shards(self) -> Tuple[np.ndarray, np.ndarray]:
        """By replica, its group and the number of the shard that it has."""
        groups = np.array(self.replica_grouping.assignment)
        places = np.array([np.sum(groups[:i] == g) for i, g in enumerate(groups)])
        return groups, places % self._shard_over

    def _on_replicas(self, host: np.ndarray) -> np.ndarray:
        count = self.replica_grouping.num_groups
        flat = host.reshape(count, -1)
        size = self._shape[0] * self._shard_over
        padded = np.zeros((count, size), host.dtype)
        padded[:, :flat.shape[1]] = flat
        return padded.reshape(count, self._shard_over, -1)[self._shards()]

    def _from_replicas(self, values: np.ndarray) -> np.ndarray:
        count = self.replica_grouping.num_groups
        whole = np.empty((count, self._shard_over, self._shape[0]), values.dtype)
        groups, shards = self._shards()
        # The first replica with a shard wins: the order is reversed, and later writes replace.
        whole[groups[::-1], shards[::-1]] = values[::-1]
        elements = math.prod(self._meta_shape)
        return whole.reshape(count, -1)[:, :elements].reshape(self.shape_on_host)


class _ShardedOnChip(_Sharded):
    """One whose shards are tensors of the replicas."""

    def _read(self):
        raise popart_exception(f"Variable {self.id} is divided over replicas; read its shard and "
                               "gather that.")

    def _write(self, value) -> None:
        raise popart_exception(f"Variable {self.id} is divided over replicas; write its shard.")


class _ShardedOffChip(_Sharded, _OffChip):
    """One whose shards are entries of remote buffers."""


def _sizes(ir, grouping: Any, shard_over: Optional[int]) -> Tuple[Any, int]:
    """The grouping, and the number of shards; ValueError where that is not possible."""
    if ir.replication_factor == 1:
        raise ValueError("Replica sharding needs a replication factor of more than 1.")
    grouping = grouping or ir.replica_grouping()
    size = grouping.group_size
    shards = size if shard_over is None else shard_over
    if shards < 1 or size % shards != 0:
        raise ValueError(f"A variable cannot be divided over {shards} of the {size} replicas of a "
                         "group; the number has to divide that of the group.")
    ir._uses_replication_factor = True
    return grouping, shards


def _shard_shape(shape: Iterable[int], shards: int) -> Tuple[int]:
    return (-(-math.prod(shape) // shards),)


def replica_sharded_buffer(shape: Iterable[int], dtype: dtypes.dtype, replica_grouping=None,
                           shard_over: Optional[int] = None, entries: int = 1) -> RemoteBuffer:
    """A buffer for shards of tensors of this shape; ValueError with one replica."""
    _, shards = _sizes(context.get_ir(), replica_grouping, shard_over)
    buffer = RemoteBuffer(_shard_shape(shape, shards), dtype, entries)
    buffer._meta_shape = tuple(shape)
    return buffer


def _checked(data: Any, dtype, downcast: bool, replica_grouping, shard_over,
             retrieval_mode) -> Tuple[Graph, np.ndarray, dtypes.dtype, Any, int, Shape]:
    """What both kinds of variables are made of; the last is the shape of a whole one."""
    graph = context.get_current_graph()
    graph.ir._check_open()
    if graph is not graph.ir.main_graph:
        raise ValueError("You can only initialise variable tensors within the main graph.")
    grouping, shards = _sizes(graph.ir, replica_grouping, shard_over)
    if checked_retrieval(retrieval_mode) == "all_replicas":
        raise NotImplementedError("Of a variable that is divided over replicas, each of which has "
                                  "a part, one comes back for each group (one_per_group).")
    array, known = _checked_data(data, dtype, downcast)
    groups = grouping.num_groups
    if groups > 1 and (array.ndim == 0 or array.shape[0] != groups):
        raise ValueError(f"The data of a variable with {groups} groups of replicas has a value for "
                         f"each in front, which {array.shape} has not.")
    return graph, array, known, grouping, shards, array.shape[1 if groups > 1 else 0:]


def replica_sharded_variable(data: Any, dtype: Optional[dtypes.dtype] = None,
                             name: Optional[str] = None, downcast: bool = True,
                             replica_grouping=None, shard_over: Optional[int] = None,
                             retrieval_mode: Optional[str] = None) -> Tuple[Variable, Tensor]:
    """A variable of which each replica keeps a shard: the variable, whose data the session reads
    and writes as a whole, and the shard, which operators read and write.

    `popxl.ops.collectives.replicated_all_gather` makes the whole tensor of the shard. ValueError
    with one replica.
    """
    graph, array, known, grouping, shards, whole = _checked(
        data, dtype, downcast, replica_grouping, shard_over, retrieval_mode)
    zeros = np.zeros(_shard_shape(whole, shards), array.dtype)
    unique = graph._unique_name(name or "t")
    core = graph.ir._module.add_variable(unique, dtypes.to_ir(known), zeros)
    variable = graph._variable_of(core, unique, array, known)
    variable.__class__ = _ShardedOnChip
    _describe(variable, whole, grouping, shards)
    shard = new_tensor(graph, f"{name or 't'}_shard", variable._memory.value,
                       memory=variable._memory, dtype=known)
    shard._meta_shape = tuple(whole)
    return variable, shard


def _describe(variable: Variable, whole: Shape, grouping: Any, shards: int) -> None:
    variable._meta_shape = tuple(whole)
    variable._grouping = grouping
    variable._shard_over = shards
    variable._retrieval_mode = "one_per_group"


def remote_replica_sharded_variable(data: Any, remote_buffer: RemoteBuffer, offset: int = 0,
                                    dtype: Optional[dtypes.dtype] = None,
                                    name: Optional[str] = None, downcast: bool = True,
                                    replica_grouping=None, shard_over: Optional[int] = None,
                                    retrieval_mode: Optional[str] = None) -> Variable:
    """A variable in an entry of a `replica_sharded_buffer`, of which each replica has a shard.
    Operators load it with `popxl.ops.remote_load`. ValueError with one replica."""
    graph, array, known, grouping, shards, whole = _checked(
        data, dtype, downcast, replica_grouping, shard_over, retrieval_mode)
    if remote_buffer.meta_shape and remote_buffer.meta_shape != tuple(whole):
        raise ValueError(f"The variable has the shape {tuple(whole)}, and the buffer is for shards "
                         f"of {remote_buffer.meta_shape}.")
    variable = _ShardedOffChip._new(graph, name, array, known, _shard_shape(whole, shards),
                                    remote_buffer, offset)
    _describe(variable, whole, grouping, shards)
    _place(variable, remote_buffer, offset)
    remote_buffer._meta_shape = tuple(whole)
    return variable
