# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators across replicas. There is one replica, so each group has one member."""

from enum import Enum
from typing import Any, Iterable, List, Literal, Optional, Tuple, get_args

from popart import popart_exception

from popxl import context
from popxl.ops._make import inplace, make
from popxl.tensor import Tensor

CollectiveOps = Literal["add", "mean", "mul", "min", "max", "logical_and", "logical_or",
                        "square_add", "local"]


class CollectiveOperator(Enum):
    """How what replicas have is combined, under PopART's names."""

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


def _check(op: CollectiveOps, group: Any) -> None:
    to_collective_op(op)
    if group is not None and not group.is_const:
        raise NotImplementedError("Replica groupings without a constant stride cannot be used "
                                  "in collectives.")


def _combined(b, x, op: CollectiveOps):
    return b.mul(x, x) if op == "square_add" else b.op("Identity", [x])


def replicated_all_reduce(t: Tensor, op: CollectiveOps = "add", group: Any = None) -> Tensor:
    """What all replicas of a group have, combined."""
    _check(op, group)
    return make("ReplicatedAllReduce", {"t": t}, lambda b, x: _combined(b, x, op),
                "replicated_all_reduce")


def replicated_all_reduce_(t: Tensor, op: CollectiveOps = "add", group: Any = None) -> Tensor:
    """`replicated_all_reduce` in place."""
    _check(op, group)
    return inplace("ReplicatedAllReduceInplace", {"t": t}, lambda b, x: _combined(b, x, op),
                   "replicated_all_reduce")


def replicated_reduce_scatter(t: Tensor, op: CollectiveOps = "add", group: Any = None,
                              configure_output_for_replicated_tensor_sharding: bool = False
                              ) -> Tensor:
    """Each replica's part of what all of a group have, combined."""
    _check(op, group)
    result = make("ReplicatedReduceScatter", {"t": t},
                  lambda b, x: b.reshape(_combined(b, x, op), (t.nelms,)),
                  "replicated_reduce_scatter")
    if configure_output_for_replicated_tensor_sharding:
        result._meta_shape = t.shape
    return result


def replicated_all_gather(t: Tensor, axis: int = 0, group: Any = None,
                          output_shape: str = "auto") -> Tensor:
    """What all replicas of a group have, one behind the other along an axis; of a shard, the
    whole tensor."""
    _check("add", group)
    if output_shape not in ("auto", "new_axis", "concat", "meta_shape"):
        raise ValueError(f"Invalid output_shape {output_shape!r}.")
    if output_shape == "meta_shape" and not t.meta_shape:
        raise ValueError(f"Tensor {t.id} has no meta_shape.")
    shape = t.meta_shape or t.shape
    if output_shape == "concat":
        shape = t.shape
    elif output_shape == "new_axis":
        shape = t.shape[:axis] + (1,) + t.shape[axis:]
    return make("ReplicatedAllGather", {"t": t},
                lambda b, x: b.op("Reshape", [x, b.ints(list(shape))], allowzero=1),
                "replicated_all_gather")


def replica_sharded_slice(t: Tensor, group: Any = None) -> Tensor:
    """Each replica's part of a tensor that all have."""
    return replicated_reduce_scatter(t, "local", group, True)


def replicated_slice(t: Tensor, axis: int = 0, group: Any = None) -> Tensor:
    """Each replica's part of a tensor along an axis."""
    _check("local", group)
    return make("ReplicatedAllReduce", {"t": t}, lambda b, x: b.op("Identity", [x]),
                "replicated_slice")


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
