# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes: views, and tensors that are put together."""

from typing import List

import numpy as np

from populus.jax import _dtypes
from populus.jax._graphs import Value
from populus.jax._lower import Equation


def _full(e: Equation) -> tuple:
    return _dtypes.shape_of(e.out)


def _broadcast(e: Equation, x: Value, *dynamic: Value) -> Value:
    shape = _full(e)
    aligned = [1] * len(shape)
    dims = list(e.params["broadcast_dimensions"])
    if _dtypes.is_key(e.out.dtype):
        dims.append(len(shape) - 1)
    for dim, extent in zip(dims, x.shape):
        aligned[dim] = extent
    return e.graph.expand(e.graph.reshape(x, aligned), shape)


def _broadcast_to(e: Equation, x: Value) -> Value:
    return e.graph.expand(x, _full(e))


def _reshape(e: Equation, x: Value, *dynamic: Value) -> Value:
    if e.params.get("dimensions") is not None:
        x = e.graph.transpose(x, e.params["dimensions"])
    return e.graph.reshape(x, _full(e))


def _to_shape(e: Equation, x: Value) -> Value:
    return e.graph.reshape(x, _full(e))


def _transpose(e: Equation, x: Value) -> Value:
    order = list(e.params["permutation"])
    return e.graph.transpose(x, order + list(range(len(order), len(x.shape))))


def _slice(e: Equation, x: Value) -> Value:
    more = len(x.shape) - len(e.params["start_indices"])
    strides = e.params["strides"] or [1] * len(e.params["start_indices"])
    return e.graph.slice(x, list(e.params["start_indices"]) + [0] * more,
                         list(e.params["limit_indices"]) + list(x.shape)[len(x.shape) - more:]
                         if more else list(e.params["limit_indices"]),
                         list(strides) + [1] * more)


def _split(e: Equation, x: Value) -> List[Value]:
    results, at = [], 0
    for size in e.params["sizes"]:
        results.append(e.graph.slice_axis(x, e.params["axis"], at, at + size))
        at += size
    return results


def _stack(e: Equation, *x: Value) -> Value:
    axis, shape = e.params["axis"], list(x[0].shape)
    shape.insert(axis, 1)
    return e.graph.concat([e.graph.reshape(part, shape) for part in x], axis)


def _unstack(e: Equation, x: Value) -> List[Value]:
    axis = e.params["axis"]
    return [e.graph.reshape(e.graph.slice_axis(x, axis, i, i + 1), out.shape)
            for i, out in enumerate(e.outs)]


def _tile(e: Equation, x: Value) -> Value:
    return e.graph.op("Tile", x, e.graph.ints(e.params["reps"]))


def _empty(e: Equation) -> Value:
    return e.graph.expand(e.graph.core_constant(_dtypes.ir_type(e.out.dtype), 0), _full(e))


def _pad(e: Equation, x: Value, value: Value) -> Value:
    low, high, interior = zip(*e.params["padding_config"]) if x.shape else ((), (), ())
    return e.graph.pad(x, low, high, interior, value)


def _concatenate(e: Equation, *x: Value) -> Value:
    return e.graph.concat(x, e.params["dimension"])


def _reverse(e: Equation, x: Value) -> Value:
    return e.graph.reverse(x, e.params["dimensions"])


def _iota(e: Equation, *dynamic: Value) -> Value:
    shape, axis = e.out.shape, e.params["dimension"]
    row = np.arange(shape[axis]).astype(_dtypes.ELEMENTS[_dtypes.ir_type(e.out.dtype)])
    aligned = [1] * len(shape)
    aligned[axis] = shape[axis]
    return e.graph.expand(e.graph.constant(row.reshape(aligned), e.out.dtype), shape)


def _pass_on(e: Equation, *x: Value) -> List[Value]:
    return list(x)


TABLE = {
    "broadcast_in_dim": _broadcast, "reshape": _reshape, "squeeze": _to_shape,
    "expand_dims": _to_shape, "transpose": _transpose, "slice": _slice, "split": _split,
    "pad": _pad, "concatenate": _concatenate, "rev": _reverse, "iota": _iota,
    "stack": _stack, "unstack": _unstack, "tile": _tile, "broadcast_to": _broadcast_to,
    "empty": _empty, "empty2": _empty,
    "copy": _pass_on, "copy_p": _pass_on, "optimization_barrier": _pass_on, "name": _pass_on,
    "stop_gradient": _pass_on, "device_put": _pass_on, "sharding_constraint": _pass_on,
    "pvary": _pass_on, "layout_constraint": _pass_on, "tie": lambda e, x, y: y,
    "mesh_cast": _pass_on, "reduce_barrier": _pass_on,
}
