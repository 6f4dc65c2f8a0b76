# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of JAX functions: values are those of the scan, and stages overlap.

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


def model(count=4):
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": count, "tilesPerIPU": 16})


def network(weights, x, stages):
    """A residual from the first stage to the last one crosses two IPUs."""
    first = None
    for number in range(stages):
        with populus.jax.stage(number):
            for w in weights[number]:
                x = jnp.tanh(x @ w)
        first = x if first is None else first
    return x + first


def training(stages):
    """A step of many micro-batches: gradients, statistics of the first stage, losses."""
    def step(weights, xs, ys):
        def micro(carried, row):
            gradients, moving, number = carried
            x, y = row

            def loss(weights):
                with populus.jax.stage(0):
                    mean = x.mean(0)
                    inner = x - 0.1 * moving
                return jnp.mean((network(weights, inner, stages) - y) ** 2), mean
            (value, mean), new = jax.value_and_grad(loss, has_aux=True)(weights)
            return (jax.tree.map(jnp.add, gradients, new), 0.9 * moving + 0.1 * mean,
                    number + 1), value
        start = jax.tree.map(jnp.zeros_like, weights), jnp.zeros(xs.shape[-1]), 0
        (gradients, moving, number), losses = populus.jax.pipeline(micro, start, (xs, ys))
        new = jax.tree.map(lambda w, g: w - 0.1 * g / number, weights, gradients)
        return new, (moving, number, losses)
    return step


def data(width, rows, micro_batches, stages=STAGES, layers=2):
    weights = [[normal(width, width) / width ** 0.5 for _ in range(layers)]
               for _ in range(stages)]
    return weights, normal(micro_batches, rows, width), normal(micro_batches, rows, width)


def same(ours, theirs):
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-5, atol=2e-6)


def cycles(step, arguments, **options):
    """The cycles of the second call."""
    folder = tempfile.mkdtemp()
    compiled = populus.jax.compile(
        step, engine_options={"autoReport.all": "true", "autoReport.directory": folder}, **options)
    compiled(*arguments)
    compiled(*arguments)
    report = pva.openReport(os.path.join(folder, "profile.pop"))
    return report.execution.runs[-1].duration.max if hasattr(
        report.execution.runs[-1], "duration") else report.execution.totalCycles.total


def values():
    weights, xs, ys = data(6, 4, 7)
    for device in ("cpu", "ipu_model"):
        ours = jax.tree.map(np.asarray, weights)
        theirs = weights
        step = populus.jax.compile(training(STAGES), donate_argnums=0, device=device, ipus=STAGES)
        reference = jax.jit(training(STAGES))
        for _ in range(2):
            ours, result = step(ours, xs, ys)
            theirs, expected = reference(theirs, xs, ys)
            same(result, expected)
        same(ours, theirs)


def time():
    """A micro-batch more costs the time of a stage."""
    each = {}
    for ipus in (1, STAGES):
        took = [cycles(training(STAGES), data(64, 48, count), device=model(STAGES), ipus=ipus)
                for count in (8, 16)]
        each[ipus] = (took[1] - took[0]) / 8
    print({k: round(v) for k, v in each.items()}, file=sys.stderr)
    assert each[1] > 2 * each[STAGES], each


for name in sys.argv[1:] or ("values", "time"):
    globals()[name]()
    print(name, "ok")
