# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions by the names of TensorFlow for the IPU."""

from ipu.config import reset_ipu_configuration

__all__ = ["reset_ipu_configuration", "reset_ipu_seed"]


def reset_ipu_seed(seed: int, device: str = "/device:IPU:0", cpu_device: str = "cpu",
                   experimental_identical_replicas: bool = False) -> None:
    """Seeds the generators of Keras. Layers that exist already keep their seeds."""
    import keras

    keras.utils.set_random_seed(seed)
