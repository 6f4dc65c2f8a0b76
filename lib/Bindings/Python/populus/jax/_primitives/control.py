# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow: calls are translated in place; loops and branches run graphs of their own."""

from typing import Any, List, Sequence

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from populus.jax import _dtypes
from populus.jax._errors import Unsupported
from populus.jax._graphs import Graph, Value
from populus.jax._lower import Equation, lower_closed


def _call(parameter: str):
    def rule(e: Equation, *args: Value) -> List[Value]:
        return e.inline(e.params[parameter], *args)
    return rule


def _body(e: Equation, name: str, avals: Sequence[Any]) -> tuple:
    """A graph for an iteration or a branch, and its arguments."""
    graph = e.translation.module.graph(name)
    arguments = [graph.core.add_argument(f"a{i}", _dtypes.ir_type(aval.dtype),
                                         list(_dtypes.shape_of(aval)))
                 for i, aval in enumerate(avals)]
    return graph, arguments


def _add_results(graph: Graph, results: Sequence[Value]) -> None:
    for i, value in enumerate(results):
        graph.core.add_result(f"r{i}", value)


_COUNTER = jax.core.ShapedArray((), np.dtype(np.int32))


# ---- while ----------------------------------------------------------------------


def _while(e: Equation, *args: Value) -> List[Value]:
    """The condition is computed before the loop and at the end of each iteration."""
    p = e.params
    if p["cond_jaxpr"].out_avals[0].shape:
        return _batched_while(e, *args)
    for_test, for_body = args[:p["cond_nconsts"]], args[p["cond_nconsts"]:][:p["body_nconsts"]]
    carried = args[len(for_test) + len(for_body):]
    test_avals = e.ins[:len(for_test)]
    body_avals = e.ins[len(for_test):len(for_test) + len(for_body)]
    carried_avals = e.ins[len(for_test) + len(for_body):]
    first, = e.inline(p["cond_jaxpr"], *for_test, *carried)
    graph, inside = _body(e, "while", [_COUNTER, *carried_avals, *test_avals, *body_avals])
    n, t = len(carried), len(for_test)
    state, tests, bodies = inside[1:1 + n], inside[1 + n:1 + n + t], inside[1 + n + t:]
    after = lower_closed(e.translation, graph, p["body_jaxpr"], [*bodies, *state])
    more, = lower_closed(e.translation, graph, p["cond_jaxpr"], [*tests, *after])
    _add_results(graph, [more, *after])
    return e.graph.caller("Loop", [graph], [None, first, *carried, *for_test, *for_body],
                          {"carried": n, "conditional": 1}, "while")


def _batched_while(e: Equation, *args: Value) -> List[Value]:
    """Loops side by side, as `jax.vmap` makes them: they run until the last one ends, and those
    that have ended keep what they have."""
    p = e.params
    n, m = p["cond_nconsts"], p["body_nconsts"]
    test, body = (jax.extend.core.jaxpr_as_fun(p[name]) for name in ("cond_jaxpr", "body_jaxpr"))

    def function(*values: Any) -> Any:
        tests, fixed, start = values[:n], values[n:n + m], values[n + m:]

        def step(state: Any) -> List[Any]:
            runs, = test(*tests, *state)
            return [_where(runs, a, b) for a, b in zip(body(*fixed, *state), state)]
        return jax.lax.while_loop(lambda state: jnp.any(test(*tests, *state)[0]), step,
                                  list(start))
    return e.expand(function, *args)


def _where(runs: Any, new: Any, old: Any) -> Any:
    runs = runs.reshape(runs.shape + (1,) * (new.ndim - runs.ndim))
    return jax.lax.select(jnp.broadcast_to(runs, new.shape), new, old)


# ---- scan -----------------------------------------------------------------------


def _scan(e: Equation, *args: Value) -> List[Value]:
    """Rows of what is scanned are read at the number of the iteration; rows of results are
    stacked by the loop."""
    p = e.params
    length, backwards = p["length"], p["reverse"]
    consts, carried, scanned = (args[:p["num_consts"]], args[p["num_consts"]:][:p["num_carry"]],
                                args[p["num_consts"] + p["num_carry"]:])
    avals = [*e.ins[len(consts):], *e.ins[:len(consts)]]
    if length == 0:
        return [*carried, *(_nothing(e, aval) for aval in e.outs[len(carried):])]
    graph, inside = _body(e, "scan", [_COUNTER, *avals])
    counter, n, s = inside[0], len(carried), len(scanned)
    state, tables, fixed = inside[1:1 + n], inside[1 + n:1 + n + s], inside[1 + n + s:]
    place = graph.op("Sub", graph.like(counter, length - 1), counter) if backwards else counter
    rows = [_row(graph, table, place) for table in tables]
    results = lower_closed(e.translation, graph, p["jaxpr"], [*fixed, *state, *rows])
    _add_results(graph, results)
    values = e.graph.caller("Loop", [graph], [None, None, *carried, *scanned, *consts],
                            {"carried": n, "trip_count": int(length)}, "scan")
    if backwards:
        values[n:] = [e.graph.reverse(value, [0]) for value in values[n:]]
    return values


def _row(graph: Graph, table: Value, place: Value) -> Value:
    row = graph.gc("DynamicSlice", table, graph.reshape(place, [1]), axes=[0], sizes=[1])
    return graph.reshape(row, table.shape[1:])


def _nothing(e: Equation, aval: Any) -> Value:
    return e.graph.constant(np.zeros(_dtypes.shape_of(aval), aval.dtype), aval.dtype)


# ---- cond -----------------------------------------------------------------------


def _cond(e: Equation, which: Value, *args: Value) -> List[Value]:
    branches = e.params["branches"]
    if len(branches) == 1:
        return e.inline(branches[0], *args)
    if not e.outs:
        return []
    return _branch(e, e.graph, which, args, list(branches), 0)


def _branch(e: Equation, graph: Graph, which: Value, args: Sequence[Value],
            branches: List[Any], first: int) -> List[Value]:
    """The first of the branches if `which` is its number, else one of the others."""
    avals = e.ins[1:]
    yes, inside = _body(e, "branch", avals)
    _add_results(yes, lower_closed(e.translation, yes, branches[0], inside))
    no, others = _body(e, "branch", [e.ins[0], *avals])
    if len(branches) == 2:
        results = lower_closed(e.translation, no, branches[1], others[1:])
    else:
        results = _branch(e, no, others[0], others[1:], branches[1:], first + 1)
    _add_results(no, results)
    here = graph.op("Not", which) if which.type == "bool" else graph.op(
        "LessOrEqual", which, graph.like(which, first))
    return graph.caller("If", [yes, no], [here, *args, which, *args], {"then_inputs": len(args)},
                        "cond")


def _platform(e: Equation) -> Value:
    """The branch for platforms that are not named, or that of the CPU."""
    platforms = list(e.params["platforms"])
    number = next((i for i, names in enumerate(platforms) if names is None or "cpu" in names), 0)
    return e.graph.constant(number, np.int32)


def _effect(e: Equation, *args: Value) -> List[Value]:
    raise Unsupported("it runs on the host")


TABLE = {
    "pjit": _call("jaxpr"), "jit": _call("jaxpr"), "closed_call": _call("call_jaxpr"),
    "core_call": _call("call_jaxpr"), "call": _call("call_jaxpr"),
    "remat_call": _call("call_jaxpr"), "checkpoint": _call("jaxpr"),
    "remat2": _call("jaxpr"), "custom_jvp_call": _call("call_jaxpr"),
    "custom_vjp_call": _call("call_jaxpr"), "custom_vjp_call_jaxpr": _call("fun_jaxpr"),
    "custom_vmap_call": _call("call"), "platform_index": _platform, "while": _while,
    "composite": _call("jaxpr"), "linear_call": _call("callee"), "scan": _scan, "cond": _cond,
    "debug_callback": _effect, "pure_callback": _effect, "io_callback": _effect,
}
