# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Incomplete gamma and beta functions, modified Bessel functions, Hurwitz's zeta, and samples of
the gamma distribution, by JAX's own series and continued fractions: functions of jax.numpy."""

import importlib
from typing import Any, Callable, List

import jax
import jax.numpy as jnp

from populus.jax._errors import Unsupported
from populus.jax._graphs import Value
from populus.jax._lower import Equation


def _of_jax(name: str, module: str = "lax.special") -> Callable:
    """A function that JAX lowers the primitive with. Raises Unsupported if this JAX has none."""
    try:
        return getattr(importlib.import_module(f"jax._src.{module}"), name)
    except (ImportError, AttributeError):
        raise Unsupported(f"JAX {jax.__version__} has no {name}") from None


def _series(name: str) -> Callable:
    """A rule that runs one of JAX's functions of a float32 type."""
    def rule(e: Equation, *x: Value) -> Value:
        formula = _of_jax(name)

        def function(*values: Any) -> Any:
            values = [jnp.broadcast_to(v.astype(jnp.float32), e.out.shape) for v in values]
            return formula(*values, dtype=jnp.float32).astype(e.out.dtype)
        return e.expand(function, *x)[0]
    return rule


def _bessel_0(x: Any) -> Any:
    return _of_jax("bessel_i0e_impl")(x)


def _bessel_1(x: Any) -> Any:
    """The derivative of i0e is i1e less sign(x) i0e."""
    size = jnp.abs(x)
    value, slope = jax.jvp(_bessel_0, (size,), (jnp.ones_like(size),))
    return jnp.sign(x) * (value + slope)


# The even Bernoulli numbers, each divided by the factorial of its index.
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160)
_TERMS = 9


def _zeta(s: Any, q: Any) -> Any:
    """The sum of (q + k)^-s for k >= 0, by Euler and Maclaurin behind nine terms; for s > 1 and
    q > 0."""
    total = sum((q + k) ** -s for k in range(_TERMS))
    end = q + _TERMS
    power = end ** -s
    total = total + power * end / (s - 1) + power / 2
    factor, power = s, power / end
    for i, number in enumerate(_BERNOULLI):
        total = total + number * factor * power
        factor = factor * (s + 2 * i + 1) * (s + 2 * i + 2)
        power = power / (end * end)
    total = jnp.where(s == 1, jnp.inf, total)
    return jnp.where((s < 1) | (q <= 0), jnp.nan, total)


def _polygamma(n: Any, x: Any) -> Any:
    """Derivatives of digamma; the zeroth is digamma itself."""
    sign = jnp.where(n % 2 == 0, -1, 1)
    order = jnp.where(n == 0, 1, n)
    value = sign * jnp.exp(jax.lax.lgamma(order + 1)) * _zeta(order + 1, x)
    return jnp.where(n == 0, jax.lax.digamma(x), value)


def _formula(formula: Callable) -> Callable:
    def rule(e: Equation, *x: Value) -> Value:
        def function(*values: Any) -> Any:
            return formula(*(v.astype(jnp.float32) for v in values)).astype(e.out.dtype)
        return e.expand(function, *x)[0]
    return rule


def _random_gamma(e: Equation, key: Value, alpha: Value) -> List[Value]:
    """Marsaglia and Tsang's method, with the keys that JAX takes."""
    sample = _of_jax("_gamma_impl", "random.core")

    def function(words: Any, a: Any) -> Any:
        keys = jax.random.wrap_key_data(words)
        return sample(keys, a, log_space=e.params["log_space"], use_vmap=True)
    shape = (*e.ins[0].shape, 2)
    avals = [jax.ShapeDtypeStruct(shape, jnp.uint32),
             jax.ShapeDtypeStruct(e.ins[1].shape, e.ins[1].dtype)]
    return e.expand(function, key, alpha, avals=avals)


TABLE = {
    "igamma": _series("igamma_impl"), "igammac": _series("igammac_impl"),
    "igamma_grad_a": _series("igamma_grad_a_impl"),
    "regularized_incomplete_beta": _series("regularized_incomplete_beta_impl"),
    "bessel_i0e": _formula(_bessel_0), "bessel_i1e": _formula(_bessel_1),
    "zeta": _formula(_zeta), "polygamma": _formula(_polygamma),
    "random_gamma": _random_gamma,
}
