# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs in the style of the examples of JAX, compiled and by jax.jit on the CPU.

    jax-programs.py DEVICE [PROGRAM...]
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import populus.jax

RNG = np.random.default_rng(0)
DEVICE = sys.argv[1]


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def compare(function, *args, rtol=1e-4, atol=1e-5):
    actual = populus.jax.compile(function, device=DEVICE)(*args)
    expected = jax.jit(function)(*args)
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected)):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=atol)


def repeated(step, state, *batch, count=5):
    """The state and values after some steps of one batch: one loop on the device."""
    return lax.scan(lambda s, _: step(s, *batch), state, None, length=count)


def descend(loss, rate=0.1):
    def step(params, *batch):
        value, gradients = jax.value_and_grad(loss)(params, *batch)
        return jax.tree.map(lambda p, g: p - rate * g, params, gradients), value
    return lambda params, *batch: repeated(step, params, *batch)


def dense(x, layer):
    return x @ layer[0] + layer[1]


def layers(*sizes):
    return [(normal(a, b) / np.float32(a ** 0.5), np.zeros(b, np.float32))
            for a, b in zip(sizes, sizes[1:])]


def classifier():
    """A perceptron of one-hot labels, by momentum."""
    def loss(params, x, y):
        for layer in params[:-1]:
            x = jnp.tanh(dense(x, layer))
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(dense(x, params[-1])) * y, 1))

    def step(state, x, y):
        params, velocity = state
        value, gradients = jax.value_and_grad(loss)(params, x, y)
        velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, gradients)
        return (jax.tree.map(lambda p, v: p - 0.05 * v, params, velocity), velocity), value
    params = layers(12, 16, 16, 4)
    compare(lambda s, x, y: repeated(step, s, x, y),
            (params, jax.tree.map(np.zeros_like, params)), normal(20, 12),
            np.eye(4, dtype=np.float32)[RNG.integers(0, 4, 20)])


def autoencoder():
    """A variational one: samples with a key, and a divergence."""
    def loss(params, key, x):
        encoder, decoder = params
        mean, scale = jnp.split(dense(jnp.tanh(dense(x, encoder[0])), encoder[1]), 2, -1)
        code = mean + jnp.exp(scale) * jax.random.normal(key, mean.shape)
        logits = dense(jnp.tanh(dense(code, decoder[0])), decoder[1])
        likelihood = -jnp.sum(jnp.logaddexp(0.0, jnp.where(x > 0, -1, 1) * logits))
        divergence = 0.5 * jnp.sum(mean ** 2 + jnp.exp(2 * scale) - 1 - 2 * scale)
        return (divergence - likelihood) / x.shape[0]
    compare(descend(loss, 0.01), (layers(10, 12, 4), layers(2, 12, 10)), np.uint32([1, 2]),
            (RNG.random((16, 10)) > 0.5).astype(np.float32))


def residual():
    """Convolutions with batch norm and a shortcut."""
    def norm(x, scale):
        return (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-3) * scale

    def conv(x, w, stride=1):
        return lax.conv_general_dilated(x, w, (stride, stride), "SAME",
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def loss(params, x, y):
        h = jax.nn.relu(norm(conv(x, params["a"], 2), params["s"]))
        h = norm(conv(h, params["b"]), params["s"]) + conv(x, params["c"], 2)
        h = jax.nn.relu(h).mean((1, 2)) @ params["d"]
        return -jax.nn.log_softmax(h)[jnp.arange(len(y)), y].mean()
    params = {"a": normal(3, 3, 3, 6) / 5, "b": normal(3, 3, 6, 6) / 7, "c": normal(1, 1, 3, 6),
              "d": normal(6, 4), "s": np.ones(6, np.float32)}
    compare(descend(loss), params, normal(4, 9, 9, 3), np.int32([0, 1, 2, 3]))


def language():
    """A causal transformer over characters, its layers scanned and computed again."""
    def block(x, p):
        def norm(v):
            return (v - v.mean(-1, keepdims=True)) / jnp.sqrt(v.var(-1, keepdims=True) + 1e-5)
        q, k, v = (jnp.einsum("btd,dhe->bhte", norm(x), w) for w in p["qkv"])
        scores = jnp.einsum("bhte,bhse->bhts", q, k) / 2
        mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = jax.nn.softmax(jnp.where(mask, scores, jnp.finfo(jnp.float32).min))
        x = x + jnp.einsum("bhts,bhse,hed->btd", weights, v, p["out"])
        return x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"], None

    def loss(params, text):
        x = params["table"][text[:, :-1]] + params["places"][:text.shape[1] - 1]
        x, _ = lax.scan(jax.checkpoint(block), x, params["blocks"])
        logits = x @ params["table"].T
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), text[:, 1:, None], -1).mean()
    blocks = {"qkv": normal(2, 3, 8, 2, 4).transpose(0, 1, 2, 3, 4) / 3,
              "out": normal(2, 2, 4, 8) / 3, "up": normal(2, 8, 16) / 3,
              "down": normal(2, 16, 8) / 4}
    blocks["qkv"] = [blocks["qkv"][:, i] for i in range(3)]
    compare(descend(loss), {"table": normal(11, 8) / 3, "places": normal(6, 8) / 3,
                            "blocks": blocks}, RNG.integers(0, 11, (3, 7)).astype(np.int32))


def private():
    """Gradients of each sample, clipped, with noise."""
    def loss(params, x, y):
        return jnp.sum((dense(jnp.tanh(dense(x, params[0])), params[1]) - y) ** 2)

    def step(state, xs, ys):
        params, key = state
        key, own = jax.random.split(key)
        each = jax.vmap(jax.grad(loss), (None, 0, 0))(params, xs, ys)
        norms = jnp.sqrt(sum(jnp.sum(g.reshape(len(xs), -1) ** 2, 1)
                             for g in jax.tree.leaves(each)))
        scale = 1 / jnp.maximum(norms, 1.0)
        leaves, structure = jax.tree.flatten(jax.tree.map(
            lambda g: jnp.einsum("n,n...->...", scale, g), each))
        keys = jax.random.split(own, len(leaves))
        noisy = [g + 0.1 * jax.random.normal(k, g.shape) for g, k in zip(leaves, keys)]
        gradients = structure.unflatten(noisy)
        return (jax.tree.map(lambda p, g: p - 0.01 * g, params, gradients), key), norms.mean()
    compare(lambda s, x, y: repeated(step, s, x, y), (layers(5, 8, 2), np.uint32([5, 6])),
            normal(6, 5), normal(6, 2))


def kernels():
    """Least squares with a kernel, by conjugate gradients in a loop of unknown length."""
    def kernel(x, y):
        return jnp.exp(-0.5 * jnp.sum((x - y) ** 2))

    def solve(a, b):
        def go(state):
            x, r, p, old = state
            q = a @ p
            alpha = old / (p @ q)
            x, r = x + alpha * p, r - alpha * q
            new = r @ r
            return x, r, r + new / old * p, new
        return lax.while_loop(lambda s: s[3] > 1e-6, go, (jnp.zeros_like(b), b, b, b @ b))[0]

    def fit(xs, ys, at):
        gram = jax.vmap(lambda x: jax.vmap(lambda y: kernel(x, y))(xs))(xs)
        alphas = solve(gram + 0.3 * jnp.eye(len(xs)), ys)
        return jax.vmap(lambda x: jax.vmap(lambda y: kernel(x, y))(xs) @ alphas)(at)
    compare(fit, normal(12, 3), normal(12), normal(4, 3), rtol=1e-3, atol=1e-3)


def flow():
    """Coupling layers whose exact likelihood is trained, and samples of them."""
    def move(x, p):
        a, b = jnp.split(x, 2, -1)
        shift, scale = jnp.split(dense(jnp.tanh(dense(a, p[0])), p[1]), 2, -1)
        scale = jnp.tanh(scale)
        return jnp.concatenate([b * jnp.exp(scale) + shift, a], -1), scale.sum(-1)

    def loss(params, x):
        total = 0
        for p in params:
            x, change = move(x, p)
            total = total + change
        return -(jax.scipy.stats.norm.logpdf(x).sum(-1) + total).mean()
    compare(descend(loss), [layers(2, 8, 4) for _ in range(3)], normal(16, 4))


def inference():
    """Variational inference of a posterior by reparametrised gradients."""
    def bound(params, key):
        mean, scale = params
        sample = mean + jnp.exp(scale) * jax.random.normal(key, (8, 2))
        target = jax.scipy.stats.norm.logpdf(sample[:, 1], 0, 1.35) + jax.scipy.stats.norm.logpdf(
            sample[:, 0], 0, jnp.exp(sample[:, 1]))
        guess = jax.scipy.stats.norm.logpdf(sample, mean, jnp.exp(scale)).sum(-1)
        return -(target - guess).mean()

    def step(state, _):
        params, key = state
        key, own = jax.random.split(key)
        value, gradients = jax.value_and_grad(bound)(params, own)
        return (jax.tree.map(lambda p, g: p - 0.05 * g, params, gradients), key), value
    compare(lambda s: lax.scan(step, s, jnp.arange(10)),
            ((normal(2), normal(2) / 4), jax.random.key_data(jax.random.key(3))))


def differential():
    """A pendulum by Runge and Kutta, and the gradient of its end by the start."""
    def field(y, w):
        return jnp.stack([y[1], -w * jnp.sin(y[0])])

    def end(y, w):
        def step(y, _):
            a = field(y, w)
            b = field(y + 0.05 * a, w)
            c = field(y + 0.05 * b, w)
            d = field(y + 0.1 * c, w)
            y = y + 0.1 / 6 * (a + 2 * b + 2 * c + d)
            return y, y
        return lax.scan(step, y, None, length=20)
    compare(lambda y, w: (end(y, w), jax.jacrev(lambda *v: end(*v)[0], (0, 1))(y, w)),
            np.float32([1, 0.2]), np.float32(2.0))


def recurrences():
    """A linear recurrence by an associative scan, with its gradient."""
    def states(a, b):
        return lax.associative_scan(lambda x, y: (x[0] * y[0], x[1] * y[0] + y[1]), (a, b))[1]
    compare(lambda a, b: (states(a, b), jax.grad(lambda a, b: (states(a, b) ** 2).sum(), (0, 1))(
        a, b)), RNG.uniform(0.3, 0.9, (13, 4)).astype(np.float32), normal(13, 4))


def sampling():
    """A chain of Metropolis steps on several walkers."""
    def walk(key, x):
        def step(state, key):
            x, held = state
            a, b = jax.random.split(key)
            new = x + 0.5 * jax.random.normal(a, x.shape)
            value = -0.25 * new ** 4 + new ** 2
            taken = jnp.log(jax.random.uniform(b)) < value - held
            return (jnp.where(taken, new, x), jnp.where(taken, value, held)), x
        return lax.scan(step, (x, -0.25 * x ** 4 + x ** 2), jax.random.split(key, 12))[1]
    compare(lambda k, x: jax.vmap(walk)(jax.random.split(jax.random.wrap_key_data(k), 4), x),
            np.uint32([7, 8]), normal(4))


def meta():
    """Gradients through gradients: a step of adaptation inside of the loss."""
    def loss(params, x, y):
        return jnp.mean((dense(jnp.sin(dense(x, params[0])), params[1]) - y) ** 2)

    def outer(params, xs, ys):
        def task(x, y):
            inner = jax.grad(loss)(params, x[:4], y[:4])
            adapted = jax.tree.map(lambda p, g: p - 0.1 * g, params, inner)
            return loss(adapted, x[4:], y[4:])
        return jax.vmap(task)(xs, ys).mean()
    compare(descend(outer, 0.05), layers(1, 10, 1), normal(3, 8, 1), normal(3, 8, 1))


def implicit():
    """A root whose gradient comes from the implicit function theorem."""
    def root(c):
        return lax.custom_root(lambda x: x ** 3 + c * x - 1, 0.5, lambda f, x: lax.while_loop(
            lambda v: jnp.abs(f(v)) > 1e-6, lambda v: v - f(v) / jax.grad(f)(v), x),
            lambda g, y: y / g(1.0))
    compare(lambda c: (root(c), jax.grad(root)(c)), np.float32(1.5))


PROGRAMS = {f.__name__: f for f in (
    classifier, autoencoder, residual, language, private, kernels, flow, inference, differential,
    recurrences, sampling, meta, implicit)}
for name in sys.argv[2:] or PROGRAMS:
    PROGRAMS[name]()
    print(name, "agrees")
