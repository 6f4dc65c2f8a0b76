# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over windows, and the gradient of a maximum over windows.

A window of k elements is k views of the padded operand, strided and shifted, that are combined
element by element. Where several elements are the largest, a gradient goes to the first, as XLA
has it; the pools of PopIR share it out.
"""

import itertools
from typing import Any, Callable, Iterator, List, Sequence, Tuple

import numpy as np

from populus.jax._errors import Unsupported
from populus.jax._graphs import Graph, Value, product
from populus.jax._lower import Equation

# The largest windows that are combined view by view.
_MAX_VIEWS = 256


class _Windows:
    """The windows of an operand: the views of a padded tensor, in the order of XLA."""

    def __init__(self, shape: Sequence[int], params: dict) -> None:
        rank = len(shape)
        self.size = list(params["window_dimensions"])
        self.strides = list(params["window_strides"])
        self.padding = [tuple(pair) for pair in params["padding"]]
        self.base = list(params.get("base_dilation") or [1] * rank)
        self.dilation = list(params.get("window_dilation") or [1] * rank)
        self.spread = [max((extent - 1) * b + 1, 0) for extent, b in zip(shape, self.base)]
        self.padded = [extent + low + high
                       for extent, (low, high) in zip(self.spread, self.padding)]
        span = [(k - 1) * d + 1 for k, d in zip(self.size, self.dilation)]
        self.count = [max((extent - s) // stride + 1, 0) for extent, s, stride in
                      zip(self.padded, span, self.strides)]
        if product(self.size) > _MAX_VIEWS:
            raise Unsupported(f"windows of {product(self.size)} elements; {_MAX_VIEWS} is the "
                              "largest number")

    def pad(self, g: Graph, x: Value, value: Value) -> Value:
        low, high = zip(*self.padding)
        return g.pad(x, low, high, [b - 1 for b in self.base], value)

    def offsets(self) -> Iterator[Tuple[int, ...]]:
        return itertools.product(*(range(0, k * d, d) for k, d in zip(self.size, self.dilation)))

    def view(self, g: Graph, padded: Value, offset: Sequence[int]) -> Value:
        """Element `offset` of each window."""
        ends = [o + (n - 1) * s + 1 for o, n, s in zip(offset, self.count, self.strides)]
        return g.slice(padded, offset, ends, self.strides)

    def put(self, g: Graph, part: Value, offset: Sequence[int]) -> Value:
        """The inverse of `view`: zeros except for element `offset` of each window."""
        high = [extent - (o + (n - 1) * s + 1) for extent, o, n, s in
                zip(self.padded, offset, self.count, self.strides)]
        return g.pad(part, offset, high, [s - 1 for s in self.strides])

    def unpad(self, g: Graph, x: Value) -> Value:
        """The inverse of `pad`."""
        low, high = zip(*self.padding)
        x = g.pad(x, [-l for l in low], [-h for h in high])
        return g.slice(x, [0] * len(x.shape), list(x.shape), self.base)


def _fold(e: Equation, op_type: str, x: Value, neutral: Any) -> Value:
    windows = _Windows(x.shape, e.params)
    if 0 in windows.count:
        return e.graph.expand(e.graph.like(x, neutral), windows.count)
    padded = windows.pad(e.graph, x, e.graph.like(x, neutral))
    views = [windows.view(e.graph, padded, offset) for offset in windows.offsets()]
    return _tree(e.graph, op_type, views)


def _tree(g: Graph, op_type: str, values: List[Value]) -> Value:
    """Combines pairwise, so that sums stay accurate."""
    while len(values) > 1:
        pairs = [g.op(op_type, *values[i:i + 2]) if i + 1 < len(values) else values[i]
                 for i in range(0, len(values), 2)]
        values = pairs
    return values[0]


def _lowest(dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return 0
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _highest(dtype: np.dtype) -> Any:
    if dtype.kind == "b":
        return 1
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


def _window_rule(op_type: str, neutral: Callable[[np.dtype], Any]) -> Callable:
    def rule(e: Equation, x: Value) -> Value:
        if x.type == "bool":
            number = e.graph.cast(x, np.int32)
            result = _fold(e, op_type, number, neutral(np.dtype(np.bool_)))
            return e.graph.op("Not", e.graph.op("Equal", result, e.graph.like(result, 0)))
        result = _fold(e, op_type, x, neutral(np.dtype(e.out.dtype)))
        if op_type == "Add" or x.type not in ("float", "float16"):
            return result
        nans = _fold(e, "Max", e.graph.cast(e.graph.op("IsNaN", x), np.float32), 0)
        bad = e.graph.op("Greater", nans, e.graph.like(nans, 0))
        return e.graph.select(bad, e.graph.like(x, np.nan), result)
    return rule


def _general(e: Equation, *args: Value) -> List[Value]:
    """A window with a function of its own, of one or several operands."""
    count = len(args) // 2
    windows = _Windows(args[0].shape, e.params)
    padded = [windows.pad(e.graph, x, start) for x, start in zip(args, args[count:])]
    results = [e.graph.expand(start, windows.count) for start in args[count:]]
    jaxpr = _elementwise(e, windows.count)
    for offset in windows.offsets() if 0 not in windows.count else ():
        views = [windows.view(e.graph, x, offset) for x in padded]
        results = e.inline(jaxpr, *results, *views)
    return results


def _elementwise(e: Equation, shape: Sequence[int]) -> Any:
    """The function of scalars, for tensors."""
    import jax

    inner = e.params["jaxpr"]
    closed = inner if hasattr(inner, "consts") else jax.extend.core.ClosedJaxpr(
        inner, e.params.get("consts", ()))
    scalar = jax.extend.core.jaxpr_as_fun(closed)

    mapped = scalar
    for _ in shape:
        mapped = jax.vmap(mapped)
    specs = [jax.ShapeDtypeStruct(tuple(shape), out.dtype) for out in e.outs]
    return jax.make_jaxpr(lambda *x: mapped(*x))(*specs, *specs)


def _chosen(e: Equation, windows: _Windows, padded: Value) -> Iterator[Tuple[tuple, Value]]:
    """For each place of a window: the windows whose element there is the first that the
    primitive selects."""
    g = e.graph
    select = str(e.params["select_prim"])
    if select not in ("ge", "le"):
        raise Unsupported(f"with the selection {select}")
    op_type = "Max" if select == "ge" else "Min"
    views = [(offset, windows.view(g, padded, offset)) for offset in windows.offsets()]
    best = _tree(g, op_type, [view for _, view in views])
    free = None
    for offset, view in views:
        is_best = g.op("Equal", view, best)
        yield offset, is_best if free is None else g.op("And", is_best, free)
        others = g.op("Not", is_best)
        free = others if free is None else g.op("And", free, others)


def _neutral(e: Equation, x: Value) -> Value:
    dtype = np.dtype(e.out.dtype)
    kind = _lowest if str(e.params["select_prim"]) == "ge" else _highest
    return e.graph.like(x, kind(dtype))


def _select_and_scatter_add(e: Equation, source: Value, operand: Value) -> Value:
    """Each element of the source goes to the element of its window that is selected."""
    g = e.graph
    windows = _Windows(operand.shape, e.params)
    padded = windows.pad(g, operand, _neutral(e, operand))
    zero = g.like(source, 0)
    parts = [windows.put(g, g.select(chosen, source, zero), offset)
             for offset, chosen in _chosen(e, windows, padded)]
    return windows.unpad(g, _tree(g, "Add", parts))


def _select_and_gather_add(e: Equation, tangents: Value, operand: Value) -> Value:
    """The tangent at the element of each window that is selected."""
    g = e.graph
    windows = _Windows(operand.shape, e.params)
    padded = windows.pad(g, operand, _neutral(e, operand))
    zero = g.like(tangents, 0)
    moved = windows.pad(g, tangents, zero)
    parts = [g.select(chosen, windows.view(g, moved, offset), zero)
             for offset, chosen in _chosen(e, windows, padded)]
    return _tree(g, "Add", parts)


TABLE = {
    "reduce_window_sum": _window_rule("Add", lambda dtype: 0),
    "reduce_window_max": _window_rule("Max", _lowest),
    "reduce_window_min": _window_rule("Min", _highest), "reduce_window": _general,
    "select_and_scatter_add": _select_and_scatter_add,
    "select_and_gather_add": _select_and_gather_add,
}
