# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices at run-time offsets, gathers and scatters.

A gather takes, for each index vector, a window of the operand. Here the operand becomes a table:
its indexed and batched dimensions are joined to rows, and whole dimensions are columns. The row
of each element of each window is computed from the index vectors; PopIR's Gather and ScatterND
move rows.
"""

from typing import Any, List, Optional, Sequence, Tuple

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from populus.jax import _dtypes
from populus.jax._errors import Unsupported
from populus.jax._graphs import Graph, Value, product
from populus.jax._lower import Equation


# ---- Slices at run-time offsets ---------------------------------------------------


def _offsets(g: Graph, starts: Sequence[Value], shape: Sequence[int], sizes: Sequence[int]
             ) -> Tuple[Optional[Value], List[int]]:
    """Offsets that are held so that the slice is inside, for the axes that are sliced."""
    axes = [i for i, (extent, size) in enumerate(zip(shape, sizes)) if extent != size]
    parts = [g.reshape(g.clip(g.cast(starts[i], np.int32), 0, shape[i] - sizes[i]), [1])
             for i in axes]
    return (g.concat(parts, 0) if parts else None), axes


def _dynamic_slice(e: Equation, x: Value, *starts: Value) -> Value:
    sizes = list(e.params["slice_sizes"])
    starts = starts[:len(sizes)]
    offset, axes = _offsets(e.graph, starts, x.shape, sizes)
    if not axes:
        return x
    if 0 in sizes:
        return e.graph.slice(x, [0] * len(sizes), sizes)
    return e.graph.gc("DynamicSlice", x, offset, axes=axes, sizes=[sizes[a] for a in axes])


def _dynamic_update(e: Equation, x: Value, update: Value, *starts: Value) -> Value:
    offset, axes = _offsets(e.graph, starts, x.shape, update.shape)
    if not axes:
        return update
    if 0 in update.shape:
        return x
    return e.graph.gc("DynamicUpdate", x, offset, update, axes=axes,
                      sizes=[update.shape[a] for a in axes])


# ---- Tables -----------------------------------------------------------------------


class _Table:
    """Rows of an operand for the index vectors of a gather or scatter."""

    def __init__(self, g: Graph, shape: Sequence[int], indices: Value, index_map: Sequence[int],
                 operand_batch: Sequence[int], indices_batch: Sequence[int],
                 sizes: Sequence[int]) -> None:
        self.g, self.shape, self.sizes = g, list(shape), list(sizes)
        self.keys = [*operand_batch, *index_map]
        self.columns = [d for d in range(len(shape)) if d not in self.keys]
        self.operand_batch, self.index_map = list(operand_batch), list(index_map)
        self.indices_batch = list(indices_batch)
        self.batch = list(indices.shape[:-1])
        self.windows = [sizes[d] for d in index_map]
        self.indices = indices

    def of(self, x: Value) -> Value:
        """[rows, columns...] of a tensor of the operand's shape; columns beyond the windows are
        left out."""
        ends = [self.sizes[d] if d in self.columns else self.shape[d]
                for d in range(len(self.shape))]
        x = self.g.slice(x, [0] * len(ends), ends)
        x = self.g.transpose(x, [*self.keys, *self.columns])
        return self.g.reshape(x, [self.num_rows, *(ends[d] for d in self.columns)])

    def back(self, rows: Value) -> Value:
        """The inverse of `of`, where whole dimensions are columns."""
        x = self.g.reshape(rows, [self.shape[d] for d in (*self.keys, *self.columns)])
        return self.g.transpose(x, np.argsort([*self.keys, *self.columns]))

    @property
    def num_rows(self) -> int:
        return product([self.shape[d] for d in self.keys])

    def places(self) -> Tuple[Value, Optional[Value]]:
        """The row of each element of each window, [batch..., windows...], with windows held
        inside; and which windows were inside, [batch..., 1...]."""
        g, rank = self.g, len(self.batch) + len(self.windows)
        total, inside = None, None
        stride = 1
        terms = []
        for number in range(len(self.keys) - 1, -1, -1):
            dim = self.keys[number]
            index = number - len(self.operand_batch)
            if index < 0:
                terms.append(self._batch_number(self.indices_batch[number], rank, stride))
            else:
                held, ok = self._start(dim, index, rank)
                inside = ok if inside is None else g.op("And", inside, ok)
                terms.append(self._scaled(held, stride))
                if self.windows[index] > 1:
                    aligned = [1] * rank
                    aligned[len(self.batch) + index] = self.windows[index]
                    steps = np.arange(self.windows[index], dtype=np.int32) * stride
                    terms.append(g.constant(steps.reshape(aligned), np.int32))
            stride *= self.shape[dim]
        for term in terms:
            total = term if total is None else g.add(total, term)
        if total is None:
            total = g.constant(np.zeros([1] * rank, np.int32), np.int32)
        return g.expand(total, [*self.batch, *self.windows]), inside

    def _batch_number(self, position: int, rank: int, stride: int) -> Value:
        aligned = [1] * rank
        aligned[position] = self.batch[position]
        numbers = np.arange(self.batch[position], dtype=np.int32) * stride
        return self.g.constant(numbers.reshape(aligned), np.int32)

    def _scaled(self, x: Value, stride: int) -> Value:
        return x if stride == 1 else self.g.mul(x, self.g.like(x, stride))

    def _start(self, dim: int, index: int, rank: int) -> Tuple[Value, Value]:
        g = self.g
        start = g.slice_axis(self.indices, len(self.batch), index, index + 1)
        start = g.reshape(start, self.batch + [1] * (rank - len(self.batch)))
        last = self.shape[dim] - self.sizes[dim]
        held = g.clip(start, 0, last)
        return held, g.op("Equal", held, start)


def _index_vectors(g: Graph, indices: Value, aval: Any) -> Value:
    """Indices as int32; what is beyond is beyond there, too."""
    if indices.type == "uint32":
        top = g.op("Min", indices, g.like(indices, 2 ** 31 - 1))
        return g.cast(top, np.int32)
    return g.cast(indices, np.int32)


def _mode(e: Equation) -> str:
    return str(getattr(e.params["mode"], "name", e.params["mode"]))


# ---- Gather -----------------------------------------------------------------------


def _gather(e: Equation, x: Value, indices: Value) -> Value:
    p, g = e.params, e.graph
    numbers = p["dimension_numbers"]
    if _dtypes.is_key(e.ins[0].dtype):
        return _gather_keys(e, x, indices)
    operand_batch = list(getattr(numbers, "operand_batching_dims", ()))
    indices_batch = list(getattr(numbers, "start_indices_batching_dims", ()))
    if 0 in e.out.shape:
        return g.expand(g.like(x, 0), e.out.shape)
    sizes = list(p["slice_sizes"])
    table = _Table(g, x.shape, _index_vectors(g, indices, e.ins[1]), numbers.start_index_map,
                   operand_batch, indices_batch, sizes)
    places, inside = table.places()
    rows = g.op("Gather", table.of(x), places, axis=0)
    if inside is not None and _mode(e) == "FILL_OR_DROP":
        extra = [1] * (len(rows.shape) - len(inside.shape))
        inside = g.reshape(inside, [*inside.shape, *extra])
        rows = g.select(inside, rows, g.like(rows, _fill(e)))
    return _as_gathered(e, table, rows)


def _gather_keys(e: Equation, x: Value, indices: Value) -> Value:
    """A random key is two words, a last dimension that is gathered whole."""
    p = e.params
    numbers = p["dimension_numbers"]
    wide = numbers._replace(offset_dims=(*numbers.offset_dims, len(e.out.shape)))

    def function(words: Any, places: Any) -> Any:
        return jax.lax.gather(words, places, wide, (*p["slice_sizes"], 2), mode=p["mode"],
                              unique_indices=p["unique_indices"],
                              indices_are_sorted=p["indices_are_sorted"])
    avals = [jax.ShapeDtypeStruct(x.shape, np.uint32),
             jax.ShapeDtypeStruct(e.ins[1].shape, e.ins[1].dtype)]
    return e.expand(function, x, indices, avals=avals)[0]


def _fill(e: Equation) -> Any:
    if e.params.get("fill_value") is not None:
        return e.params["fill_value"]
    dtype = e.out.dtype
    if jax.numpy.issubdtype(dtype, np.inexact):
        return np.nan
    if np.issubdtype(dtype, np.unsignedinteger):
        return np.iinfo(_dtypes.ELEMENTS[_dtypes.ir_type(dtype)]).max
    if np.issubdtype(dtype, np.integer):
        return np.iinfo(_dtypes.ELEMENTS[_dtypes.ir_type(dtype)]).min
    return True


def _as_gathered(e: Equation, table: _Table, rows: Value) -> Value:
    """[batch..., windows..., columns...] in the order of the result."""
    numbers = e.params["dimension_numbers"]
    offset_dims = list(numbers.offset_dims)
    dropped = set(numbers.collapsed_slice_dims) | set(table.operand_batch)
    batch = len(table.batch)
    axis_of = {d: batch + i for i, d in enumerate(table.index_map)}
    axis_of.update({d: batch + len(table.index_map) + i for i, d in enumerate(table.columns)})
    kept = [d for d in range(len(table.shape)) if d not in dropped]
    gone = [axis_of[d] for d in axis_of if d in dropped]
    order: List[int] = []
    batch_axes, window_axes = iter(range(batch)), iter(kept)
    for position in range(len(e.out.shape)):
        order.append(axis_of[next(window_axes)] if position in offset_dims else next(batch_axes))
    return e.graph.reshape(e.graph.transpose(rows, order + gone), e.out.shape)


# ---- Scatter ----------------------------------------------------------------------


def _scatter(reduction: str):
    def rule(e: Equation, x: Value, indices: Value, updates: Value) -> Value:
        if reduction == "none" and not _is_overwriting(e):
            return _applied(e, x, indices, updates)
        return _scattered(e, x, indices, updates, reduction)
    return rule


def _is_overwriting(e: Equation) -> bool:
    jaxpr = e.params.get("update_jaxpr")
    return jaxpr is None or not jaxpr.eqns and jaxpr.outvars[0] is jaxpr.invars[1]


def _applied(e: Equation, x: Value, indices: Value, updates: Value) -> Value:
    """A function of the elements, one index vector after the other: the same one may come
    again."""
    p = e.params
    numbers = p["dimension_numbers"]
    if getattr(numbers, "operand_batching_dims", ()):
        raise Unsupported("with a function of the elements, and batches of operands")
    kept = [d for d in range(len(x.shape)) if d not in numbers.inserted_window_dims]
    sizes = [1] * len(x.shape)
    for d, axis in zip(kept, numbers.update_window_dims):
        sizes[d] = updates.shape[axis]
    window = tuple(range(len(kept)))
    taken = jax.lax.GatherDimensionNumbers(window, tuple(numbers.inserted_window_dims),
                                           tuple(numbers.scatter_dims_to_operand_dims))
    put = jax.lax.ScatterDimensionNumbers(window, tuple(numbers.inserted_window_dims),
                                          tuple(numbers.scatter_dims_to_operand_dims))
    scalar = jax.extend.core.jaxpr_as_fun(
        jax.extend.core.ClosedJaxpr(p["update_jaxpr"], p["update_consts"]))

    def function(whole: Any, places: Any, new: Any) -> Any:
        rows = places.reshape(-1, places.shape[-1])
        change = lambda v: scalar(v, jnp.zeros_like(v))[0]  # noqa: E731
        for _ in window:
            change = jax.vmap(change)

        def step(number: Any, held: Any) -> Any:
            place = jax.lax.dynamic_index_in_dim(rows, number, keepdims=False)
            part = jax.lax.gather(held, place, taken, sizes, mode="clip")
            return jax.lax.scatter(held, place, change(part), put, mode=p["mode"])
        return jax.lax.fori_loop(0, rows.shape[0], step, whole)
    return e.expand(function, x, indices, updates)[0]


def _scattered(e: Equation, x: Value, indices: Value, updates: Value, reduction: str) -> Value:
    numbers, g = e.params["dimension_numbers"], e.graph
    if 0 in (*x.shape, *updates.shape):
        return x
    if x.type == "bool":
        whole = g.cast(x, np.int32), g.cast(updates, np.int32)
        changed = _scattered(e, whole[0], indices, whole[1],
                             {"add": "max", "mul": "min"}.get(reduction, reduction))
        return g.op("Not", g.op("Equal", changed, g.like(changed, 0)))
    operand_batch = list(getattr(numbers, "operand_batching_dims", ()))
    indices_batch = list(getattr(numbers, "scatter_indices_batching_dims", ()))
    index_map = list(numbers.scatter_dims_to_operand_dims)
    dropped = set(numbers.inserted_window_dims) | set(operand_batch)
    kept = [d for d in range(len(x.shape)) if d not in dropped]
    sizes = [1] * len(x.shape)
    for d, axis in zip(kept, numbers.update_window_dims):
        sizes[d] = updates.shape[axis]
    index_map += _partial(x.shape, sizes, index_map, operand_batch)
    vectors = _widened(g, _index_vectors(g, indices, e.ins[1]),
                       len(numbers.scatter_dims_to_operand_dims), len(index_map))
    table = _Table(g, x.shape, vectors, index_map, operand_batch, indices_batch, sizes)
    places, inside = table.places()
    rows = table.of(x)
    values = _as_rows(g, table, updates, list(numbers.update_window_dims), kept)
    if inside is not None and _mode(e) == "FILL_OR_DROP":
        # A row behind the others takes what is dropped.
        outside = g.like(places, table.num_rows)
        places = g.select(inside, places, outside)
        rows = g.pad(rows, [0] * len(rows.shape), [1] + [0] * (len(rows.shape) - 1))
    count = product([*table.batch, *table.windows])
    values = g.reshape(values, [count, *rows.shape[1:]])
    changed = g.op("ScatterND", rows, g.reshape(places, [count, 1]), values,
                   **({} if reduction == "none" else {"reduction": reduction}))
    return table.back(g.slice_axis(changed, 0, 0, table.num_rows))


def _partial(shape: Sequence[int], sizes: Sequence[int], index_map: Sequence[int],
             batch: Sequence[int]) -> List[int]:
    """Dimensions without an index of which a window has only the beginning."""
    return [d for d in range(len(shape))
            if d not in index_map and d not in batch and sizes[d] != shape[d]]


def _widened(g: Graph, indices: Value, old: int, new: int) -> Value:
    """Index vectors with zeros for more dimensions."""
    if old == new:
        return indices
    return g.pad(indices, [0] * len(indices.shape),
                 [0] * (len(indices.shape) - 1) + [new - old])


def _as_rows(g: Graph, table: _Table, updates: Value, window_axes: List[int],
             kept: List[int]) -> Value:
    """Updates as [batch..., windows..., columns...]."""
    batch_axes = [a for a in range(len(updates.shape)) if a not in window_axes]
    axis_of = dict(zip(kept, window_axes))
    windows = [axis_of[d] for d in table.index_map if d in axis_of]
    columns = [axis_of[d] for d in table.columns if d in axis_of]
    return g.transpose(updates, [*batch_axes, *windows, *columns])


def _subtracted(e: Equation, x: Value, indices: Value, updates: Value) -> Value:
    negative = e.graph.op("Sub", e.graph.like(updates, 0), updates)
    return _scattered(e, x, indices, negative, "add")


TABLE = {
    "dynamic_slice": _dynamic_slice, "dynamic_update_slice": _dynamic_update,
    "gather": _gather, "scatter": _scatter("none"), "scatter-add": _scatter("add"),
    "scatter-sub": _subtracted, "scatter-mul": _scatter("mul"),
    "scatter-min": _scatter("min"), "scatter-max": _scatter("max"),
}
