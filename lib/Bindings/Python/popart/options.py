# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of session options that only some versions of PopART have, over those that all have."""

import dataclasses
import weakref

import popart_core
from popart_core import SessionOptions, SyntheticDataMode, VirtualGraphMode


def _mode(mode, doc):
    """A flag that is a value of virtualGraphMode."""
    def get(self):
        return self.virtualGraphMode == mode

    def put(self, value):
        self.virtualGraphMode = mode if value else VirtualGraphMode.Off

    return property(get, put, doc=doc)


def _alias(name):
    return property(lambda self: getattr(self, name),
                    lambda self, value: setattr(self, name, value), doc=f"The same as {name}.")


def _without_effect(value, doc):
    """A field that may be set, and that nobody but its program reads; `value` makes the first
    one."""
    values = weakref.WeakKeyDictionary()  # by options

    def get(self):
        return values.setdefault(self, value())

    def put(self, given):
        values[self] = given

    return property(get, put, doc=doc)


def _refused(name):
    def put(self, value):
        if value:
            raise popart_core.popart_exception(
                f"the session option {name} asks for what is not supported; it was an experiment "
                "of PopART 1")

    return property(lambda self: False, put, doc="Only False is possible.")


@dataclasses.dataclass
class ReplicatedCollectivesSettings:
    """How collectives are merged; without effect on results."""
    prepareScheduleForMergingCollectives: bool = False
    mergeAllReduceCollectives: bool = False
    mergeReduceScatterCollectives: bool = False
    mergeAllGatherCollectives: bool = False


def _ignore_data(self, value):
    self.syntheticDataMode = SyntheticDataMode.Zeros if value else SyntheticDataMode.Off


def _set_phases(self, value):
    self.executionPhaseSettings.phases = value


for _name, _field in {
        "autoVirtualGraph": _mode(
            VirtualGraphMode.Auto, "Whether the compiler spreads operators over the IPUs; the same "
            "as virtualGraphMode Auto."),
        "enableVirtualGraphs": _mode(
            VirtualGraphMode.Manual, "Whether annotations of IPUs count; the same as "
            "virtualGraphMode Manual."),
        "ignoreData": property(
            lambda self: self.syntheticDataMode != SyntheticDataMode.Off, _ignore_data,
            doc="Zeros instead of data; the same as syntheticDataMode Zeros."),
        "pingPongPhases": property(
            lambda self: self.executionPhaseSettings.phases, _set_phases,
            doc="The same as executionPhaseSettings.phases."),
        "defaultPrefetchBufferingDepth": _alias("defaultBufferingDepth"),
        "prefetchBufferingDepthMap": _alias("bufferingDepthMap"),
        "useLoopCandidateCreator": _without_effect(bool, "Without effect."),
        "_enableRngStateManagement": _without_effect(bool, "Without effect."),
        "replicatedCollectivesSettings": _without_effect(
            ReplicatedCollectivesSettings, "Without effect: each collective runs by itself."),
        "hostAllReduce": _refused("hostAllReduce"),
        "hostWeightUpdate": _refused("hostWeightUpdate"),
}.items():
    setattr(SessionOptions, _name, _field)
