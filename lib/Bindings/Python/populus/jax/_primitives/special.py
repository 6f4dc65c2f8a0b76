# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions, by approximations of float32 precision."""

import math
from typing import Any, Callable

import jax.numpy as jnp

from populus.jax._graphs import Value
from populus.jax._lower import Equation


def _function(formula: Callable) -> Callable:
    """A rule that computes a formula of jax.numpy in float32."""
    def rule(e: Equation, *x: Value) -> Value:
        def function(*v: Any) -> Any:
            return formula(*(u.astype(jnp.float32) for u in v)).astype(e.out.dtype)
        return e.expand(function, *x)[0]
    return rule


def _polynomial(x: Any, coefficients: Any) -> Any:
    result = jnp.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        result = result * x + c
    return result


# M. Giles, "Approximating the erfinv function": in w = -log(1 - x^2), below and above 5.
_CENTRE = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
           -0.00125372503, -0.00417768164, 0.246640727, 1.50140941)
_TAIL = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
         -0.0076224613, 0.00943887047, 1.00167406, 2.83297682)


def _erf_inverse(x: Any) -> Any:
    w = -jnp.log1p(-x * x)
    inner = _polynomial(w - 2.5, _CENTRE)
    outer = _polynomial(jnp.sqrt(jnp.maximum(w, 5)) - 3, _TAIL)
    result = jnp.where(w < 5, inner, outer) * x
    return jnp.where(jnp.abs(x) == 1, x * jnp.inf, result)


# W. H. Press et al., "Numerical Recipes": erfc by a Chebyshev fit with a small relative error.
_ERFC = (0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418,
         0.37409196, 1.00002368, -1.26551223)


def _erfc(x: Any) -> Any:
    size = jnp.abs(x)
    t = 1 / (1 + 0.5 * size)
    tail = t * jnp.exp(-size * size + _polynomial(t, _ERFC))
    tail = jnp.where(x < 0, 2 - tail, tail)
    near = 1 - _erf_series(x)
    return jnp.where(size < 0.5, near, tail)


def _erf_series(x: Any) -> Any:
    """The power series of erf, for |x| < 0.5."""
    square, terms = x * x, []
    for n in range(9):
        terms.append((-1) ** n / (math.factorial(n) * (2 * n + 1)))
    return 2 / math.sqrt(math.pi) * x * _polynomial(square, terms[::-1])


# The coefficients of Lanczos for g = 7, n = 9.
_LANCZOS = (676.520368121885098567, -1259.13921672240287047, 771.32342877765307885,
            -176.6150291621405991, 12.5073432786869048, -0.138571095265720117,
            9.98436957801957086e-06, 1.50563273514931156e-07)


def _lgamma(x: Any) -> Any:
    """By the reflection below 1/2."""
    reflected = x < 0.5
    z = jnp.where(reflected, -x, x - 1)
    total = jnp.full_like(z, 0.99999999999980993)
    for i, c in enumerate(_LANCZOS):
        total = total + c / (z + (i + 1))
    t = z + 7.5
    log_t = math.log(7.5) + jnp.log1p(z / 7.5)
    value = (z + 0.5 - t / log_t) * log_t + 0.5 * math.log(2 * math.pi) + jnp.log(total)
    part = jnp.abs(x) - jnp.floor(jnp.abs(x))
    sine = jnp.sin(math.pi * jnp.where(part > 0.5, 1 - part, part))
    mirrored = jnp.where(sine == 0, jnp.inf, math.log(math.pi) - jnp.log(sine) - value)
    return jnp.where(jnp.isinf(x), jnp.inf, jnp.where(reflected, mirrored, value))


# Coefficients of the asymptotic series of digamma, in 1 / x^2.
_DIGAMMA = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -5 / 660)


def _digamma(x: Any) -> Any:
    """Raised to x >= 8 by the recurrence, reflected below 1/2; NaN at the poles."""
    reflected = x < 0.5
    z = jnp.where(reflected, 1 - x, x)
    low, value = z, jnp.zeros_like(z)
    for _ in range(8):
        small = low < 8
        value = value - jnp.where(small, 1 / low, 0)
        low = jnp.where(small, low + 1, low)
    inverse = 1 / (low * low)
    series = inverse * _polynomial(inverse, _DIGAMMA[::-1])
    value = value + jnp.log(low) - 0.5 / low + series
    part = x - jnp.floor(x)
    mirrored = value - math.pi / jnp.tan(math.pi * part)
    pole = (x <= 0) & (part == 0)
    return jnp.where(pole, jnp.nan, jnp.where(reflected, mirrored, value))


TABLE = {
    "erf_inv": _function(_erf_inverse), "erfc": _function(_erfc), "lgamma": _function(_lgamma),
    "digamma": _function(_digamma),
}
