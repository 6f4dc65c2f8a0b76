# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program in the style of public ones for Keras on IPUs: digits, with several steps in each run
and a callback."""

import keras
import numpy as np

import ipu


def load_digits():
    """Digits of seven segments, drawn as 12 x 12 images with noise."""
    segments = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg",
                "abcdfg"]
    place = {"a": np.s_[1:2, 2:9], "d": np.s_[10:11, 2:9], "g": np.s_[5:6, 2:9],
             "b": np.s_[1:6, 8:9], "c": np.s_[5:11, 8:9], "f": np.s_[1:6, 2:3],
             "e": np.s_[5:11, 2:3]}
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, 640).astype(np.int32)
    images = 0.3 * rng.random((640, 12, 12, 1), dtype=np.float32)
    for image, label in zip(images, labels):
        for segment in segments[label]:
            image[place[segment]] += 0.7
    return (images[:512], labels[:512]), (images[512:], labels[512:])


def create_model():
    return keras.Sequential([
        keras.Input((12, 12, 1)), keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
        keras.layers.Flatten(), keras.layers.Dense(32, activation="relu"),
        keras.layers.Dropout(0.2), keras.layers.Dense(10, activation="softmax")])


(x_train, y_train), (x_test, y_test) = load_digits()

cfg = ipu.config.IPUConfig()
cfg.auto_select_ipus = 1
cfg.device_connection.type = ipu.config.DeviceConnectionType.ON_DEMAND
cfg.configure_ipu_system()

keras.utils.set_random_seed(1)
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    model = create_model()
    model.compile(optimizer=keras.optimizers.Adam(0.01),
                  loss="sparse_categorical_crossentropy", metrics=["accuracy"],
                  steps_per_execution=16)
    seen = []
    model.fit(x_train, y_train, batch_size=32, epochs=4, verbose=0, callbacks=[
        keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(logs))])
    model.compile(loss="sparse_categorical_crossentropy", metrics=["accuracy"],
                  steps_per_execution=4)
    loss, accuracy = model.evaluate(x_test, y_test, batch_size=32, verbose=0)
    predicted = np.argmax(model.predict(x_test, batch_size=32, verbose=0), -1)
assert len(seen) == 4 and np.isclose((predicted == y_test).mean(), accuracy)
print("digits:", "learned" if accuracy > 0.9 else accuracy)
