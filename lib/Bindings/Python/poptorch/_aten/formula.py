# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas: tensors to which Python's operators apply, and polynomials that stand for functions.

    def entropy(x):
        return -(x * log(x))

A Term is a tensor in float32 in the graph under construction. A function that has no operator on the
device is one of its polynomials there: chebyshev() takes a function of torch, interpolates it in
float64 at Chebyshev's nodes of an interval when a model is built, and emits the sum of the
polynomials. So no table of coefficients has to be kept, and torch's own function is the reference.
"""

import functools
import math

import numpy as np
import torch

from .elementwise import isnan as _isnan


class Term:
    """A tensor of a formula."""

    __slots__ = ("e", "value")

    def __init__(self, e, value):
        self.e, self.value = e, value

    def _of(self, other):
        if isinstance(other, Term):
            return other.value
        return self.e.constant(float(other), self.value.dtype)

    def _binary(self, kind, a, b):
        return Term(self.e, self.e.binary(kind, a, b))

    def __add__(self, other):
        return self._binary("Add", self.value, self._of(other))

    def __sub__(self, other):
        return self._binary("Sub", self.value, self._of(other))

    def __rsub__(self, other):
        return self._binary("Sub", self._of(other), self.value)

    def __mul__(self, other):
        return self._binary("Mul", self.value, self._of(other))

    def __truediv__(self, other):
        return self._binary("Div", self.value, self._of(other))

    def __rtruediv__(self, other):
        return self._binary("Div", self._of(other), self.value)

    def __pow__(self, other):
        return self._binary("Pow", self.value, self._of(other))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self.apply("Neg")

    def __abs__(self):
        return self.apply("Abs")

    def _compare(self, kind, other):
        return self.e.compare(kind, self.value, self._of(other))

    def __lt__(self, other):
        return self._compare("Less", other)

    def __le__(self, other):
        return self._compare("LessOrEqual", other)

    def __gt__(self, other):
        return self._compare("Greater", other)

    def __ge__(self, other):
        return self._compare("GreaterOrEqual", other)

    def equals(self, number):
        """A mask, as comparisons are."""
        return self._compare("Equal", number)

    def apply(self, kind):
        """An operator of ONNX."""
        return Term(self.e, self.e.op(kind, [self.value]))

    def limited(self, low, high):
        """The nearest number of an interval; a NaN becomes one of its ends."""
        return self._binary("Min", self._binary("Max", self.value, self._of(low)).value,
                            self._of(high))


def _function(kind):
    return lambda x: x.apply(kind)


exp, log, sin, cos, sqrt, erf, floor, rounded = (_function(kind) for kind in (
    "Exp", "Log", "Sin", "Cos", "Sqrt", "Erf", "Floor", "Round"))


def log1p(x):
    return Term(x.e, x.e.graphcore("Log1p", [x.value]))


def where(mask, a, b):
    """Elements of a where a mask is true, of b elsewhere; one of both may be a number."""
    e = (a if isinstance(a, Term) else b).e
    dtype = (a if isinstance(a, Term) else b).value.dtype
    a, b = (x.value if isinstance(x, Term) else e.constant(float(x), dtype) for x in (a, b))
    return Term(e, e.where(mask, a, b))


def with_sign_of(x, size):
    """A size with the sign of x, which is an odd function's way to negative numbers."""
    return where(x < 0, -size, size)


@functools.lru_cache(maxsize=None)
def _coefficients(function, low, high, degree):
    def scaled(t):
        return function(torch.from_numpy((low + high) / 2 + (high - low) / 2 * t)).numpy()

    return [float(c) for c in np.polynomial.chebyshev.chebinterpolate(scaled, degree)]


def chebyshev(function, x, low, high, degree):
    """A function of torch's float64 tensors at x; at its ends outside of an interval."""
    t = ((x - (low + high) / 2) * (2 / (high - low))).limited(-1, 1)
    first, *rest = _coefficients(function, low, high, degree)
    twice, one, two = t + t, None, None
    for coefficient in reversed(rest):  # Clenshaw's sum
        term = coefficient if one is None else twice * one + coefficient
        one, two = (term if two is None else term - two), one
    last = t * one + first
    return last if two is None else last - two


def polynomial(coefficients, x):
    """The sum of coefficients[k] x^k."""
    *rest, last = coefficients
    for coefficient in reversed(rest):
        last = x * last + coefficient
    return last


def emitted(e, x, formula, slope=None):
    """A formula of a Value in its type. A NaN stays one. The gradient is that of `slope`, a formula
    of x and the result; it is emitted in training only."""
    term = Term(e, e.cast(e.detach(x) if e.training else x, torch.float32))
    result = formula(term)
    result = Term(e, e.where(_isnan(e, term.value), term.value, result.value))
    if e.training and slope is not None and x.is_float:
        result = result + _gradient_only(e, x, term, slope(term, result))
    return e.cast(result.value, x.dtype if x.is_float else torch.float32)


def _gradient_only(e, x, term, slope):
    """Zero, whose gradient by x is a slope. An infinite slope is the largest number, for its
    product with zero would be NaN."""
    largest = torch.finfo(torch.float32).max
    slope = where(slope > largest, largest, where(slope < -largest, -largest, slope))
    difference = Term(e, e.sub(e.cast(x, torch.float32), term.value))
    difference = where(abs(term).equals(math.inf), 0, difference)
    return Term(e, e.detach(slope.value)) * difference
