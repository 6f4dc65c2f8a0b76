# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tensor[key]`: slices, elements, gathers and masks."""

import builtins
from typing import Any, List

import numpy as np

from popxl import dtypes
from popxl.tensor import Tensor
from popxl.variables import constant


def index(t: Tensor, key: Any) -> Tensor:
    """Integers take one element and drop the axis, slices take many. A tensor of integers
    gathers along axis 0; one of bool keeps elements where it is true, and others are 0."""
    from popxl import ops

    mask_or_places = _as_tensor(key)
    if mask_or_places is not None:
        if mask_or_places.dtype == dtypes.bool:
            zero = constant(np.zeros((), t.dtype.as_numpy()), t.dtype)
            return ops.where(mask_or_places, t, zero)
        return ops.gather(t, mask_or_places, axis=0)
    keys = key if isinstance(key, tuple) else (key,)
    _check(t, keys)
    return _sliced(t, keys)


def _as_tensor(key: Any) -> Any:
    """The tensor that a key is or means; None for slices and numbers."""
    if isinstance(key, Tensor):
        if key.dtype == dtypes.bool or key.dtype.is_int:
            return key
        raise TypeError(f"A tensor of {key.dtype!r} is no index; it has to be of integers or "
                        "bool.")
    if hasattr(key, "detach") and hasattr(key, "numpy"):
        key = key.detach().numpy()
    if isinstance(key, (list, np.ndarray)):
        array = np.asarray(key)
        if array.ndim == 0 and array.dtype.kind in "iu":
            return None
        if array.dtype.kind not in "iub":
            raise TypeError(f"An array of {array.dtype} is no index; it has to be of integers or "
                            "bool.")
        return constant(array)
    return None


def _check(t: Tensor, keys: tuple) -> None:
    for key in keys:
        if isinstance(key, (bool, np.bool_)) or not isinstance(
                key, (int, np.integer, slice, np.ndarray)):
            raise TypeError(f"{key!r} is no index of a tensor; an index is an int, a slice, a "
                            "tuple of these, or a tensor of integers or bool.")
    if len(keys) > t.rank:
        raise IndexError(f"{len(keys)} indices for Tensor {t.id}, of rank {t.rank}.")


def _sliced(t: Tensor, keys: tuple) -> Tensor:
    from popxl import ops

    starts: List[Any] = []
    stops: List[Any] = []
    steps: List[Any] = []
    axes: List[int] = []
    dropped: List[int] = []
    for axis, key in enumerate(keys):
        if isinstance(key, builtins.slice):
            if key == builtins.slice(None):
                continue
            start, stop, step = key.start, key.stop, key.step
        else:
            number = int(key)
            if not -t.shape[axis] <= number < t.shape[axis]:
                raise IndexError(f"The index {number} is out of range for axis {axis} of Tensor "
                                 f"{t.id}, of shape {t.shape}.")
            number %= t.shape[axis]
            start, stop, step = number, number + 1, 1
            dropped.append(axis)
        starts.append(start)
        stops.append(stop)
        steps.append(step)
        axes.append(axis)
    result = ops.slice(t, starts, stops, steps, axes) if axes else t
    return ops.squeeze(result, dropped) if dropped else result
