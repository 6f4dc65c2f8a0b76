# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators across the replicas of a group, and across IPUs."""

import math
from enum import Enum
from typing import Any, Dict, Iterable, List, Literal, Optional, Tuple, get_args

from popart import popart_exception

from popxl import context
from popxl.ops._make import inplace, make
from popxl.tensor import Tensor

CollectiveOps = Literal["add", "mean", "mul", "min", "max", "logical_and", "logical_or",
                        "square_add", "local"]


class CollectiveOperator(Enum):
    """Operators that combine the values of replicas, under PopART's names."""

    Add = "add"
    Mean = "mean"
    Mul = "mul"
    Min = "min"
    Max = "max"
    LogicalAnd = "logical_and"
    LogicalOr = "logical_or"
    SquareAdd = "square_add"
    Local = "local"


def to_collective_op(op: CollectiveOps) -> CollectiveOperator:
    """The operator of a name; ValueError where there is none."""
    if op not in get_args(CollectiveOps):
        raise ValueError(f"The collective operator is one of "
                         f"{', '.join(get_args(CollectiveOps))}, not {op!r}.")
    return CollectiveOperator(op)


def _of_group(op: CollectiveOps, group: Any) -> Dict[str, int]:
    """Attributes of an operator: how a group's values are combined, and which replicas it has."""
    number = list(CollectiveOperator).index(to_collective_op(op))
    ir = context.get_current_graph().ir
    if group is None:
        group = ir.replica_grouping()
    if not group.is_const:
        raise NotImplementedError("Replica groupings without a constant stride cannot be used "
                                  "in collectives.")
    ir._uses_replication_factor = True
    return {"__collectiveOperator": number, "__group_size": group.group_size,
            "__group_stride": group.stride}


def replicated_all_reduce(t: Tensor, op: CollectiveOps = "add", group: Any = None) -> Tensor:
    """Combines the values of all replicas of a group."""
    how = _of_group(op, group)
    return make("ReplicatedAllReduce", {"t": t},
                lambda b, x: b.gc("ReplicatedAllReduce", [x], **how), "replicated_all_reduce")


def replicated_all_reduce_(t: Tensor, op: CollectiveOps = "add", group: Any = None) -> Tensor:
    """`replicated_all_reduce` in place."""
    how = _of_group(op, group)
    return inplace("ReplicatedAllReduceInplace", {"t": t},
                   lambda b, x: b.gc("ReplicatedAllReduce", [x], **how), "replicated_all_reduce")


def replicated_reduce_scatter(t: Tensor, op: CollectiveOps = "add", group: Any = None,
                              configure_output_for_replicated_tensor_sharding: bool = False
                              ) -> Tensor:
    """Combines the values of a group, and returns each replica's part: one dimension, padded with
    zeros to parts of one size."""
    how = _of_group(op, group)
    result = make("ReplicatedReduceScatter", {"t": t},
                  lambda b, x: b.gc("ReplicatedReduceScatter", [x], **how),
                  "replicated_reduce_scatter")
    if configure_output_for_replicated_tensor_sharding:
        result._meta_shape = t.shape
    return result


def replicated_all_gather(t: Tensor, axis: int = 0, group: Any = None,
                          output_shape: str = "auto") -> Tensor:
    """Concatenates the values of a group's replicas along an axis; of a shard, the whole tensor.

    `output_shape` is "new_axis" for an axis of replicas, "concat" for a longer axis, "meta_shape"
    for the tensor that `t` is a shard of, and "auto" for the latter where it is one.
    """
    how = _of_group("add", group)
    if output_shape not in ("auto", "new_axis", "concat", "meta_shape"):
        raise ValueError(f"Invalid output_shape {output_shape!r}.")
    if output_shape == "meta_shape" and not t.meta_shape:
        raise ValueError(f"Tensor {t.id} has no meta_shape.")
    if output_shape == "auto":
        output_shape = "meta_shape" if t.meta_shape else "concat"
    size = how["__group_size"]

    def gathered(b, x):
        everything = b.gc("ReplicatedAllGather", [x], **how)
        if output_shape == "meta_shape":
            return _first_elements(b, everything, size * t.nelms, t.meta_shape)
        return _along(b, everything, size, t.shape, axis, output_shape == "new_axis")

    return make("ReplicatedAllGather", {"t": t}, gathered, "replicated_all_gather")


def _first_elements(b, x, count: int, shape: Tuple[int, ...]):
    """Those of `count` elements that a tensor of this shape has."""
    wanted = math.prod(shape)
    flat = b.reshape(x, (count,))
    if wanted != count:
        flat = b.op("Slice", [flat, b.ints([0]), b.ints([wanted]), b.ints([0])])
    return b.reshape(flat, shape)


def _along(b, x, size: int, shape: Tuple[int, ...], axis: int, is_new: bool):
    """Parts, one for each replica, as an axis of their own or as one that is longer."""
    rank = len(shape)
    axis = axis % (rank + 1 if is_new else max(rank, 1))
    parts = b.reshape(x, (size, *shape))
    order = [*range(1, axis + 1), 0, *range(axis + 1, rank + 1)]
    placed = b.op("Transpose", [parts], perm=order)
    if is_new:
        return placed
    longer = list(shape) or [1]
    longer[axis] *= size
    return b.reshape(placed, tuple(longer))


def replica_sharded_slice(t: Tensor, group: Any = None) -> Tensor:
    """Each replica's shard of a tensor that all have."""
    return replicated_reduce_scatter(t, "local", group, True)


def replicated_slice(t: Tensor, axis: int = 0, group: Any = None) -> Tensor:
    """Each replica's part of a tensor along an axis."""
    how = _of_group("local", group)
    size = how["__group_size"]
    axis = axis % max(t.rank, 1)
    if t.rank == 0 or t.shape[axis] % size != 0:
        raise ValueError(f"Axis {axis} of Tensor {t.id}, {t.shape}, cannot be divided by the "
                         f"{size} replicas of a group.")
    shape = list(t.shape)
    shape[axis] //= size

    def part(b, x):
        order = [axis, *(i for i in range(t.rank) if i != axis)]
        own = b.gc("ReplicatedReduceScatter", [b.op("Transpose", [x], perm=order)], **how)
        back = sorted(range(t.rank), key=order.__getitem__)
        return b.op("Transpose", [b.reshape(own, tuple(shape[i] for i in order))], perm=back)

    return make("ReplicatedReduceScatter", {"t": t}, part, "replicated_slice")


def _of_ipus(ts: Iterable[Tensor], ipus: Optional[List[int]],
             op: CollectiveOps) -> Tuple[Tensor, ...]:
    ts = list(ts)
    context.get_current_graph()._check_own(**{f"ts_{i}": t for i, t in enumerate(ts)})
    if op != "add":
        raise popart_exception(f"all_reduce across IPUs with {op!r} is not supported.")
    ipus = [t.ipu for t in ts] if ipus is None else list(ipus)
    results = []
    for place in ipus:
        with context.ipu(place):
            parts = [t if t.ipu == place else t.copy_to_ipu(place) for t in ts]
            results.append(make("AllReduce", {f"ts_{i}": t for i, t in enumerate(parts)},
                                lambda b, *xs: b.op("Sum", list(xs)), "all_reduce"))
    return tuple(results)


def all_reduce(ts: Iterable[Tensor], ipus: Optional[List[int]] = None,
               op: CollectiveOps = "add") -> Tuple[Tensor, ...]:
    """The sum of tensors that are on different IPUs, on each of these."""
    return _of_ipus(ts, ipus, op)


def all_reduce_identical_inputs(ts: Iterable[Tensor], ipus: Optional[List[int]] = None,
                                op: CollectiveOps = "add") -> Tuple[Tensor, ...]:
    """Tensors that are equal stay as they are."""
    return tuple(make("AllReduce", {"t": t}, lambda b, x: b.op("Identity", [x]), "all_reduce")
                 for t in ts)


def all_reduce_identical_grad_inputs(ts: Iterable[Tensor], ipus: Optional[List[int]] = None,
                                     op: CollectiveOps = "add") -> Tuple[Tensor, ...]:
    """`all_reduce` whose gradients are equal."""
    return _of_ipus(ts, ipus, op)
