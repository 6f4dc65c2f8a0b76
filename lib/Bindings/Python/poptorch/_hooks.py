# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the program that are called before and after each compilation."""

import collections

from torch.utils.hooks import RemovableHandle

_before = collections.OrderedDict()
_after = collections.OrderedDict()


def _register(hooks, hook):
    if not callable(hook):
        raise RuntimeError(f"a hook is a function, not {hook!r}")
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def registerPreCompileHook(hook):
    """Calls a function before each compilation; returns a handle whose remove() ends that."""
    return _register(_before, hook)


def registerPostCompileHook(hook):
    """Calls a function after each compilation; returns a handle whose remove() ends that."""
    return _register(_after, hook)


def call_before():
    """Calls those of before."""
    for hook in list(_before.values()):
        hook()


def call_after():
    """Calls those of after."""
    for hook in list(_after.values()):
        hook()
