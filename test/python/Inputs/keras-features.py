# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models of a strategy do beyond plain steps, beside Keras on the CPU: several steps in a
program, gradient accumulation by mean and sum, training batch by batch with two models as a GAN
does, mixed precision, sample weights, frozen layers, data sets and generators, a train_step of
the user's."""

import os
import sys
import warnings

os.environ["TF_POPLAR_FLAGS"] = f"--device={sys.argv[1]}"

import jax
import keras
import numpy as np
from keras import layers

import ipu

RNG = np.random.default_rng(0)
X = RNG.normal(size=(48, 6)).astype(np.float32)
Y = RNG.integers(0, 3, 48).astype(np.int32)


def network(optimizer="adam", steps=1, cls=keras.Sequential, **options):
    keras.utils.set_random_seed(2)
    model = keras.Sequential([keras.Input((6,)), layers.Dense(8, activation="relu"),
                              layers.Dropout(0.3), layers.Dense(3)])
    model = model if cls is keras.Sequential else cls(model.inputs, model.outputs)
    model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"], steps_per_execution=steps, **options)
    return model


def fit(model, **options):
    history = model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0, **options).history
    return history, model.get_weights()


def same(name, ours, theirs, rtol=1e-4, atol=1e-5):
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=name)
    print(name, "agrees")


scope = ipu.ipu_strategy.IPUStrategy().scope

plain = fit(network())
with scope():
    same("steps_per_execution", fit(network(steps=3)), plain)
    model = network(steps=3)
    fit(model)
    outputs = model.predict(X, batch_size=8, verbose=0)
same("predict", model.predict(X, batch_size=8, verbose=0), outputs)



class Batches(keras.utils.PyDataset):
    """The samples in order, as a data set of Keras's own."""

    def __len__(self):
        return 6

    def __getitem__(self, index):
        part = slice(8 * index, 8 * index + 8)
        return X[part], Y[part]


def generated():
    for _ in range(2):
        yield from (batches[i] for i in range(6))


batches = Batches()
for name, data in (("data set", lambda: batches), ("generator", generated)):
    def fed():
        model = network()
        history = model.fit(data(), epochs=2, steps_per_epoch=6, shuffle=False, verbose=0).history
        return history, model.get_weights()

    expected = fed()
    with scope():
        same(name, fed(), expected)

# Gradients of three steps: Keras takes their mean, and a sum is a mean with thrice the rate.
for method, rate in (("mean", 0.1), ("sum", 0.3)):
    expected = fit(network(keras.optimizers.SGD(rate, gradient_accumulation_steps=3)))[1]
    with scope():
        model = network(keras.optimizers.SGD(0.1), steps=3)
        model.set_gradient_accumulation_options(
            gradient_accumulation_steps_per_replica=3,
            gradient_accumulation_reduction_method=method)
        same("accumulation by " + method, fit(model)[1], expected)
with scope(), warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = network(keras.optimizers.SGD(0.1), steps=3)
    model.set_pipelining_options(
        gradient_accumulation_steps_per_replica=3,
        pipeline_schedule=ipu.ops.pipelining_ops.PipelineSchedule.Grouped)
    same("pipeline", fit(model)[1], expected)
assert any("one IPU" in str(w.message) for w in caught)

weights = RNG.random(48).astype(np.float32)
expected = fit(network(), sample_weight=weights)
with scope():
    same("sample_weight", fit(network(), sample_weight=weights), expected)


def adversaries():
    """Two models that train in turn, batch by batch, the second through the frozen first."""
    keras.utils.set_random_seed(4)
    critic = keras.Sequential([keras.Input((6,)), layers.Dense(8, activation="relu"),
                               layers.Dense(1, activation="sigmoid")])
    critic.compile("adam", "binary_crossentropy")
    maker = keras.Sequential([keras.Input((2,)), layers.Dense(6)])
    critic.trainable = False
    both = keras.Sequential([keras.Input((2,)), maker, critic])
    both.compile("adam", "binary_crossentropy")
    critic.trainable = True
    rng, losses = np.random.default_rng(3), []
    for _ in range(3):
        noise = rng.normal(size=(8, 2)).astype(np.float32)
        made = maker.predict_on_batch(noise)
        batch = np.concatenate([X[:8], made])
        truth = np.float32([[1]] * 8 + [[0]] * 8)
        losses.append(float(critic.train_on_batch(batch, truth)))
        losses.append(float(both.train_on_batch(noise, truth[:8])))
    return losses, maker.get_weights()


expected = adversaries()
with scope():
    same("adversaries", adversaries(), expected)


class Scaled(keras.Model):
    """A train_step of the user's, over Keras's own."""

    def train_step(self, state, data):
        x, *rest = data
        return super().train_step(state, (x * 2, *rest))


expected = fit(network(cls=Scaled))
with scope():
    same("train_step", fit(network(cls=Scaled)), expected)

for policy in ("mixed_float16", "mixed_bfloat16"):
    keras.mixed_precision.set_global_policy(policy)
    expected = fit(network(keras.optimizers.SGD(0.1)))
    with scope():
        same(policy, fit(network(keras.optimizers.SGD(0.1))), expected, rtol=0.03, atol=0.01)
keras.mixed_precision.set_global_policy("float32")
