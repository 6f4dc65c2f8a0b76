# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps in the styles of libraries over JAX, compiled and by jax.jit on the CPU: modules
that are pytrees, chains of gradient transformations, states of batch norms, loops and branches
under gradients.

    jax-models.py DEVICE [MODEL...]
"""

import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import populus.jax

RNG = np.random.default_rng(0)
STEPS = 20


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def weights(rows, columns):
    return normal(rows, columns) / np.float32(rows ** 0.5)


# ---- Modules as pytrees, and chains of transformations -------------------------------


@jax.tree_util.register_dataclass
@dataclass
class Linear:
    """A layer whose fields are its parameters."""

    w: Any
    b: Any

    def __call__(self, x):
        return x @ self.w + self.b


@jax.tree_util.register_dataclass
@dataclass
class Mixer:
    """Layers of layers."""

    layers: list
    scale: Any

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = x + jax.nn.gelu(layer(x)) * self.scale
        return self.layers[-1](x)


class Moments(NamedTuple):
    """The state of Adam."""

    count: Any
    first: Any
    second: Any


def adam(rate):
    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return Moments(jnp.zeros((), jnp.int32), zeros, zeros)

    def update(gradients, state):
        count = state.count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.first, gradients)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state.second, gradients)
        return jax.tree.map(lambda m, v: -rate * (m / (1 - 0.9 ** count)) / (
            jnp.sqrt(v / (1 - 0.999 ** count)) + 1e-8), first, second), Moments(
                count, first, second)
    return init, update


def clipped(limit):
    def update(gradients, state):
        norm = jnp.sqrt(sum((g * g).sum() for g in jax.tree.leaves(gradients)))
        return jax.tree.map(lambda g: g * jnp.minimum(1, limit / norm), gradients), state
    return lambda params: (), update


def chain(*parts):
    def update(gradients, states):
        new = []
        for (_, apply), state in zip(parts, states):
            gradients, state = apply(gradients, state)
            new.append(state)
        return gradients, tuple(new)
    return lambda params: tuple(init(params) for init, _ in parts), update


def trainer(loss, init, update, params):
    """A step of state and batch."""
    def step(state, *batch):
        params, moments = state
        value, gradients = jax.value_and_grad(loss)(params, *batch)
        change, moments = update(gradients, moments)
        return (jax.tree.map(jnp.add, params, change), moments), value
    return step, (params, init(params))


def mixer():
    model = Mixer([Linear(weights(6, 6), np.zeros(6, "f")) for _ in range(2)]
                  + [Linear(weights(6, 3), np.zeros(3, "f"))], np.ones((), "f"))
    init, update = chain(clipped(0.5), adam(0.01))
    step, state = trainer(lambda m, x, y: jnp.mean((m(x) - y) ** 2), init, update, model)
    return step, state, (normal(8, 6), normal(8, 3))


# ---- Loops and branches under gradients ----------------------------------------------


def recurrent():
    def loss(params, xs, y):
        def cell(h, x):
            gate = jax.nn.sigmoid(x @ params["gate"] + h @ params["back"])
            h = gate * h + (1 - gate) * jnp.tanh(x @ params["in"])
            return h, h.sum()
        h, sums = lax.scan(jax.checkpoint(cell), jnp.zeros((4, 5)), xs)
        return jnp.mean((h @ params["out"] - y) ** 2) + 0.01 * jnp.mean(sums ** 2)
    params = {"gate": weights(3, 5), "back": weights(5, 5), "in": weights(3, 5),
              "out": weights(5, 2)}
    step, state = trainer(loss, *adam(0.02), params)
    return step, state, (normal(6, 4, 3), normal(4, 2))


@jax.custom_vjp
def settled(w, x):
    """The fixed point of tanh(w z + x)."""
    def far(state):
        z, old, count = state
        return (jnp.abs(z - old).max() > 1e-6) & (count < 60)

    def closer(state):
        z, _, count = state
        return jnp.tanh(z @ w + x), z, count + 1
    return lax.while_loop(far, closer, (jnp.zeros_like(x), jnp.ones_like(x), 0))[0]


def settled_forward(w, x):
    z = settled(w, x)
    return z, (w, x, z)


def settled_backward(kept, cotangent):
    w, x, z = kept
    _, pull = jax.vjp(lambda w, x, z: jnp.tanh(z @ w + x), w, x, z)
    total = lax.fori_loop(0, 40, lambda i, u: cotangent + pull(u)[2], cotangent)
    return pull(total)[:2]


settled.defvjp(settled_forward, settled_backward)


def equilibrium():
    def loss(params, x, y):
        return jnp.mean((settled(params["w"] * 0.5, x @ params["in"]) @ params["out"] - y) ** 2)
    params = {"w": weights(4, 4), "in": weights(3, 4), "out": weights(4, 1)}
    step, state = trainer(loss, *adam(0.01), params)
    return step, state, (normal(6, 3), normal(6, 1))


def experts():
    """A branch for each sample, unrolled; and one for the whole batch."""
    def loss(params, x, y):
        def expert(row):
            return lax.cond(row[0] > 0, lambda r: r @ params["a"], lambda r: jnp.sin(r @ params["b"]),
                            row)
        out = jax.vmap(expert)(x)
        out = lax.switch(jnp.int32(x.sum() > 0), [jnp.tanh, lambda v: v * params["scale"]], out)
        return jnp.mean((out - y) ** 2)
    params = {"a": weights(4, 2), "b": weights(4, 2), "scale": np.float32(1.5)}
    step, state = trainer(loss, *adam(0.02), params)
    return step, state, (normal(8, 4), normal(8, 2))


# ---- Statistics, noise and attention --------------------------------------------------


def normalised():
    """Batch norm with moving statistics, dropout with keys, and weight decay by path."""
    def forward(params, moving, key, x):
        x = x @ params["w1"]
        mean, var = x.mean(0), x.var(0)
        moving = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, moving, (mean, var))
        x = jax.nn.relu((x - mean) * lax.rsqrt(var + 1e-3) * params["scale"])
        x = jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0)
        return x @ params["w2"], moving

    def step(state, x, y):
        params, moving, key = state
        key, own = jax.random.split(key)

        def loss(params):
            out, new = forward(params, moving, own, x)
            labels = jax.nn.one_hot(y, 3)
            return -jnp.mean((jax.nn.log_softmax(out) * labels).sum(-1)), new
        (value, moving), gradients = jax.value_and_grad(loss, has_aux=True)(params)
        params = jax.tree_util.tree_map_with_path(
            lambda path, p, g: p - 0.1 * (g + (0.01 * p if "w" in str(path[0]) else 0)), params,
            gradients)
        return (params, moving, key), value
    params = {"w1": weights(5, 8), "scale": np.ones(8, "f"), "w2": weights(8, 3)}
    state = params, (np.zeros(8, "f"), np.ones(8, "f")), np.uint32([3, 4])
    return step, state, (normal(16, 5), RNG.integers(0, 3, 16).astype(np.int32))


def attention():
    def loss(params, tokens):
        x = params["embedding"][tokens[:, :-1]]
        q, k, v = jnp.split(x @ params["qkv"], 3, -1)
        scores = jnp.einsum("btd,bsd->bts", q, k) / 8 ** 0.5
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[1:], bool)), scores, -jnp.inf)
        x = x + jnp.einsum("bts,bsd->btd", jax.nn.softmax(scores), v) @ params["out"]
        logits = x @ params["embedding"].T
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], -1).mean()
    params = {"embedding": 0.3 * normal(11, 8), "qkv": weights(8, 24), "out": weights(8, 8)}
    step, state = trainer(loss, *chain(clipped(1.0), adam(0.01)), params)
    return step, state, (RNG.integers(0, 11, (4, 7)).astype(np.int32),)


MODELS = {f.__name__: f for f in (mixer, recurrent, equilibrium, experts, normalised, attention)}


def compare(name, make, device):
    step, state, batch = make()
    state = jax.tree.map(np.asarray, state)
    compiled, reference = populus.jax.compile(step, donate_argnums=0, device=device), jax.jit(step)
    ours, theirs, first = state, state, None
    for _ in range(STEPS):
        ours, value = compiled(ours, *batch)
        theirs, expected = reference(theirs, *batch)
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-6, err_msg=name)
        first = expected if first is None else first
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5, err_msg=name)
    assert expected < first, name
    print(name, round(float(value), 4), "agrees")


for name in sys.argv[2:] or MODELS:
    compare(name, MODELS[name], sys.argv[1])
