# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marks of what a program does on the host, for traces (libpvti, PVTI_OPTIONS).

    channel = poptorch.profiling.Channel("training")
    channel.instrument(model, "__call__", "detachFromDevice")
    with channel.tracepoint("loading"):
        batch = next(batches)
"""

from typing import Any

import libpvti


class Channel:
    """Marks that belong together."""

    def __init__(self, name: str):
        self._channel = libpvti.createTraceChannel(name)

    def tracepoint(self, name: str) -> Any:
        """A context that is marked."""
        return libpvti.Tracepoint(self._channel, name)

    def instrument(self, obj: Any, *methods: str) -> None:
        """Marks each call of these methods of an object."""
        own = [name for name in methods if not name.startswith("__")]
        libpvti.instrument(obj, own, self._channel)
        special = [name for name in methods if name.startswith("__")]
        if special:  # Python looks those up in the class: the object gets one of its own
            base = type(obj)
            kind = type(base.__name__, (base,), {
                name: getattr(base, name) for name in special})
            libpvti.instrument(kind, special, self._channel)
            obj.__class__ = kind
