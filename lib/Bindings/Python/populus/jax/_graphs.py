# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of PopIR under construction: operators and constants, and helpers that primitives
share. Values are those of `popxl_core`: they have a `shape` and a `type`."""

import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence

import numpy as np
import popxl_core

from populus.jax import _dtypes

Value = popxl_core.Value


class Module:
    """A module of PopIR whose graphs have distinct names. With several IPUs, `homes` has the IPU
    on which a value is computed or first read, as far as an operator names it."""

    def __init__(self, ipus: int = 1) -> None:
        self.core = popxl_core.Module()
        self.ipus = ipus
        self.homes: Dict[Value, int] = {}
        self._count = 0

    def graph(self, name: str) -> "Graph":
        """A new graph; its name is made distinct."""
        self._count += 1
        return Graph(self, self.core.add_graph(f"{name}_{self._count}"))


class Graph:
    """One graph; its methods append operators and return their results."""

    def __init__(self, module: Module, core: Any) -> None:
        self.module = module
        self.core = core
        # The IPU and the stage of a pipeline of the operators that are appended.
        self.ipu: Optional[int] = None
        self.stage: Optional[int] = None
        self._constants: dict = {}
        self._numbers: dict = {}

    @contextlib.contextmanager
    def at(self, stage: int, ipu: int) -> Iterator[None]:
        """Operators that are appended inside are in a stage of a pipeline."""
        outer, (self.stage, self.ipu) = (self.stage, self.ipu), (stage, ipu)
        try:
            yield
        finally:
            self.stage, self.ipu = outer

    # ---- Operators ------------------------------------------------------------

    def ops(self, op_type: str, inputs: Sequence[Optional[Value]], outputs: int,
            domain: str = "", **attributes: Any) -> List[Value]:
        """Appends an operator with several results."""
        made = self.core.op(op_type, list(inputs),
                            {name: _plain(value) for name, value in attributes.items()}, outputs,
                            domain, op_type, self.ipu, stage=self.stage)
        if self.ipu is not None:
            self._note_homes(inputs, made)
        return made

    def caller(self, op_type: str, graphs: Sequence["Graph"], inputs: Sequence[Optional[Value]],
               attributes: dict, name: str) -> List[Value]:
        """Appends an operator that runs graphs."""
        _, made = self.core.caller(op_type, [graph.core for graph in graphs], list(inputs),
                                   attributes, name, self.ipu, self.stage)
        if self.ipu is not None:
            self._note_homes(inputs, made)
        return list(made)

    def _note_homes(self, inputs: Sequence[Optional[Value]], made: Sequence[Value]) -> None:
        for x in inputs:
            if x is not None and not x.is_constant:
                self.module.homes.setdefault(x, self.ipu)
        self.module.homes.update((x, self.ipu) for x in made)

    def home(self, values: Sequence[Value]) -> Optional[int]:
        """The IPU of the largest of the values that have one."""
        known = [x for x in values if x in self.module.homes]
        largest = max(known, key=lambda x: product(x.shape), default=None)
        return None if largest is None else self.module.homes[largest]

    def op(self, op_type: str, *inputs: Optional[Value], **attributes: Any) -> Value:
        """Appends an operator of ONNX's domain."""
        return self.ops(op_type, inputs, 1, **attributes)[0]

    def gc(self, op_type: str, *inputs: Optional[Value], **attributes: Any) -> Value:
        """Appends an operator of Graphcore's domain."""
        return self.ops(op_type, inputs, 1, "ai.graphcore", **attributes)[0]

    # ---- Constants ------------------------------------------------------------

    def constant(self, array: Any, dtype: Any = None) -> Value:
        """A constant; small ones are shared."""
        dtype = np.asarray(array).dtype if dtype is None else dtype
        data = _dtypes.elements(array, dtype)
        key = (_dtypes.ir_type(dtype), data.shape, data.tobytes()) if data.size <= 16 else None
        if key is None or key not in self._constants:
            value = self.core.add_constant("constant", _dtypes.ir_type(dtype), data)
            if key is None:
                return value
            self._constants[key] = value
            if data.shape == ():
                self._numbers[value] = data.item()
        return self._constants[key]

    def like(self, x: Value, number: Any) -> Value:
        """A scalar constant of a value's type."""
        return self.core_constant(x.type, number)

    def core_constant(self, ir_type: str, number: Any) -> Value:
        """A scalar constant of a type of PopIR."""
        data = np.asarray(number).astype(_dtypes.ELEMENTS[ir_type])
        key = (ir_type, (), data.tobytes())
        if key not in self._constants:
            self._constants[key] = self.core.add_constant("constant", ir_type, data)
            self._numbers[self._constants[key]] = data.item()
        return self._constants[key]

    def number(self, x: Value) -> Any:
        """The number that all elements of a value are, or None if it is not known."""
        return self._numbers.get(x)

    def ints(self, numbers: Sequence[int]) -> Value:
        """A list for operators that take shapes, axes and the like as operands."""
        data = np.asarray(list(numbers), np.int64)
        key = ("list", data.tobytes())
        if self.module.ipus > 1:
            # A constant that operators share would join what they read and write.
            return self.core.add_constant("list", "int64", data)
        if key not in self._constants:
            self._constants[key] = self.core.add_constant("list", "int64", data)
        return self._constants[key]

    # ---- Views ----------------------------------------------------------------

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        shape = tuple(int(extent) for extent in shape)
        if tuple(x.shape) == shape:
            return x
        # A 0 of ONNX's Reshape means "as before" unless allowzero is set.
        return self.op("Reshape", x, self.ints(shape), allowzero=1)

    def transpose(self, x: Value, order: Sequence[int]) -> Value:
        order = [int(axis) for axis in order]
        return x if order == sorted(order) else self.op("Transpose", x, perm=order)

    def expand(self, x: Value, shape: Sequence[int]) -> Value:
        """Broadcasts as NumPy does."""
        if tuple(x.shape) == tuple(shape):
            return x
        result = self.op("Expand", x, self.ints(shape))
        if x in self._numbers:
            self._numbers[result] = self._numbers[x]
        return result

    def slice(self, x: Value, starts: Sequence[int], ends: Sequence[int],
              steps: Optional[Sequence[int]] = None) -> Value:
        """Elements between bounds, for each dimension; steps are positive."""
        steps = [1] * len(x.shape) if steps is None else list(steps)
        if all(s == 0 for s in starts) and list(ends) == list(x.shape) and set(steps) <= {1}:
            return x
        axes = list(range(len(x.shape)))
        return self.op("Slice", x, self.ints(starts), self.ints(ends), self.ints(axes),
                       self.ints(steps))

    def slice_axis(self, x: Value, axis: int, start: int, end: int, step: int = 1) -> Value:
        starts, ends, steps = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
        starts[axis], ends[axis], steps[axis] = start, end, step
        return self.slice(x, starts, ends, steps)

    def pad(self, x: Value, low: Sequence[int], high: Sequence[int],
            interior: Optional[Sequence[int]] = None, value: Optional[Value] = None) -> Value:
        """JAX's pad: amounts may be negative, and elements may be put between elements."""
        value = self.like(x, 0) if value is None else value
        for axis, amount in enumerate(interior or ()):
            if amount:
                x = self._spread(x, axis, int(amount), value)
        crop_low = [max(-int(l), 0) for l in low]
        ends = [extent - max(-int(h), 0) for extent, h in zip(x.shape, high)]
        grow = [max(int(l), 0) for l in low] + [max(int(h), 0) for h in high]
        if any(end < start for start, end in zip(crop_low, ends)):
            # The crop reaches into the padding of the other side.
            return self._pad_past_the_end(x, low, high, value)
        x = self.slice(x, crop_low, ends)
        return self.op("Pad", x, self.ints(grow), value) if any(grow) else x

    def _pad_past_the_end(self, x: Value, low, high, value: Value) -> Value:
        grown = [max(int(l), 0) for l in low], [max(int(h), 0) for h in high]
        if any(map(any, grown)):
            x = self.op("Pad", x, self.ints(grown[0] + grown[1]), value)
        starts = [max(-int(l), 0) for l in low]
        return self.slice(x, starts, [e - max(-int(h), 0) for e, h in zip(x.shape, high)])

    def _spread(self, x: Value, axis: int, amount: int, value: Value) -> Value:
        shape = list(x.shape)
        if shape[axis] <= 1:
            return x
        apart = self.reshape(x, shape[:axis + 1] + [1] + shape[axis + 1:])
        grow = [0] * (2 * len(apart.shape))
        grow[len(apart.shape) + axis + 1] = amount
        apart = self.op("Pad", apart, self.ints(grow), value)
        full = shape[axis] * (amount + 1)
        x = self.reshape(apart, shape[:axis] + [full] + shape[axis + 1:])
        return self.slice_axis(x, axis, 0, full - amount)

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        return values[0] if len(values) == 1 else self.op("Concat", *values, axis=axis)

    def reverse(self, x: Value, axes: Sequence[int]) -> Value:
        axes = [int(axis) for axis in axes]
        return self.gc("Reverse", x, dimensions=axes) if axes else x

    # ---- Arithmetic -----------------------------------------------------------

    def cast(self, x: Value, dtype: Any) -> Value:
        """Converts as ONNX's Cast does; see `conversions` for JAX's rules."""
        if x.type == _dtypes.ir_type(dtype):
            return x
        return self.op("Cast", x, to=_dtypes.onnx_number(dtype))

    def add(self, a: Value, b: Value) -> Value:
        return self.op("Add", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return self.op("Mul", a, b)

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        return self.op("Where", condition, yes, no)

    def clip(self, x: Value, low: int, high: int) -> Value:
        """Integers held between two numbers."""
        return self.op("Min", self.op("Max", x, self.like(x, low)), self.like(x, high))

    def reduce(self, op_type: str, x: Value, axes: Sequence[int], keep: bool = False) -> Value:
        axes = [int(axis) for axis in axes]
        if not axes:
            return x
        return self.op(op_type, x, self.ints(axes), keepdims=int(keep))


def _plain(value: Any) -> Any:
    """An attribute without numbers of NumPy."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def product(extents: Sequence[int]) -> int:
    """The number of elements of a shape."""
    return int(np.prod(list(extents), dtype=np.int64))
