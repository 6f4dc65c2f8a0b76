# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replicas: copies of a program that run at the same time, each on an IPU of its own."""

from dataclasses import dataclass
from typing import Any

import jax


@dataclass(frozen=True)
class Replicas:
    """The number of replicas, and the name of their axis in collectives of JAX."""

    count: int = 1
    axis: str = "replicas"

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise ValueError(f"replicas has to be a positive integer, not {self.count!r}.")

    def part(self, whole: Any) -> Any:
        """The type of a replica's row of an argument."""
        shape = tuple(getattr(whole, "shape", ()))
        if not shape or shape[0] != self.count:
            raise ValueError(f"An argument of the shape {shape} has no row for each of "
                             f"{self.count} replicas; in_axes=None gives all of them the same.")
        return jax.ShapeDtypeStruct(shape[1:], whole.dtype)
