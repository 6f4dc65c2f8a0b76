# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions to an executor: how far it is, names and elements of tensors, cycles, generators."""

import popart

from . import _weights
from ._latency import Latencies
from ._notebook import table
from .errors import Error, translated


class Questions(Latencies):
    """A base of PoplarExecutor, whose members it reads."""

    def __repr__(self):
        return repr(self._model)

    def _repr_html_(self):
        time = self._compilation_time
        return table("Training model" if self._training else "Inference model", [
            ("class", _weights.class_of(self._model).__name__),
            ("compiled", "no" if time is None else f"in {time.total_seconds():.1f} s"),
            ("on its device", "yes" if self._attached else "no"),
            ("optimizer", type(self._stepper.optimizer).__name__ if self._training else "none")],
            repr(self._model))

    def isCompiled(self):
        """True if there is a program."""
        return self._program is not None or self._parts is not None

    def isAttachedToDevice(self):
        """True if the program is on its device."""
        return self._attached

    def _needs_program(self, may_have_parts=False):
        if not self.isCompiled():
            raise Error("Model has not been compiled: call compile(), or run it once")
        if self._parts is not None and not may_have_parts:
            raise Error("A model with poptorch.CPU has several programs, and cannot be asked for "
                        "this")

    def _needs_attached(self):
        self._needs_program()
        if not self._attached:
            raise Error("Device is not attached: the weights are on the host already")

    def compilationTime(self):
        """How long compiling took."""
        if self._compilation_time is None:
            raise Error("Model has not been compiled: there is no time of compilation")
        return self._compilation_time

    def cycleCount(self):
        """The cycles of the last step."""
        self._needs_program()
        if not self._options.log_cycle_count:
            raise Error("Cycle count logging is disabled: Options.logCycleCount(True) enables it")
        with translated():
            return self._session.getCycleCount()

    def getTensorNames(self):
        """The names of all tensors of the program, for Options.anchorTensor."""
        self._needs_program()
        return sorted(self._session.getAllTensorIds())

    def getAnchoredTensor(self, short_name):
        """The elements of a tensor that Options.anchorTensor named, after the last step."""
        if short_name not in self._options.anchored_tensors:
            raise Error(f"{short_name} is not the name of an anchored tensor")
        self._needs_program()
        return self._result(self._options.anchored_tensors[short_name][0])

    def _debugGetPopartIR(self):
        """PopART's IR as JSON."""
        self._needs_program()
        return self._session._serializeIr(popart.IrSerializationFormat.JSON)

    @property
    def rng_state(self):
        """The seed, then the state of the generators."""
        self._needs_attached()
        return [self._session.getRandomSeed(), *self._session.getRNGState()]

    @rng_state.setter
    def rng_state(self, state):
        self._needs_attached()
        if not isinstance(state, (list, tuple)) or not all(isinstance(n, int) for n in state):
            raise Error("rng_state is a list of integers")
        self._session.setRandomSeed(state[0])
        if len(state) > 1:
            self._session.setRNGState(list(state[1:]))
