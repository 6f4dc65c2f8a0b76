# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IPUConfig's names and types, and what a strategy refuses."""

import os
import subprocess
import sys
import warnings

import numpy as np

import ipu


def raised(kind, text, action):
    try:
        action()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"no {kind.__name__}: {text}")


def assign(path, value):
    def action():
        *groups, name = path.split(".")
        node = config
        for group in groups:
            node = getattr(node, group)
        setattr(node, name, value)
    return action


config = ipu.config.IPUConfig()
raised(AttributeError, "Did you mean auto_select_ipus?", assign("auto_select_ipu", 1))
raised(AttributeError, "Did you mean matmuls.poplar_options?",
       assign("matmuls.poplar_option", {}))
raised(AttributeError, "Did you mean floating_point_behaviour.esr?", assign("scheduling.esr", 1))
raised(TypeError, "of type int", assign("io_tiles.num_io_tiles", "3"))
raised(TypeError, "is a group of options", assign("matmuls", {}))
raised(AttributeError, "does not exist", lambda: config.nothing_like_that)
for path, value in (("device_connection.type", ipu.config.DeviceConnectionType.ON_DEMAND),
                    ("device_connection.enable_remote_buffers", True), ("allow_recompute", True),
                    ("convolutions.poplar_options", {"partialsType": "half"}),
                    ("scheduling.algorithm", ipu.config.SchedulingAlgorithm.POST_ORDER),
                    ("floating_point_behaviour.esr", True),
                    ("norms.use_stable_statistics", True), ("auto_select_ipus", [1, 2])):
    assign(path, value)()
    assert config.to_dict()[path] == value
assert config.get_attribute_metadata("floating_point_behaviour.esr")["has_effect"]
copy = ipu.config.IPUConfig()
copy.from_dict(config.to_dict())
assert copy.to_dict() == config.to_dict()
config.configure_ipu_system()
assert ipu.config.system().options["stochastic_rounding"]
assert ipu.config.system().options["convolution_options"] == {"partialsType": "half"}
assert ipu.config.system().num_ipus == 2

# Steps that replicas cannot share and eager models are refused.
import keras

x, y = np.zeros((10, 3), np.float32), np.zeros((10, 1), np.float32)
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    raised(ValueError, "multiple of the number of replicas (2)",
           lambda: model.fit(x, y, batch_size=5, verbose=0))
    ipu.config.reset_ipu_configuration()
    eager = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    eager.compile("sgd", "mse", run_eagerly=True)
    raised(ValueError, "run_eagerly", lambda: eager.fit(x, y, batch_size=5, verbose=0))

os.environ["TF_POPLAR_FLAGS"] = "--show_progress_bar=true --device=tpu"
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    raised(ValueError, "--device=tpu", ipu._devices.target)
assert "--show_progress_bar has no effect" in str(caught[0].message)

# Another backend is told how to switch.
other = subprocess.run(
    [sys.executable, "-c", "import ipu\nwith ipu.ipu_strategy.IPUStrategy().scope(): pass"],
    env={**os.environ, "KERAS_BACKEND": "numpy"}, capture_output=True, text=True)
assert "Set KERAS_BACKEND=jax" in other.stderr, other.stderr
print("ok")
