# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rounding of networks that magnify it: batch norms over few elements divide by small deviations,
layer after layer, so that Keras itself, in float32 on the CPU, leaves what float64 gives after few
steps. The loss, the gradients and the moving statistics of a step on a device are as close to
float64 as those of Keras in float32.

    keras-precision.py DEVICE [MODEL...]
"""

import os
import sys

os.environ["TF_POPLAR_FLAGS"] = f"--device={sys.argv[1]}"

import jax
import keras
import numpy as np
from keras import layers

import populus.jax

# Rounding is a matter of luck, and one is not three times as lucky in all tensors of a network.
FACTOR = 3


def blocks():
    """Inverted residuals as in MobileNetV2."""
    x = source = keras.Input((4, 4, 3))
    for channels, strides in ((8, 2), (8, 1), (12, 2)):
        y = layers.Conv2D(4 * channels, 1, use_bias=False)(x)
        y = layers.ReLU(6.0)(layers.BatchNormalization(momentum=0.999)(y))
        y = layers.DepthwiseConv2D(3, strides, padding="same", use_bias=False)(y)
        y = layers.ReLU(6.0)(layers.BatchNormalization(momentum=0.999)(y))
        y = layers.Conv2D(channels, 1, use_bias=False)(y)
        y = layers.BatchNormalization(momentum=0.999)(y)
        x = layers.Add()([x, y]) if strides == 1 else y
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(source, layers.Dense(4, activation="softmax")(x))


def application(name, **options):
    return lambda: getattr(keras.applications, name)(
        input_shape=(32, 32, 3), weights=None, classes=4, **options)


MODELS = {
    "blocks": blocks, "mobilenet": application("MobileNetV2", alpha=0.35),
    "resnet": application("ResNet50"), "efficientnet": application("EfficientNetB0"),
}


def set_precision(precision):
    keras.config.set_floatx(precision)
    keras.config.set_dtype_policy(precision)  # it was derived from floatx when first read


def build(name, precision):
    keras.utils.set_random_seed(1)
    set_precision(precision)
    model = MODELS[name]()
    for layer in model._flatten_layers(include_self=False):
        if isinstance(layer, layers.Dropout):
            layer.rate = 0  # the masks of float64 are others
    return model


def step_of(model):
    """The loss, the gradients and the moving statistics of a step."""
    def step(trainable, fixed, x, y):
        def loss(trainable):
            out, new = model.stateless_call(trainable, fixed, x, training=True)
            losses = keras.losses.sparse_categorical_crossentropy(y, out)
            return keras.ops.mean(losses), new
        (value, new), gradients = jax.value_and_grad(loss, has_aux=True)(trainable)
        return value, gradients, new
    return step


def numbers(results):
    return [np.asarray(leaf, np.float64) for leaf in jax.tree.leaves(results)]


def results_of(name, precision, weights, data, compile):
    model = build(name, precision)
    if weights is not None:
        model.set_weights(weights)
    state = ([np.asarray(v.value) for v in model.trainable_variables],
             [np.asarray(v.value) for v in model.non_trainable_variables])
    results = numbers(compile(step_of(model))(*state, *(a.astype(precision) if a.ndim == 4 else a
                                                        for a in data)))
    return results, model.get_weights()


def distance(results, exact):
    """The error of each tensor relative to its size, but for tensors that are zero but for
    rounding (the gradient of a bias before a norm)."""
    sizes = [np.linalg.norm(b) for b in exact]
    return np.array([np.linalg.norm(a - b) / size
                     for a, b, size in zip(results, exact, sizes) if size > 1e-8 * max(sizes)])


def compare(name):
    rng = np.random.default_rng(5)
    size = build(name, "float32").input_shape[1]
    data = rng.random((8, size, size, 3), dtype=np.float32), rng.integers(0, 4, 8).astype(np.int32)
    theirs, weights = results_of(name, "float32", None, data, jax.jit)
    ours, _ = results_of(name, "float32", weights, data,
                         lambda step: populus.jax.compile(step, device=sys.argv[1]))
    with jax.enable_x64(True):
        exact, _ = results_of(name, "float64", weights, data, jax.jit)
    set_precision("float32")
    here, there = distance(ours, exact), distance(theirs, exact)
    print(f"{name}: median {np.median(here):.1e}, Keras {np.median(there):.1e}; "
          f"largest {here.max():.1e}, Keras {there.max():.1e}", flush=True)
    assert np.median(here) < FACTOR * np.median(there) + 1e-6
    assert here.max() < FACTOR * there.max() + 1e-6


for name in sys.argv[2:] or MODELS:
    compare(name)
    print(name, "is as precise")
