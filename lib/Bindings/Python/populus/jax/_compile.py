# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`populus.jax.compile`: functions that run on the device.

A call flattens its arguments, looks up the program for their structure, shapes and types, or
makes it, and runs it.
"""

import functools
import inspect
from typing import Any, Callable, Dict, List, Sequence, Tuple, Union

import jax
import numpy as np

from populus.jax._arrays import DeviceArray
from populus.jax._program import Program

Numbers = Union[int, Sequence[int]]


def compile(f: Any = None, *, donate_argnums: Numbers = (), static_argnums: Numbers = (),
            static_argnames: Union[str, Sequence[str]] = (), device: Any = "cpu",
            **options: Any) -> Any:
    """A function of JAX as a program for a device; also a decorator, with or without arguments.

    `donate_argnums` are arguments whose memory a call takes over: they become variables of the
    device, and results of the same shapes and types, the new state, stay there. `static_argnums`
    and `static_argnames` are compiled in. `device` is "cpu", "ipu_model", "ipu_hw" (the
    emulator) or one of `popart.DeviceManager`. Options: `engine_options`,
    `convolution_options`, `matmul_options` (dicts of texts), `cache_directory`,
    `stochastic_rounding`.
    """
    unknown = set(options) - _OPTIONS
    if unknown:
        raise TypeError(f"compile() has no option {sorted(unknown)[0]!r}; there are "
                        f"{', '.join(sorted(_OPTIONS))}.")
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    make = functools.partial(Compiled, donated=_numbers(donate_argnums),
                             static=_numbers(static_argnums), static_names=names, device=device,
                             options=options)
    return make if f is None else make(f)


_OPTIONS = {"engine_options", "convolution_options", "matmul_options", "cache_directory",
            "stochastic_rounding"}


def _numbers(given: Numbers) -> Tuple[int, ...]:
    return (given,) if isinstance(given, int) else tuple(given)


class Compiled:
    """A compiled function. It has a program for each set of argument types that it was called
    with."""

    def __init__(self, f: Callable, donated: Tuple[int, ...], static: Tuple[int, ...],
                 static_names: Tuple[str, ...], device: Any, options: Dict[str, Any]) -> None:
        functools.update_wrapper(self, f)
        self._f = f
        self._donated, self._static = _normal(f, donated), _normal(f, static)
        if set(self._donated) & set(self._static):
            raise ValueError("An argument cannot be both donated and static.")
        self._static_names = static_names
        self._device = device
        self._options = options
        self._programs: Dict[Any, Tuple[Program, Any]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, key, function, donated = self._flatten(args, kwargs)
        if key not in self._programs:
            self._programs[key] = self._make(function, leaves, donated)
        program, structure = self._programs[key]
        return jax.tree_util.tree_unflatten(structure, program.run(leaves))

    def prepare(self, *args: Any, **kwargs: Any) -> None:
        """Compiles for the types of these arguments, without a run. Arguments may be
        `jax.ShapeDtypeStruct`s."""
        leaves, key, function, donated = self._flatten(args, kwargs)
        if key not in self._programs:
            self._programs[key] = self._make(function, leaves, donated)

    def jaxpr(self, *args: Any, **kwargs: Any) -> Any:
        """The jaxpr that is compiled for these arguments."""
        leaves, _, function, _ = self._flatten(args, kwargs)
        return jax.make_jaxpr(function)(*map(_spec, leaves))

    # ---- Arguments ------------------------------------------------------------

    def _flatten(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]):
        """Leaves, the key of the program, the function of the leaves, and the leaves of each
        donated argument."""
        moving = [i for i in range(len(args)) if i not in self._static]
        fixed = tuple((i, args[i]) for i in self._static if i < len(args))
        named = {k: v for k, v in kwargs.items() if k not in self._static_names}
        fixed_named = tuple((k, kwargs[k]) for k in sorted(kwargs) if k in self._static_names)
        leaves, donated = [], []
        for i in moving:
            part = jax.tree_util.tree_leaves(args[i])
            if i in self._donated:
                donated.append(range(len(leaves), len(leaves) + len(part)))
            leaves += part
        leaves += jax.tree_util.tree_leaves(named)
        structure = jax.tree_util.tree_structure(([args[i] for i in moving], named))
        key = (structure, tuple(map(_key, leaves)), fixed, fixed_named,
               jax.config.jax_enable_x64)
        f, count = self._f, len(args)

        def function(*values: Any) -> Any:
            movable, words = jax.tree_util.tree_unflatten(structure, values)
            all_args: List[Any] = [None] * count
            for i, value in zip(moving, movable):
                all_args[i] = value
            for i, value in fixed:
                all_args[i] = value
            return f(*all_args, **words, **dict(fixed_named))

        return leaves, key, function, donated

    def _make(self, function: Callable, leaves: Sequence[Any], donated: Sequence[range]):
        jaxpr, shape = jax.make_jaxpr(function, return_shape=True)(*map(_spec, leaves))
        structure = jax.tree_util.tree_structure(shape)
        state = _matches(jaxpr, [i for part in donated for i in part])
        return Program(jaxpr, state, self._device, self._options), structure


def _normal(f: Callable, numbers: Tuple[int, ...]) -> Tuple[int, ...]:
    """Numbers of arguments; negative ones count from the end of the signature."""
    if all(number >= 0 for number in numbers):
        return numbers
    count = len(inspect.signature(f).parameters)
    return tuple(number % count for number in numbers)


def _spec(leaf: Any) -> Any:
    if isinstance(leaf, (DeviceArray, np.ndarray)):
        return jax.ShapeDtypeStruct(leaf.shape, jax.dtypes.canonicalize_dtype(leaf.dtype))
    return leaf


def _key(leaf: Any) -> Any:
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return (tuple(leaf.shape), str(leaf.dtype), bool(getattr(leaf, "weak_type", False)))
    return type(leaf)


def _matches(jaxpr: Any, donated: Sequence[int]) -> Dict[int, int]:
    """Which result takes the place of which donated input: the input itself where it is passed
    on, else the first of the same type, in order."""
    inputs, outputs = jaxpr.jaxpr.invars, jaxpr.jaxpr.outvars
    state: Dict[int, int] = {}
    for number in donated:
        for out, var in enumerate(outputs):
            if var is inputs[number] and out not in state.values():
                state[number] = out
                break
    free = [out for out in range(len(outputs)) if out not in state.values()]
    for number in donated:
        if number in state:
            continue
        aval = inputs[number].aval
        for out in free:
            other = outputs[out].aval
            if other.shape == aval.shape and other.dtype == aval.dtype:
                state[number] = out
                free.remove(out)
                break
    return state
