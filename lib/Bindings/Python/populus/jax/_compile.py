# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`populus.jax.compile`: functions that run on the device.

A call flattens its arguments, looks up the program for their structure, shapes and types, or
makes it, and runs it.
"""

import functools
import inspect
import itertools
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union

import jax
import jax.extend.core
import numpy as np

from populus.jax._arrays import DeviceArray
from populus.jax._devices import machine
from populus.jax._program import Program
from populus.jax._replicas import Replicas

Numbers = Union[int, Sequence[int]]


def compile(f: Any = None, *, donate_argnums: Numbers = (), static_argnums: Numbers = (),
            static_argnames: Union[str, Sequence[str]] = (), device: Any = "cpu",
            replicas: int = 1, axis_name: str = "replicas",
            in_axes: Optional[Sequence[Optional[int]]] = None, **options: Any) -> Any:
    """A function of JAX as a program for a device; also a decorator, with or without arguments.

    `donate_argnums` are arguments whose memory a call takes over: they become variables of the
    device, and results of the same structure and types, the new state, stay there. `static_argnums`
    and `static_argnames` are compiled in. `device` is "cpu", "ipu_model", "ipu_hw" (the
    emulator) or one of `popart.DeviceManager`. Options: `engine_options`,
    `convolution_options`, `matmul_options` (dicts of texts), `cache_directory`,
    `stochastic_rounding`.

    With `replicas=N` the program runs on N IPUs, as with `jax.pmap`: donated arguments are the
    same on each of them, others have a first dimension of N, a row for each replica, unless
    `in_axes` has None for them; results that are not state have such a dimension, too.
    `jax.lax.psum`, `pmean`, `pmax`, `pmin`, `all_gather`, `psum_scatter`, `ppermute` and
    `axis_index` of `axis_name` work across replicas. On the device "cpu", which is a single one,
    one program computes what all replicas do.
    """
    unknown = set(options) - _OPTIONS
    if unknown:
        raise TypeError(f"compile() has no option {sorted(unknown)[0]!r}; there are "
                        f"{', '.join(sorted(_OPTIONS))}.")
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    make = functools.partial(Compiled, donated=_numbers(donate_argnums),
                             static=_numbers(static_argnums), static_names=names, device=device,
                             replicas=Replicas(replicas, axis_name), in_axes=in_axes,
                             options=options)
    return make if f is None else make(f)


_OPTIONS = {"engine_options", "convolution_options", "matmul_options", "cache_directory",
            "stochastic_rounding"}


def _numbers(given: Numbers) -> Tuple[int, ...]:
    return (given,) if isinstance(given, int) else tuple(given)


@dataclass(frozen=True)
class _Call:
    """The arguments of a call: leaves, the key of the program, the function of the leaves, the
    first leaf and the structure of each donated argument, and which leaves have a row for each
    replica."""

    leaves: List[Any]
    key: Any
    function: Callable
    donated: List[Tuple[int, Any]]
    split: List[bool]


class Compiled:
    """A compiled function. It has a program for each set of argument types that it was called
    with."""

    def __init__(self, f: Callable, donated: Tuple[int, ...], static: Tuple[int, ...],
                 static_names: Tuple[str, ...], device: Any, replicas: Replicas,
                 in_axes: Optional[Sequence[Optional[int]]], options: Dict[str, Any]) -> None:
        functools.update_wrapper(self, f)
        self._f = f
        self._donated, self._static = _normal(f, donated), _normal(f, static)
        if set(self._donated) & set(self._static):
            raise ValueError("An argument cannot be both donated and static.")
        self._static_names = static_names
        self._device = device
        self._replicas = replicas
        self._in_axes = None if in_axes is None else tuple(in_axes)
        if self._in_axes and set(self._in_axes) - {0, None}:
            raise ValueError(f"in_axes has 0 or None for each argument, not {in_axes!r}.")
        self._options = options
        self._programs: Dict[Any, Tuple[Program, Any]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        program, structure, leaves = self._program(args, kwargs)
        return jax.tree_util.tree_unflatten(structure, program.run(leaves))

    def prepare(self, *args: Any, **kwargs: Any) -> None:
        """Compiles for the types of these arguments, without a run. Arguments may be
        `jax.ShapeDtypeStruct`s."""
        self._program(args, kwargs)

    def jaxpr(self, *args: Any, **kwargs: Any) -> Any:
        """The jaxpr that is compiled for these arguments."""
        return self._traced(self._flatten(args, kwargs))[0]

    def _program(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]):
        """The program of a call, the structure of its results, and its leaves."""
        call = self._flatten(args, kwargs)
        if call.key not in self._programs:
            jaxpr, shape = self._traced(call)
            state, replicas = _matches(jaxpr, shape, call.donated), self._replicas
            if replicas.count > 1 and machine(self._device)["device"] == "cpu":
                jaxpr = self._joined(jaxpr, call, set(state.values()))
                replicas = Replicas()
            program = Program(jaxpr, state, call.split, replicas, self._device, self._options)
            self._programs[call.key] = program, jax.tree_util.tree_structure(shape)
        return (*self._programs[call.key], call.leaves)

    def _traced(self, call: _Call) -> Tuple[Any, Any]:
        """The jaxpr of a replica and the structure of its results."""
        axes = [(self._replicas.axis, self._replicas.count)] if self._replicas.count > 1 else None
        specs = [self._replicas.part(_spec(leaf)) if split else _spec(leaf)
                 for leaf, split in zip(call.leaves, call.split)]
        return jax.make_jaxpr(call.function, axis_env=axes, return_shape=True)(*specs)

    def _joined(self, jaxpr: Any, call: _Call, state: Set[int]) -> Any:
        """One program that computes what all replicas do: the device "cpu" is a single one."""
        replica = jax.extend.core.jaxpr_as_fun(jaxpr)

        def whole(*values: Any) -> Any:
            rows = jax.vmap(replica, [0 if split else None for split in call.split],
                            axis_name=self._replicas.axis, axis_size=self._replicas.count)(*values)
            return [row[0] if out in state else row for out, row in enumerate(rows)]
        return jax.make_jaxpr(whole)(*map(_spec, call.leaves))

    # ---- Arguments ------------------------------------------------------------

    def _flatten(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> _Call:
        moving = [i for i in range(len(args)) if i not in self._static]
        fixed = tuple((i, args[i]) for i in self._static if i < len(args))
        named = {k: v for k, v in kwargs.items() if k not in self._static_names}
        fixed_named = tuple((k, kwargs[k]) for k in sorted(kwargs) if k in self._static_names)
        leaves, donated, split = [], [], []
        for i in moving:
            part = jax.tree_util.tree_leaves(args[i])
            if i in self._donated:
                donated.append((len(leaves), jax.tree_util.tree_structure(args[i])))
            leaves += part
            split += [self._is_split(i)] * len(part)
        leaves += jax.tree_util.tree_leaves(named)
        split += [self._replicas.count > 1] * (len(leaves) - len(split))
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

        return _Call(leaves, key, function, donated, split)

    def _is_split(self, number: int) -> bool:
        """True if a positional argument has a row for each replica."""
        if self._replicas.count == 1 or number in self._donated:
            return False
        return self._in_axes is None or self._in_axes[number] is not None


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
        return (tuple(leaf.shape), leaf.dtype, bool(getattr(leaf, "weak_type", False)))
    return type(leaf)


def _matches(jaxpr: Any, result: Any, donated: Sequence[Tuple[int, Any]]) -> Dict[int, int]:
    """Which result takes the place of which donated input: of an argument, the first part of the
    results with its structure and types; of other inputs, the input itself where it is passed on,
    else the first of the same type, in order."""
    inputs, outputs = jaxpr.jaxpr.invars, jaxpr.jaxpr.outvars
    state: Dict[int, int] = {}
    rest: List[int] = []
    for first, structure in donated:
        numbers = range(first, first + structure.num_leaves)
        place = next((at for at, other in _parts(result) if other == structure and _alike(
            inputs, numbers, outputs, range(at, at + len(numbers)), state)), None)
        if place is None:
            rest += numbers
        else:
            state.update(zip(numbers, range(place, place + len(numbers))))
    for number in rest:
        for out, var in enumerate(outputs):
            if var is inputs[number] and out not in state.values():
                state[number] = out
                break
    for number in rest:
        free = (out for out in range(len(outputs)) if number not in state and _alike(
            inputs, [number], outputs, [out], state))
        state.update((number, out) for out in itertools.islice(free, 1))
    return state


def _parts(tree: Any, first: int = 0) -> Iterator[Tuple[int, Any]]:
    """All parts of a tree: the number of the first leaf, and the structure."""
    structure = jax.tree_util.tree_structure(tree)
    yield first, structure
    if jax.tree_util.treedef_is_leaf(structure):
        return
    for part in jax.tree_util.tree_leaves(tree, is_leaf=lambda node: node is not tree):
        yield from _parts(part, first)
        first += jax.tree_util.tree_structure(part).num_leaves


def _alike(inputs: Sequence[Any], numbers: Sequence[int], outputs: Sequence[Any],
           places: Sequence[int], taken: Dict[int, int]) -> bool:
    """True if results that are free have the types of inputs."""
    return all(out not in taken.values() and inputs[number].aval.shape == outputs[out].aval.shape
               and inputs[number].aval.dtype == outputs[out].aval.dtype
               for number, out in zip(numbers, places))
