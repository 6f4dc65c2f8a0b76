# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives across the replicas of a program. Those of `jax.vmap` are ordinary primitives when
they come here."""

from typing import Any, Callable, Dict, List

import numpy as np

from populus.jax._errors import Unsupported
from populus.jax._graphs import Value, product
from populus.jax._lower import Equation

# PopIR's numbers of the operators that combine the values of replicas.
_ADD, _MIN, _MAX, _LOCAL = 0, 3, 4, 8


def _group(e: Equation, operator: int) -> Dict[str, int]:
    """The attributes of a collective of all replicas. Raises Unsupported for parts of them."""
    if e.params.get("axis_index_groups") is not None:
        raise Unsupported("of groups of replicas")
    names = e.params.get("axes", e.params.get("axis_name"))
    names = tuple(names) if isinstance(names, (tuple, list)) else (names,)
    replicas = e.translation.replicas
    if replicas.count == 1 or names != (replicas.axis,):
        raise Unsupported(f"of the axes {', '.join(map(str, names))}")
    return {"__collectiveOperator": operator, "__group_size": replicas.count,
            "__group_stride": 1}


def _reduced(operator: int, op_type: str) -> Callable:
    """Across replicas; or over dimensions, as collectives under `jax.vmap` end."""
    def rule(e: Equation, *x: Value) -> List[Value]:
        axes = e.params["axes"]
        if all(isinstance(axis, int) for axis in axes) and not e.params.get("axis_index_groups"):
            return [e.graph.reduce(op_type, value, axes) for value in x]
        group = _group(e, operator)
        return [_all_reduced(e, value, group) for value in x]
    return rule


def _all_reduced(e: Equation, x: Value, group: Dict[str, Any]) -> Value:
    if x.type not in ("float", "float16", "int32", "uint32"):
        raise Unsupported(f"of {x.type}")
    return e.graph.gc("ReplicatedAllReduce", x, **group)


def _gathered(e: Equation, x: Value) -> Value:
    """The values of all replicas along a new dimension, or one after the other along an old
    one."""
    g, axis = e.graph, e.params["all_gather_dimension"]
    count, rank = e.translation.replicas.count, len(x.shape)
    rows = g.reshape(g.gc("ReplicatedAllGather", x, **_group(e, _ADD)), [count, *x.shape])
    placed = g.transpose(rows, [*range(1, axis + 1), 0, *range(axis + 1, rank + 1)])
    return g.reshape(placed, e.out.shape)


def _scattered(e: Equation, x: Value) -> Value:
    """A replica's part of the sum."""
    g, axis = e.graph, e.params["scatter_dimension"]
    order = [axis, *(d for d in range(len(x.shape)) if d != axis)]
    part = g.gc("ReplicatedReduceScatter", g.transpose(x, order), **_group(e, _ADD))
    extent = x.shape[axis] // e.translation.replicas.count
    part = g.reshape(part, [extent, *(x.shape[d] for d in order[1:])])
    return g.reshape(g.transpose(part, np.argsort(order)), e.out.shape)


def _number(e: Equation) -> Value:
    """A replica's number: its part of a list of all numbers."""
    g = e.graph
    numbers = g.constant(np.arange(e.translation.replicas.count, dtype=np.int32))
    own = g.gc("ReplicatedReduceScatter", numbers, **_group(e, _LOCAL))
    return g.reshape(own, [])


def _part_of(e: Equation, x: Value, number: Value, axis: int) -> Value:
    part = e.graph.gc("DynamicSlice", x, e.graph.reshape(number, [1]), axes=[axis], sizes=[1])
    return e.graph.reshape(part, [n for d, n in enumerate(part.shape) if d != axis])


def _permuted(e: Equation, x: Value) -> Value:
    """The value of the replica that sends to this one, or zeros."""
    g, count = e.graph, e.translation.replicas.count
    senders = np.full(count, count, np.int32)
    for source, destination in e.params["perm"]:
        senders[destination] = source
    rows = g.reshape(g.gc("ReplicatedAllGather", x, **_group(e, _ADD)),
                     [count, product(x.shape)])
    rows = g.pad(rows, [0, 0], [1, 0])
    sender = g.gc("DynamicSlice", g.constant(senders), g.reshape(_number(e), [1]), axes=[0],
                  sizes=[1])
    return g.reshape(_part_of(e, rows, sender, 0), x.shape)


TABLE = {
    "psum": _reduced(_ADD, "ReduceSum"), "pmin": _reduced(_MIN, "ReduceMin"),
    "pmax": _reduced(_MAX, "ReduceMax"),
    "all_gather": _gathered, "reduce_scatter": _scattered, "axis_index": _number,
    "ppermute": _permuted,
}
