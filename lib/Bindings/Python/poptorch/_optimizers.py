# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers of torch.optim and poptorch.optim as PopART's.

The numbers of the first group are PopART's defaults; weights of other groups have numbers of their
own. A weight that is in no group has the learning rate 0, so that it keeps its value. Each number
is a constant or may change later: poptorch.optim's variable_attrs says which, and of torch.optim's
those with known defaults are constants while they have them; learning rates always may change.
"""

import dataclasses
import math
import numbers
from typing import Any, Dict, Iterable, List, Tuple

import torch

from . import optim
from ._logging import logger

# PopART's name of each attribute of a group.
_NAMES = {"lr": "LearningRate", "momentum": "Momentum", "dampening": "Dampening",
          "weight_decay": "WeightDecay", "nesterov": "Nesterov",
          "velocity_scaling": "VelocityScaling", "beta1": "Beta1", "beta2": "Beta2",
          "eps": "Eps", "max_weight_norm": "MaxWeightNorm", "alpha": "Alpha"}

# Values of torch.optim's attributes that make them constants.
_DEFAULTS = {"momentum": 0, "dampening": 0, "weight_decay": 0, "eps": 1e-8,
             "velocity_scaling": 1, "loss_scaling": 1}
_ALWAYS_CONSTANT = ("beta1", "beta2", "alpha", "nesterov", "max_weight_norm")

_SGD = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "velocity_scaling")
_ADAM = ("lr", "beta1", "beta2", "eps", "weight_decay")
_RMSPROP = ("lr", "momentum", "weight_decay", "alpha", "eps")

# Keys of groups that change nothing here: choices of PyTorch's kernels, notes of schedulers.
_SILENT_KEYS = {"params", "param_names", "name", "foreach", "capturable", "differentiable",
                "fused", "decoupled_weight_decay", "amsgrad", "centered", "maximize", "initial_lr",
                "max_lr", "min_lr", "base_momentum", "max_momentum", "swa_lr", "betas"}
_SILENT_ATTRIBUTES = {"defaults", "state", "param_groups", "step", "variable_attrs",
                      "bias_correction", "use_combined_accum", "use_tf_variant"}


@dataclasses.dataclass(frozen=True)
class _Kind:
    """A class of optimizers, and the attributes that its groups have."""
    name: str
    attributes: Tuple[str, ...]


def _kindOf(optimizer: torch.optim.Optimizer) -> _Kind:
    if isinstance(optimizer, optim.LAMB):
        return _Kind("LAMB", (*_ADAM, "max_weight_norm"))
    if isinstance(optimizer, torch.optim.AdamW):
        return _Kind("AdamW", _ADAM)
    if isinstance(optimizer, torch.optim.Adam):
        return _Kind("AdamW" if _isDecoupled(optimizer) else "Adam", _ADAM)
    if isinstance(optimizer, torch.optim.SGD):
        return _Kind("SGD", _SGD)
    if isinstance(optimizer, torch.optim.RMSprop):
        return _Kind("RMSprop", _RMSPROP)
    raise AssertionError(
        f"The optimizer is a {type(optimizer).__module__}.{type(optimizer).__name__}; supported "
        "are SGD, Adam, AdamW and RMSprop of torch.optim and of poptorch.optim, and "
        "poptorch.optim.LAMB")


def checkKnown(optimizer: Any) -> None:
    """An AssertionError if it is an optimizer without a form on devices."""
    _kindOf(optimizer)


def _isDecoupled(optimizer: torch.optim.Optimizer) -> bool:
    return _agreed(optimizer, "decoupled_weight_decay")


def _agreed(optimizer: torch.optim.Optimizer, name: str) -> bool:
    """A flag that has to be the same in all groups."""
    values = {bool(group.get(name, False)) for group in optimizer.param_groups}
    if len(values) > 1:
        raise ValueError(f"All parameter groups of {type(optimizer).__name__} must have the same "
                         f"value of '{name}'.")
    return values.pop()


def _refuse(optimizer: torch.optim.Optimizer) -> None:
    """Errors for choices that would change results and that PopART does not have."""
    for name in ("amsgrad", "maximize"):
        if any(group.get(name) for group in optimizer.param_groups):
            raise ValueError(f"{type(optimizer).__name__} with {name}=True is not supported.")


def _value(group: Dict[str, Any], name: str) -> float:
    """An attribute of a group as a number."""
    if name in ("beta1", "beta2"):
        value = group["betas"][int(name == "beta2")]
    else:
        value = group.get(name, _DEFAULTS.get(name, 0))
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.item()
    assert isinstance(value, numbers.Real), (
        f"The optimizer's attribute {name} must be a number, not {value!r}")
    return float(value)


class _Constants:
    """Which numbers of an optimizer are constants."""

    def __init__(self, optimizer: torch.optim.Optimizer, kind: _Kind):
        self._attributes = getattr(optimizer, "variable_attrs", None)
        self._defaults = {**_DEFAULTS, "weight_decay": 0.01 if kind.name == "AdamW" else 0}

    def has(self, name: str, value: float) -> bool:
        """Returns true if the number is a constant."""
        if self._attributes is not None:
            return self._attributes.isConstant("betas" if name in ("beta1", "beta2") else name)
        if name == "lr":
            return False
        return name in _ALWAYS_CONSTANT or value == self._defaults.get(name)


def _values(group: Dict[str, Any], kind: _Kind, constants: _Constants,
            prefix: str) -> Dict[str, Tuple[float, bool]]:
    """The numbers of a group by PopART's names, with "default" or nothing before them."""
    result = {}
    for attribute in kind.attributes:
        value = _value(group, attribute)
        name = prefix + _NAMES[attribute]
        if attribute == "nesterov":
            name = "nesterov"
        result[name[0].lower() + name[1:]] = (value, constants.has(attribute, value))
    return result


def _lossScaling(optimizer: torch.optim.Optimizer, constants: _Constants,
                 automatic: bool) -> Tuple[float, bool]:
    value = getattr(optimizer, "loss_scaling", 1.0)
    assert isinstance(value, numbers.Real), f"loss_scaling must be a number, not {value!r}"
    return float(value), not automatic and constants.has("loss_scaling", float(value))


def accumType(optimizer: torch.optim.Optimizer, name: str = "accum_type") -> torch.dtype:
    """The type of an optimizer's accumulators."""
    type_ = getattr(optimizer, name, torch.float32)
    assert type_ in (torch.float16, torch.float32), (
        f"{name} must be torch.float16 or torch.float32, not {type_!r}")
    return type_


def _types(optimizer: torch.optim.Optimizer, *names: str) -> List[Any]:
    import popart

    return [popart.DataType.FLOAT16 if accumType(optimizer, name) == torch.float16
            else popart.DataType.FLOAT for name in names]


def _clipping(optimizer: torch.optim.Optimizer) -> List[Any]:
    import popart

    norm = getattr(optimizer, "max_grad_norm", math.inf)
    assert isinstance(norm, numbers.Real), f"max_grad_norm must be a number, not {norm!r}"
    if math.isinf(norm):
        return []
    return [popart.ClipNormSettings.clipAllWeights(float(norm))]


def _make(optimizer: Any, kind: _Kind, values: Dict[str, Tuple[float, bool]]) -> Any:
    import popart

    if kind.name == "SGD":
        combined = _isCombined(optimizer)
        modes = popart.SGDAccumulatorAndMomentum
        return popart.SGD(values, _clipping(optimizer),
                          modes.Combined if combined else modes.Separate,
                          *_types(optimizer, "accum_type", "velocity_accum_type"))
    moments = _types(optimizer, "accum_type", "first_order_momentum_accum_type",
                     "second_order_momentum_accum_type")
    decays = popart.WeightDecayMode
    if kind.name == "RMSprop":
        mode = (popart.AdaptiveMode.CenteredRMSProp if _agreed(optimizer, "centered")
                else popart.AdaptiveMode.RMSProp)
        return popart.Adaptive(values, mode, decays.L2Regularization, *moments,
                               popart.DataType.UNDEFINED,
                               getattr(optimizer, "use_tf_variant", False))
    modes = popart.AdamMode
    corrected = getattr(optimizer, "bias_correction", True)
    if kind.name == "LAMB":
        mode = modes.Lamb if corrected else modes.LambNoBias
    else:
        mode = modes.Adam if corrected else modes.AdamNoBias
    decay = decays.L2Regularization if kind.name == "Adam" else decays.Decay
    return popart.Adam(values, mode, decay, *moments, _clipping(optimizer), False)


def _isCombined(optimizer: torch.optim.Optimizer) -> bool:
    return bool(getattr(optimizer, "use_combined_accum", False))


def dampensFirst(optimizer: torch.optim.Optimizer) -> bool:
    """True if PopART dampens the first gradient, which PyTorch takes whole."""
    return isinstance(optimizer, torch.optim.SGD) and any(
        group["momentum"] and group["dampening"] for group in optimizer.param_groups)


def canTakeFirstWhole(optimizer: torch.optim.Optimizer) -> bool:
    """True if the first step can have no dampening, as PyTorch's; a combined accumulator holds
    the decay of the next step, whose dampening it has to know."""
    return dampensFirst(optimizer) and not _isCombined(optimizer)


def _withDampening(values: Dict[str, Tuple[float, bool]], name: str, first_step: bool) -> None:
    """A dampening that the first step does not have is no constant."""
    value, _ = values.get(name, (0.0, True))
    if value:
        values[name] = (0.0 if first_step else value, False)


def firstState(optimizer: torch.optim.Optimizer,
               named_parameters: Iterable[Tuple[str, torch.Tensor]]) -> Dict[str, torch.Tensor]:
    """State that does not begin as zeros, by PopART's names: a combined accumulator holds the
    weight decay of the next step."""
    if not _isCombined(optimizer):
        return {}
    groups = {id(parameter): group for group in optimizer.param_groups
              for parameter in group["params"]}
    state = {}
    for name, parameter in named_parameters:
        group = groups.get(id(parameter), {})
        factor = (_value(group, "weight_decay") * (1 - _value(group, "dampening"))
                  * float(group.get("velocity_scaling", 1.0)))
        if factor:
            state[f"Accl___{name}"] = (parameter.detach().float() * factor).to(
                accumType(optimizer, "velocity_accum_type"))
    return state


def toPopart(optimizer: torch.optim.Optimizer,
             named_parameters: Iterable[Tuple[str, torch.Tensor]],
             automatic_loss_scaling: bool = False, first_step: bool = False) -> Any:
    """PopART's optimizer for weights with these names. The first step has no dampening."""
    kind = _kindOf(optimizer)
    _refuse(optimizer)
    constants = _Constants(optimizer, kind)
    first = optimizer.param_groups[0]
    values = _values(first, kind, constants, "default")
    if kind.name == "SGD" and not _isCombined(optimizer):
        del values["defaultVelocityScaling"]
        _withDampening(values, "defaultDampening", first_step)
    values["lossScaling"] = _lossScaling(optimizer, constants, automatic_loss_scaling)
    result = _make(optimizer, kind, values)
    groups = {id(parameter): group for group in optimizer.param_groups
              for parameter in group["params"]}
    for name, parameter in named_parameters:
        group = groups.get(id(parameter))
        if group is None:
            result.insertSpecific(name, {"learningRate": (0.0, False)})
        elif group is not first:
            specific = _values(group, kind, constants, "")
            if "defaultVelocityScaling" not in values:
                specific.pop("velocityScaling", None)
                _withDampening(specific, "dampening", first_step)
            result.insertSpecific(name, specific)
    return result


def defaultOptimizer(parameters: Iterable[torch.Tensor]) -> torch.optim.Optimizer:
    """The optimizer of a training without one."""
    return torch.optim.SGD(parameters, lr=0.01)


def unexpected(optimizer: torch.optim.Optimizer) -> List[str]:
    """Attributes of an optimizer and its groups that mean nothing here, as messages."""
    kind = _kindOf(optimizer)
    known = _SILENT_ATTRIBUTES | set(optim._EXTRAS)
    messages = [f"Ignoring unexpected optimizer attribute '{name}'." for name in vars(optimizer)
                if not name.startswith("_") and name not in known
                and name not in kind.attributes]
    for number, group in enumerate(optimizer.param_groups):
        messages += [f"Ignoring unexpected attribute '{name}' of group {number}."
                     for name in group if name not in _SILENT_KEYS
                     and name not in kind.attributes]
    return messages


def warnOfUnexpected(optimizer: torch.optim.Optimizer, relaxed: bool) -> None:
    """Logs them; as debugging messages, if options.relaxOptimizerAttributesChecks() was called."""
    for message in unexpected(optimizer):
        (logger.debug if relaxed else logger.warning)(message)
