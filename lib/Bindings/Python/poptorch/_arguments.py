# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of calls: bound to the names of forward, taken apart, cut into micro-batches, and
compared with those of the first call."""

import inspect
import weakref

import torch

from ._logging import logger
from ._structure import flatten
from .errors import Error


class Arguments:
    """The arguments of one call: their tensors, and the structure around them."""

    def __init__(self, model, args, kwargs):
        self.names = _bound_names(model, args, kwargs)
        self.args, self.kwargs = args, kwargs
        tensors, self.structure = flatten((tuple(args), dict(kwargs)))
        self.tensors = [_prepared(tensor) for tensor in tensors]

    def warn_of_dicts(self):
        """Logs a warning if there are dicts, whose order counts."""
        if any(isinstance(value, dict) for value in (*self.args, *self.kwargs.values())):
            _once("Dict used as an input: all calls have to have the same keys, in the same order.")

    def micro_batch(self, factor):
        """Tensors of one micro-batch: the first share of each."""
        return [_share(tensor, factor) for tensor in self.tensors]


# Signatures by function, of methods and of plain functions; to ask inspect costs 0.1 ms a call.
_signatures = {True: weakref.WeakKeyDictionary(), False: weakref.WeakKeyDictionary()}


def _signature(model):
    function = model.forward if isinstance(model, torch.nn.Module) else model
    is_method = inspect.ismethod(function)
    known, key = _signatures[is_method], function.__func__ if is_method else function
    try:
        if key not in known:
            known[key] = inspect.signature(function)
        return known[key]
    except (TypeError, ValueError):
        return None


def _bound_names(model, args, kwargs):
    """The names of positional arguments, after a check of all against forward's signature."""
    signature = _signature(model)
    if signature is None:
        return [f"argument {place}" for place in range(len(args))]
    known = signature.parameters.values()
    _check_keywords(known, args, kwargs)
    names = [p.name for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names + [f"args[{place}]" for place in range(len(args) - len(names))]


def _check_keywords(known, args, kwargs):
    takes_rest = any(p.kind == p.VAR_KEYWORD for p in known)
    takes_more = any(p.kind == p.VAR_POSITIONAL for p in known)
    positional = [p for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(positional) and not takes_more:
        raise Error(f"Number of positional arguments mismatch: expected at most "
                    f"{len(positional)}, but got {len(args)}")
    names = {p.name for p in known}
    unexpected = [name for name in kwargs if name not in names]
    if unexpected and not takes_rest:
        raise Error(f"Unexpected arguments: {', '.join(unexpected)}.")
    given = {p.name for p in positional[:len(args)]} | set(kwargs)
    for parameter in known:
        if (parameter.default is parameter.empty and parameter.name not in given
                and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)):
            raise Error(f"Mandatory parameter {parameter.name} missing")


_noted = set()


def _once(text, say=logger.warning):
    if text not in _noted:
        _noted.add(text)
        say(text)


def _prepared(tensor):
    """A tensor as the device takes it: detached and contiguous, in memory of the host."""
    if tensor.requires_grad:
        _once("Input tensor has requires_grad=True set. This tensor will be detached because "
              "backward pass via inputs is not supported.")
        tensor = tensor.detach()
    if tensor.dtype in (torch.int64, torch.float64, torch.bfloat16):
        narrowed = "int32" if tensor.dtype == torch.int64 else "float32"
        _once(f"Tensors of {tensor.dtype} are {narrowed} on the device.", logger.info)
    if not tensor.is_contiguous():
        _once("At least one input tensor is not contiguous: non-contiguous tensors are converted "
              "to contiguous ones.")
        tensor = tensor.contiguous()
    return tensor


def _share(tensor, factor):
    if factor == 1:
        return tensor
    if not tensor.ndim or tensor.shape[0] % factor:
        raise AssertionError(
            f"Invalid batch dimension: In the input {list(tensor.shape)}, the batch dimension "
            f"({tensor.shape[0] if tensor.ndim else 0}) must be a multiple of Options."
            f"deviceIterations * Options.replicationFactor * Options.Training."
            f"gradientAccumulation, which is {factor}, because the first dimension is cut into "
            "micro-batches")
    return tensor[:tensor.shape[0] // factor]


def check_same(first, now):
    """An Error unless a call has the arguments of the first one, but for the elements."""
    if len(first.args) != len(now.args):
        raise Error(f"Number of positional arguments mismatch: expected {len(first.args)} "
                    f"arguments, but got {len(now.args)}")
    missing = [name for name in first.kwargs if name not in now.kwargs]
    if missing:
        raise Error(f"Missing arguments: {', '.join(missing)}.")
    unexpected = [name for name in now.kwargs if name not in first.kwargs]
    if unexpected:
        raise Error(f"Unexpected arguments: {', '.join(unexpected)}.")
    for name, a, b in zip(first.names, first.args, now.args):
        _check(name, a, b)
    for name, a in first.kwargs.items():
        _check(name, a, now.kwargs[name])


def _check(name, a, b):
    if type(a) is not type(b) and not (isinstance(a, torch.Tensor)
                                       and isinstance(b, torch.Tensor)):
        raise Error(f"Type mismatch for {name}: expected {type(a)}, but got {type(b)}")
    if isinstance(a, torch.Tensor):
        _check_tensor(name, a, b)
    elif isinstance(a, dict):
        if list(a) != list(b):
            raise Error(f"Type mismatch for {name}: expected the keys {list(a)}, but got "
                        f"{list(b)}")
        for key in a:
            _check(f"{name}[{key!r}]", a[key], b[key])
    elif isinstance(a, (list, tuple)):
        if len(a) != len(b):
            raise Error(f"Type mismatch for {name}: expected {len(a)} items, but got {len(b)}")
        for place, (x, y) in enumerate(zip(a, b)):
            _check(f"{name}[{place}]", x, y)
    else:
        _check_other(name, a, b)


def _check_tensor(name, a, b):
    if a.dtype != b.dtype:
        raise Error(f"Data type mismatch for {name}: expected {a.dtype}, but got {b.dtype}")
    if a.shape != b.shape:
        raise Error(f"Shape mismatch for {name}: expected {list(a.shape)}, but got "
                    f"{list(b.shape)}. A program has fixed shapes: make another executor, or "
                    "call destroy() first")


def _check_other(name, a, b):
    tensors_a, structure_a = flatten(a)
    tensors_b, structure_b = flatten(b)
    if not tensors_a and a != b:
        raise Error(f"Value mismatch for {name}: expected {a!r}, but got {b!r}")
    if len(tensors_a) != len(tensors_b):
        raise Error(f"Type mismatch for {name}: expected {len(tensors_a)} tensors, but got "
                    f"{len(tensors_b)}")
    for place, (x, y) in enumerate(zip(tensors_a, tensors_b)):
        _check_tensor(f"{name}[{place}]", x, y)
    if not structure_a.is_like(structure_b):
        raise Error(f"Value mismatch for {name}: what is no tensor in it differs from the first "
                    "call's")
