# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on sets of points, which programs with graphs call: nearest neighbours, and samples
that are far from each other."""

import math

import torch

from . import _state
from .errors import Error
from .ops_control import for_loop


def _points(function, name, value):
    if not isinstance(value, torch.Tensor) or value.ndim not in (1, 2):
        raise Error(f"poptorch.{function}: {name} is a tensor of one or two dimensions")
    return value if value.ndim == 2 else value[:, None]


def nearest(x, y, batch_x=None, batch_y=None):
    """For each point of x the number of the nearest point of y, among those of its batch."""
    x, y = _points("nearest", "x", x), _points("nearest", "y", y)
    if x.shape[1] != y.shape[1]:
        raise Error(f"poptorch.nearest: points of {x.shape[1]} and {y.shape[1]} dimensions")
    distances = (x[:, None, :] - y[None, :, :]).square().sum(-1)
    if (batch_x is None) != (batch_y is None):
        raise Error("poptorch.nearest: batch_x and batch_y are given together")
    if batch_x is not None:
        batch_x, batch_y = (batch if isinstance(batch, torch.Tensor) else torch.tensor(batch)
                            for batch in (batch_x, batch_y))
        distances = distances.masked_fill(batch_x[:, None] != batch_y[None, :], math.inf)
    return distances.argmin(1)


def fps(src, ptr, ratio=0.5, random_start=False):
    """Numbers of points that are far from each other: in each batch the first point (or one at
    random), then each time the one that is farthest from those before.

    The batch b has the points ptr[b] to ptr[b + 1], and a share `ratio` of them is chosen.
    """
    src = _points("fps", "src", src)
    bounds = [int(bound) for bound in ptr]
    if not 0 < ratio <= 1:
        raise Error(f"poptorch.fps: the ratio is a number above 0, and 1 at most, not {ratio!r}")
    if bounds[0] != 0 or bounds[-1] != len(src) or sorted(bounds) != bounds:
        raise Error(f"poptorch.fps: ptr goes up from 0 to {len(src)}, and is {bounds}")
    parts = [begin + _farthest(src[begin:end], math.ceil(ratio * (end - begin)), random_start)
             for begin, end in zip(bounds, bounds[1:]) if end > begin]
    return torch.cat(parts)


def _farthest(points, count, random_start):
    """Numbers of `count` points."""
    first = torch.randint(len(points), (1,)) if random_start else torch.zeros(1, dtype=torch.long)
    distances = torch.full((len(points),), math.inf)
    chosen = torch.zeros(count, dtype=torch.long)
    place = torch.zeros(1, dtype=torch.long)

    def choose(distances, chosen, place, last):
        chosen = torch.where(torch.arange(count) == place, last, chosen)
        step = (points - points.index_select(0, last)).square().sum(-1)
        distances = torch.minimum(distances, step)
        return [distances, chosen, place + 1, distances.argmax(0, keepdim=True)]

    values = [distances.to(points.dtype), chosen, place, first]
    if _state.is_training():  # which has no loops
        for _ in range(count):
            values = choose(*values)
        return values[1]
    return for_loop(count, choose, values)[1]
