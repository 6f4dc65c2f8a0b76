# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds of random numbers."""

import numpy as np


def create_seeds(seed: int, offset: int = 0, batches_per_step: int = 1,
                 gradient_accumulation_factor: int = 1, replicas: int = 1) -> np.ndarray:
    """Seeds for all runs of a step, as pairs of uint32.

    The shape is [batches per step, accumulation factor, replicas, 2] without extents of 1. All
    follow from `seed`; `offset` counts on from it.
    """
    shape = (batches_per_step, gradient_accumulation_factor, replicas)
    numbers = np.random.default_rng(seed + offset).integers(
        0, np.iinfo(np.uint64).max, size=shape, dtype=np.uint64)
    pairs = np.stack([numbers >> np.uint64(32), numbers & np.uint64(0xFFFFFFFF)], axis=-1)
    return pairs.astype(np.uint32).reshape(tuple(e for e in shape if e != 1) + (2,))
