# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samplers of a DataLoader: the share of one process of several, and joined batches of a batch
sampler."""

from typing import Iterable, Iterator, List, Optional

import torch
from torch.utils.data import Sampler


class ShareSampler(Sampler):
    """The elements of a data set that one process of several takes: each its own range, in order,
    or the same range of a permutation that all draw from one seed.

    With `step`, ranges are multiples of it, and what is left over takes part in later passes: it
    changes places with another window of the ranges in each. Of 11 elements for two processes with
    a step of 5, process 0 takes

        pass 0: 0 1 2 3 4    pass 1: 10 1 2 3 4    pass 2: 0 10 2 3 4
    """

    def __init__(self, length: int, processes: int, process: int, step: Optional[int],
                 seed: Optional[int]):
        self._length, self._process, self._seed = length, process, seed
        self._pass = 0
        if step is None:
            bounds = [length * number // processes for number in range(processes + 1)]
            self._first, self._count = bounds[process], bounds[process + 1] - bounds[process]
            self._used = length
        else:
            self._count = length // (step * processes) * step
            self._first = self._count * process
            self._used = self._count * processes

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        number, self._pass = self._pass, self._pass + 1
        places = range(self._first, self._first + self._count)
        if self._seed is not None:
            generator = torch.Generator().manual_seed(self._seed + number)
            order = torch.randperm(self._length, generator=generator).tolist()
            return iter([order[place] for place in places])
        return (self._exchanged(place, number) for place in places)

    def _exchanged(self, place: int, number: int) -> int:
        """The element at a place, which is one of those left over if its window has it."""
        left_over = min(self._length - self._used, self._used)
        if number == 0 or left_over == 0:
            return place
        offset = (place - (number - 1) * left_over) % self._used
        return self._used + offset if offset < left_over else place


class JoinedBatches(Sampler):
    """Batches of a batch sampler, each `count` of them joined to one."""

    def __init__(self, batches: Iterable[List[int]], count: int, drop_last: bool):
        self._batches, self._count, self._drop_last = batches, count, drop_last

    def __len__(self) -> int:
        rounding = 0 if self._drop_last else self._count - 1
        return (len(self._batches) + rounding) // self._count  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[List[int]]:
        joined: List[int] = []
        number = 0
        for number, batch in enumerate(self._batches, 1):
            joined.extend(batch)
            if number % self._count == 0:
                yield joined
                joined = []
        if number % self._count and not self._drop_last:
            yield joined
