# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that arrange elements."""

import builtins
from typing import Any, Iterable, List, Optional, Tuple, Union

import numpy as np
from popart import DataType, popart_exception

from popxl import context, dtypes
from popxl.graph import Builder
from popxl.ops._make import inplace, make, view
from popxl.tensor import Tensor, new_tensor


# ---- Reshape, flatten, squeeze ----------------------------------------------


def _reshaped(t: Tensor, shape: Iterable[int]) -> Tuple[int, ...]:
    """The shape with -1 replaced; ValueError where it does not fit."""
    wanted = tuple(int(extent) for extent in shape)
    if any(extent < -1 for extent in wanted):
        raise ValueError(f"Invalid shape value in reshape: {wanted}. Extents are not negative, "
                         "but for one -1.")
    if wanted.count(-1) > 1:
        raise ValueError(f"Reshape shape can contain at most one '-1' value: {wanted}.")
    if -1 in wanted:
        rest = int(np.prod([extent for extent in wanted if extent != -1], dtype=np.int64))
        missing = t.nelms // rest if rest else 0
        wanted = tuple(missing if extent == -1 else extent for extent in wanted)
    if int(np.prod(wanted, dtype=np.int64)) != t.nelms:
        raise ValueError(f"Invalid shape value in reshape: {wanted} has not the number of "
                         f"elements of {t.shape}.")
    return wanted


def reshape(t: Tensor, shape: Iterable[int]) -> Tensor:
    """The elements in another shape; one extent may be -1."""
    context.get_current_graph()._check_own(t=t)
    wanted = _reshaped(t, shape)
    return make("Reshape", {"t": t},
                lambda b, x: b.op("Reshape", [x, b.ints(list(wanted))], allowzero=1), "reshape")


def reshape_(t: Tensor, shape: Iterable[int]) -> Tensor:
    """`reshape` without a copy."""
    context.get_current_graph()._check_own(t=t)
    wanted, old = _reshaped(t, shape), t.shape
    return view("ReshapeInplace", t, lambda b, x: b.reshape(x, wanted),
                lambda b, _base, v: b.reshape(v, old), "reshape")


def flatten(t: Tensor) -> Tensor:
    """The elements in one dimension."""
    return reshape(t, (-1,)) if t.nelms else reshape(t, (0,))


def flatten_(t: Tensor) -> Tensor:
    """`flatten` without a copy."""
    return reshape_(t, (-1,)) if t.nelms else reshape_(t, (0,))


def squeeze(t: Tensor, axes: Optional[List[int]] = None) -> Tensor:
    """Without dimensions of the extent 1: those of `axes`, or all."""
    context.get_current_graph()._check_own(t=t)
    gone = ([i for i, extent in enumerate(t.shape) if extent == 1] if axes is None
            else [axis % max(t.rank, 1) for axis in axes])
    for axis in gone:
        if t.shape[axis] != 1:
            raise popart_exception(f"Squeeze cannot remove axis {axis} of the shape {t.shape}, "
                                   "which is not 1.")
    shape = tuple(extent for i, extent in enumerate(t.shape) if i not in gone)
    return make("Squeeze", {"t": t}, lambda b, x: b.reshape(x, shape), "squeeze")


# ---- Transpose --------------------------------------------------------------


def _permutation(t: Tensor, permutation: Optional[Iterable[int]]) -> Tuple[int, ...]:
    if permutation is None:
        return tuple(reversed(range(t.rank)))
    wanted = tuple(permutation)
    if any(axis < -t.rank or axis >= t.rank for axis in wanted):
        raise ValueError(f"Values in permutation must be less than the rank of the tensor. "
                         f"The tensor is of rank {t.rank}, and the permutation is {wanted}.")
    positive = tuple(axis % t.rank for axis in wanted)
    if sorted(positive) != list(range(t.rank)):
        raise ValueError(f"The permutation {wanted} has not every axis of a tensor of rank "
                         f"{t.rank} once.")
    return positive


def transpose(t: Tensor, permutation: Optional[Iterable[int]] = None) -> Tensor:
    """Dimensions in another order; reversed without a permutation."""
    context.get_current_graph()._check_own(t=t)
    order = _permutation(t, permutation)
    return make("Transpose", {"t": t}, lambda b, x: b.transpose(x, order), "transpose")


def transpose_(t: Tensor, permutation: Optional[Iterable[int]] = None) -> Tensor:
    """`transpose` without a copy."""
    context.get_current_graph()._check_own(t=t)
    order = _permutation(t, permutation)
    back = tuple(int(i) for i in np.argsort(order))
    return view("TransposeInplace", t, lambda b, x: b.transpose(x, order),
                lambda b, _base, v: b.transpose(v, back), "transpose")


# ---- Concat, split ----------------------------------------------------------


def _concat_inputs(ts: Iterable[Tensor]) -> dict:
    ts = list(ts)
    if not ts:
        raise ValueError("A concat needs a tensor.")
    context.get_current_graph()._check_own(**{f"ts_{i}": t for i, t in enumerate(ts)})
    types = {t.dtype for t in ts}
    if len(types) > 1:
        raise popart_exception("All inputs to a concat operation must have the same type: "
                               f"{[t.dtype.name for t in ts]}.")
    return {f"ts_{i}": t for i, t in enumerate(ts)}


def concat(ts: Iterable[Tensor], axis: int = 0) -> Tensor:
    """Tensors one behind the other along an axis."""
    return make("Concat", _concat_inputs(ts),
                lambda b, *xs: b.op("Concat", list(xs), axis=int(axis)), "concat")


def concat_(ts: Iterable[Tensor], axis: int = 0) -> Tensor:
    """`concat` without copies. What it returns cannot be written in place."""
    return make("ConcatInplace", _concat_inputs(ts),
                lambda b, *xs: b.op("Concat", list(xs), axis=int(axis)), "concat")


def split(t: Tensor, splits: Union[int, List[int]], axis: int = 0) -> Tuple[Tensor, ...]:
    """Parts along an axis: so many equal ones, or of those extents."""
    context.get_current_graph()._check_own(t=t)
    extent = t.shape[axis]
    if isinstance(splits, int):
        if splits < 1 or extent % splits != 0:
            raise ValueError(f"Split {splits} does not equally divide the axis {axis} of the "
                             f"shape {t.shape}.")
        splits = [extent // splits] * splits
    sizes = [int(size) for size in splits]
    if sum(sizes) != extent:
        raise ValueError(f"The splits {sizes} do not add up to the axis {axis} of the shape "
                         f"{t.shape}.")

    def build(b, x):
        # One part is a copy, which ONNX's Split has no form for.
        if len(sizes) == 1:
            return (b.op("Identity", [x]),)
        return tuple(b.ops("Split", [x, b.ints(sizes)], len(sizes), axis=int(axis)))

    return make("Split", {"t": t}, build, "split")


# ---- Slices -----------------------------------------------------------------


def _slice_lists(t: Tensor, start, stop, step, axis) -> Tuple[list, list, list, list]:
    """Start, stop, step and axis of each slice, as ONNX's Slice takes them."""
    def as_list(value: Any) -> Optional[list]:
        if value is None:
            return None
        return [value] if isinstance(value, (int, np.integer)) else list(value)

    start, stop, step, axis = map(as_list, (start, stop, step, axis))
    lengths = {len(x) for x in (start, stop, step, axis) if x is not None}
    if len(lengths) > 1:
        raise ValueError("start, stop, step and axis of a slice have to be of one length: "
                         f"{start}, {stop}, {step}, {axis}.")
    count = lengths.pop() if lengths else 0
    start, stop, step = (x or [None] * count for x in (start, stop, step))
    axis = axis or list(range(count))
    if count > t.rank:
        raise ValueError(f"A slice of {count} axes of a tensor of rank {t.rank}.")
    starts, stops, steps, axes = [], [], [], []
    for begin, end, by, ax in zip(start, stop, step, axis):
        by = 1 if by is None else int(by)
        if by == 0:
            raise ValueError("The step of a slice cannot be 0.")
        extent = t.shape[ax]
        known = range(*builtins.slice(begin, end, by).indices(extent))
        starts.append(known.start)
        stops.append(known.stop if known.stop >= 0 else -extent - 1)
        steps.append(by)
        axes.append(ax % t.rank)
    return starts, stops, steps, axes


def slice_(t: Tensor, start=None, stop=None, step=None, axis=None) -> Tensor:
    """`slice` without a copy."""
    context.get_current_graph()._check_own(t=t)
    lists = _slice_lists(t, start, stop, step, axis)

    def backward(b: Builder, base, value):
        # By number, each element of the slice is one of the base.
        places = np.arange(t.nelms).reshape(t.shape)[_index_of(t, lists)].reshape(-1, 1)
        flat = b.reshape(base, (t.nelms,))
        updates = b.reshape(value, (places.shape[0],))
        return b.reshape(b.op("ScatterND", [flat, b.constant(places.astype(np.int64), "int64"),
                                            updates]), t.shape)

    return view("SliceInplace", t, lambda b, x: _sliced(b, x, lists), backward, "slice")


def _index_of(t: Tensor, lists) -> tuple:
    index: list = [builtins.slice(None)] * t.rank
    for begin, end, by, axis in zip(*lists):
        index[axis] = builtins.slice(begin, None if end < 0 else end, by)
    return tuple(index)


def _sliced(b: Builder, x, lists):
    if not lists[0]:
        return b.op("Identity", [x])
    return b.slice(x, lists[0], lists[1], lists[3], lists[2])


def slice(t: Tensor, start=None, stop=None, step=None, axis=None) -> Tensor:
    """Elements from `start` to before `stop`, every `step`-th, along one axis or several."""
    context.get_current_graph()._check_own(t=t)
    lists = _slice_lists(t, start, stop, step, axis)
    return make("Slice", {"t": t}, lambda b, x: _sliced(b, x, lists), "slice")


def subsample(t: Tensor, strides: Union[int, List[int]]) -> Tensor:
    """Every n-th element of each dimension."""
    context.get_current_graph()._check_own(t=t)
    steps = [int(strides)] * t.rank if isinstance(strides, int) else [int(s) for s in strides]
    if len(steps) != t.rank:
        raise ValueError(f"{len(steps)} strides for a tensor of rank {t.rank}.")
    if any(step < 1 for step in steps):
        raise popart_exception(f"Strides of a subsample are positive, unlike those of {steps}.")
    return make("Subsample", {"t": t}, lambda b, x: b.gc("Subsample", [x], strides=steps),
                "subsample")


def _places(t: Tensor, axes, sizes) -> dict:
    return {"axes": [int(a) % max(t.rank, 1) for a in axes], "sizes": [int(s) for s in sizes]}


def dynamic_slice(t: Tensor, index: Tensor, axes: List[int], sizes: List[int],
                  no_overlap: bool) -> Tensor:
    """A slice that begins where `index` says, an element for each axis."""
    context.get_current_graph()._check_own(t=t)
    places = _places(t, axes, sizes)
    return make("DynamicSlice", {"t": t, "index": index},
                lambda b, x, i: b.gc("DynamicSlice", [x, i], **places), "dynamic_slice")


def dynamic_update(t: Tensor, index: Tensor, t_update: Tensor, axes: List[int], sizes: List[int],
                   no_overlap: bool) -> Tensor:
    """The tensor with another slice where `index` says."""
    context.get_current_graph()._check_own(t=t)
    places = _places(t, axes, sizes)
    return make("DynamicUpdate", {"t": t, "index": index, "t_update": t_update},
                lambda b, x, i, u: b.gc("DynamicUpdate", [x, i, u], **places), "dynamic_update")


def dynamic_update_(t: Tensor, index: Tensor, t_update: Tensor, axes: List[int],
                    sizes: List[int], no_overlap: bool) -> Tensor:
    """`dynamic_update` in place."""
    context.get_current_graph()._check_own(t=t)
    places = _places(t, axes, sizes)
    return inplace("DynamicUpdateInplace", {"t": t, "index": index, "t_update": t_update},
                   lambda b, x, i, u: b.gc("DynamicUpdate", [x, i, u], **places),
                   "dynamic_update")


# ---- New tensors ------------------------------------------------------------


def init(shape: Iterable[int], dtype: dtypes.dtype, name: Optional[str] = None,
         init_type: str = "zero", meta_shape: Optional[Iterable[int]] = None) -> Tensor:
    """A tensor of zeros; `init_type` "undef" leaves open what it holds."""
    if init_type not in ("zero", "undef"):
        raise ValueError(f"The init_type is 'zero' or 'undef', not {init_type!r}.")
    graph = context.get_current_graph()
    known = dtypes.dtype.as_dtype(dtype)
    b = Builder(graph, "init")
    extents = [int(e) for e in shape]
    if dtypes.is_float8(known):
        value = b.constant(np.zeros(extents, known.as_numpy()), dtypes.to_ir(known))
    else:
        number = int(DataType.__members__[dtypes.to_ir(known).upper()])
        value = b.gc("Init", [], shape=extents, data_type=number, init_type=1)
    result = new_tensor(graph, name or "init_out", value)
    result._meta_shape = tuple(meta_shape) if meta_shape else ()
    graph._record("Init", {}, {0: result},
                  again=lambda _: init(extents, dtype, name, init_type, meta_shape))
    return result


def onehot(t: Tensor, num_classes: Union[int, Tensor], values: Tensor, axis: int = -1) -> Tensor:
    """values[1] at the place that each index names, values[0] elsewhere."""
    if isinstance(num_classes, Tensor):
        if not hasattr(num_classes, "_host"):
            raise popart_exception("The number of classes of a onehot has to be a constant.")
        num_classes = int(np.asarray(num_classes._host).reshape(-1)[0])
    depth = int(num_classes)
    return make("OneHot", {"t": t, "values": values},
                lambda b, x, v: b.op("OneHot", [x, b.ints([depth]), v], axis=int(axis)), "onehot")
