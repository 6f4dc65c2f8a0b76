# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the Keras program of "Programming tools" as it is printed there, with the imports and arrays
that it leaves out, on each of the given devices; and without the strategy, by Keras on the CPU.
Losses agree."""

import contextlib
import os
import sys

import keras
import numpy as np

import ipu

LISTING = '''
def model_fn():
   # Input layer - "entry point" / "source vertex".
   input_layer = keras.Input(shape=input_shape)

   # Add layers to the graph.
   x = keras.layers.Conv2D(32, kernel_size=(3, 3), activation="relu")(input_layer)
   x = keras.layers.MaxPooling2D(pool_size=(2, 2))(x)
   x = keras.layers.Conv2D(64, kernel_size=(3, 3), activation="relu")(x)
   x = keras.layers.MaxPooling2D(pool_size=(2, 2))(x)
   x = keras.layers.Flatten()(x)
   x = keras.layers.Dropout(0.5)(x)
   x = keras.layers.Dense(num_classes, activation="softmax")(x)

   return input_layer, x

ipu_config = ipu.config.IPUConfig()
ipu_config.auto_select_ipus = 1
strategy = ipu.ipu_strategy.IPUStrategy()

with strategy.scope():
   model = keras.Model(*model_fn())

   # Compile our model with Stochastic Gradient Descent as an optimiser
   # and Categorical Cross Entropy as a loss.
   model.compile('sgd', 'categorical_crossentropy', metrics=["accuracy"])
   model.fit(x_train, y_train, epochs=3, batch_size=batch_size)
   model.compile('sgd', 'categorical_crossentropy', metrics=["accuracy"])
   model.evaluate(x_test, y_test, batch_size=batch_size)

print("Program ran successfully")
'''

rng = np.random.default_rng(0)
input_shape, num_classes, batch_size = (12, 12, 1), 10, 16
x_train = rng.random((64, *input_shape), dtype=np.float32)
y_train = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 64)]
x_test, y_test = x_train[:32], y_train[:32]


def run(text):
    """Trains; returns the history and weights, and the losses of fit and evaluate."""
    keras.utils.set_random_seed(3)
    names = dict(globals())
    exec(text, names)
    return names["model"]


losses = []


class Keep(keras.callbacks.Callback):
    """Keeps the loss of each epoch, and of the evaluation."""

    def on_epoch_end(self, epoch, logs=None):
        losses.append(logs["loss"])

    def on_test_end(self, logs=None):
        losses.append(logs["loss"])


@contextlib.contextmanager
def kept():
    """Adds the callback to every fit and evaluate."""
    plain = keras.Model.fit, keras.Model.evaluate
    keras.Model.fit = lambda self, *a, **k: plain[0](self, *a, callbacks=[Keep()], verbose=0, **k)
    keras.Model.evaluate = lambda self, *a, **k: plain[1](
        self, *a, callbacks=[Keep()], verbose=0, **k)
    yield
    keras.Model.fit, keras.Model.evaluate = plain


def trained(text):
    """The losses and the weights."""
    losses.clear()
    weights = run(text).get_weights()
    return list(losses), weights


with kept():
    expected, weights = trained(LISTING.replace("with strategy.scope():", "if True:"))
    assert len(expected) == 4
    for device in sys.argv[1:]:
        os.environ["TF_POPLAR_FLAGS"] = f"--device={device}"
        actual, ours = trained(LISTING)
        np.testing.assert_allclose(actual, expected, rtol=1e-5)
        for a, b in zip(ours, weights):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
        print(device, "agrees:", [round(float(loss), 3) for loss in actual])
