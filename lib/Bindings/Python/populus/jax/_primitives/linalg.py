# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions and systems of equations, for each matrix of a batch, in float32.

Signs follow LAPACK where it fixes them (Cholesky, LU with partial pivoting, Householder's QR).
Eigenvectors and singular vectors come from Jacobi rotations: their signs are those of no other
library, and any sign is right.
"""

import itertools
from typing import Any, Callable, List, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from populus.jax._errors import Unsupported
from populus.jax._graphs import Value
from populus.jax._lower import Equation

# The sweeps of Jacobi rotations; float32 converges in five to seven.
_SWEEPS = 10


def _batched(e: Equation, function: Callable, *x: Value, cores: int = 2) -> List[Value]:
    """What a function of matrices gives for each of a batch; results as tuples."""
    _check(e)

    def whole(*values: Any) -> Any:
        mapped = function
        for _ in range(len(e.ins[0].shape) - cores):
            mapped = jax.vmap(mapped)
        results = mapped(*(v.astype(jnp.float32) for v in values))
        return [r.astype(out.dtype) for r, out in zip(results, e.outs)]
    return e.expand(whole, *x)


def _check(e: Equation) -> None:
    for aval in (*e.ins, *e.outs):
        if jnp.issubdtype(aval.dtype, np.complexfloating):
            raise Unsupported("of complex numbers")


# ---- Cholesky and triangular systems ------------------------------------------------


def _cholesky(a: Any) -> Tuple[Any]:
    """Column by column from the lower triangle; NaN if the matrix is not positive."""
    rows = jnp.arange(a.shape[0])

    def column(k: Any, factor: Any) -> Any:
        rest = a[:, k] - factor @ factor[k]
        return factor.at[:, k].set(jnp.where(rows >= k, rest / jnp.sqrt(rest[k]), 0))
    factor = lax.fori_loop(0, a.shape[0], column, jnp.zeros_like(a))
    positive = jnp.all(jnp.diagonal(factor) > 0)
    return (jnp.where(positive, factor, jnp.nan),)


def _lower_solve(a: Any, b: Any, unit: bool) -> Any:
    """Solves a lower system for several columns."""
    a = jnp.tril(a)

    def row(k: Any, x: Any) -> Any:
        rest = b[k] - a[k] @ x
        return x.at[k].set(rest if unit else rest / a[k, k])
    return lax.fori_loop(0, a.shape[0], row, jnp.zeros_like(b))


def _triangular_solve(e: Equation, a: Value, b: Value) -> List[Value]:
    p = e.params

    def solve(m: Any, v: Any) -> Tuple[Any]:
        left, lower = p["left_side"], p["lower"]
        if p["transpose_a"] == left:  # x a = b is a^T x^T = b^T
            m, lower = m.T, not lower
        v = v if left else v.T
        x = (_lower_solve(m, v, p["unit_diagonal"]) if lower else
             _lower_solve(m[::-1, ::-1], v[::-1], p["unit_diagonal"])[::-1])
        return (x if left else x.T,)
    return _batched(e, solve, a, b)


# ---- LU -----------------------------------------------------------------------------


def _swapped(x: Any, i: Any, j: Any) -> Any:
    """Rows i and j change places."""
    first, second = x[i], x[j]
    return x.at[i].set(second).at[j].set(first)


def _lu(a: Any) -> Tuple[Any, Any, Any]:
    """Factors in one matrix, the row that each step swaps, and the permutation."""
    m, n = a.shape
    rows, columns = jnp.arange(m)[:, None], jnp.arange(n)[None, :]

    def step(k: Any, state: Any) -> Any:
        a, pivots, order = state
        size = jnp.where(rows[:, 0] >= k, jnp.abs(a[:, k]), -1)
        best = jnp.argmax(size).astype(jnp.int32)
        a, order = _swapped(a, k, best), _swapped(order, k, best)
        head = a[k, k]
        scaled = jnp.where((rows[:, 0] > k) & (head != 0), a[:, k] / head, a[:, k])
        a = a.at[:, k].set(scaled)
        inside = (rows > k) & (columns > k)
        a = jnp.where(inside, a - scaled[:, None] * a[k][None, :], a)
        return a, pivots.at[k].set(best), order
    start = a, jnp.zeros(min(m, n), jnp.int32), jnp.arange(m, dtype=jnp.int32)
    return lax.fori_loop(0, min(m, n), step, start)


def _permutation(e: Equation, pivots: Value) -> List[Value]:
    """The permutation that swaps add up to."""
    def one(swaps: Any) -> Any:
        def step(k: Any, order: Any) -> Any:
            return _swapped(order, k, swaps[k])
        start = jnp.arange(e.params["permutation_size"], dtype=jnp.int32)
        return lax.fori_loop(0, swaps.shape[0], step, start)

    mapped = one
    for _ in range(len(e.ins[0].shape) - 1):
        mapped = jax.vmap(mapped)
    return e.expand(mapped, pivots)


# ---- QR -----------------------------------------------------------------------------


def _reflections(a: Any) -> Tuple[Any, Any]:
    """Householder's vectors below the diagonal, R on and above it, and the factors."""
    m, n = a.shape
    rows = jnp.arange(m)

    def step(k: Any, state: Any) -> Any:
        a, factors = state
        head = a[k, k]
        below = jnp.where(rows > k, a[:, k], 0)
        rest = jnp.sum(below * below)
        size = jnp.sqrt(head * head + rest)
        beta = jnp.where(head >= 0, -size, size)
        nothing = rest == 0
        factor = jnp.where(nothing, 0, (beta - head) / jnp.where(nothing, 1, beta))
        vector = below / jnp.where(nothing, 1, head - beta)
        full = vector + (rows == k)
        moved = a - factor * full[:, None] * (full @ a)[None, :]
        a = jnp.where(jnp.arange(n)[None, :] > k, moved, a)
        a = a.at[:, k].set(jnp.where(rows > k, vector, a[:, k]))
        a = a.at[k, k].set(jnp.where(nothing, head, beta))
        return a, factors.at[k].set(factor)
    return lax.fori_loop(0, min(m, n), step, (a, jnp.zeros(min(m, n), a.dtype)))


def _orthogonal(vectors: Any, factors: Any, columns: int) -> Any:
    """The first columns of the product of the reflections."""
    m, rows = vectors.shape[0], jnp.arange(vectors.shape[0])
    count = factors.shape[0]

    def step(i: Any, q: Any) -> Any:
        k = count - 1 - i
        full = jnp.where(rows > k, vectors[:, k], 0) + (rows == k)
        return q - factors[k] * full[:, None] * (full @ q)[None, :]
    return lax.fori_loop(0, count, step, jnp.eye(m, columns, dtype=vectors.dtype))


def _qr(e: Equation, a: Value) -> List[Value]:
    if e.params.get("pivoting"):
        raise Unsupported("with pivoting")
    columns = e.outs[0].shape[-1]

    def parts(m: Any) -> Tuple[Any, Any]:
        vectors, factors = _reflections(m)
        return _orthogonal(vectors, factors, columns), jnp.triu(vectors[:columns])
    return _batched(e, parts, a)


def _householder_product(e: Equation, a: Value, factors: Value) -> List[Value]:
    return _batched(e, lambda v, f: (_orthogonal(v, f, v.shape[1]),), a, factors)


# ---- Jacobi rotations ---------------------------------------------------------------


def _rounds(n: int) -> np.ndarray:
    """Pairs of columns, [round, pair, 2], so that all pairs meet once and those of a round are
    disjoint; a number of n stands for no column."""
    players = list(range(n + n % 2))
    found = []
    for _ in range(len(players) - 1):
        half = len(players) // 2
        found.append([sorted((players[i], players[-1 - i])) for i in range(half)])
        players = [players[0], players[-1], *players[1:-1]]
    return np.array(found, np.int32).reshape(-1, (n + 1) // 2, 2)


def _rotation(n: int, pairs: Any, across: Any, first: Any, second: Any) -> Any:
    """The rotation of all pairs that makes `across` zero: a matrix of n x n."""
    p, q = pairs[:, 0], pairs[:, 1]
    none = (across == 0) | (q >= n)
    ratio = (second - first) / (2 * jnp.where(none, 1, across))
    tangent = jnp.where(ratio >= 0, 1, -1) / (jnp.abs(ratio) + jnp.sqrt(1 + ratio * ratio))
    tangent = jnp.where(none, 0, tangent)
    cosine = 1 / jnp.sqrt(1 + tangent * tangent)
    sine = tangent * cosine
    j = jnp.zeros((n, n), across.dtype)
    return (j.at[p, p].set(cosine, mode="drop").at[q, q].set(cosine, mode="drop")
            .at[p, q].set(sine, mode="drop").at[q, p].set(-sine, mode="drop"))


def _swept(n: int, step: Callable, state: Any) -> Any:
    """Applies a step to the pairs of each round, sweep by sweep."""
    rounds = jnp.asarray(np.tile(_rounds(n), (_SWEEPS, 1, 1)))
    return lax.fori_loop(0, rounds.shape[0], lambda i, s: step(rounds[i], s), state)


def _symmetric_eigen(a: Any) -> Tuple[Any, Any]:
    """Eigenvectors as columns, and eigenvalues, the smallest first."""
    n = a.shape[0]
    if n == 1:
        return jnp.ones_like(a), a[0]

    def step(pairs: Any, state: Any) -> Any:
        a, v = state
        p, q = pairs[:, 0], jnp.minimum(pairs[:, 1], n - 1)
        j = _rotation(n, pairs, a[p, q], a[p, p], a[q, q])
        return j.T @ a @ j, v @ j
    a, v = _swept(n, step, (a, jnp.eye(n, dtype=a.dtype)))
    values = jnp.diagonal(a)
    order = jnp.argsort(values)
    return v[:, order], values[order]


def _eigh(e: Equation, a: Value) -> List[Value]:
    subset = e.params.get("subset_by_index")

    def whole(m: Any) -> Tuple[Any, Any]:
        half = jnp.tril(m) if e.params["lower"] else jnp.triu(m).T
        vectors, values = _symmetric_eigen(half + jnp.tril(half, -1).T)
        if subset is not None:
            vectors, values = vectors[:, subset[0]:subset[1]], values[subset[0]:subset[1]]
        return vectors, values
    return _batched(e, whole, a)


def _columns(a: Any) -> Tuple[Any, Any, Any]:
    """Singular values of a matrix that is not wide, the largest first, with all left vectors and
    the right ones, by rotating columns until they are orthogonal."""
    m, n = a.shape

    def step(pairs: Any, state: Any) -> Any:
        a, v = state
        p, q = pairs[:, 0], jnp.minimum(pairs[:, 1], n - 1)
        first, second = a[:, p], a[:, q]
        j = _rotation(n, pairs, (first * second).sum(0), (first * first).sum(0),
                      (second * second).sum(0))
        return a @ j, v @ j
    v = jnp.eye(n, dtype=a.dtype)
    a, v = _swept(n, step, (a, v)) if n > 1 else (a, v)
    sizes = jnp.sqrt((a * a).sum(0))
    order = jnp.argsort(-sizes)
    # A QR of orthogonal columns leaves them as they are up to signs, and adds those that lack.
    vectors, factors = _reflections(a[:, order])
    signs = jnp.where(jnp.diagonal(vectors[:n]) < 0, -1, 1)
    signs = jnp.concatenate([signs, jnp.ones(m - n, signs.dtype)]).astype(a.dtype)
    return _orthogonal(vectors, factors, m) * signs[None, :], sizes[order], v[:, order]


def _svd(e: Equation, a: Value) -> List[Value]:
    if e.params.get("subset_by_index") is not None:
        raise Unsupported("of a part of the values")
    m, n = e.ins[0].shape[-2:]
    small = min(m, n)

    def whole(x: Any) -> Tuple[Any, ...]:
        left, values, right = _columns(x if m >= n else x.T)
        if m < n:
            left, right = right, left
        if not e.params["compute_uv"]:
            return (values,)
        if not e.params["full_matrices"]:
            left, right = left[:, :small], right[:, :small]
        return values, left, right.T
    return _batched(e, whole, a)


# ---- Systems ------------------------------------------------------------------------


def _custom_linear_solve(e: Equation, *args: Value) -> List[Value]:
    """What the function that solves the system computes."""
    lengths, jaxprs = e.params["const_lengths"], e.params["jaxprs"]
    ends = list(itertools.accumulate([lengths.matvec, lengths.vecmat, lengths.solve,
                                      lengths.transpose_solve]))
    return e.inline(jaxprs.solve, *args[ends[1]:ends[2]], *args[ends[3]:])


def _tridiagonal_solve(e: Equation, *args: Value) -> List[Value]:
    """Thomas's algorithm: eliminate downwards, substitute upwards."""
    def solve(low: Any, middle: Any, high: Any, b: Any) -> Any:
        def down(state: Any, row: Any) -> Any:
            above, values = state
            l, d, u, v = row
            pivot = d - l * above
            state = u / pivot, (v - l * values) / pivot
            return state, state

        def up(below: Any, row: Any) -> Any:
            ratio, value = row
            x = value - ratio * below
            return x, x
        start = jnp.zeros((), b.dtype), jnp.zeros(b.shape[1:], b.dtype)
        _, (ratios, values) = lax.scan(down, start, (low, middle, high, b))
        return lax.scan(up, start[1], (ratios, values), reverse=True)[1]

    def whole(*values: Any) -> Any:
        mapped = solve
        for _ in range(len(e.ins[0].shape) - 1):
            mapped = jax.vmap(mapped)
        return mapped(*values)
    _check(e)
    return e.expand(whole, *args)


TABLE = {
    "cholesky": lambda e, a: _batched(e, _cholesky, a), "triangular_solve": _triangular_solve,
    "lu": lambda e, a: _batched(e, _lu, a), "lu_pivots_to_permutation": _permutation,
    "geqrf": lambda e, a: _batched(e, _reflections, a), "qr": _qr,
    "householder_product": _householder_product, "eigh": _eigh, "svd": _svd,
    "custom_linear_solve": _custom_linear_solve, "tridiagonal_solve": _tridiagonal_solve,
}
