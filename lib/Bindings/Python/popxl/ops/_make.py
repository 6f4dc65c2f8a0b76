# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all operators are made with: checks, operators of the IR, and the new tensors."""

from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

import numpy as np
from popart import popart_exception

from popxl import context, dtypes
from popxl.graph import Builder, Graph
from popxl.tensor import Tensor, _View, new_tensor

Values = Union[Any, Tuple[Any, ...]]


# The operators that take 8-bit floats because they only move elements.
_FLOAT8_OPS = {
    "Concat", "ConcatInplace", "CopyVarUpdate", "Detach", "DetachInplace", "DynamicSlice",
    "DynamicUpdate", "DynamicUpdateInplace", "Identity", "IoTileCopy", "Reshape",
    "ReshapeInplace", "Slice", "SliceInplace", "Split", "Squeeze", "Subsample", "Transpose",
    "TransposeInplace",
}


def _check_float8(op_type: str, tensors: Iterable[Tensor]) -> None:
    if op_type in _FLOAT8_OPS:
        return
    for t in tensors:
        if dtypes.is_float8(t.dtype):
            raise popart_exception(
                f"{op_type} does not compute with {t.dtype!r}, of which Tensor {t.id} is. "
                "popxl.ops.pow2scale_cast_from_fp8 makes other floats of it.")


def checked(**tensors: Any) -> Graph:
    """The current graph, to which the tensors have to belong."""
    graph = context.get_current_graph()
    graph._ir._check_open()
    graph._check_own(**tensors)
    graph._check_place(**tensors)
    return graph


def make(op_type: str, inputs: Dict[str, Any], build: Callable[..., Values],
         name: Optional[str] = None, out: Optional[str] = None,
         takes_float8: bool = False) -> Any:
    """An operator with new results. `build` gets a Builder and the values of the inputs."""
    graph = checked(**inputs)
    if not takes_float8:
        _check_float8(op_type, inputs.values())
    name = name or op_type.lower()
    values = build(Builder(graph, name), *[t._read() for t in inputs.values()])
    is_one = not isinstance(values, (tuple, list))
    outputs = tuple(new_tensor(graph, out or f"{name}_out", value)
                    for value in ([values] if is_one else values))
    graph._record(op_type, dict(enumerate(inputs.values())), dict(enumerate(outputs)),
                  again=lambda tensors: make(op_type, _named(inputs, tensors), build, name, out,
                                             takes_float8))
    return outputs[0] if is_one else outputs


def _named(inputs: Dict[str, Any], tensors: Dict[int, Tensor]) -> Dict[str, Tensor]:
    return {name: tensors[index] for index, name in enumerate(inputs)}


def view(op_type: str, t: Tensor, forward: Callable[[Builder, Any], Any],
         backward: Optional[Callable[[Builder, Any, Any], Any]], name: str) -> Tensor:
    """An operator whose result shares the memory of `t`. `backward` makes the value of `t` that
    goes with another one of the result; it gets the old value of `t`, too."""
    graph = checked(t=t)
    _check_float8(op_type, [t])

    def see(value: Any) -> Any:
        return forward(Builder(graph, name), value)

    def write(base: Any, value: Any) -> Any:
        return backward(Builder(graph, name), base, value)

    result = new_tensor(graph, f"{name}_out", see(t._read()),
                        view=_View(t, see, write if backward else None))
    graph._record(op_type, {0: t}, {0: result},
                  again=lambda tensors: view(op_type, tensors[0], forward, backward, name))
    return result


def inplace(op_type: str, inputs: Dict[str, Any], build: Callable[..., Any], name: str,
            target: int = 0) -> Tensor:
    """An operator that writes one of its inputs; the result is that tensor under another name."""
    graph = checked(**inputs)
    _check_float8(op_type, inputs.values())
    tensors = list(inputs.values())
    written = tensors[target]
    value = build(Builder(graph, name), *[t._read() for t in tensors])
    write(written, value, op_type)
    result = new_tensor(graph, f"{name}_out", value, view=_View(written))
    graph._record(op_type, dict(enumerate(tensors)), {0: result}, modifies=(target,),
                  again=lambda others: inplace(op_type, _named(inputs, others), build, name,
                                               target))
    return result


def write(target: Tensor, value: Any, op_type: str) -> None:
    old = target._read()
    if tuple(value.shape) != tuple(old.shape) or value.type != old.type:
        raise popart_exception(
            f"{op_type} computes {value.type} {tuple(value.shape)}, which does not fit into "
            f"Tensor {target.id}, {old.type} {tuple(old.shape)}.")
    target._write(value)


def axes_of(axis: Any, rank: int) -> Tuple[int, ...]:
    """Axes as a user gives them: None for all, a number or several."""
    if axis is None:
        return tuple(range(rank))
    if isinstance(axis, (int, np.integer)):
        axis = (axis,)
    return tuple(int(a) for a in axis)


def product_attributes(available_memory_proportion: Optional[float],
                       partials_type: Any) -> Dict[str, Any]:
    """Attributes of matrix products and convolutions."""
    attributes: Dict[str, Any] = {}
    if available_memory_proportion is not None:
        if not 0 < available_memory_proportion <= 1:
            raise ValueError("available_memory_proportion has to be above 0 and at most 1, not "
                             f"{available_memory_proportion}.")
        attributes["__available_memory"] = float(available_memory_proportion)
    if partials_type is not None:
        known = str(getattr(partials_type, "name", partials_type)).lower()
        attributes["__partials_type"] = "half" if known in ("half", "float16") else "float"
    return attributes
