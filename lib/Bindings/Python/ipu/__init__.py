# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keras 3 on IPUs, by the names of TensorFlow for the IPU.

Programs import this package instead of `tensorflow.python.ipu`, and Keras instead of
`tensorflow.keras`. Keras needs its backend JAX: KERAS_BACKEND=jax.
"""

from ipu import _refused, config, gradient_accumulation, ipu_strategy, ops, utils
from ipu._stages import PipelineStage

__all__ = ["PipelineStage", "config", "gradient_accumulation", "ipu_strategy", "ops", "utils"]


def __getattr__(name: str) -> object:
    raise _refused.error(f"ipu.{name}")
