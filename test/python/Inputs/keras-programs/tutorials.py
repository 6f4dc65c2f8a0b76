# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in the style of public tutorials for Keras on IPUs, with small data: each trains on the
device and by Keras on the CPU, and has the same losses.

    tutorials.py [PROGRAM...]
"""

import os
import sys
import tempfile

os.environ.setdefault("KERAS_BACKEND", "jax")

import contextlib

import jax
import keras
import numpy as np
from keras import layers, ops

import ipu

RNG = np.random.default_rng(0)
IMAGES = RNG.random((64, 12, 12, 1), dtype=np.float32)
LABELS = RNG.integers(0, 4, 64).astype(np.int32)


def compare(name, program, rtol=2e-4, atol=2e-5, **options):
    """Runs a program with and without a strategy."""
    results = []
    for strategy in (ipu.ipu_strategy.IPUStrategy(), None):
        keras.utils.set_random_seed(7)
        with strategy.scope() if strategy else contextlib.nullcontext():
            results.append(program(**options))
    for a, b in zip(*map(jax.tree.leaves, results)):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=name)
    print(name, "agrees")


def losses(model, x, y, **options):
    options = {"batch_size": 8, "epochs": 2, "verbose": 0, **options}
    return model.fit(x, y, **options).history


def sequential():
    """Digits, with an evaluation and a prediction."""
    model = keras.Sequential([
        keras.Input((12, 12, 1)), layers.Conv2D(8, 3, activation="relu"), layers.MaxPooling2D(2),
        layers.Dropout(0.25), layers.Flatten(), layers.Dense(16, activation="relu"),
        layers.Dense(4, activation="softmax")])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(), metrics=["accuracy"],
                  steps_per_execution=4)
    return [losses(model, IMAGES, LABELS), model.evaluate(IMAGES, LABELS, 8, verbose=0),
            model.predict(IMAGES, 8, verbose=0)]


def two_inputs():
    """A functional model with two inputs and two outputs, by name."""
    image, number = keras.Input((12, 12, 1), name="image"), keras.Input((3,), name="number")
    x = layers.concatenate([layers.Flatten()(layers.AveragePooling2D(3)(image)), number])
    x = layers.Dense(12, activation="relu")(x)
    model = keras.Model([image, number], {"kind": layers.Dense(4, name="kind")(x),
                                          "size": layers.Dense(1, name="size")(x)})
    model.compile(keras.optimizers.RMSprop(1e-2), {
        "kind": keras.losses.SparseCategoricalCrossentropy(from_logits=True), "size": "mse"},
        loss_weights={"kind": 1.0, "size": 0.3}, metrics={"kind": ["accuracy"], "size": ["mae"]},
        steps_per_execution=8)
    numbers = IMAGES[:, 0, :3, 0]
    return losses(model, {"image": IMAGES, "number": numbers},
                  {"kind": LABELS, "size": numbers.sum(1, keepdims=True)})


def reviews():
    """Tokens, some of them masked, an embedding and an LSTM."""
    tokens = np.random.default_rng(1).integers(1, 30, (16, 6)).astype(np.int32)
    tokens[:8, 4:] = 0
    model = keras.Sequential([
        keras.Input((6,), dtype="int32"), layers.Embedding(30, 8, mask_zero=True),
        layers.LSTM(6), layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"], steps_per_execution=2)
    return losses(model, tokens, (tokens[:, 0] > 15).astype(np.float32))


def finetuning():
    """A model that is trained, frozen, and gets another head; then all of it is trained."""
    base = keras.Sequential([keras.Input((12, 12, 1)), layers.Conv2D(6, 3, strides=2, use_bias=False),
                             layers.BatchNormalization(), layers.ReLU(),
                             layers.GlobalAveragePooling2D()], name="base")
    base.trainable = False
    inputs = keras.Input((12, 12, 1))
    model = keras.Model(inputs, layers.Dense(4)(base(inputs, training=False)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-2), loss, steps_per_execution=4)
    first = losses(model, IMAGES, LABELS)
    base.trainable = True
    model.compile(keras.optimizers.Adam(1e-3), loss, steps_per_execution=4)
    return first, losses(model, IMAGES, LABELS), [w.numpy() for w in base.trainable_weights]


def callbacks():
    """Checkpoints, schedules of the rate, early stopping, logs of batches, and a saved model."""
    folder = tempfile.mkdtemp()
    model = keras.Sequential([keras.Input((12, 12, 1)), layers.Flatten(), layers.Dense(8, "relu"),
                              layers.Dense(4)])
    model.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(
        from_logits=True), metrics=["accuracy"], steps_per_execution=2)
    rates, ends = [], []
    history = losses(model, IMAGES, LABELS, epochs=5, validation_split=0.25, callbacks=[
        keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.7),
        keras.callbacks.ModelCheckpoint(os.path.join(folder, "{epoch}.weights.h5"),
                                        save_weights_only=True),
        keras.callbacks.ModelCheckpoint(os.path.join(folder, "best.keras"),
                                        monitor="val_loss", save_best_only=True),
        keras.callbacks.EarlyStopping("val_loss", patience=3, restore_best_weights=True),
        keras.callbacks.ReduceLROnPlateau("val_loss", patience=1),
        keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
        keras.callbacks.TerminateOnNaN(),
        keras.callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: rates.append(float(model.optimizer.learning_rate)),
            on_train_batch_end=lambda batch, logs: ends.append(logs["loss"]))])
    model.load_weights(os.path.join(folder, "2.weights.h5"))
    best = keras.models.load_model(os.path.join(folder, "best.keras"))
    return (history, rates, ends, model.evaluate(IMAGES, LABELS, 8, verbose=0),
            best.predict(IMAGES[:16], 8, verbose=0))


class Variational(keras.Model):
    """An autoencoder with samples of a seed generator and a loss that is added."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = layers.Dense(6), layers.Dense(16)
        self.seeds = keras.random.SeedGenerator(3)

    def call(self, x):
        mean, scale = ops.split(self.encoder(x), 2, axis=-1)
        code = mean + ops.exp(0.5 * scale) * keras.random.normal(ops.shape(mean), seed=self.seeds)
        divergence = -0.5 * ops.mean(1 + scale - mean ** 2 - ops.exp(scale))
        self.add_loss(0.1 * divergence)
        return self.decoder(code)


def variational():
    model = Variational()
    model.compile(keras.optimizers.Adam(1e-2), "mse", steps_per_execution=4)
    x = IMAGES.reshape(64, -1)[:, :16]
    return losses(model, x, x)


class Adversaries(keras.Model):
    """A generator and a discriminator with optimizers of their own, in one training step."""

    def __init__(self):
        super().__init__()
        self.maker = keras.Sequential([keras.Input((3,)), layers.Dense(8, "relu"), layers.Dense(5)])
        self.critic = keras.Sequential([keras.Input((5,)), layers.Dense(8, "relu"),
                                        layers.Dense(1)])
        self.built = True

    def call(self, x):
        return self.critic(self.maker(x))

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        made = self.maker(x)
        real, fake = self.critic(y), self.critic(made)
        return ops.mean(ops.softplus(-real)) + ops.mean(ops.softplus(fake)) - 0.1 * ops.mean(fake)


def adversaries():
    model = Adversaries()
    model.compile(keras.optimizers.Adam(1e-2), steps_per_execution=4)
    return losses(model, IMAGES[:, 0, :3, 0], IMAGES[:, 1, :5, 0])


def precision():
    """Mixed precision with a scaled loss."""
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = keras.Sequential([keras.Input((12, 12, 1)), layers.Flatten(),
                                  layers.Dense(8, activation="relu"),
                                  layers.Dense(4, dtype="float32")])
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                      steps_per_execution=4)
        return losses(model, IMAGES, LABELS)
    finally:
        keras.mixed_precision.set_global_policy("float32")


def accumulation(ours):
    model = keras.Sequential([keras.Input((12, 12, 1)), layers.Flatten(), layers.Dense(4)])
    steps = {} if ours else {"gradient_accumulation_steps": 4}
    model.compile(keras.optimizers.Adam(1e-2, **steps), keras.losses.SparseCategoricalCrossentropy(
        from_logits=True), steps_per_execution=8)
    if ours:
        model.set_gradient_accumulation_options(
            gradient_accumulation_steps_per_replica=4,
            gradient_accumulation_reduction_method="mean")
    return losses(model, IMAGES, LABELS)


class Loader:
    """Batches as a data set of TensorFlow gives them: again and again, with a cardinality."""

    def __iter__(self):
        return ((IMAGES[i:i + 8], LABELS[i:i + 8]) for i in range(0, 64, 8))

    def cardinality(self):
        return 8


def loader():
    """A data set that Keras does not know on the device; arrays on the CPU."""
    model = keras.Sequential([keras.Input((12, 12, 1)), layers.Flatten(), layers.Dense(4)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"], steps_per_execution=4)
    if ipu.ipu_strategy.current() is None:
        return losses(model, IMAGES, LABELS, shuffle=False)
    return model.fit(Loader(), epochs=2, verbose=0).history


class Patches(layers.Layer):
    """A layer of one's own, with weights, a build and a configuration."""

    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units

    def build(self, shape):
        self.w = self.add_weight(shape=(16, self.units), initializer="glorot_uniform")

    def call(self, x):
        x = ops.reshape(x, (-1, 3, 4, 3, 4))
        return ops.reshape(ops.transpose(x, (0, 1, 3, 2, 4)), (-1, 9, 16)) @ self.w


def vision():
    """Patches, attention, and label smoothing with weights of classes."""
    inputs = keras.Input((12, 12, 1))
    x = Patches(8)(inputs)
    x = x + layers.MultiHeadAttention(2, 4, dropout=0.1)(layers.LayerNormalization()(x), x)
    x = layers.GlobalAveragePooling1D()(layers.Dense(8, activation="gelu")(x))
    model = keras.Model(inputs, layers.Dense(4, activation="softmax")(x))
    model.compile(keras.optimizers.AdamW(keras.optimizers.schedules.CosineDecay(1e-2, 16),
                                         weight_decay=1e-3, clipnorm=1.0),
                  keras.losses.CategoricalCrossentropy(label_smoothing=0.1),
                  metrics=["accuracy", keras.metrics.TopKCategoricalAccuracy(2)],
                  steps_per_execution=4)
    return losses(model, IMAGES, keras.utils.to_categorical(LABELS, 4),
                  class_weight={0: 1.0, 1: 2.0, 2: 0.5, 3: 1.0})


PROGRAMS = {f.__name__: f for f in (sequential, two_inputs, reviews, finetuning, callbacks,
                                    variational, adversaries, loader, vision)}
for name in sys.argv[1:] or [*PROGRAMS, "precision", "accumulation"]:
    if name == "precision":
        compare(name, precision, rtol=0.02, atol=0.01)
    elif name == "accumulation":
        keras.utils.set_random_seed(7)
        with ipu.ipu_strategy.IPUStrategy().scope():
            found = accumulation(True)
        keras.utils.set_random_seed(7)
        np.testing.assert_allclose(found["loss"], accumulation(False)["loss"], rtol=1e-4)
        print(name, "agrees")
    else:
        compare(name, PROGRAMS[name])
