# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random bits: the generator threefry2x32, bit for bit.

JAX's own functions of the generator are traced; they end in threefry2x32, twenty rounds of
which are translated here. A key is two words.
"""

import math
from typing import Any, List

import jax
import jax.numpy as jnp
from jax.extend.random import threefry_prng_impl

from populus.jax._graphs import Value
from populus.jax._lower import Equation

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA


def _threefry(e: Equation, *x: Value) -> List[Value]:
    shape = jnp.broadcast_shapes(*(a.shape for a in e.ins))

    def function(k0: Any, k1: Any, a: Any, b: Any) -> Any:
        keys = [k0, k1, k0 ^ k1 ^ jnp.uint32(_PARITY)]
        a, b = a + keys[0], b + keys[1]
        for block in range(5):
            for distance in _ROTATIONS[block % 2]:
                a = a + b
                b = (b << distance) | (b >> (32 - distance))
                b = a ^ b
            a = a + keys[(block + 1) % 3]
            b = b + keys[(block + 2) % 3] + jnp.uint32(block + 1)
        return jnp.broadcast_to(a, shape), jnp.broadcast_to(b, shape)
    return e.expand(function, *x)


def _numbers(e: Equation) -> List[Value]:
    """The numbers of all elements, as words of 64 bits: the upper and the lower ones."""
    shape = e.outs[0].shape
    lower = jnp.arange(math.prod(shape), dtype=jnp.uint32).reshape(shape)
    return [e.graph.constant(jnp.zeros(shape, jnp.uint32)), e.graph.constant(lower)]


def _batched(function: Any, rank: int) -> Any:
    for _ in range(rank):
        function = jax.vmap(function)
    return function


def _words(aval: Any) -> Any:
    return jax.ShapeDtypeStruct((*aval.shape, 2), jnp.uint32)


def _bits(e: Equation, key: Value) -> Value:
    rank = len(e.ins[0].shape)
    shape, width = tuple(e.params["shape"]), e.params["bit_width"]
    function = _batched(lambda k: threefry_prng_impl.random_bits(k, width, shape), rank)
    return e.expand(function, key, avals=[_words(e.ins[0])])[0]


def _split(e: Equation, key: Value) -> Value:
    shape = tuple(e.params["shape"])
    function = _batched(lambda k: threefry_prng_impl.split(k, shape), len(e.ins[0].shape))
    return e.expand(function, key, avals=[_words(e.ins[0])])[0]


def _fold_in(e: Equation, key: Value, data: Value) -> Value:
    function = _batched(threefry_prng_impl.fold_in, len(e.ins[0].shape))
    avals = [_words(e.ins[0]), jax.ShapeDtypeStruct(e.ins[1].shape, e.ins[1].dtype)]
    return e.expand(function, key, data, avals=avals)[0]


def _seed(e: Equation, seed: Value) -> Value:
    function = _batched(threefry_prng_impl.seed, len(e.ins[0].shape))
    return e.expand(function, seed)[0]


def _pass_on(e: Equation, key: Value) -> Value:
    return key


TABLE = {
    "threefry2x32": _threefry, "iota_2x32_shape": _numbers,
    "random_bits": _bits, "random_split": _split,
    "random_fold_in": _fold_in, "random_seed": _seed, "random_wrap": _pass_on,
    "random_unwrap": _pass_on, "random_clone": _pass_on,
}
