# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps the weights of a torch model and of its programs the same.

All executors of one torch model share a record. A training step makes the tensors of the host
stale; `pull` brings the weights back before anybody reads them. The model is watched for that:
its class becomes one derived from it, whose parameters and buffers are pulled when asked for.
Each version of the weights has a number, by which an executor sees that others have newer ones.
"""

import contextlib
import weakref

import numpy as np
import torch
from torch.utils.weak import WeakIdKeyDictionary

from ._emit import narrow, numpy_type, to_numpy

_records = WeakIdKeyDictionary()  # a parameter or buffer -> the record of its model


class Record:
    """What the executors of a model know about its weights."""

    def __init__(self):
        self.version = 0
        self.on_device = weakref.WeakKeyDictionary()  # executor -> version that it has
        self.newest = None    # a reference to the executor with weights that the host lacks
        self.trainer = None   # the training executor

    def pull(self):
        """Brings newer weights to the host; returns true if there were any."""
        executor = self.newest() if self.newest is not None else None
        self.newest = None
        if executor is None or not executor.isAttachedToDevice():
            return False
        executor._download()
        return True

    def changed(self, executor):
        """A step has changed the weights of an executor's device."""
        self.version += 1
        self.on_device[executor] = self.version
        self.newest = weakref.ref(executor)
        executor._has_newer_weights = True

    def uploaded(self, executor):
        self.on_device[executor] = self.version
        executor._has_newer_weights = False
        if self.newest is not None and self.newest() is executor:
            self.newest = None

    def downloaded(self, executor):
        if self.newest is not None and self.newest() is executor:
            self.newest = None

    def is_newer_than(self, executor):
        """True if another executor has trained weights since; they are brought to the host."""
        if self.on_device.get(executor, self.version) >= self.version:
            return False
        self.pull()
        return True

    def add(self, tensor):
        """A parameter or buffer that has taken the place of another one."""
        _records[tensor] = self

    def leave(self, executor):
        """An executor gives the model back."""
        self.on_device.pop(executor, None)
        if self.trainer is not None and self.trainer() is executor:
            self.trainer = None
            _unwatch(executor.model)


def _tensors(model):
    return [*model.parameters(), *model.buffers()] if isinstance(model, torch.nn.Module) else []


def join(model, executor, training):
    """The record of a model, of which there is a new executor. Models that share a parameter
    share a record."""
    tensors = _tensors(model)
    record = next((_records[tensor] for tensor in tensors if tensor in _records), None)
    record = record or Record()
    for tensor in tensors:
        _records[tensor] = record
    record.on_device[executor] = record.version
    if training and isinstance(model, torch.nn.Module):
        if _is_watched(model):
            raise RuntimeError("The model is already wrapped in a training model. Call destroy() "
                               "of the first one before another one is made")
        record.trainer = weakref.ref(executor)
        _watch(model, record)
    return record


# ---- Watching ---------------------------------------------------------------------------

_READERS = ("parameters", "named_parameters", "buffers", "named_buffers", "state_dict",
            "load_state_dict", "_apply", "__repr__", "modules", "named_modules", "children",
            "named_children")


def _is_watched(model):
    return getattr(type(model), "_poptorch_original", None) is not None


def _watch(model, record):
    original = type(model)

    def reader(name):
        method = getattr(original, name)

        def call(self, *args, **kwargs):
            record.pull()
            return method(self, *args, **kwargs)

        call.__name__ = name
        call.__doc__ = method.__doc__
        return call

    def __getattr__(self, name):
        value = original.__getattr__(self, name)
        if isinstance(value, (torch.Tensor, torch.nn.Module)):
            record.pull()
        return value

    def __reduce_ex__(self, protocol):
        record.pull()
        return _same, (_plain_copy(self),)

    members = {name: reader(name) for name in _READERS}
    members.update(_poptorch_original=original, __getattr__=__getattr__,
                   __reduce_ex__=__reduce_ex__, __module__=original.__module__,
                   __doc__=original.__doc__)
    model.__class__ = type(f"Poptorch{original.__name__}", (original,), members)


def _unwatch(model):
    if isinstance(model, torch.nn.Module) and _is_watched(model):
        model.__class__ = type(model)._poptorch_original


def class_of(model):
    """The class that the program has made a model of."""
    return getattr(type(model), "_poptorch_original", type(model))


def _same(model):
    """What pickle and copy call with a model in its own class."""
    return model


def _plain_copy(model):
    """A shallow copy of a watched model in its own class."""
    plain_model = object.__new__(type(model)._poptorch_original)
    plain_model.__dict__.update(model.__dict__)
    return plain_model


@contextlib.contextmanager
def plain(model):
    """A context in which a model has its own class."""
    if not isinstance(model, torch.nn.Module) or not _is_watched(model):
        yield
        return
    watched = type(model)
    model.__class__ = watched._poptorch_original
    try:
        yield
    finally:
        model.__class__ = watched


# ---- Arrays -----------------------------------------------------------------------------

def encoded(tensor):
    """Integers as two floats: the high and the low 16 bits."""
    numbers = to_numpy(tensor).astype(np.int32)
    return np.stack([numbers >> 16, numbers & 0xFFFF]).astype(np.float32)


def host_array(tensor, is_encoded):
    """The elements of a tensor in the device's type."""
    return encoded(tensor) if is_encoded else to_numpy(tensor)


def _shares(tensor):
    return tensor.is_contiguous() and narrow(tensor.dtype) == tensor.dtype \
        and tensor.device.type == "cpu"


def receiving_array(tensor, is_encoded):
    """An array for the device's elements: the tensor's own memory, where it can be."""
    if is_encoded:
        return np.empty((2, *tensor.shape), np.float32)
    return to_numpy(tensor) if _shares(tensor) else np.empty(tuple(tensor.shape),
                                                             numpy_type(tensor.dtype))


def take(tensor, array, is_encoded):
    """Brings an array that receiving_array made into the tensor, which gets the array's shape."""
    if not is_encoded and array.shape != tuple(tensor.shape):
        tensor.data = torch.from_numpy(array).to(tensor.dtype)
        return
    if not is_encoded and _shares(tensor):
        return
    if is_encoded:
        halves = array.astype(np.int32)
        array = (halves[0] << 16) | halves[1]
    with torch.no_grad():
        tensor.copy_(torch.from_numpy(array))


def count(model, name, number):
    """Adds to a counter that the host keeps."""
    *path, last = name.split(".")
    for part in path:
        model = model._modules[part]
    with torch.no_grad():
        model._buffers[last].add_(number)
