# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are made of data: variables and constants; and inputs and outputs of graphs."""

from typing import Any, Iterable, Optional, Tuple

import numpy as np

from popxl import context, dtypes
from popxl.fp8_utils import host_pow2scale_cast_to_fp8
from popxl.tensor import Constant, Tensor, Variable


def to_numpy(value: Any, dtype: Optional[dtypes.dtype] = None, downcast: bool = True,
             copy: bool = True, log2_scale: Optional[int] = None,
             nan_on_overflow: Optional[bool] = None) -> np.ndarray:
    """What a user gives as data, as an array of its own; without a type, narrowed to 32 bits.

    Data of 8-bit floats is an array of them, or floats, which are multiplied by 2^log2_scale."""
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        value = value.detach().numpy()
    array = np.asarray(value)
    if array.dtype == object or array.dtype.kind in "USOMm":
        raise TypeError(f"{type(value).__name__} is no data of a tensor.")
    given = None if dtype is None else dtypes.dtype.as_dtype(dtype)
    is_made = dtypes.is_float8(given) and array.dtype != given.as_numpy()
    if not is_made and (log2_scale is not None or nan_on_overflow is not None):
        raise RuntimeError("log2_scale and nan_on_overflow say how floats become 8-bit floats, "
                           f"not {array.dtype} {given or 'what it is'}.")
    if is_made:
        wide = array if array.dtype.kind == "f" else array.astype(np.float64)
        return host_pow2scale_cast_to_fp8(wide, given, log2_scale or 0, nan_on_overflow is not False)
    if given is not None:
        wanted = given.as_numpy()
    else:
        known = dtypes.dtype.as_dtype(array.dtype)
        wanted = (dtypes.narrowed(known) if downcast else known).as_numpy()
    if copy:
        return np.array(array, dtype=wanted, order="C")
    return np.asarray(array, dtype=wanted, order="C")


def _checked_data(data: Any, dtype, downcast: bool, log2_scale: Optional[int] = None,
                  nan_on_overflow: Optional[bool] = None) -> Tuple[np.ndarray, dtypes.dtype]:
    """Data of a variable or constant, and its type."""
    if isinstance(data, np.memmap):
        _check_memmap(data, dtype, downcast)
        return data, dtypes.dtype.as_dtype(data.dtype)
    given = None if dtype is None else dtypes.dtype.as_dtype(dtype)
    try:
        array = to_numpy(data, given, downcast, True, log2_scale, nan_on_overflow)
    except TypeError as error:
        if not isinstance(data, (str, bytes)) and np.asarray(data).dtype.kind in "US":
            raise ValueError(str(error)) from None
        raise
    return array, dtypes.dtype.as_dtype(array.dtype)


def _check_memmap(data: np.memmap, dtype, downcast: bool) -> None:
    start = "When passing a memory-mapped NumPy array, "
    if not data.flags.c_contiguous:
        raise ValueError(start + "it has to be C-contiguous.")
    own = dtypes.dtype.as_dtype(data.dtype)
    if dtype is not None and dtypes.dtype.as_dtype(dtype) != own:
        raise ValueError(start + f"the `dtype` has to be None or that of the array, {own!r}.")
    if downcast and dtypes.narrowed(own) != own:
        raise ValueError(start + f"its data cannot be narrowed, and {own!r} would be; "
                         "set `downcast=False`.")


def checked_retrieval(mode: Optional[str]) -> str:
    """Which replicas' values of a variable come back; ValueError for an unknown mode."""
    if mode not in (None, "one_per_group", "all_replicas"):
        raise ValueError(f"Invalid retrieval_mode: {mode}.")
    return mode or "one_per_group"


def variable(data: Any, dtype: Optional[dtypes.dtype] = None, name: Optional[str] = None,
             downcast: bool = True, replica_grouping=None, retrieval_mode: Optional[str] = None,
             log2_scale: Optional[int] = None,
             nan_on_overflow: Optional[bool] = None) -> Variable:
    """A variable of the main graph, which begins with `data`.

    Without a `dtype` it has that of the data, narrowed to 32 bits unless `downcast` is False.
    Floats become 8-bit floats times 2^log2_scale, where those that are too large are NaN unless
    `nan_on_overflow` is False. Raises ValueError outside of the main graph.

    Replicas of a group have the same value. With several groups `data` has one for each in front.
    The session gives back that of one replica of each group ("one_per_group"), or those of all
    ("all_replicas").
    """
    graph = context.get_current_graph()
    if graph is not graph.ir.main_graph:
        raise ValueError("You can only initialise variable tensors within the main graph. "
                         f"Create a variable in `ir.main_graph`, not in {graph!r}.")
    array, known = _checked_data(data, dtype, downcast, log2_scale, nan_on_overflow)
    return graph._add_variable(name, array, known, replica_grouping,
                               checked_retrieval(retrieval_mode))


def constant(data: Any, dtype: Optional[dtypes.dtype] = None, name: Optional[str] = None,
             downcast: bool = True, log2_scale: Optional[int] = None,
             nan_on_overflow: Optional[bool] = None) -> Constant:
    """A constant of the current graph."""
    graph = context.get_current_graph()
    array, known = _checked_data(data, dtype, downcast, log2_scale, nan_on_overflow)
    return graph._add_constant(name, array, known)


def graph_input(shape: Iterable[int], dtype: dtypes.dtype, name: Optional[str] = None,
                by_ref: bool = False, meta_shape: Optional[Iterable[int]] = None) -> Tensor:
    """An input of the current graph, behind those that it has."""
    graph = context.get_current_graph()
    return graph._add_input(tuple(shape), dtypes.dtype.as_dtype(dtype), name, by_ref,
                            tuple(meta_shape) if meta_shape else ())


def graph_output(t: Tensor) -> None:
    """Lets the current graph return a tensor of it."""
    graph = context.get_current_graph()
    graph._check_own(t=t)
    graph._add_graph_output(t)

