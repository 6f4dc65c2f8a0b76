# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums, products and extremes along a dimension.

Sums of floats are PopIR's CumSum; others are combined with neighbours at doubling distances:
log2(n) steps for n elements.
"""

from typing import Any, Callable

import jax
import jax.numpy as jnp

from populus.jax._graphs import Value
from populus.jax._lower import Equation


def _sum(e: Equation, x: Value) -> Value:
    return e.graph.op("CumSum", x, e.graph.ints([e.params["axis"]]), exclusive=0,
                      reverse=int(e.params["reverse"]))


def _running(combine: Callable[[Any, Any], Any]) -> Callable:
    def rule(e: Equation, x: Value) -> Value:
        axis, backwards = e.params["axis"], e.params["reverse"]
        extent = e.ins[0].shape[axis]

        def function(v: Any) -> Any:
            v = jnp.flip(v, axis) if backwards else v
            step = 1
            while step < extent:
                first = jax.lax.slice_in_dim(v, 0, step, axis=axis)
                rest = combine(jax.lax.slice_in_dim(v, step, extent, axis=axis),
                               jax.lax.slice_in_dim(v, 0, extent - step, axis=axis))
                v = jax.lax.concatenate([first, rest], axis)
                step *= 2
            return jnp.flip(v, axis) if backwards else v
        return e.expand(function, x)[0]
    return rule


TABLE = {
    "cumsum": _sum, "cumprod": _running(jax.lax.mul), "cummax": _running(jax.lax.max),
    "cummin": _running(jax.lax.min), "cumlogsumexp": _running(jnp.logaddexp),
}
