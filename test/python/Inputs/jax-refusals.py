# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What populus.jax refuses, warns of, and keeps: primitives that are missing, numbers of 64 bits,
donated arrays, static arguments, trees of arguments, random keys."""

import re
import warnings

import jax
import jax.numpy as jnp
import numpy as np

import populus.jax


def raised(kind, action):
    try:
        action()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


@populus.jax.compile
def missing(x):
    a = jnp.linalg.eigvals(x)  # line of eig
    b = jnp.fft.fft(x)  # line of fft
    jax.debug.print("{}", x)
    return a, b


text = raised(populus.jax.UnsupportedError, lambda: missing(np.eye(2, dtype=np.float32)))
with open(__file__) as file:
    lines = {found[1]: number for number, line in enumerate(file, 1)
             if (found := re.search(r"  # line of (\w+)$", line))}
for name, number in lines.items():
    assert name in text and f"jax-refusals.py:{number}" in text, text
assert "debug" in text, text

# Numbers of 64 bits: one warning for a program; integers that do not fit are an error.
with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
    wide = populus.jax.compile(lambda x, n: (x * 2, n + 1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            y, m = wide(np.float64([1.5]), np.int64([7]))
    found = [str(w.message) for w in caught if w.category is populus.jax.NumberFormatWarning]
    assert len(found) == 1 and "float64 is float32, int64 is int32" in found[0], found
    assert y.dtype == np.float64 and m.dtype == np.int64 and y[0] == 3 and m[0] == 8
    assert "does not fit int32" in raised(OverflowError,
                                          lambda: wide(np.float64([1]), np.int64([2 ** 40])))
assert "no option" in raised(TypeError, lambda: populus.jax.compile(abs, speed="high"))
assert "'tpu'" in raised(ValueError, lambda: populus.jax.compile(jnp.sin, device="tpu")(1.0))


# Donated arrays, static arguments and trees.
@populus.jax.compile(donate_argnums=(0,), static_argnames="power")
def step(state, x, *, power):
    return {"sum": state["sum"] + x ** power, "same": state["same"]}, state["sum"].max()


first = {"sum": np.zeros(3, np.float32), "same": np.int32(4)}
x = np.float32([1, 2, 3])
second, largest = step(first, x, power=2)
third, _ = step(second, x, power=2)
assert "deleted" in raised(RuntimeError, lambda: np.asarray(second["sum"]))
assert "deleted" in raised(RuntimeError, lambda: step(second, x, power=2))
np.testing.assert_array_equal(third["sum"], [2, 8, 18])
assert int(third["same"]) == 4 and float(largest) == 0
fourth, _ = step(third, x, power=1)  # another program takes the state over
np.testing.assert_array_equal(jnp.asarray(fourth["sum"]), [3, 10, 21])
np.testing.assert_array_equal((2 - fourth["sum"])[1:] @ x[1:], -8 * 2 - 19 * 3)

# Typed keys go in and out.
draw = populus.jax.compile(lambda key: (jax.random.uniform(key, (3,)), jax.random.split(key)))
key = jax.random.key(3)
numbers, keys = draw(key)
np.testing.assert_array_equal(numbers, jax.random.uniform(key, (3,)))
np.testing.assert_array_equal(jax.random.key_data(keys),
                              jax.random.key_data(jax.random.split(key)))
print("ok")
