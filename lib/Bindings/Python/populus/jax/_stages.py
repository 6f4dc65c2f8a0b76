# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stages of a pipeline: which stage each equation of a micro-batch belongs to.

Equations name their stage by a name scope. JAX keeps the scope in gradients and marks them as
transposed, so the backward pass of stage s of n is stage 2 (n - 1) - s, on the same IPU; the last
stage and its backward pass are one. Equations without a name are in the first stage that has
their operands, or, if those are the same for all micro-batches, where they are read.
"""

import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

import jax
from jax.extend.core import Literal

_SCOPE = "populus_stage_"
_STAGE = re.compile(_SCOPE + r"(\d+)")


def stage(number: int) -> Any:
    """A context: what is traced inside belongs to a stage of `pipeline`, and its gradients to the
    backward pass of that stage."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"The number of a stage is 0 or more, not {number!r}.")
    return jax.named_scope(f"{_SCOPE}{number}")


class Stages:
    """The stages of a jaxpr whose first inputs and results are the state. Raises ValueError for
    state that one stage computes and another reads: micro-batches would wait for each other."""

    def __init__(self, jaxpr: Any, state: int) -> None:
        labels = [_label(eqn) for eqn in jaxpr.eqns]
        named = [label for label in labels if label]
        self.count = 1 + max((number for number, _ in named), default=0)
        self._fixed = {*jaxpr.constvars, *(
            a for a, b in zip(jaxpr.invars, jaxpr.outvars[:state]) if a is b)}
        self._of_value: Dict[Any, int] = {}
        self._first_reader: Dict[Any, int] = {}
        self.places: Dict[int, Tuple[int, int]] = {}
        self._assign(jaxpr.eqns, [self._number(label) for label in labels])
        for number in range(state):
            self._check(number, jaxpr.invars[number], jaxpr.outvars[number], jaxpr.eqns)

    def place_of_input(self, var: Any) -> Optional[Tuple[int, int]]:
        """The stage and IPU that read an input first."""
        number = self._first_reader.get(var)
        return None if number is None else (number, self._ipu(number))

    def place_of_result(self, var: Any) -> Tuple[int, int]:
        """The stage and IPU that compute a result."""
        number = self.count - 1
        if not isinstance(var, Literal):
            number = self._of_value.get(var, number)
        return number, self._ipu(number)

    def _ipu(self, number: int) -> int:
        return min(number, 2 * (self.count - 1) - number)

    def _number(self, label: Optional[Tuple[int, bool]]) -> Optional[int]:
        if label is None:
            return None
        number, is_backward = label
        return 2 * (self.count - 1) - number if is_backward else number

    def _assign(self, eqns: Sequence[Any], named: Sequence[Optional[int]]) -> None:
        """Stages by name and operands, then by readers."""
        stages: Dict[int, Optional[int]] = {}
        for i, eqn in enumerate(eqns):
            inputs = _inputs(eqn)
            if all(v in self._fixed for v in inputs):
                self._fixed.update(eqn.outvars)
                continue
            known = [named[i], *(self._of_value.get(v) for v in inputs)]
            stages[i] = max((number for number in known if number is not None), default=None)
            if stages[i] is not None:
                self._of_value.update((v, stages[i]) for v in eqn.outvars)
        for i in reversed(stages):
            if stages[i] is None:
                stages[i] = min((self._first_reader[v] for v in eqns[i].outvars
                                 if v in self._first_reader), default=self.count - 1)
                self._of_value.update((v, stages[i]) for v in eqns[i].outvars)
            for v in _inputs(eqns[i]):
                self._first_reader[v] = min(self._first_reader.get(v, stages[i]), stages[i])
            self.places[id(eqns[i])] = stages[i], self._ipu(stages[i])

    def _check(self, number: int, old: Any, new: Any, eqns: Sequence[Any]) -> None:
        if old is new:
            return
        home = self.place_of_result(new)[0]
        readers = {self.places[id(eqn)][0] for eqn in eqns
                   if old in _inputs(eqn) and id(eqn) in self.places}
        if readers - {home}:
            raise ValueError(
                f"A pipeline cannot run: stage {min(readers - {home})} reads the state {number} "
                f"({old.aval.str_short()}), and stage {home} computes it for the next "
                "micro-batch.")


def _inputs(eqn: Any) -> List[Any]:
    return [v for v in eqn.invars if not isinstance(v, Literal)]


def _label(eqn: Any) -> Optional[Tuple[int, bool]]:
    """The innermost stage that an equation names, and True in the backward pass."""
    names = str(eqn.source_info.name_stack)
    found = _STAGE.findall(names)
    return (int(found[-1]), "transpose(" in names) if found else None
