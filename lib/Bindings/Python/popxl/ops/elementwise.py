# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that compute each element by itself."""

from typing import Optional, Union

import numpy as np
from popart import popart_exception

from popxl import dtypes
from popxl.graph import _onnx_type
from popxl.ops._make import inplace, make
from popxl.tensor import Tensor


def _unary(popxl_type: str, name: str, t: Tensor, ir_type: Optional[str] = None,
           domain: str = "", in_place: bool = False, **attributes) -> Tensor:
    def build(b, x):
        return b.op(ir_type or popxl_type, [x], domain, **attributes)

    if in_place:
        return inplace(popxl_type + "Inplace", {"t": t}, build, name)
    return make(popxl_type, {"t": t}, build, name)


def _check_types(op_type: str, *ts: Tensor) -> None:
    """Types are not converted; a popart_exception where tensors have different ones."""
    types = {t.dtype for t in ts if isinstance(t, Tensor)}
    if len(types) > 1:
        raise popart_exception(f"Inputs of {op_type} have to be of one type: "
                               f"{', '.join(f'{t.id} is {t.dtype}' for t in ts)}.")


def _binary(popxl_type: str, name: str, lhs: Tensor, rhs: Tensor, ir_type: Optional[str] = None,
            **attributes) -> Tensor:
    _check_types(popxl_type, lhs, rhs)
    return make(popxl_type, {"lhs": lhs, "rhs": rhs},
                lambda b, x, y: b.op(ir_type or popxl_type, [x, y], **attributes), name)


def abs(t: Tensor) -> Tensor:
    """The absolute value of each element."""
    return _unary("Abs", "abs", t)


def add(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The sum, with broadcasting."""
    return _binary("Add", "add", lhs, rhs)


def add_(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Adds `rhs` to `lhs`, which keeps its shape."""
    _check_types("Add", lhs, rhs)
    return inplace("AddLhsInplace", {"lhs": lhs, "rhs": rhs}, lambda b, x, y: b.add(x, y), "add")


def ceil(t: Tensor) -> Tensor:
    """Each element rounded up."""
    return _unary("Ceil", "ceil", t)


def floor(t: Tensor) -> Tensor:
    """Each element rounded down."""
    return _unary("Floor", "floor", t)


def clip(t: Tensor, min: float = float("-inf"), max: float = float("inf")) -> Tensor:
    """Each element held between `min` and `max`."""
    return make("Clip", {"t": t},
                lambda b, x: b.op("Clip", [x, b.scalar(_finite(min, t), x),
                                           b.scalar(_finite(max, t), x)]), "clip")


clamp = clip


def _finite(limit: float, t: Tensor) -> float:
    """A limit that the type of a tensor has."""
    kind = t.dtype.as_numpy()
    if kind.kind == "f":
        return limit
    known = np.iinfo(kind)
    return known.min if limit < known.min else known.max if limit > known.max else limit


def cos(t: Tensor) -> Tensor:
    """The cosine of each element."""
    return _unary("Cos", "cos", t)


def sin(t: Tensor) -> Tensor:
    """The sine of each element."""
    return _unary("Sin", "sin", t)


def tanh(t: Tensor) -> Tensor:
    """The hyperbolic tangent of each element."""
    return _unary("Tanh", "tanh", t)


def exp(t: Tensor) -> Tensor:
    """e to the power of each element."""
    return _unary("Exp", "exp", t)


def exp_(t: Tensor) -> Tensor:
    """`exp` in place."""
    return _unary("Exp", "exp", t, in_place=True)


def log(t: Tensor) -> Tensor:
    """The natural logarithm of each element."""
    return _unary("Log", "log", t)


def log2(t: Tensor) -> Tensor:
    """The logarithm to the base 2 of each element."""
    return make("Log2", {"t": t},
                lambda b, x: b.mul(b.op("Log", [x]), b.scalar(1 / np.log(2), x)), "log2")


def sqrt(t: Tensor) -> Tensor:
    """The square root of each element."""
    return _unary("Sqrt", "sqrt", t)


def sign(t: Tensor) -> Tensor:
    """-1, 0 or 1 as each element is negative, zero or positive."""
    return _unary("Sign", "sign", t)


def negate(t: Tensor) -> Tensor:
    """-t."""
    return _unary("Neg", "negate", t)


def sub(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The difference, with broadcasting."""
    return _binary("Sub", "sub", lhs, rhs)


def mul(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The product of elements, with broadcasting."""
    return _binary("Mul", "mul", lhs, rhs)


def div(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The quotient, with broadcasting; of integers without what is behind the point."""
    return _binary("Div", "div", lhs, rhs)


def fmod(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The remainder of the division, with the sign of `lhs`."""
    _check_types("Fmod", lhs, rhs)
    return make("Fmod", {"lhs": lhs, "rhs": rhs},
                lambda b, x, y: b.op("Mod", [x, y], fmod=1), "fmod")


def pow(t: Tensor, e: Union[float, Tensor]) -> Tensor:
    """t to the power of e."""
    e = t._ensure_tensor(e) if isinstance(t, Tensor) else e
    return _binary("Pow", "pow", t, e)


def equal(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Whether elements are equal."""
    return _binary("Equal", "equal", lhs, rhs)


def greater(input: Tensor, other: Tensor) -> Tensor:
    """Whether elements of `input` are greater."""
    _check_types("Greater", input, other)
    return make("Greater", {"input": input, "other": other},
                lambda b, x, y: b.op("Greater", [x, y]), "greater")


def logical_and(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Whether both are true, or not zero."""
    return make("And", {"lhs": lhs, "rhs": rhs},
                lambda b, x, y: b.op("And", [b.cast(x, dtypes.bool), b.cast(y, dtypes.bool)]),
                "and")


def logical_or(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Whether either is true, or not zero."""
    return make("Or", {"lhs": lhs, "rhs": rhs},
                lambda b, x, y: b.op("Or", [b.cast(x, dtypes.bool), b.cast(y, dtypes.bool)]), "or")


def logical_not(t: Tensor) -> Tensor:
    """Whether it is false, or zero."""
    return make("Not", {"t": t}, lambda b, x: b.op("Not", [b.cast(x, dtypes.bool)]), "not")


def isfinite(t: Tensor) -> Tensor:
    """Whether elements are numbers, and not infinite."""
    def build(b, x):
        bad = b.op("Or", [b.op("IsNaN", [x]), b.op("IsInf", [x])])
        return b.op("Not", [bad])

    return make("IsFinite", {"t": t}, build, "is_finite")


def isinf(t: Tensor) -> Tensor:
    """Whether elements are infinite."""
    return _unary("IsInf", "is_inf", t)


def isnan(t: Tensor) -> Tensor:
    """Whether elements are no numbers."""
    return _unary("IsNaN", "is_nan", t)


def identity(t: Tensor, output_name: Optional[str] = None) -> Tensor:
    """A copy, with a name of its own."""
    return make("Identity", {"t": t}, lambda b, x: b.op("Identity", [x]), "identity",
                out=output_name)


rename = identity


def increment_mod(t: Tensor, increment: float, modulus: float) -> Tensor:
    """(t + increment) % modulus."""
    return make("IncrementMod", {"t": t}, lambda b, x: _increment(b, x, increment, modulus),
                "increment_mod")


def increment_mod_(t: Tensor, increment: float, modulus: float) -> Tensor:
    """`increment_mod` in place."""
    return inplace("IncrementModInplace", {"t": t},
                   lambda b, x: _increment(b, x, increment, modulus), "increment_mod")


def _increment(b, x, increment, modulus):
    is_float = dtypes.from_ir(x.type).is_floating_point
    return b.op("Mod", [b.add(x, b.scalar(increment, x)), b.scalar(modulus, x)],
                fmod=int(is_float))


def _maximum_checked(ts) -> dict:
    if not ts:
        raise ValueError("`popxl.ops.maximum` needs a tensor.")
    return {f"ts_{i}": t for i, t in enumerate(ts)}


def maximum(*ts: Tensor) -> Tensor:
    """The greatest of the elements at each place, with broadcasting."""
    _check_types("Max", *ts)
    return make("Max", _maximum_checked(ts), lambda b, *xs: b.op("Max", list(xs)), "max")


def relu(t: Tensor) -> Tensor:
    """max(t, 0)."""
    return _unary("Relu", "relu", t)


def relu_(t: Tensor) -> Tensor:
    """`relu` in place."""
    return _unary("Relu", "relu", t, in_place=True)


def gelu(t: Tensor) -> Tensor:
    """Gaussian error linear unit, by the approximation with tanh."""
    return _unary("Gelu", "gelu", t, domain="ai.graphcore")


def gelu_(t: Tensor) -> Tensor:
    """`gelu` in place."""
    return _unary("Gelu", "gelu", t, domain="ai.graphcore", in_place=True)


def _gelu_erf(b, x):
    root = b.scalar(np.sqrt(0.5), x)
    half, one = b.scalar(0.5, x), b.scalar(1, x)
    return b.mul(b.mul(x, half), b.add(one, b.op("Erf", [b.mul(x, root)])))


def geluerf(t: Tensor) -> Tensor:
    """Gaussian error linear unit, by the error function."""
    return make("GeluErf", {"t": t}, _gelu_erf, "gelu_erf")


def geluerf_(t: Tensor) -> Tensor:
    """`geluerf` in place."""
    return inplace("GeluErfInplace", {"t": t}, _gelu_erf, "gelu_erf")


def _swish(b, x):
    return b.mul(x, b.op("Sigmoid", [x]))


def swish(t: Tensor) -> Tensor:
    """t * sigmoid(t)."""
    return make("Swish", {"t": t}, _swish, "swish")


def swish_(t: Tensor) -> Tensor:
    """`swish` in place."""
    return inplace("SwishInplace", {"t": t}, _swish, "swish")


def scaled_add(X: Tensor, Y: Tensor, a: Union[float, Tensor] = 1.0,
               b: Union[float, Tensor] = 1.0) -> Tensor:
    """a * X + b * Y."""
    inputs = _scaled_inputs(X, Y, a, b)
    return make("ScaledAdd", inputs, lambda builder, *xs: _scaled(builder, inputs, xs, a, b),
                "scaled_add")


def scaled_add_(X: Tensor, Y: Tensor, a: Union[float, Tensor] = 1.0,
                b: Union[float, Tensor] = 1.0) -> Tensor:
    """X = a * X + b * Y."""
    inputs = _scaled_inputs(X, Y, a, b)
    return inplace("ScaledAddLhsInplace", inputs,
                   lambda builder, *xs: _scaled(builder, inputs, xs, a, b), "scaled_add")


def _scaled_inputs(X, Y, a, b) -> dict:
    _check_types("ScaledAdd", X, Y)
    inputs = {"X": X, "Y": Y}
    if isinstance(a, Tensor):
        inputs["a"] = a
    if isinstance(b, Tensor):
        inputs["b"] = b
    return inputs


def _scaled(builder, inputs, values, a, b):
    given = dict(zip(inputs, values))
    return builder.add(_times(builder, given["X"], given.get("a", a)),
                       _times(builder, given["Y"], given.get("b", b)))


def _times(b, x, factor):
    """x * factor, of a number or a scalar value of whatever type."""
    if isinstance(factor, (int, float)):
        return x if factor == 1 else b.mul(x, b.scalar(factor, x))
    return b.mul(x, b.cast(factor, dtypes.from_ir(x.type)))


def where(condition: Tensor, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Elements of `lhs` where the condition holds, else of `rhs`."""
    _check_types("Where", lhs, rhs)
    return make("Where", {"condition": condition, "lhs": lhs, "rhs": rhs},
                lambda b, c, x, y: b.op("Where", [b.cast(c, dtypes.bool), x, y]), "where")


def cast(t: Tensor, dtype: dtypes.dtype) -> Tensor:
    """The elements as another type."""
    wanted = dtypes.dtype.as_dtype(dtype)
    if dtypes.is_float8(wanted):
        raise TypeError(f"A cast does not make {wanted!r}; popxl.ops.pow2scale_cast_to_fp8 does.")
    number = _onnx_type(wanted)
    return make("Cast", {"t": t}, lambda b, x: b.op("Cast", [x], to=number), "cast")


def detach(t: Tensor) -> Tensor:
    """The tensor, through which no gradient goes."""
    return _unary("Detach", "detach", t, domain="ai.graphcore")


def detach_(t: Tensor) -> Tensor:
    """`detach` without a copy."""
    from popxl.ops._make import view

    return view("DetachInplace", t, lambda b, x: b.gc("Detach", [x]), lambda b, base, v: v,
                "detach")
