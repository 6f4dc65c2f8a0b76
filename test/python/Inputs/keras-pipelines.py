# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of Keras's models: results are those of gradient accumulation by Keras on the CPU, and
stages overlap.

    keras-pipelines.py DEVICE CHECK...
"""

import os
import sys
import tempfile
import warnings

os.environ["KERAS_BACKEND"] = "jax"
os.environ["TF_POPLAR_FLAGS"] = f"--device={sys.argv[1]}"

import jax
import keras
import numpy as np
from keras import layers

import ipu

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 10)).astype(np.float32)
Y = (X[:, :1] * X[:, 1:2] > 0).astype(np.float32)
STEPS = 4


def configure(ipus, **options):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.ipu_model.tiles_per_ipu = 16
    config.compilation_poplar_options = options
    config.configure_ipu_system()


def functional():
    """Stages in contexts; batch norm and dropout, a residual between stages, a regulariser."""
    inputs = keras.Input((10,))
    with ipu.PipelineStage(0):
        first = layers.BatchNormalization()(layers.Dense(16, activation="relu")(inputs))
        first = layers.Dropout(0.2)(first)
    with ipu.PipelineStage(1):
        second = layers.add([first, layers.Dense(16, activation="gelu")(first)])
        second = layers.Dropout(0.1)(second)
    with ipu.PipelineStage(2):
        outputs = layers.Dense(1, activation="sigmoid", kernel_regularizer="l2")(second + 1.0)
    return keras.Model(inputs, outputs)


def assigned():
    """Stages of layers."""
    model = keras.Sequential([keras.Input((10,)), layers.Dense(16, activation="relu"),
                              layers.LayerNormalization(), layers.Dense(1, activation="sigmoid")])
    if ipu.ipu_strategy.current() is not None:
        stages = model.get_pipeline_stage_assignment()
        for number, stage in enumerate(stages):
            stage.pipeline_stage = min(number, 1)
        model.set_pipeline_stage_assignment(stages)
    return model


class Subclass(keras.Model):
    """Stages where the model is called."""

    def __init__(self):
        super().__init__()
        self.first, self.last = layers.Dense(8, activation="tanh"), layers.Dense(
            1, activation="sigmoid")

    def call(self, x):
        with ipu.PipelineStage(0):
            x = self.first(x)
        with ipu.PipelineStage(1):
            return self.last(x)


OPTIMIZERS = {
    "adam": lambda **options: keras.optimizers.Adam(
        keras.optimizers.schedules.ExponentialDecay(0.05, 3, 0.9), clipnorm=1.0, **options),
    "sgd": lambda **options: keras.optimizers.SGD(0.1, momentum=0.9, weight_decay=0.01, **options)}


def trained(make, optimizer, steps, prepare=lambda model: None):
    """Losses, an evaluation, outputs and weights."""
    keras.utils.set_random_seed(3)
    model = make()
    prepare(model)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"],
                  steps_per_execution=steps)
    options = {"batch_size": 4, "verbose": 0}
    history = model.fit(X, Y, epochs=2, shuffle=False, **options).history
    return (history, model.evaluate(X, Y, **options), model.predict(X, **options),
            [np.asarray(v.value) for v in model.weights])


def pipelined(model):
    model.set_pipelining_options(
        gradient_accumulation_steps_per_replica=STEPS,
        gradient_accumulation_reduction_method="mean",
        pipeline_schedule=ipu.ops.pipelining_ops.PipelineSchedule.Grouped)


def values(name, make, stages, optimizer):
    expected = trained(make, optimizer(gradient_accumulation_steps=STEPS), 1)
    configure(stages)
    with ipu.ipu_strategy.IPUStrategy().scope(), warnings.catch_warnings():
        warnings.filterwarnings("error", message="Stages of a pipeline")
        found = trained(make, optimizer(), 2 * STEPS, pipelined)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5, err_msg=name)
    print(name, "agrees")


def throughput():
    """Cycles of a batch more, of a model that is on one IPU and of one that is spread."""
    import pva

    def cycles(ipus, steps):
        folder = tempfile.mkdtemp()
        configure(ipus, **{"autoReport.all": "true", "autoReport.directory": folder})
        x = RNG.normal(size=(48 * steps, 64)).astype(np.float32)
        keras.utils.set_random_seed(3)
        with ipu.ipu_strategy.IPUStrategy().scope(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inputs = value = keras.Input((64,))
            for stage in range(3):
                with ipu.PipelineStage(stage):
                    for _ in range(2):
                        value = layers.Dense(64, activation="tanh")(value)
            model = keras.Model(inputs, value)
            model.set_pipelining_options(gradient_accumulation_steps_per_replica=steps)
            model.compile("sgd", "mse", steps_per_execution=steps)
            model.fit(x, x, batch_size=48, verbose=0)
        return pva.openReport(os.path.join(folder, "profile.pop")).execution.totalCycles.total

    one, three = [(cycles(ipus, 16) - cycles(ipus, 8)) / 8 for ipus in (1, 3)]
    print(round(one), round(three), file=sys.stderr)
    assert one > 2 * three, (one, three)
    print("throughput of three stages is more than double")


def refusals():
    """What cannot overlap runs on one IPU, and says so; what cannot be is an error."""
    configure(2)
    with ipu.ipu_strategy.IPUStrategy().scope():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            trained(functional, "sgd", STEPS, pipelined)
        assert any("3 stages, and 2 IPUs" in str(w.message) for w in caught)
        shared = layers.Dense(3)
        inputs = keras.Input((3,))
        with ipu.PipelineStage(0):
            value = shared(inputs)
        try:
            with ipu.PipelineStage(1):
                shared(value)
        except ValueError as error:
            assert "belongs to one stage" in str(error), error
        else:
            raise AssertionError("no error")
    print("refusals agree")


CHECKS = {
    "functional": lambda: values("functional", functional, 3, OPTIMIZERS["adam"]),
    "assigned": lambda: values("assigned", assigned, 2, OPTIMIZERS["sgd"]),
    "subclass": lambda: values("subclass", Subclass, 2, OPTIMIZERS["sgd"]),
    "throughput": throughput, "refusals": refusals}
for name in sys.argv[2:] or CHECKS:
    CHECKS[name]()
