# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines: scans whose body is cut into stages that work at the same time.

In cycle c, stage s works on row c - s, each stage on an IPU. Two stages with a backward pass are
three, the last of which is on IPU 0 again; four rows take six cycles:

    cycle               0    1    2    3    4    5
    stage 0    IPU 0    r0   r1   r2   r3
    stage 1    IPU 1         r0   r1   r2   r3
    backward 0 IPU 0              r0   r1   r2   r3

`pipeline` traces the body, gives each equation a stage by its name scopes, and makes a scan over
cycles. A value that a later stage reads moves through registers, one for each cycle in between,
on the IPU of the reader. A carried value belongs to the stage that computes it. Stages without a
row of their own, at the beginning and the end, compute with what is there, and their results are
dropped. IPUs count cycles by themselves: nothing but registers passes between them.
"""

import contextlib
import contextvars
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import jax
import jax.extend.core
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

_SCOPE = "populus_stage_"
_PLACE = "populus_ipu_"
_STAGE = re.compile(_SCOPE + r"(\d+)")
_IPU = re.compile(_PLACE + r"(\d+)")

# The IPUs of a replica of the program that is traced.
_ipus: contextvars.ContextVar = contextvars.ContextVar("populus_ipus", default=1)


def stage(number: int) -> Any:
    """A context: what is traced inside belongs to a stage of `pipeline`, and its gradients to the
    backward pass of that stage."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"The number of a stage is 0 or more, not {number!r}.")
    return jax.named_scope(f"{_SCOPE}{number}")


@contextlib.contextmanager
def tracing_for(ipus: int) -> Iterator[None]:
    """Pipelines that are traced inside have so many IPUs."""
    token = _ipus.set(ipus)
    try:
        yield
    finally:
        _ipus.reset(token)


def ipu_of(eqn: Any) -> Optional[int]:
    """The IPU that an equation of a pipeline names."""
    found = _IPU.findall(str(eqn.source_info.name_stack))
    return int(found[-1]) if found else None


def pipeline(f: Callable, init: Any, xs: Any, length: Optional[int] = None) -> Tuple[Any, Any]:
    """`jax.lax.scan(f, init, xs, length)`, with the stages of `f` on IPUs of their own.

    Stages are named by `stage`, from 0. Equations outside of stages are in the first stage that
    has their operands. Without IPUs for the stages (`compile(ipus=N)`), the scan runs as it is.
    Raises ValueError if a stage reads a carried value that a later stage computes: rows would
    have to wait for each other.
    """
    if _ipus.get() == 1:
        return jax.lax.scan(f, init, xs, length)
    rows, table = jax.tree.flatten(xs)
    if length is None:
        length = rows[0].shape[0]
    one = [jax.ShapeDtypeStruct(row.shape[1:], row.dtype) for row in rows]
    jaxpr, shape = jax.make_jaxpr(f, return_shape=True)(init, table.unflatten(one))
    leaves, structure = jax.tree.flatten(init)
    body = _Body(jaxpr, len(leaves))
    if len(body.homes) > _ipus.get():
        raise ValueError(f"The pipeline has {len(body.homes)} stages, and the program "
                         f"{_ipus.get()} IPUs.")
    carried, outs = _Cycles(body, rows, int(length)).run(leaves)
    return structure.unflatten(carried), jax.tree.structure(shape[1]).unflatten(outs)


# ---- Stages -----------------------------------------------------------------------


@dataclass
class _Stage:
    """The equations of a stage, and the values that it reads from others."""

    eqns: List[Any] = field(default_factory=list)
    reads: List[Any] = field(default_factory=list)


class _Body:
    """The body of a scan, cut into stages: `stage_of` has the stage of each variable that is not
    the same for all rows. Carried values that nothing changes are the same for all rows."""

    def __init__(self, closed: Any, carried: int) -> None:
        self.jaxpr, self.consts = closed.jaxpr, closed.consts
        self.old = self.jaxpr.invars[:carried]
        self.rows = self.jaxpr.invars[carried:]
        self.new = self.jaxpr.outvars[:carried]
        self.outs = self.jaxpr.outvars[carried:]
        self.kept = {a for a, b in zip(self.old, self.new) if a is b}
        labels = [_label(eqn) for eqn in self.jaxpr.eqns]
        self.forward = 1 + max((number for number, _ in filter(None, labels)), default=0)
        self.count = self.forward
        if any(back for _, back in filter(None, labels)):
            self.count = 2 * self.forward - 1
        self.homes = [self.ipu(s) for s in range(self.forward)]
        self.stage_of: Dict[Any, int] = {}
        self._maker = {var: eqn for eqn in self.jaxpr.eqns for var in eqn.outvars}
        self._fixed = {*self.jaxpr.constvars, *self.kept}
        self._assign(labels)
        self._place_carried()
        self.stages = [self._stage(number) for number in range(self.count)]

    def ipu(self, number: int) -> int:
        """The IPU of a stage: backward passes are on that of their stage."""
        return min(number, 2 * (self.forward - 1) - number)

    def _number(self, label: Optional[Tuple[int, bool]]) -> Optional[int]:
        if label is None:
            return None
        number, back = label
        return 2 * (self.forward - 1) - number if back else number

    def _assign(self, labels: Sequence[Any]) -> None:
        """Stages from names, then from operands, then from readers."""
        stages: Dict[int, Optional[int]] = {}
        for number, eqn in enumerate(self.jaxpr.eqns):
            inputs = [v for v in eqn.invars if not isinstance(v, Literal)]
            if all(v in self._fixed for v in inputs):
                self._fixed.update(eqn.outvars)
                continue
            known = [self._number(labels[number]),
                     *(self.stage_of.get(v) for v in inputs if v not in self._fixed)]
            stages[number] = max((s for s in known if s is not None), default=None)
            if stages[number] is not None:
                self.stage_of.update((v, stages[number]) for v in eqn.outvars)
        readers: Dict[Any, int] = {}
        for number in reversed(stages):
            eqn = self.jaxpr.eqns[number]
            if stages[number] is None:
                stages[number] = min((readers[v] for v in eqn.outvars if v in readers),
                                     default=self.forward - 1)
                self.stage_of.update((v, stages[number]) for v in eqn.outvars)
            for v in eqn.invars:
                if not isinstance(v, Literal):
                    readers[v] = min(readers.get(v, stages[number]), stages[number])
        self._first_reader = readers

    def _place_carried(self) -> None:
        """A carried value is in the stage that computes the next one."""
        for number, (old, new) in enumerate(zip(self.old, self.new)):
            if old in self.kept:
                continue
            home = None if isinstance(new, Literal) else self.stage_of.get(new)
            first = self._first_reader.get(old)
            if home is None:
                home = self.forward - 1 if first is None else first
            if first is not None and first < home:
                raise ValueError(
                    f"A pipeline cannot run: stage {first} reads the carried value {number} "
                    f"({old.aval.str_short()}), which stage {home} computes for the next row.")
            self.stage_of[old] = home

    def _stage(self, number: int) -> _Stage:
        """The equations of a stage; what is the same for all rows is computed where it is
        read."""
        wanted = {v for v in self._wanted(number) if not isinstance(v, Literal)}
        stage, reads = _Stage(), set()
        for eqn in reversed(self.jaxpr.eqns):
            is_fixed = all(v in self._fixed for v in eqn.outvars)
            mine = is_fixed or self.stage_of[eqn.outvars[0]] == number if eqn.outvars else False
            if not mine or not any(v in wanted for v in eqn.outvars):
                continue
            stage.eqns.append(eqn)
            wanted.update(v for v in eqn.invars if not isinstance(v, Literal))
        stage.eqns.reverse()
        made = {v for eqn in stage.eqns for v in eqn.outvars}
        reads = {v: None for eqn in stage.eqns for v in eqn.invars
                 if not isinstance(v, Literal) and v not in made}
        reads.update((v, None) for v in self._results(number)
                     if not isinstance(v, Literal) and v not in made)
        stage.reads = list(reads)
        return stage

    def _results(self, number: int) -> List[Any]:
        """The carried values and results that a stage computes."""
        carried = [new for old, new in zip(self.old, self.new)
                   if old not in self.kept and self.stage_of[old] == number]
        return carried + [v for v in self.outs if self.stage_of_out(v) == number]

    def stage_of_out(self, var: Any) -> int:
        """The stage that stores a result."""
        return self.forward - 1 if isinstance(var, Literal) else self.stage_of.get(
            var, self.forward - 1)

    def _wanted(self, number: int) -> List[Any]:
        """What a stage computes for itself and for others."""
        later = [v for eqn in self.jaxpr.eqns if self._is_later(eqn, number) for v in eqn.invars]
        return self._results(number) + later

    def _is_later(self, eqn: Any, number: int) -> bool:
        outs = [self.stage_of[v] for v in eqn.outvars if v in self.stage_of]
        return bool(outs) and outs[0] != number


def _label(eqn: Any) -> Optional[Tuple[int, bool]]:
    """The innermost stage that an equation names, and True in the backward pass."""
    names = str(eqn.source_info.name_stack)
    found = _STAGE.findall(names)
    return (int(found[-1]), "transpose(" in names) if found else None


# ---- Cycles -----------------------------------------------------------------------


class _Cycles:
    """The scan over cycles. Its state are the counters of IPUs, carried values, registers, and
    the rows of results."""

    def __init__(self, body: _Body, tables: Sequence[Any], length: int) -> None:
        self.body, self.length = body, length
        self.depths = self._find_depths()
        self.sources = dict(zip(body.jaxpr.constvars, body.consts))
        self.tables = dict(zip(body.rows, tables))

    def run(self, init: Sequence[Any]) -> Tuple[List[Any], List[Any]]:
        body = self.body
        self.sources.update((v, value) for v, value in zip(body.old, init) if v in body.kept)
        self._spread()
        carried = {v: jnp.asarray(value) for v, value in zip(body.old, init)
                   if v not in body.kept}
        state = (dict.fromkeys(body.homes, jnp.int32(0)), list(carried.values()),
                 [[jnp.zeros(v.aval.shape, v.aval.dtype)] * depth
                  for (v, _), depth in self.depths.items()],
                 [jnp.zeros((self.length + 1, *v.aval.shape), v.aval.dtype) for v in body.outs])
        cycles = self.length + body.count - 1
        state, _ = jax.lax.scan(lambda s, _: (self._cycle(list(carried), *s), None), state, None,
                                length=cycles)
        last = dict(zip(carried, state[1]))
        return ([last.get(v, value) for v, value in zip(body.old, init)],
                [rows[:self.length] for rows in state[3]])

    def _find_depths(self) -> Dict[Tuple[Any, int], int]:
        """For a value and the IPU of readers, the cycles that pass until the last of them."""
        body, depths = self.body, {}
        for number, stage in enumerate(body.stages):
            for v in stage.reads:
                home = body.stage_of.get(v)
                if home is not None and home != number:
                    key = v, body.ipu(number)
                    depths[key] = max(depths.get(key, 0), number - home)
        return depths

    def _spread(self) -> None:
        """Copies what several IPUs read for each of them, before the loop."""
        readers: Dict[Any, set] = {}
        for number, stage in enumerate(self.body.stages):
            for v in stage.reads:
                if v in self.sources or v in self.tables:
                    readers.setdefault(v, set()).add(self.body.ipu(number))
        self.own = {}
        for v, ipus in readers.items():
            value = self.sources.get(v, self.tables.get(v))
            for ipu in ipus:
                self.own[v, ipu] = value if len(ipus) == 1 else _placed(value, ipu)

    def _cycle(self, carried: List[Any], counters: Dict[int, Any], values: List[Any],
               registers: List[List[Any]], results: List[Any]) -> Any:
        old = dict(zip(carried, values))
        queues = dict(zip(self.depths, registers))
        new, made, rows = dict(old), {}, list(results)
        for number in range(self.body.count):
            ipu = self.body.ipu(number)
            with jax.named_scope(f"{_PLACE}{ipu}"):
                self._run(number, counters[ipu], old, queues, new, made, rows)
        made.update(old)
        queues = [[_placed(made[v], ipu) if ipu != self.body.ipu(self.body.stage_of[v])
                   else made[v], *queues[v, ipu][:-1]] for v, ipu in self.depths]
        for ipu, count in counters.items():
            with jax.named_scope(f"{_PLACE}{ipu}"):
                counters[ipu] = count + 1
        return counters, [new[v] for v in carried], queues, rows

    def _run(self, number: int, count: Any, old: Dict[Any, Any], queues: Dict[Any, List[Any]],
             new: Dict[Any, Any], made: Dict[Any, Any], rows: List[Any]) -> None:
        """One stage of a cycle."""
        body, ipu = self.body, self.body.ipu(number)
        row = count - number
        is_valid = (row >= 0) & (row < self.length)
        env = {}
        for v in body.stages[number].reads:
            home = body.stage_of.get(v)
            if v in self.tables:
                place = jnp.clip(row, 0, self.length - 1)
                env[v] = jax.lax.dynamic_index_in_dim(self.own[v, ipu], place, keepdims=False)
            elif v in self.sources:
                env[v] = self.own[v, ipu]
            else:
                env[v] = old[v] if home == number else queues[v, ipu][number - home - 1]
        results = _evaluate(body.jaxpr, body.stages[number], env)
        made.update((v, x) for v, x in results.items() if body.stage_of.get(v) == number)
        env.update(results)
        for a, b in zip(body.old, body.new):
            if a not in body.kept and body.stage_of[a] == number:
                new[a] = jnp.where(is_valid, _read(env, b), old[a])
        place = jnp.where(is_valid, row, self.length)
        for i, v in enumerate(body.outs):
            if body.stage_of_out(v) == number:
                rows[i] = jax.lax.dynamic_update_index_in_dim(rows[i], _read(env, v), place, 0)


def _placed(value: Any, ipu: int) -> Any:
    """A copy on an IPU."""
    with jax.named_scope(f"{_PLACE}{ipu}"):
        return jnp.copy(value)


def _read(env: Dict[Any, Any], atom: Any) -> Any:
    return jnp.asarray(atom.val, atom.aval.dtype) if isinstance(atom, Literal) else env[atom]


def _evaluate(body: Jaxpr, stage: _Stage, env: Dict[Any, Any]) -> Dict[Any, Any]:
    """Computes the equations of a stage."""
    made = [v for eqn in stage.eqns for v in eqn.outvars]
    part = Jaxpr([], stage.reads, made, stage.eqns, body.effects,
                 body.debug_info.with_unknown_names())
    function = jax.extend.core.jaxpr_as_fun(ClosedJaxpr(part, []))
    return dict(zip(made, function(*(env[v] for v in stage.reads))))
