# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is true while a model is traced, and marks on the operators that are traced.

A mark is a key with a value that each operator gets that the model runs from now on (a block,
a name scope). Marks live in torch's tracer as annotations of nodes (`node.meta["custom"]`).
"""

import contextlib

import torch.fx.traceback

_KEY = "poptorch"
_running = False
_tracing = None  # None, or whether the model that is traced is trained
_deferred = []   # calls that wait for the end of a trace


def isRunningOnIpu():
    """True while a model is traced for an IPU."""
    return _tracing is not None


def is_training():
    """True while a training model is traced."""
    return bool(_tracing)


@contextlib.contextmanager
def tracing(training):
    """A context in which a model is traced; begins without marks."""
    global _tracing
    before, _tracing = _tracing, training
    meta = torch.fx.traceback.current_meta
    custom = meta.pop("custom", None)
    try:
        yield
    finally:
        _tracing = before
        meta.pop("custom", None)
        if custom is not None:
            meta["custom"] = custom
        while _tracing is None and _deferred:
            _deferred.pop()()


def after_trace(call):
    """Calls `call` now, or, while a model is traced, when the trace has ended: a tracer would take
    what it does to tensors for a part of the model. Objects may be collected at any time."""
    if isRunningOnIpu():
        _deferred.append(call)
    else:
        call()


@contextlib.contextmanager
def model_runs():
    """A context in which the program's own code runs, and not that of the tracer around it."""
    global _running
    before, _running = _running, True
    try:
        yield
    finally:
        _running = before


def is_model_running():
    """True while the program's own code is traced."""
    return _running


def current_marks():
    """The marks that operators get now."""
    return (torch.fx.traceback.current_meta.get("custom") or {}).get(_KEY) or {}


def set_marks(**marks):
    """Sets marks from here on; a value of None removes one. Returns the marks before."""
    meta = torch.fx.traceback.current_meta
    before = dict(current_marks())
    after = {**before, **marks}
    custom = {key: value for key, value in (meta.get("custom") or {}).items() if key != _KEY}
    left = {key: value for key, value in after.items() if value is not None}
    meta["custom"] = {**custom, _KEY: left} if left else custom
    return before


def remove_all_marks():
    """Operators from here on have no marks."""
    set_marks(**dict.fromkeys(current_marks()))


@contextlib.contextmanager
def marks(**given):
    """A context whose operators have these marks, too."""
    if not isRunningOnIpu():
        yield
        return
    before = set_marks(**given)
    try:
        yield
    finally:
        set_marks(**{key: before.get(key) for key in given})


def remove_marks(node):
    """Takes the marks off a node."""
    (node.meta.get("custom") or {}).pop(_KEY, None)


def marks_of(node):
    """The marks of an operator."""
    return (node.meta.get("custom") or {}).get(_KEY) or {}


# ---- Buffers that bodies of loops and branches write -------------------------------------

class TraceAgain(Exception):
    """A trace that has found buffers which a body writes: the next one carries them."""


_buffers = {}     # the buffers of the model that is traced
_written = {}     # number of a loop or branch -> names of buffers that it writes
_bodies_seen = 0  # in this trace


@contextlib.contextmanager
def tracing_buffers(buffers):
    """A context in which a model with these buffers runs under the tracer."""
    global _buffers, _bodies_seen
    _buffers, _bodies_seen = buffers, 0
    try:
        yield
    finally:
        _buffers = {}


def again_until_known(trace):
    """The result of a function that traces a model, as often as it takes."""
    global _written
    _written = {}
    while True:
        try:
            return trace()
        except TraceAgain:
            pass


class CarriedBuffers:
    """The buffers that the body of one loop or branch writes."""

    def __init__(self):
        global _bodies_seen
        self._number, _bodies_seen = _bodies_seen, _bodies_seen + 1
        self._carried = {name: _buffers[name] for name in _written.get(self._number, ())}
        self._versions = {name: tensor._version for name, tensor in _buffers.items()
                          if name not in self._carried}

    def values(self):
        """The buffers."""
        return list(self._carried.values())

    def write(self, values):
        """Gives them new values."""
        for tensor, value in zip(self._carried.values(), values):
            tensor.copy_(value)

    def finish(self):
        """The body has ended: TraceAgain if it has written others."""
        found = [name for name, version in self._versions.items()
                 if _buffers[name]._version != version]
        if found:
            _written.setdefault(self._number, []).extend(found)
            raise TraceAgain
