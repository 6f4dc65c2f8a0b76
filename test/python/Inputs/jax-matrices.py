# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions, systems of equations, bits of floats and special functions on a device, beside
NumPy: one program computes all of them."""

import itertools
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import populus.jax

RNG = np.random.default_rng(0)
A = (RNG.normal(size=(4, 4)) + 2 * np.eye(4)).astype(np.float32)
S = (A @ A.T + np.eye(4)).astype(np.float32)
TALL = RNG.normal(size=(5, 3)).astype(np.float32)
B = RNG.normal(size=(4, 2)).astype(np.float32)
BITS = np.arange(0, 65536, 1311).astype(np.uint16)
BITS = BITS[(BITS & 0x7C00) != 0x7C00]
EDGE = np.int32([0, 1, -1, 2**31 - 1, -2**31, 123456789])
PAIRS = np.array(np.meshgrid(EDGE, EDGE)).reshape(2, -1).astype(np.int32)
X = np.float32([0.3, 1.2, 2.5, 6])
FORMS = [form for form in itertools.product((False, True), repeat=4)
         if form[0] and form[1] or not form[3]]


def everything(a, s, tall, b, bits, pairs, x):
    values, vectors = jnp.linalg.eigh(s)
    u, singular, v = jnp.linalg.svd(tall, full_matrices=True)
    lu, _, order = lax.linalg.lu(a)
    q, r = jnp.linalg.qr(tall)
    half = lax.bitcast_convert_type(bits, np.float16)
    return {
        "triangular": [lax.linalg.triangular_solve(
            a, b if left else b.T, left_side=left, lower=lower, transpose_a=transposed,
            unit_diagonal=unit) for left, lower, transposed, unit in FORMS],
        "cholesky": jnp.linalg.cholesky(s), "eigenvalues": values,
        "spectral": (vectors * values) @ vectors.T, "singular": singular,
        "product": (u[:, :3] * singular) @ v, "orthogonal": u.T @ u,
        "lu": (jnp.tril(lu, -1) + jnp.eye(4)) @ jnp.triu(lu) - a[order], "q": q, "r": r,
        "solve": jnp.linalg.solve(a, b), "half": half.astype(np.float32),
        "bits": lax.bitcast_convert_type(half, np.uint16),
        "brain": lax.bitcast_convert_type(lax.bitcast_convert_type(bits, jnp.bfloat16), np.uint16),
        "high": lax.mulhi(pairs[0], pairs[1]), "coarse": lax.reduce_precision(x * 3.3, 5, 2),
        "top": lax.approx_max_k(x, 2)[0], "trigamma": jax.scipy.special.polygamma(1, x),
        "bessel": jax.scipy.special.i0e(x)}


def solved(left, lower, transposed, unit):
    matrix = np.tril(A) if lower else np.triu(A)
    matrix = matrix - np.diag(np.diag(matrix)) + np.eye(4) if unit else matrix
    matrix = (matrix.T if transposed else matrix).astype(np.float64)
    return np.linalg.solve(matrix, B) if left else np.linalg.solve(matrix.T, B).T


q, r = np.linalg.qr(TALL)
wide = PAIRS.astype(np.int64)
expected = {
    "triangular": [solved(*form) for form in FORMS],
    "cholesky": np.linalg.cholesky(S), "eigenvalues": np.linalg.eigvalsh(S), "spectral": S,
    "singular": np.linalg.svd(TALL)[1], "product": TALL, "orthogonal": np.eye(5),
    "lu": np.zeros((4, 4)), "q": q, "r": r, "solve": np.linalg.solve(A, B),
    "half": BITS.view(np.float16), "bits": BITS, "brain": BITS,
    "high": (wide[0] * wide[1]) >> 32, "coarse": [1, 4, 8, 20], "top": [6, 2.5],
    "trigamma": [sum(1 / (float(x) + k) ** 2 for k in range(200000)) + 1 / 200000 for x in X],
    "bessel": np.i0(X) * np.exp(-X)}
results = populus.jax.compile(everything, device=sys.argv[1])(A, S, TALL, B, BITS, PAIRS, X)
for name, value in expected.items():
    exact = name in ("half", "bits", "brain", "high", "coarse", "top")
    for a, b in zip(jax.tree.leaves(results[name]), value if name == "triangular" else [value]):
        np.testing.assert_allclose(np.asarray(a, np.float64), b, rtol=0 if exact else 1e-4,
                                   atol=0 if exact else 1e-5, err_msg=name)
print(len(expected), "results agree")
