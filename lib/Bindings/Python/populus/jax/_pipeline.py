# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`populus.jax.pipeline`: steps of micro-batches whose stages work at the same time, each on an
IPU of its own and on a micro-batch of its own.

The program has a graph for a micro-batch, whose operators name their stages, and one for the
update behind each batch of micro-batches. The compiler overlaps the stages, as it does for
sessions of PopART (lib/PopART/Lowering/StagedProgram.h).
"""

from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import jax

from populus.jax import _dtypes
from populus.jax._compile import Compiled, compile
from populus.jax._devices import machine
from populus.jax._graphs import Graph
from populus.jax._lower import Translation, lower_closed
from populus.jax._program import Program, add_variable, load
from populus.jax._replicas import Replicas
from populus.jax._stages import Stages


def pipeline(f: Callable, update: Optional[Callable] = None, *, micro_batches: int = 1,
             ipus: int = 1, device: Any = "cpu", **options: Any) -> "Pipeline":
    """A loop of micro-batches as a program: a call takes the state and rows, and returns the new
    state and rows of results, as `jax.lax.scan(f, state, rows)` does.

    `f` is a micro-batch, of the state and a row; `stage` names its stages, which run on `ipus`
    IPUs. After each `micro_batches` of them, `update` computes the state from the state. So
    gradients are accumulated: `f` adds them to a part of the state, from which `update` computes
    the weights, and which it sets to zero. Options are those of `compile`. With one IPU, and on
    the device "cpu", which is a single one, stages run one after the other.
    """
    for name, value in (("micro_batches", micro_batches), ("ipus", ipus)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} has to be a positive integer, not {value!r}.")
    if ipus == 1 or machine(device)["device"] == "cpu":
        return _sequential(f, update, micro_batches, device, options)
    return Pipeline(f, update, micro_batches, ipus, device, options)


def _sequential(f: Callable, update: Optional[Callable], count: int, device: Any,
                options: Dict[str, Any]) -> Compiled:
    def batch(state: Any, rows: Any) -> Any:
        state, results = jax.lax.scan(f, state, rows)
        return (state if update is None else update(state)), results

    def steps(state: Any, rows: Any) -> Any:
        _check_rows(rows, count)
        groups = jax.tree.map(lambda x: x.reshape(-1, count, *x.shape[1:]), rows)
        if jax.tree.leaves(groups)[0].shape[0] == 1:
            return batch(state, jax.tree.map(lambda x: x[0], groups))
        state, results = jax.lax.scan(batch, state, groups)
        return state, jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), results)
    return compile(steps, donate_argnums=0, device=device, **options)


def _check_rows(rows: Any, count: int) -> int:
    """The number of rows. Raises ValueError if they are no whole batches."""
    found = {leaf.shape[0] for leaf in jax.tree.leaves(rows)}
    if len(found) != 1 or min(found) == 0 or min(found) % count:
        raise ValueError(f"The number of rows, {sorted(found)}, has to be a multiple of "
                         f"micro_batches, {count}.")
    return min(found)


class Pipeline:
    """A compiled pipeline. It has a program for each set of argument types and number of rows."""

    def __init__(self, f: Callable, update: Optional[Callable], micro_batches: int, ipus: int,
                 device: Any, options: Dict[str, Any]) -> None:
        self._f, self._update = f, update
        self._count, self._ipus = micro_batches, ipus
        self._device, self._options = device, options
        self._programs: Dict[Any, Tuple["_StagedProgram", Any]] = {}

    def __call__(self, state: Any, rows: Any) -> Any:
        leaves, structure = jax.tree.flatten(state)
        given, table = jax.tree.flatten(rows)
        length = _check_rows(rows, self._count)
        key = (structure, table, length, tuple((x.shape, str(x.dtype)) for x in leaves + given))
        if key not in self._programs:
            self._programs[key] = self._made(leaves, structure, given, table, length)
        program, results = self._programs[key]
        values = program.run(leaves + given)
        return (structure.unflatten(values[:len(leaves)]),
                results.unflatten(values[len(leaves):]))

    def _made(self, leaves: Sequence[Any], structure: Any, rows: Sequence[Any], table: Any,
              length: int) -> Tuple["_StagedProgram", Any]:
        states = [_spec(x, x.shape) for x in leaves]
        row = table.unflatten([_spec(x, x.shape[1:]) for x in rows])
        start = structure.unflatten(states)
        micro, (new, results) = jax.make_jaxpr(self._f, return_shape=True)(start, row)
        _check_state(new, structure, states, "f")
        update = None
        if self._update is not None:
            update, new = jax.make_jaxpr(self._update, return_shape=True)(start)
            _check_state(new, structure, states, "update")
        program = _StagedProgram(micro, update, len(leaves), length, self._count, self._ipus,
                                 self._device, self._options)
        return program, jax.tree.structure(results)


def _spec(leaf: Any, shape: Sequence[int]) -> Any:
    return jax.ShapeDtypeStruct(tuple(shape), jax.dtypes.canonicalize_dtype(leaf.dtype))


def _check_state(new: Any, structure: Any, states: Sequence[Any], name: str) -> None:
    """Raises TypeError for a new state of other types."""
    found = [(x.shape, x.dtype) for x in jax.tree.leaves(new)]
    if jax.tree.structure(new) != structure or found != [(x.shape, x.dtype) for x in states]:
        raise TypeError(f"{name} has to return a state of the structure and types that it takes.")


class _StagedProgram(Program):
    """The program of a micro-batch and an update. Rows of arguments and results are streams."""

    def __init__(self, micro: Any, update: Any, states: int, length: int, count: int, ipus: int,
                 device: Any, options: Dict[str, Any]) -> None:
        self.ipus = ipus
        self._update, self._length = update, length
        self._stages = Stages(micro.jaxpr, states)
        if self._stages.count != ipus:
            raise ValueError(f"The micro-batch names {self._stages.count} stages, and the program "
                             f"has {ipus} IPUs.")
        batch = length if update is None else count
        super().__init__(micro, {i: i for i in range(states)}, [False] * len(micro.in_avals),
                         Replicas(), device, options, micro_batches=batch,
                         batches=length // batch, pipelined=True)

    def _rows(self) -> Tuple[int, ...]:
        return (self._length,)

    def _translate(self, jaxpr: Any) -> Any:
        translation = Translation(Replicas(), self.ipus)
        translation.places = self._stages.places
        module, graph = translation.module, translation.module.graph("main")
        variables = [add_variable(module, i, self._ins[i]) for i in self._state]
        state = [graph.core.use_variable(variable) for variable in variables]
        rows = [self._load(graph, i, jaxpr.jaxpr.invars[i])
                for i in range(len(state), len(self._ins))]
        results = lower_closed(translation, graph, jaxpr, [*state, *rows])
        for number in range(len(state), len(results)):
            with graph.at(*self._stages.place_of_result(jaxpr.jaxpr.outvars[number])):
                graph.ops("HostStore", [results[number]], 0, "ai.graphcore",
                          stream=f"out{number}")
        _write(graph, state, results)
        module.core.set_main(graph.core)
        if self._update is not None:
            self._add_update(translation, variables, state)
        translation.check()
        return module.core

    def _load(self, graph: Graph, number: int, var: Any) -> Any:
        """A row, in the stage that reads it first; one that nothing reads is a constant."""
        place, aval = self._stages.place_of_input(var), self._ins[number]
        if place is None:
            zero = graph.core_constant(_dtypes.ir_type(aval.dtype), 0)
            return graph.expand(zero, _dtypes.shape_of(aval))
        with graph.at(*place):
            return load(graph, number, aval)

    def _add_update(self, translation: Translation, variables: Sequence[Any],
                    seen: Sequence[Any]) -> None:
        """The graph behind a batch. Variables are on the IPUs that micro-batches have them on."""
        graph = translation.module.graph("update")
        state = [graph.core.use_variable(variable) for variable in variables]
        homes = translation.module.homes
        homes.update((new, homes[old]) for new, old in zip(state, seen) if old in homes)
        _write(graph, state, lower_closed(translation, graph, self._update, state))
        translation.module.core.add_update(graph.core)


def _write(graph: Graph, state: Sequence[Any], results: Sequence[Any]) -> None:
    graph.core.write_variables([(old, new) for old, new in zip(state, results)
                                if old is not new])
