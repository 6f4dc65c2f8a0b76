# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives in programs of JAX. On the device "cpu" also models of Keras: two replicas train as
Keras on the CPU does with batches twice as large, and draw different random numbers."""

import os
import sys

device = sys.argv[1]
os.environ["TF_POPLAR_FLAGS"] = f"--device={device}"

import jax
import jax.numpy as jnp
import keras
import numpy as np
from keras import layers

import ipu
import popart
import populus.jax

RNG = np.random.default_rng(0)
X = RNG.normal(size=(48, 6)).astype(np.float32)
Y = RNG.integers(0, 3, 48).astype(np.int32)


def same(name, ours, theirs, rtol=1e-4, atol=1e-5):
    ours, theirs = jax.tree.leaves(ours), jax.tree.leaves(theirs)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=name)
    print(name, "agrees")


# ---- Collectives -------------------------------------------------------------------


def combined(x, table):
    number = jax.lax.axis_index("replicas")
    return (jax.lax.psum(x, "replicas"), jax.lax.pmean(x, "replicas"),
            jax.lax.pmax(x, "replicas"), jax.lax.pmin(x, "replicas"),
            jax.lax.all_gather(x, "replicas", axis=1), number, table[number],
            jax.lax.psum_scatter(x, "replicas", tiled=True),
            jax.lax.ppermute(x, "replicas", [(0, 1), (1, 0)]),
            jax.lax.fori_loop(0, 3, lambda i, v: jax.lax.pmean(v, "replicas") + x, x),
            jax.grad(lambda v: (jax.lax.pmean(v, "replicas") ** 2).sum())(x))


rows = RNG.normal(size=(2, 4)).astype(np.float32)
table = np.float32([3, 5])
few_tiles = device if device == "cpu" else popart.DeviceManager().createIpuModelDevice(
    {"numIPUs": 2, "tilesPerIPU": 4})
mapped = populus.jax.compile(combined, device=few_tiles, replicas=2, in_axes=(0, None))
expected = jax.jit(jax.vmap(combined, (0, None), axis_name="replicas"))(rows, table)
same("collectives", mapped(rows, table), expected)

if device != "cpu":
    sys.exit()

# ---- Training ----------------------------------------------------------------------


def network(steps, rate=0.0):
    keras.utils.set_random_seed(2)
    model = keras.Sequential([keras.Input((6,)), layers.Dense(8, activation="relu"),
                              layers.Dropout(rate), layers.Dense(3)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy", keras.metrics.SparseTopKCategoricalAccuracy(2)],
                  steps_per_execution=steps)
    return model


def fit(model, batch):
    history = model.fit(X, Y, batch_size=batch, epochs=2, shuffle=False, verbose=0).history
    scores = model.evaluate(X, Y, batch_size=batch, verbose=0)
    return history, scores, model.predict(X, batch_size=batch, verbose=0), model.get_weights()


expected = fit(network(1), 16)
config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.ipu_model.tiles_per_ipu = 4
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
assert strategy.num_replicas_in_sync == 2
with strategy.scope():
    same("replicas", fit(network(2), 8), expected)
    same("more steps", fit(network(6), 8), expected)
    twins = np.concatenate([X[:4], X[:4]]), np.concatenate([Y[:4], Y[:4]])
    model = network(2, 0.5)
    model.fit(*twins, batch_size=4, shuffle=False, verbose=0)
    masked = model.get_weights()[0]
    for wrong, text in ((network(3), "multiple of the number of replicas"),
                        (network(2), "cannot share")):
        try:
            wrong.fit(X[:40], Y[:40], batch_size=8, verbose=0)
            raise AssertionError(text)
        except ValueError as error:
            assert text in str(error), error
alone = network(1, 0.5)
alone.fit(X[:4], Y[:4], batch_size=4, shuffle=False, verbose=0)
assert not np.allclose(masked, alone.get_weights()[0], atol=1e-5), "masks are the same"
