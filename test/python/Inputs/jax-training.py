# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Twenty training steps of a network of two layers, compiled and by jax.jit on the CPU."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

import populus.jax


def loss(params, x, y):
    (w1, b1), (w2, b2) = params
    logits = jnp.tanh(x @ w1 + b1) @ w2 + b2
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * y, -1))


def step(params, x, y):
    value, gradients = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value


rng = np.random.default_rng(0)
params = [(rng.normal(size=(8, 16)).astype("f"), np.zeros(16, "f")),
          (rng.normal(size=(16, 4)).astype("f"), np.zeros(4, "f"))]
xs = rng.normal(size=(20, 32, 8)).astype("f")
ys = np.eye(4, dtype="f")[rng.integers(0, 4, (20, 32))]

compiled = populus.jax.compile(step, donate_argnums=0, device=sys.argv[1])
reference = jax.jit(step)
ours = theirs = params
for x, y in zip(xs, ys):
    before = ours
    ours, value = compiled(ours, x, y)
    theirs, expected = reference(theirs, x, y)
    np.testing.assert_allclose(value, expected, rtol=1e-5)
for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
    assert isinstance(a, populus.jax.DeviceArray)
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)

# A donated array is deleted; one that another replaces on the device keeps its elements.
assert jax.tree.leaves(before)[0].is_deleted()
held = [np.array(a) for a in jax.tree.leaves(ours)]
compiled(params, xs[0], ys[0])
for a, b in zip(jax.tree.leaves(ours), held):
    np.testing.assert_array_equal(a, b)


# All steps in one program, with the state inside.
@populus.jax.compile(donate_argnums=0, device=sys.argv[1])
def epoch(params, xs, ys):
    return jax.lax.scan(lambda p, data: step(p, *data), params, (xs, ys))


final, losses = epoch(params, xs, ys)
for a, b in zip(jax.tree.leaves(final), jax.tree.leaves(theirs)):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
print("20 steps, loss", round(float(losses[-1]), 3))
