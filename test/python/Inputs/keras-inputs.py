# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sources of batches, callbacks and files, beside Keras on the CPU: arrays with an odd last batch,
PyDatasets, generators, loaders of PyTorch where it is installed, and iterables that Keras does not
know; several steps in a program that do not divide an epoch."""

import os
import sys
import tempfile
import warnings

os.environ["TF_POPLAR_FLAGS"] = f"--device={sys.argv[1]}"

import jax
import keras
import numpy as np
from keras import layers

import ipu

RNG = np.random.default_rng(0)
X = RNG.normal(size=(22, 6)).astype(np.float32)
Y = RNG.integers(0, 3, 22).astype(np.int32)
scope = ipu.ipu_strategy.IPUStrategy().scope
warnings.filterwarnings("ignore", message="A run of")


def network(steps=1):
    keras.utils.set_random_seed(2)
    model = keras.Sequential([keras.Input((6,)), layers.Dense(8, activation="relu"),
                              layers.Dense(3)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"], steps_per_execution=steps)
    return model


def same(name, ours, theirs, rtol=1e-4, atol=1e-5):
    ours, theirs = jax.tree.leaves(ours), jax.tree.leaves(theirs)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=name)
    print(name, "agrees")


def on_both(name, work):
    """Compares what a function gives inside of the scope and outside."""
    expected = work()
    with scope():
        actual = work()
    same(name, actual, expected)


# ---- Odd numbers of samples and of steps -------------------------------------------


def odd(steps):
    def work():
        model = network(steps)
        history = model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0).history
        return history, model.predict(X, batch_size=8, verbose=0), model.get_weights()
    return work


on_both("odd batch", odd(1))
on_both("odd run", odd(2))
with scope(), warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    network().fit(X, Y, batch_size=8, epochs=2, verbose=0)
found = [str(w.message) for w in caught if "another one is compiled" in str(w.message)]
assert len(found) == 1 and "1 x 6 samples" in found[0], found

# ---- Data sets ---------------------------------------------------------------------


class Pieces:
    """An iterable that Keras does not know."""

    def __len__(self):
        return 2

    def __iter__(self):
        return iter([(X[:8], Y[:8]), (X[8:16], Y[8:16])])


class Endless:
    """One without an end or a length."""

    def __iter__(self):
        while True:
            yield from Pieces()


def generated():
    for _ in range(2):
        yield from Pieces()


def listed(data, **options):
    def work():
        model = network()
        history = model.fit(data(), epochs=2, shuffle=False, verbose=0, **options).history
        return history["loss"], model.get_weights()
    return work


expected = listed(generated, steps_per_epoch=2)()
with scope():
    for name, data, options in (("iterable", Pieces, {}),
                                ("endless", Endless, {"steps_per_epoch": 2})):
        same(name, listed(data, **options)(), expected)
    try:
        listed(Endless)()
        raise AssertionError("an endless data set has no epochs")
    except ValueError as error:
        assert "steps_per_epoch" in str(error), error
    model = network()
    history = model.fit(Pieces(), validation_data=Pieces(), verbose=0).history
    same("validation", model.evaluate(X[:16], Y[:16], batch_size=8, verbose=0)[0],
         history["val_loss"][0])

try:
    from torch.utils.data import DataLoader, TensorDataset
    import torch

    loader = DataLoader(TensorDataset(torch.tensor(X), torch.tensor(Y)), batch_size=8)
    on_both("loader", listed(lambda: loader))
except ImportError:
    pass

# ---- Callbacks and files -----------------------------------------------------------


def with_callbacks():
    rates = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "best.weights.h5")
        model = network()
        history = model.fit(
            X[:16], Y[:16], batch_size=8, epochs=6, shuffle=False, verbose=0,
            validation_data=(X[16:], Y[16:]), validation_batch_size=3, callbacks=[
                keras.callbacks.ModelCheckpoint(path, save_weights_only=True,
                                                monitor="val_loss", save_best_only=True),
                keras.callbacks.EarlyStopping(monitor="val_loss", patience=1, mode="max",
                                              restore_best_weights=True),
                keras.callbacks.LearningRateScheduler(lambda epoch, rate: 0.03 / (epoch + 1)),
                keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: rates.append(
                    float(model.optimizer.learning_rate)))]).history
        weights = model.get_weights()
        model.load_weights(path)
        model.fit(X[:16], Y[:16], batch_size=8, shuffle=False, verbose=0)
        return history["loss"], rates, weights, model.get_weights()


on_both("callbacks", with_callbacks)


def resumed():
    """The optimizer's state is part of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.keras")
        model = network()
        model.fit(X[:16], Y[:16], batch_size=8, shuffle=False, verbose=0)
        model.save(path)
        again = keras.models.load_model(path)
        again.fit(X[:16], Y[:16], batch_size=8, shuffle=False, verbose=0)
        return again.get_weights()


on_both("resumed", resumed)
