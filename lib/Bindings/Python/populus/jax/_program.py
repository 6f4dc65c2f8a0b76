# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of one function for one set of argument types.

Donated arguments whose type a result has are variables: the program writes the result into the
variable at its end. Other arguments and results are streams, with a row for each replica.
"""

import os
import weakref
from typing import Any, Dict, List, Sequence, Tuple

import jax
import numpy as np
import popxl_core

from populus.jax import _dtypes
from populus.jax._arrays import DeviceArray
from populus.jax._devices import machine
from populus.jax._graphs import Graph, Module
from populus.jax._lower import Translation, formats_of, lower_closed
from populus.jax._replicas import Replicas


class Program:
    """A compiled jaxpr. `state` maps inputs that are variables to the results that replace
    them, `split` tells which inputs have a row for each replica. `more` are arguments of the
    compiler."""

    ipus = 1

    def __init__(self, jaxpr: Any, state: Dict[int, int], split: Sequence[bool],
                 replicas: Replicas, device: Any, options: Dict[str, Any], **more: Any) -> None:
        self._replicas = replicas
        self._split = list(split)
        self._ins = list(jaxpr.in_avals)
        self._outs = list(jaxpr.out_avals)
        self._state = dict(state)
        self._holder = {out: number for number, out in state.items()}
        _dtypes.warn_if_narrowed(formats_of(jaxpr))
        module = self._translate(jaxpr)
        self._core = popxl_core.Program(
            module, replicas=replicas.count, first_replica=0, own_replicas=replicas.count,
            patterns="all", dot_directory="", dot_checks=set(),
            **machine(device, replicas.count * self.ipus), **_options(options), **more)
        self._core.load()
        self._inputs = [int(name[2:]) for name, *_ in self._core.inputs]
        self._outputs = [int(name[3:]) for name, *_ in self._core.outputs]
        # The arrays that variables are, as long as somebody has them.
        self._held: Dict[int, "weakref.ref[DeviceArray]"] = {}
        # State that the program passes on without a look at it.
        self._unused: Dict[int, np.ndarray] = {}

    def _translate(self, jaxpr: Any) -> Any:
        translation = Translation(self._replicas)
        graph = translation.module.graph("main")
        variables, args = {}, []
        for number, aval in enumerate(self._ins):
            if number in self._state:
                variables[number] = graph.core.use_variable(
                    add_variable(translation.module, number, aval))
                args.append(variables[number])
            else:
                args.append(load(graph, number, aval))
        results = lower_closed(translation, graph, jaxpr, args)
        translation.check()
        for number, value in enumerate(results):
            if number not in self._holder:
                graph.ops("HostStore", [value], 0, "ai.graphcore", stream=f"out{number}")
        updates = [(variables[number], results[out]) for number, out in self._state.items()
                   if results[out] is not variables[number]]
        graph.core.write_variables(updates)
        translation.module.core.set_main(graph.core)
        return translation.module.core

    # ---- Running --------------------------------------------------------------

    def run(self, arguments: Sequence[Any]) -> List[Any]:
        """Runs once, with an array for each input; returns the results."""
        self._write_state(arguments)
        given = [self._input(number, arguments[number]) for number in self._inputs]
        taken = {number: np.empty(self._rows() + _dtypes.shape_of(self._outs[number]),
                                  _dtypes.buffer_type(self._outs[number].dtype))
                 for number in self._outputs}
        self._core.run(given, [taken[number] for number in self._outputs])
        return [self._result(number, taken) for number in range(len(self._outs))]

    def _input(self, number: int, argument: Any) -> np.ndarray:
        aval = self._ins[number]
        array = _dtypes.buffer(_host(argument), aval.dtype)
        if self._replicas.count == 1 or self._split[number]:
            return array
        return np.ascontiguousarray(np.broadcast_to(array, self._rows() + array.shape))

    def _rows(self) -> Tuple[int, ...]:
        """The first dimension of buffers of streams."""
        return (self._replicas.count,) if self._replicas.count > 1 else ()

    def _result(self, number: int, taken: Dict[int, np.ndarray]) -> Any:
        if number in self._holder:
            holder = self._holder[number]
            array = DeviceArray(self, holder, self._outs[number])
            self._held[holder] = weakref.ref(array)
            return array
        return _returned(taken[number], self._outs[number])

    # ---- Variables ------------------------------------------------------------

    def _write_state(self, arguments: Sequence[Any]) -> None:
        """Gives variables their arguments, unless they are what the variables hold."""
        writes = []
        for number in self._state:
            argument = arguments[number]
            if isinstance(argument, DeviceArray) and argument._is_in(self, number):
                if argument.is_deleted():
                    argument._read()  # raises
                continue
            writes.append((number, _host(argument)))
        for number, array in writes:
            self._rescue(number)
            self._write(number, array)
        for number in self._state:
            if isinstance(arguments[number], DeviceArray):
                arguments[number].delete()
            self._held.pop(number, None)

    def _rescue(self, number: int) -> None:
        """Reads what a variable holds before others overwrite it, if somebody has the array."""
        held = self._held[number]() if number in self._held else None
        if held is not None and not held.is_deleted():
            held._read()
            held._program = None

    def _write(self, number: int, array: Any) -> None:
        aval = self._ins[number]
        if self._uses(number):
            self._core.write_variable(f"state{number}", _dtypes.ir_type(aval.dtype),
                                      _dtypes.elements(array, aval.dtype))
        else:
            self._unused[number] = np.array(array)

    def _uses(self, number: int) -> bool:
        return self._core.has_variable(f"state{number}")

    def read(self, number: int) -> np.ndarray:
        """The elements of a variable."""
        if not self._uses(number):
            return self._unused[number]
        aval = self._ins[number]
        kind = _dtypes.ELEMENTS[_dtypes.ir_type(aval.dtype)]
        array = np.empty(_dtypes.shape_of(aval), kind)
        self._core.read_variable(f"state{number}", array, of_all=False)
        return _as_jax(array, aval)


def add_variable(module: Module, number: int, aval: Any) -> Any:
    """The variable of an input."""
    return module.core.add_zeros(f"state{number}", _dtypes.ir_type(aval.dtype),
                                 list(_dtypes.shape_of(aval)))


def load(graph: Graph, number: int, aval: Any) -> Any:
    """The value of an input that is a stream."""
    return graph.gc("HostLoad", stream=f"in{number}", shape=list(_dtypes.shape_of(aval)),
                    data_type=_dtypes.onnx_number(aval.dtype))


def _host(argument: Any) -> np.ndarray:
    """The elements of an argument; of a random key, its words."""
    if isinstance(argument, DeviceArray):
        return argument._read()
    if hasattr(argument, "dtype") and _dtypes.is_key(argument.dtype):
        return np.asarray(jax.random.key_data(argument))
    return np.asarray(argument)


def _as_jax(array: np.ndarray, aval: Any) -> np.ndarray:
    """Elements as JAX has them: of the format before it was narrowed."""
    if _dtypes.is_key(aval.dtype) or array.dtype == aval.dtype:
        return array
    return array.astype(aval.dtype)


def _returned(array: np.ndarray, aval: Any) -> jax.Array:
    if _dtypes.is_key(aval.dtype):
        return jax.random.wrap_key_data(array)
    return jax.numpy.asarray(_as_jax(array, aval))


def _options(given: Dict[str, Any]) -> Dict[str, Any]:
    """Options as the compiler takes them."""
    def texts(name: str) -> Dict[str, str]:
        return {key: str(value) for key, value in (given.get(name) or {}).items()}

    folder = given.get("cache_directory") or os.environ.get("POPXL_CACHE_DIR") or ""
    return {"engine_options": texts("engine_options"),
            "convolution_options": texts("convolution_options"),
            "matmul_options": texts("matmul_options"), "cache_directory": str(folder),
            "rounds_stochastically": bool(given.get("stochastic_rounding", False))}
