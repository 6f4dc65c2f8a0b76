# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of the host: programs mark what they do.

    import libpvti as pvti
    channel = pvti.createTraceChannel("my program")
    with pvti.Tracepoint(channel, "loading data"):
        ...

A run under PVTI_OPTIONS='{"enable": "true"}' writes when each began and ended; without that,
marks cost next to nothing.
"""

import functools

from libpvti_core import *
from libpvti_core import __version__


def createTraceChannel(name):
    """A channel, by which marks are grouped."""
    return TraceChannel(name)


def instrument(target, methods, channel):
    """Marks each call of the methods (names) of an object or a class."""
    for name in methods:
        method = getattr(target, name)

        def call(*args, _method=method, _name=name, **kwargs):
            with Tracepoint(channel, _name):
                return _method(*args, **kwargs)

        setattr(target, name, functools.wraps(method)(call))
