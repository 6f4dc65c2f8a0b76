# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks: parts of a model that a strategy places on IPUs.

    with poptorch.Block("encoder", ipu_id=0):
        x = self.encoder(x)

    poptorch.BeginBlock(model.decoder, "decoder", ipu_id=1)   # from here on, when it is called

A block is a mark on each operator that runs in it (_state.py); outside of tracing nothing happens.
Operators behind the last block belong to it.
"""

import functools
from typing import Any, Callable, Dict, List, Optional, TypeVar

import torch

from . import _state
from .errors import Error

_Called = TypeVar("_Called", bound=Callable[..., Any])

_next_id = 0
_open: List[Dict[str, Any]] = []  # the marks of Block contexts that are open


def _checked(user_id: Optional[str], ipu_id: Optional[int]) -> None:
    assert user_id is None or isinstance(user_id, str), (
        f"The user_id of a block is a text, not {user_id!r}")
    assert ipu_id is None or (isinstance(ipu_id, int) and ipu_id >= 0), (
        f"The ipu_id of a block is a number of 0 or more, not {ipu_id!r}")


def _begin(user_id: Optional[str], ipu_id: Optional[int]) -> Dict[str, Any]:
    """A block begins; returns its marks."""
    global _next_id
    if user_id is None:
        user_id, _next_id = str(_next_id), _next_id + 1
    marks = {"block": user_id, "ipu_id": ipu_id}
    _state.set_marks(**marks)
    return marks


class Block:
    """A context whose operators are a block. In the strategy it has its user_id, or the next of
    "0", "1" and so on; ipu_id is its IPU, if the strategy does not choose one."""

    def __init__(self, user_id: Optional[str] = None, ipu_id: Optional[int] = None):
        _checked(user_id, ipu_id)
        self._user_id, self._ipu_id = user_id, ipu_id

    @staticmethod
    def useAutoId() -> None:
        """Ids of blocks without one begin with "0" again."""
        global _next_id
        _next_id = 0

    @staticmethod
    def start(user_id: Optional[str] = None, ipu_id: Optional[int] = None) -> None:
        """Begins a block that ends where the next one begins."""
        _checked(user_id, ipu_id)
        if _state.isRunningOnIpu():
            _begin(user_id, ipu_id)

    def __enter__(self) -> "Block":
        if _state.isRunningOnIpu():
            _open.append(_begin(self._user_id, self._ipu_id))
        return self

    def __exit__(self, *_: Any) -> None:
        if _open and _state.isRunningOnIpu():
            _open.pop()
            if _open:  # the block around this one goes on
                _state.set_marks(**_open[-1])


class _BeginHook:
    """Begins a block before a module runs."""

    def __init__(self, user_id: Optional[str], ipu_id: Optional[int]):
        self.user_id, self.ipu_id = user_id, ipu_id

    def __call__(self, *_: Any) -> None:
        if _state.isRunningOnIpu():
            _begin(self.user_id, self.ipu_id)

    def __repr__(self) -> str:
        return f"BeginBlock(user_id={self.user_id}, ipu_id={self.ipu_id})"


class _Text:
    """The extra text in the repr of a module with a hook."""

    def __init__(self, module: torch.nn.Module, hook: _BeginHook):
        self._module, self._hook = module, hook

    def __call__(self) -> str:
        text = type(self._module).extra_repr(self._module)
        return f"{text}, {self._hook}" if text else repr(self._hook)


def _hooksOf(module: torch.nn.Module) -> Dict[int, Any]:
    return {key: hook for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, _BeginHook)}


def BeginBlock(layer_to_call: _Called, user_id: Optional[str] = None,
               ipu_id: Optional[int] = None) -> _Called:
    """The same module, which begins a block when it is called; a function is wrapped. The block
    ends where the next one begins."""
    _checked(user_id, ipu_id)
    if not isinstance(layer_to_call, torch.nn.Module):
        if not callable(layer_to_call):
            raise Error(f"BeginBlock takes a module or a function, not {layer_to_call!r}.")

        @functools.wraps(layer_to_call)
        def call(*args: Any, **kwargs: Any) -> Any:
            Block.start(user_id, ipu_id)
            return layer_to_call(*args, **kwargs)

        return call  # type: ignore[return-value]
    if _hooksOf(layer_to_call):
        raise Error(f"BeginBlock has already been called for this "
                    f"{type(layer_to_call).__name__}: a module begins one block.")
    hook = _BeginHook(user_id, ipu_id)
    layer_to_call.register_forward_pre_hook(hook)
    layer_to_call.__dict__["extra_repr"] = _Text(layer_to_call, hook)
    return layer_to_call


def removeBlocks(module: torch.nn.Module) -> None:
    """Modules within this one begin no blocks any more."""
    assert isinstance(module, torch.nn.Module), f"Expected a module, not {module!r}"
    for part in module.modules():
        for key in _hooksOf(part):
            del part._forward_pre_hooks[key]
            part.__dict__.pop("extra_repr", None)


def BlockFunction(user_id: Optional[str] = None,
                  ipu_id: Optional[int] = None) -> Callable[[_Called], _Called]:
    """A decorator of functions whose operators are a block."""
    _checked(user_id, ipu_id)

    def decorate(function: _Called) -> _Called:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with Block(user_id, ipu_id):
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate
