# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in the style of public ones that split a model over IPUs: a functional model with
stages in contexts, and a sequential one with an assignment of layers. Four IPUs are two replicas
of two stages."""

import warnings

import keras
import numpy as np

import ipu

warnings.filterwarnings("ignore", message="Stages of a pipeline")
rng = np.random.default_rng(0)
x = rng.normal(size=(128, 10)).astype(np.float32)
y = (x[:, :1] * x[:, 1:2] > 0).astype(np.float32)

cfg = ipu.config.IPUConfig()
cfg.auto_select_ipus = 4
cfg.ipu_model.tiles_per_ipu = 16
cfg.configure_ipu_system()


def functional():
    inputs = keras.Input((10,))
    with keras.ipu.PipelineStage(0):
        hidden = keras.layers.Dense(32, activation="relu")(inputs)
        hidden = keras.layers.Dense(32, activation="relu")(hidden)
    with keras.ipu.PipelineStage(1):
        outputs = keras.layers.Dense(1, activation="sigmoid")(hidden)
    return keras.Model(inputs, outputs)


def sequential():
    model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(32, activation="relu"),
                              keras.layers.Dense(32, activation="relu"),
                              keras.layers.Dense(1, activation="sigmoid")])
    assignments = model.get_pipeline_stage_assignment()
    for assignment in assignments:
        assignment.pipeline_stage = 1 if assignment.layer is model.layers[-1] else 0
    model.set_pipeline_stage_assignment(assignments)
    lines = []
    model.print_pipeline_stage_assignment_summary(print_fn=lines.append)
    assert [line.split()[-1] for line in lines] == ["0", "0", "1"], lines
    return model


losses = []
for make in (functional, sequential):
    keras.utils.set_random_seed(3)
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = make()
        model.set_pipelining_options(
            gradient_accumulation_steps_per_replica=4,
            pipeline_schedule=ipu.ops.pipelining_ops.PipelineSchedule.Interleaved)
        model.compile(keras.optimizers.SGD(0.2, momentum=0.9), "binary_crossentropy",
                      steps_per_execution=16)
        history = model.fit(x, y, batch_size=4, epochs=3, shuffle=False, verbose=0).history
        losses.append(history["loss"])
np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)
print("pipeline:", "learned" if losses[0][-1] < 0.6 * losses[0][0] else losses[0])
