# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is true while a model is traced, and marks on the operators that are traced.

A mark is a key with a value that each operator gets that the model runs from now on (a block,
an attribute). Marks live in torch's tracer as annotations of nodes (`node.meta["custom"]`).
"""

import contextlib

import torch.fx.traceback

_KEY = "poptorch"
_tracing = False


def isRunningOnIpu():
    """True while a model is traced for an IPU."""
    return _tracing


@contextlib.contextmanager
def tracing():
    """A context in which a model is traced; begins without marks."""
    global _tracing
    before, _tracing = _tracing, True
    meta = torch.fx.traceback.current_meta
    custom = meta.pop("custom", None)
    try:
        yield
    finally:
        _tracing = before
        meta.pop("custom", None)
        if custom is not None:
            meta["custom"] = custom


def set_marks(**marks):
    """Sets marks from here on; a value of None removes one. Returns the marks before."""
    meta = torch.fx.traceback.current_meta
    custom = dict(meta.get("custom") or {})
    before = dict(custom.get(_KEY) or {})
    after = {**before, **marks}
    custom[_KEY] = {key: value for key, value in after.items() if value is not None}
    meta["custom"] = custom
    return before


@contextlib.contextmanager
def marks(**given):
    """A context whose operators have these marks, too."""
    if not _tracing:
        yield
        return
    before = set_marks(**given)
    try:
        yield
    finally:
        set_marks(**{**{key: None for key in given}, **{
            key: value for key, value in before.items() if key in given}})


def marks_of(node):
    """The marks of an operator."""
    return (node.meta.get("custom") or {}).get(_KEY) or {}
