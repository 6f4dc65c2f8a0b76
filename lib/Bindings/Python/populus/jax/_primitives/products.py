# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices: dot_general in all its forms is a product of [batch, rows, inner] and
[batch, inner, columns]."""

import functools
import importlib
from typing import List

import jax
import numpy as np

from populus.jax._errors import Unsupported
from populus.jax._graphs import Value, product
from populus.jax._lower import Equation


def _dot(e: Equation, a: Value, b: Value) -> Value:
    (a_inner, b_inner), (a_batch, b_batch) = e.params["dimension_numbers"]
    a_free = [d for d in range(len(a.shape)) if d not in (*a_inner, *a_batch)]
    b_free = [d for d in range(len(b.shape)) if d not in (*b_inner, *b_batch)]
    batch = [a.shape[d] for d in a_batch]
    inner = product([a.shape[d] for d in a_inner])
    rows = [a.shape[d] for d in a_free]
    columns = [b.shape[d] for d in b_free]
    g = e.graph
    dtype = _computed_in(e)
    left = g.transpose(g.cast(a, dtype), [*a_batch, *a_free, *a_inner])
    right = g.transpose(g.cast(b, dtype), [*b_batch, *b_inner, *b_free])
    outer = [product(batch)] if batch else []
    left = g.reshape(left, outer + [product(rows), inner])
    right = g.reshape(right, outer + [inner, product(columns)])
    result = _multiply(e, left, right)
    return g.cast(g.reshape(result, batch + rows + columns), e.out.dtype)


def _computed_in(e: Equation):
    """Float16 with results in float32 is computed in float32."""
    dtype = np.dtype(e.out.dtype)
    return np.dtype(np.int32) if dtype.name == "bool" else dtype


def _multiply(e: Equation, a: Value, b: Value) -> Value:
    g = e.graph
    if 0 in (*a.shape, *b.shape):
        shape = [*a.shape[:-1], b.shape[-1]]
        return g.expand(g.like(a, 0), shape)
    if a.type in ("float", "float16"):
        return g.op("MatMul", a, b)
    terms = g.mul(g.reshape(a, [*a.shape, 1]),
                  g.reshape(b, [*b.shape[:-2], 1, *b.shape[-2:]]))
    return g.reduce("ReduceSum", terms, [len(terms.shape) - 2])


def _ragged_dot(e: Equation, *x: Value) -> List[Value]:
    """A product whose matrix depends on the row: JAX's own function, which masks groups."""
    function = getattr(importlib.import_module("jax._src.lax.lax"), "_ragged_dot_general_impl", None)
    if function is None:
        raise Unsupported(f"JAX {jax.__version__} has no function for it")
    return e.expand(functools.partial(function, **e.params), *x)


TABLE = {"dot_general": _dot, "ragged_dot_general": _ragged_dot}
