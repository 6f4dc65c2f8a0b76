# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translates jaxprs into graphs of PopIR, equation by equation.

Each primitive has a rule in the table of `_primitives`. A rule gets an `Equation` and the values
of the operands, and returns the value of the result, or a list of several. It raises
`Unsupported` for a form that it does not have; the translation goes on with zeros, so that one
error can list everything that is missing.
"""

from typing import Any, Dict, List, Sequence, Tuple

import jax
import numpy as np
from jax.extend import source_info_util
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from populus.jax import _dtypes
from populus.jax._errors import Unsupported, UnsupportedError
from populus.jax._graphs import Graph, Module, Value
from populus.jax._replicas import Replicas


class Translation:
    """The translation of one function: its module, and what it found missing."""

    def __init__(self, replicas: Replicas = Replicas(), ipus: int = 1) -> None:
        self.module = Module(ipus)
        self.replicas = replicas
        # The stage and IPU of equations of a pipeline, by identity.
        self.places: Dict[int, Tuple[int, int]] = {}
        self._missing: Dict[str, List[str]] = {}
        # The equations that are being translated, from the outermost one.
        self.inside: List[Any] = []

    def note(self, eqn: Any, why: str) -> None:
        """Remembers that an equation cannot be translated."""
        lines = self._missing.setdefault(f"{eqn.primitive.name}: {why}" if why else
                                         eqn.primitive.name, [])
        line = self._line()
        if line not in lines:
            lines.append(line)

    def _line(self) -> str:
        """The line of the innermost equation that has one: those of JAX's own functions may
        have none."""
        for eqn in reversed(self.inside):
            if eqn.source_info.traceback is not None:
                line = source_info_util.summarize(eqn.source_info)
                if line.strip():
                    return line
        return "in a function of JAX"

    def check(self) -> None:
        """Raises UnsupportedError for everything that was noted."""
        if not self._missing:
            return
        rows = [f"  {what}\n" + "\n".join(f"    {line}" for line in lines)
                for what, lines in sorted(self._missing.items())]
        raise UnsupportedError("The function uses primitives that are not supported:\n"
                               + "\n".join(rows))


class Equation:
    """An equation in translation: parameters, types of operands and results, and the graph."""

    def __init__(self, translation: Translation, graph: Graph, eqn: Any) -> None:
        self.translation = translation
        self.graph = graph
        self.eqn = eqn
        self.params = eqn.params
        self.ins = [v.aval for v in eqn.invars]
        self.outs = [v.aval for v in eqn.outvars]

    @property
    def out(self) -> Any:
        """The type of the only result."""
        return self.outs[0]

    def inline(self, jaxpr: Any, *args: Value) -> List[Value]:
        """Translates a jaxpr in place of the equation."""
        return lower_closed(self.translation, self.graph, jaxpr, args)

    def expand(self, function: Any, *args: Value, avals: Sequence[Any] = ()) -> List[Value]:
        """Translates what a function of jax.numpy computes from the operands."""
        avals = avals or [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.ins]
        return self.inline(jax.make_jaxpr(function)(*avals), *args)


def lower_closed(translation: Translation, graph: Graph, jaxpr: Any,
                 args: Sequence[Value]) -> List[Value]:
    """Appends the equations of a jaxpr to a graph; returns its results."""
    if isinstance(jaxpr, Jaxpr):
        return _lower(translation, graph, jaxpr, [], args)
    consts = [constant_of(graph, var.aval, const)
              for var, const in zip(jaxpr.jaxpr.constvars, jaxpr.consts)]
    return _lower(translation, graph, jaxpr.jaxpr, consts, args)


def constant_of(graph: Graph, aval: Any, const: Any) -> Value:
    """The value of an array that a function closes over."""
    if _dtypes.is_key(aval.dtype):
        return graph.constant(np.asarray(jax.random.key_data(const)), np.uint32)
    return graph.constant(np.asarray(const), aval.dtype)


def _lower(translation: Translation, graph: Graph, jaxpr: Jaxpr, consts: Sequence[Value],
           args: Sequence[Value]) -> List[Value]:
    values: Dict[Any, Value] = {}

    def read(atom: Any) -> Value:
        if isinstance(atom, Literal):
            return graph.constant(np.asarray(atom.val), atom.aval.dtype)
        return values[atom]

    values.update(zip(jaxpr.constvars, consts))
    values.update(zip(jaxpr.invars, args))
    for eqn in jaxpr.eqns:
        results = _lower_equation(translation, graph, eqn, [read(v) for v in eqn.invars])
        values.update(zip(eqn.outvars, results))
    return [read(v) for v in jaxpr.outvars]


def _lower_equation(translation: Translation, graph: Graph, eqn: Any,
                    operands: Sequence[Value]) -> List[Value]:
    from populus.jax._primitives import TABLE

    rule = TABLE.get(eqn.primitive.name)
    translation.inside.append(eqn)
    outer = graph.stage, graph.ipu
    try:
        if translation.module.ipus > 1:
            _place(translation, graph, eqn, operands)
        if rule is None:
            raise Unsupported("")
        effects = [e for e in eqn.effects if type(e).__name__ != "NamedAxisEffect"]
        if effects:
            raise Unsupported(f"it has effects on the host ({effects})")
        results = rule(Equation(translation, graph, eqn), *operands)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        return [_rounded(graph, eqn, v, x) for v, x in zip(eqn.outvars, results)]
    except Unsupported as missing:
        translation.note(eqn, str(missing))
        return [_zeros(graph, v.aval) for v in eqn.outvars]
    finally:
        translation.inside.pop()
        graph.stage, graph.ipu = outer


# Primitives whose equations are translated in place, each on an IPU of its own choice.
_IN_PLACE = {"jit", "pjit", "closed_call", "core_call", "checkpoint", "custom_jvp_call",
             "custom_vjp_call"}


def _place(translation: Translation, graph: Graph, eqn: Any, operands: Sequence[Value]) -> None:
    """An equation is in its stage of a pipeline, or where that is which it is a part of; one
    without a stage is on the IPU of its largest operand."""
    if id(eqn) in translation.places:
        graph.stage, graph.ipu = translation.places[id(eqn)]
    elif graph.ipu is None and eqn.primitive.name not in _IN_PLACE:
        graph.ipu = graph.home(operands)


# Primitives that pass elements on, or run others that round their results.
_ROUNDED_BEFORE = {"broadcast_in_dim", "reshape", "transpose", "slice", "squeeze", "concatenate",
                   "rev", "pad", "split", "gather", "dynamic_slice", "dynamic_update_slice",
                   "select_n", "jit", "pjit", "while", "scan", "cond", "custom_jvp_call",
                   "custom_vjp_call", "checkpoint", "closed_call", "copy", "max", "min", "neg",
                   "abs", "sort", "optimization_barrier"}


def _rounded(graph: Graph, eqn: Any, var: Any, x: Value) -> Value:
    """A bfloat16 is a float32 on the device, rounded after each operation."""
    if getattr(var.aval, "dtype", None) != jax.numpy.bfloat16:
        return x
    if eqn.primitive.name in _ROUNDED_BEFORE:
        return x
    from populus.jax._primitives.conversions import rounded_to_bfloat16

    return rounded_to_bfloat16(graph, x)


def _zeros(graph: Graph, aval: Any) -> Value:
    try:
        zero = graph.core_constant(_dtypes.ir_type(aval.dtype), 0)
    except Unsupported:
        zero = graph.core_constant("float", 0)
    return graph.expand(zero, _dtypes.shape_of(aval)) if aval.shape else zero


def formats_of(jaxpr: Any) -> set:
    """The number formats of all values of a jaxpr and of the jaxprs that it calls."""
    inner = jaxpr.jaxpr if isinstance(jaxpr, ClosedJaxpr) else jaxpr
    found = {v.aval.dtype for v in (*inner.invars, *inner.constvars)}
    for eqn in inner.eqns:
        found.update(v.aval.dtype for v in eqn.outvars if hasattr(v.aval, "dtype"))
        for called in _called(eqn):
            found |= formats_of(called)
    return found


def _called(eqn: Any) -> List[Any]:
    called = []
    for value in eqn.params.values():
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(item, (ClosedJaxpr, Jaxpr)):
                called.append(item)
    return called
