# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of JAX functions: values are those of a scan, and stages overlap.

    jax-pipelines.py CHECK...
"""

import os
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import popart
import pva

import populus.jax

RNG = np.random.default_rng(0)
STAGES = 3


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def model():
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": 4, "tilesPerIPU": 16})


def network(weights, x):
    """A residual from the first stage to the last one crosses two IPUs."""
    first = None
    for number, layers in enumerate(weights):
        with populus.jax.stage(number):
            for w in layers:
                x = jnp.tanh(x @ w)
        first = x if first is None else first
    return x + first


def plain(state, row):
    """Sums of gradients."""
    x, y = row
    new = jax.grad(lambda weights: jnp.mean((network(weights, x) - y) ** 2))(state["weights"])
    return {**state, "sums": jax.tree.map(jnp.add, state["sums"], new)}, ()


def micro(state, row):
    """Sums of gradients, statistics of the first stage, a count, a random state; the loss."""
    (x, y), moving = row, state["moving"]

    def loss(weights):
        with populus.jax.stage(0):
            mean = x.mean(0)
            key, own = jax.random.split(state["key"])
            kept = jnp.where(jax.random.bernoulli(own, 0.8, x.shape), x - 0.1 * moving, 0)
        return jnp.mean((network(weights, kept) - y) ** 2), (mean, key)
    (value, (mean, key)), new = jax.value_and_grad(loss, has_aux=True)(state["weights"])
    return {"weights": state["weights"], "sums": jax.tree.map(jnp.add, state["sums"], new),
            "moving": 0.9 * moving + 0.1 * mean, "count": state["count"] + 1, "key": key}, value


def update(state):
    weights = jax.tree.map(lambda w, g: w - 0.1 * g, state["weights"], state["sums"])
    return {**state, "weights": weights, "sums": jax.tree.map(jnp.zeros_like, state["sums"])}


def data(width, rows, micro_batches, layers=2):
    weights = [[normal(width, width) / width ** 0.5 for _ in range(layers)]
               for _ in range(STAGES)]
    state = {"weights": weights, "sums": jax.tree.map(np.zeros_like, weights),
             "moving": np.zeros(width, np.float32), "count": np.int32(0),
             "key": np.uint32([3, 4])}
    return state, (normal(micro_batches, rows, width), normal(micro_batches, rows, width))


def same(ours, theirs):
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-5, atol=2e-6)


def expected(state, rows, count):
    """The same by JAX on the CPU."""
    losses = []
    for number, row in enumerate(zip(*rows)):
        state, value = jax.jit(micro)(state, row)
        losses.append(value)
        if (number + 1) % count == 0:
            state = jax.jit(update)(state)
    return state, np.stack(losses)


def values():
    """Two calls of two batches of six micro-batches; and micro-batches without an update."""
    start, rows = data(6, 4, 12)
    for device in ("cpu", "ipu_model", "ipu_hw"):
        step = populus.jax.pipeline(micro, update, micro_batches=6, ipus=STAGES, device=device)
        ours, theirs = start, start
        for _ in range(2):
            ours, losses = step(ours, rows)
            theirs, wanted = expected(theirs, rows, 6)
            same((ours["count"], losses), (theirs["count"], wanted))
        same(ours, theirs)
        step = populus.jax.pipeline(micro, ipus=STAGES, device=device)
        same(step(start, rows), expected(start, rows, 99))


def inference():
    weights, (xs, _) = data(6, 4, 5)[0]["weights"], data(6, 4, 5)[1]
    forward = populus.jax.pipeline(lambda w, x: (w, network(w, x)), ipus=STAGES,
                                   device="ipu_model")
    same(forward(weights, xs)[1], jax.vmap(lambda x: network(weights, x))(xs))


def cycles(ipus, count):
    """The cycles of a batch."""
    folder = tempfile.mkdtemp()
    step = populus.jax.pipeline(
        plain, update, micro_batches=count, ipus=ipus, device=model(),
        engine_options={"autoReport.all": "true", "autoReport.directory": folder})
    step(*data(64, 48, count))
    report = pva.openReport(os.path.join(folder, "profile.pop"))
    return report.execution.totalCycles.total


def overlap():
    """Another micro-batch costs the time of its slowest stage."""
    each = {}
    for ipus in (1, STAGES):
        each[ipus] = (cycles(ipus, 16) - cycles(ipus, 8)) / 8
    print({ipus: round(number) for ipus, number in each.items()}, file=sys.stderr)
    assert each[1] > 2 * each[STAGES], each


def refusals():
    def crossing(state, x):
        with populus.jax.stage(0):
            y = x * state
        with populus.jax.stage(1):
            return state + y.sum(), y
    try:
        populus.jax.pipeline(crossing, ipus=2, device="ipu_model")(
            np.float32(1), np.ones((4, 3), np.float32))
    except ValueError as error:
        assert "stage 0 reads the state 0" in str(error), error
        return
    raise AssertionError("no error")


for name in sys.argv[1:] or ("values", "inference", "overlap", "refusals"):
    globals()[name]()
    print(name, "ok")
