# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers with PopART's additions to PyTorch's: loss scaling, types of accumulators, clipping.

    optimizer = poptorch.optim.AdamW(model.parameters(), lr=1e-3, loss_scaling=1024)

Arguments that are written in a constructor may change between calls (setOptimizer), the others are
constants of the compiled model; variable_attrs changes that before compiling. The device updates
the weights, so step() is never called. _optimizers.py turns them into PopART's.
"""

import math
import numbers
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

import torch

from ._logging import logger

State = Tuple[Dict[str, Any], Dict[str, Any]]


class VariableAttributes:
    """The attributes of an optimizer that may change after compiling."""

    def __init__(self, variable: Iterable[str], allowed: Iterable[str]):
        self._variable = set(variable)
        self._allowed = set(allowed)

    def isConstant(self, attr: str) -> bool:
        """Returns true if a later change of the attribute is an error."""
        return not self._known(attr) in self._variable

    def markAsConstant(self, attr: str) -> None:
        """The attribute keeps its value."""
        self._variable.discard(self._known(attr))

    def markAsVariable(self, attr: str) -> None:
        """The attribute may change."""
        self._variable.add(self._known(attr))

    def _known(self, attr: str) -> str:
        assert attr in self._allowed, (
            f"{attr!r} is no attribute that can be constant or variable; those are "
            f"{', '.join(sorted(self._allowed))}")
        return attr


def _number(name: str, value: Any) -> Any:
    assert isinstance(value, numbers.Real) and not isinstance(value, bool), (
        f"{name} must be a number, not {value!r}")
    return float(value)


def _accumType(name: str, value: Any) -> torch.dtype:
    assert value in (torch.float16, torch.float32), (
        f"{name} must be torch.float16 or torch.float32, not {value!r}")
    return value


# Checks and defaults of the attributes that an optimizer has beyond those of its groups.
_EXTRAS: Dict[str, Tuple[Callable[[str, Any], Any], Any]] = {
    "loss_scaling": (_number, 1.0),
    "max_grad_norm": (_number, math.inf),
    "accum_type": (_accumType, torch.float32),
    "velocity_accum_type": (_accumType, torch.float32),
    "first_order_momentum_accum_type": (_accumType, torch.float32),
    "second_order_momentum_accum_type": (_accumType, torch.float32),
}


class _Device:
    """The state of an optimizer that is on a device: read when somebody asks for it."""

    def __init__(self) -> None:
        self.reader: Optional[Callable[[], State]] = None
        self.is_stale = False
        self.is_loaded = False
        self.state: State = ({}, {})


class _Optimizer(torch.optim.Optimizer):
    """The common part of the optimizers of this module; comes before PyTorch's class."""
    # Attributes that are always constant, or variable by variable_attrs.
    _ATTRIBUTES: Tuple[str, ...] = ()
    # Arguments that PyTorch's class does not have, beyond _EXTRAS.
    _OWN: Tuple[str, ...] = ()

    def _begin(self, names: Dict[str, Any]) -> Dict[str, Any]:
        """Constructs PyTorch's part from the names of a constructor, and then ours; None is an
        argument that was left out. Returns the arguments of _OWN."""
        arguments = {name: value for name, value in names.items()
                     if name not in ("self", "__class__", "params", "amsgrad")}
        if names.get("amsgrad"):
            raise ValueError("amsgrad is not supported: PopART's Adam keeps no maximum of the "
                             "second moment.")
        own = {name: arguments.pop(name) for name in self._OWN}
        extras = {name: arguments.pop(name) for name in _EXTRAS if name in arguments}
        self._construct(names["params"], {name: value for name, value in arguments.items()
                                          if value is not None})
        self._extend({**arguments, **extras, **own})
        return own

    def _construct(self, params: Iterable, arguments: Dict[str, Any]) -> None:
        super().__init__(params, **arguments)

    def _extend(self, written: Dict[str, Any]) -> None:
        """Sets attributes beyond PyTorch's; `written` are the constructor's arguments, None where
        they were left out."""
        self.variable_attrs = VariableAttributes(
            (name for name, value in written.items() if value is not None
             and name in self._ATTRIBUTES), self._ATTRIBUTES)
        for name, (check, default) in _EXTRAS.items():
            if name in written:
                value = written[name]
                setattr(self, name, default if value is None else check(name, value))
        self._device = _Device()

    # The state on the device.

    def _bindState(self, reader: Optional[Callable[[], State]]) -> None:
        """An executor says how to read the state from its device."""
        self._device.reader = reader
        if reader is None and self._device.state[0]:
            self._device.is_loaded = True  # for the next executor

    def _markStateStale(self) -> None:
        """A step has changed the state on the device."""
        self._device.is_stale = True

    def _takeLoadedState(self) -> Optional[State]:
        """The state that has to go to the device, once."""
        if not self._device.is_loaded:
            return None
        self._device.is_loaded = False
        return self._device.state

    def state_dict(self) -> Dict[str, Any]:
        """PyTorch's, with ipu_state and ipu_param: tensors of the device by name."""
        device = self._device
        if device.is_stale and device.reader is not None:
            device.state = device.reader()
            device.is_stale = False
        return {**super().state_dict(), "ipu_state": device.state[0],
                "ipu_param": device.state[1]}

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        """Takes a state that state_dict() of such an optimizer returned."""
        if not state_dict:
            raise RuntimeError("Cannot load an optimizer's state from an empty dict.")
        if "ipu_state" not in state_dict or "ipu_param" not in state_dict:
            raise RuntimeError("Cannot load a state without the keys ipu_state and ipu_param: "
                               "it is that of an optimizer of torch.optim.")
        super().load_state_dict({key: value for key, value in state_dict.items()
                                 if key not in ("ipu_state", "ipu_param")})
        self._device.state = (state_dict["ipu_state"], state_dict["ipu_param"])
        self._device.is_stale = False
        self._device.is_loaded = bool(state_dict["ipu_state"])

    # PyTorch's class keeps three attributes only.

    def __getstate__(self) -> Dict[str, Any]:
        state = super().__getstate__()
        for name in ("variable_attrs", "bias_correction", "use_combined_accum", "use_tf_variant",
                     *_EXTRAS):
            if name in self.__dict__:
                state[name] = self.__dict__[name]
        device = _Device()
        device.state = self._device.state
        state["_device"] = device
        return state


class SGD(_Optimizer, torch.optim.SGD):
    """Stochastic gradient descent with momentum. Gradients accumulate in a tensor of their own, or
    in the velocity (use_combined_accum), which is scaled by velocity_scaling."""
    _ATTRIBUTES = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "loss_scaling",
                   "velocity_scaling")
    _OWN = ("velocity_scaling", "use_combined_accum")

    def __init__(self, params: Iterable, lr: Optional[float] = None,
                 momentum: Optional[float] = None, dampening: Optional[float] = None,
                 weight_decay: Optional[float] = None, nesterov: Optional[bool] = None,
                 maximize: Optional[bool] = None, foreach: Optional[bool] = None,
                 differentiable: Optional[bool] = None, loss_scaling: Optional[float] = None,
                 velocity_scaling: Optional[float] = None,
                 use_combined_accum: Optional[bool] = None,
                 accum_type: Optional[torch.dtype] = None,
                 velocity_accum_type: Optional[torch.dtype] = None,
                 max_grad_norm: Optional[float] = None):
        own = self._begin(dict(locals()))
        self.use_combined_accum = bool(own["use_combined_accum"])
        if velocity_scaling is not None and not self.use_combined_accum:
            logger.warning("velocity_scaling has no effect without use_combined_accum.")
        scaling = 1.0 if velocity_scaling is None else _number(
            "velocity_scaling", velocity_scaling)
        self.defaults["velocity_scaling"] = scaling
        for group in self.param_groups:
            group.setdefault("velocity_scaling", scaling)


class _AdamFamily(_Optimizer):
    """What Adam, AdamW and LAMB share."""
    _ATTRIBUTES = ("lr", "betas", "eps", "weight_decay", "loss_scaling")

    def _extend(self, written: Dict[str, Any]) -> None:
        super()._extend(written)
        correction = written.get("bias_correction")
        self.bias_correction = True if correction is None else bool(correction)


class Adam(_AdamFamily, torch.optim.Adam):
    """Adam; weight decay is added to the gradients."""

    def __init__(self, params: Iterable, lr: Optional[float] = None,
                 betas: Optional[Tuple[float, float]] = None, eps: Optional[float] = None,
                 weight_decay: Optional[float] = None, amsgrad: Optional[bool] = None,
                 foreach: Optional[bool] = None, maximize: Optional[bool] = None,
                 capturable: Optional[bool] = None, differentiable: Optional[bool] = None,
                 fused: Optional[bool] = None, loss_scaling: Optional[float] = None,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None,
                 max_grad_norm: Optional[float] = None):
        self._begin(dict(locals()))


class AdamW(_AdamFamily, torch.optim.AdamW):
    """Adam; weight decay is part of the update. Without bias_correction, moments are used as they
    are."""
    _OWN = ("bias_correction",)

    def __init__(self, params: Iterable, lr: Optional[float] = None,
                 betas: Optional[Tuple[float, float]] = None, eps: Optional[float] = None,
                 weight_decay: Optional[float] = None, amsgrad: Optional[bool] = None,
                 foreach: Optional[bool] = None, maximize: Optional[bool] = None,
                 capturable: Optional[bool] = None, differentiable: Optional[bool] = None,
                 fused: Optional[bool] = None, loss_scaling: Optional[float] = None,
                 bias_correction: Optional[bool] = None,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None,
                 max_grad_norm: Optional[float] = None):
        self._begin(dict(locals()))


class LAMB(_AdamFamily):
    """Adam whose step is scaled by the norm of each weight, at most max_weight_norm; on devices
    only."""
    _ATTRIBUTES = (*_AdamFamily._ATTRIBUTES, "max_weight_norm")
    _OWN = ("bias_correction",)

    def __init__(self, params: Iterable, lr: Optional[float] = None,
                 betas: Optional[Tuple[float, float]] = None, eps: Optional[float] = None,
                 weight_decay: Optional[float] = None, bias_correction: Optional[bool] = None,
                 loss_scaling: Optional[float] = None, max_weight_norm: Optional[float] = None,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None,
                 max_grad_norm: Optional[float] = None):
        self._begin(dict(locals()))

    def _construct(self, params: Iterable, arguments: Dict[str, Any]) -> None:
        defaults = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 1e-2,
                    "max_weight_norm": 65500.0, **arguments}
        for name in ("lr", "eps", "weight_decay", "max_weight_norm"):
            if _number(name, defaults[name]) < 0:
                raise ValueError(f"{name} must not be negative: {defaults[name]}")
        if not all(0 <= beta < 1 for beta in defaults["betas"]):
            raise ValueError(f"betas are from 0 to 1: {defaults['betas']}")
        torch.optim.Optimizer.__init__(self, params, defaults)

    def step(self, closure: Any = None) -> Any:
        """LAMB is computed on devices only."""
        raise NotImplementedError("poptorch.optim.LAMB runs on IPUs, as part of a trainingModel.")


class RMSprop(_Optimizer, torch.optim.RMSprop):
    """RMSprop, centered or not; use_tf_variant adds eps below the root, as TensorFlow does."""
    _ATTRIBUTES = ("lr", "alpha", "eps", "weight_decay", "momentum", "loss_scaling")
    _OWN = ("use_tf_variant",)

    def __init__(self, params: Iterable, lr: Optional[float] = None,
                 alpha: Optional[float] = None, eps: Optional[float] = None,
                 weight_decay: Optional[float] = None, momentum: Optional[float] = None,
                 centered: Optional[bool] = None, foreach: Optional[bool] = None,
                 maximize: Optional[bool] = None, differentiable: Optional[bool] = None,
                 loss_scaling: Optional[float] = None,
                 accum_type: Optional[torch.dtype] = None,
                 first_order_momentum_accum_type: Optional[torch.dtype] = None,
                 second_order_momentum_accum_type: Optional[torch.dtype] = None,
                 use_tf_variant: Optional[bool] = None):
        own = self._begin(dict(locals()))
        self.use_tf_variant = bool(own["use_tf_variant"])


__all__: List[str] = ["Adam", "AdamW", "LAMB", "RMSprop", "SGD", "VariableAttributes"]
