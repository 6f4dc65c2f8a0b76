# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains models of Keras on a device and by Keras on the CPU: outputs, losses and metrics agree.

    keras-models.py DEVICE [MODEL...]
"""

import os
import sys

os.environ["TF_POPLAR_FLAGS"] = f"--device={sys.argv[1]}"

import keras
import numpy as np
from keras import layers

import ipu

RNG = np.random.default_rng(0)


def images(count, size, channels=3):
    return RNG.random((count, size, size, channels), dtype=np.float32)


def classes(count, number):
    return RNG.integers(0, number, count).astype(np.int32)


def tokens(count, length, number):
    return RNG.integers(0, number, (count, length)).astype(np.int32)


def dense(optimizer):
    def make():
        model = keras.Sequential([keras.Input((8,)), layers.Dense(16, activation="gelu"),
                                  layers.BatchNormalization(), layers.Dropout(0.2),
                                  layers.Dense(4)])
        model.compile(optimizer(), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                      metrics=["accuracy"])
        return model, RNG.normal(size=(80, 8)).astype(np.float32), classes(80, 4)
    return make


def convolutional():
    model = keras.Sequential([
        keras.Input((12, 12, 3)), layers.Conv2D(8, 3, strides=2, padding="same"),
        layers.BatchNormalization(), layers.ReLU(), layers.DepthwiseConv2D(3, padding="same"),
        layers.LayerNormalization(), layers.AveragePooling2D(2),
        layers.Conv2DTranspose(6, 3, strides=2, padding="same"), layers.MaxPooling2D(3, 2),
        layers.GlobalAveragePooling2D(), layers.Dense(5, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model, images(40, 12), classes(40, 5)


def lstm():
    model = keras.Sequential([
        keras.Input((7,), dtype="int32"), layers.Embedding(11, 6),
        layers.Bidirectional(layers.LSTM(8, return_sequences=True)), layers.GRU(5),
        layers.Dense(1, activation="sigmoid")])
    model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy", keras.metrics.AUC(name="auc")])
    return model, tokens(32, 7, 11), classes(32, 2).astype(np.float32)[:, None]


def transformer():
    source = keras.Input((6,), dtype="int32")
    x = layers.Embedding(13, 8)(source)
    attended = layers.MultiHeadAttention(2, 4, dropout=0.1)(x, x)
    x = layers.LayerNormalization()(x + attended)
    hidden = layers.Dense(8)(layers.Dense(16, activation="gelu")(x))
    x = layers.LayerNormalization()(x + hidden)
    model = keras.Model(source, layers.Dense(3, activation="softmax")(
        layers.GlobalAveragePooling1D()(x)))
    model.compile(keras.optimizers.AdamW(1e-3, clipnorm=1.0), "sparse_categorical_crossentropy",
                  metrics=["accuracy"])
    return model, tokens(32, 6, 13), classes(32, 3)


def autoencoder():
    source = keras.Input((8, 8, 1))
    x = layers.Conv2D(6, 3, strides=2, padding="same", activation="relu")(source)
    code = layers.Dense(5)(layers.Flatten()(x))
    x = layers.Reshape((4, 4, 6))(layers.Dense(96, activation="relu")(code))
    x = layers.UpSampling2D(2)(x)
    model = keras.Model(source, layers.Conv2D(1, 3, padding="same", activation="sigmoid")(x))
    model.compile("adam", "binary_crossentropy", metrics=["mse"])
    data = images(32, 8, 1)
    return model, data, data


def application(name, size, **options):
    def make():
        model = getattr(keras.applications, name)(input_shape=(size, size, 3), weights=None,
                                                  classes=4, **options)
        # Batch norms over few elements magnify rounding: with a larger rate Keras itself, on
        # inputs that differ by 1e-6, has other losses after a step.
        model.compile(keras.optimizers.SGD(1e-4, momentum=0.9), "sparse_categorical_crossentropy",
                      metrics=["accuracy"])
        return model, images(32, size), classes(32, 4)
    return make


O = keras.optimizers
MODELS = {
    "sgd": dense(lambda: O.SGD(0.05, momentum=0.9, nesterov=True)),
    "adam": dense(lambda: O.Adam(1e-2)), "adamw": dense(lambda: O.AdamW(1e-2)),
    "rmsprop": dense(lambda: O.RMSprop(1e-2, momentum=0.5)), "lion": dense(lambda: O.Lion(1e-3)),
    "convolutional": convolutional, "lstm": lstm, "transformer": transformer,
    "autoencoder": autoencoder, "mobilenet": application("MobileNetV2", 32, alpha=0.35),
    "resnet": application("ResNet50", 32), "efficientnet": application("EfficientNetB0", 32),
}


def trained(make, steps, strategy):
    """Outputs before training, losses and metrics, the evaluation, and weights."""
    keras.utils.set_random_seed(1)
    global RNG
    RNG = np.random.default_rng(5)
    with strategy.scope() if strategy else keras.name_scope("cpu"):
        model, x, y = make()
        batch = len(x) // 4
        before = model.predict(x[:batch], batch_size=batch, verbose=0)
        history = model.fit(x, y, batch_size=batch, epochs=steps // 4, verbose=0).history
        results = model.evaluate(x, y, batch_size=batch, verbose=0)
    return before, history, results, model.get_weights()


def compare(name, steps):
    ours = trained(MODELS[name], steps, ipu.ipu_strategy.IPUStrategy())
    theirs = trained(MODELS[name], steps, None)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-4, atol=1e-5)
    for key, values in theirs[1].items():
        np.testing.assert_allclose(ours[1][key], values, rtol=1e-4, atol=1e-5, err_msg=key)
    np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-4, atol=1e-4)
    print(name, [round(v, 4) for v in ours[1]["loss"]], "agrees")


for name in sys.argv[2:] or MODELS:
    compare(name, 20)
