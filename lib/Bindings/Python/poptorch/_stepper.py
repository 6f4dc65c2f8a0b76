# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimizer of an executor and its steps: its numbers, and its state before the first one."""

from ._logging import logger
from ._optimizers import canTakeFirstWhole, checkKnown, dampensFirst, firstState, toPopart


class Stepper:
    """An optimizer of torch with the changes that PopART's has to follow; None in inference."""

    def __init__(self, optimizer, options):
        self.optimizer = optimizer
        self._options = options
        self.has_changed = False  # since the session was given its numbers
        self._has_stepped = False
        if optimizer is not None:
            checkKnown(optimizer)

    def replace(self, optimizer):
        """The next step has the numbers of another optimizer."""
        checkKnown(optimizer)
        self.optimizer = optimizer
        self.has_changed = True

    def to_popart(self, trained):
        """PopART's optimizer for the next step."""
        return toPopart(self.optimizer, trained, self._options.Training.auto_loss_scaling,
                        not self._has_stepped and self._takes_first_whole())

    def update(self, session, trained):
        """Gives the session the numbers that have changed."""
        session.updateOptimizerFromHost(self.to_popart(trained))
        self.has_changed = False

    def _takes_first_whole(self):
        """True if the first call is one step, which can be without dampening."""
        return self._options.device_iterations == 1 and canTakeFirstWhole(self.optimizer)

    def first_state(self, trained):
        """The optimizer's state before the first step, where it is not zero."""
        if self.optimizer is None or self._has_stepped:
            return {}
        if dampensFirst(self.optimizer) and not self._takes_first_whole():
            logger.warning("The first step dampens its gradient, which PyTorch's does not: that "
                           "needs deviceIterations(1) and separate accumulators")
        options = self._options
        parts = options.replication_factor if options.Training.gradient_accumulation > 1 else 1
        return {name: tensor / parts
                for name, tensor in firstState(self.optimizer, trained).items()}

    def stepped(self):
        """Later steps have the optimizer's own dampening."""
        if not self._has_stepped and self._takes_first_whole():
            self.has_changed = True
        self._has_stepped = True

    def restart(self):
        """The next step is the first one."""
        self._has_stepped = False

    # ---- State of poptorch.optim, which can be read and loaded ---------------------------

    def bind(self, read):
        """The optimizer's state_dict() calls `read` for what the device has."""
        if hasattr(self.optimizer, "_bindState"):
            self.optimizer._bindState(read)

    def take_loaded(self):
        """The state that load_state_dict() gave the optimizer since the last call, or None."""
        if not hasattr(self.optimizer, "_takeLoadedState"):
            return None
        loaded = self.optimizer._takeLoadedState()
        return None if loaded is None else loaded[0]

    def keep(self):
        """The optimizer reads its state for the last time."""
        if hasattr(self.optimizer, "_bindState"):
            self.optimizer.state_dict()

    def mark_stale(self):
        """The device's state is newer than the optimizer's."""
        if hasattr(self.optimizer, "_markStateStale"):
            self.optimizer._markStateStale()
