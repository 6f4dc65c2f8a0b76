# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of which groups of replicas have values of their own, and inputs that groups share.

    model.embedding.weight.replicaGrouping(poptorch.CommGroupType.Consecutive, 2,
                                           poptorch.VariableRetrievalMode.OnePerGroup)

The parameter on the host has one more dimension in front, with a value for each group; the model
is traced with the value of one.
"""

import contextlib
import functools
from typing import Any, Iterator

import numpy as np
import popart
import torch
from torch.utils.weak import WeakIdKeyDictionary

from .enums import CommGroupType, VariableRetrievalMode
from .errors import Error

_settings = WeakIdKeyDictionary()  # a parameter -> its popart.VariableSettings

_TYPES = {CommGroupType.All: popart.CommGroupType.All,
          CommGroupType.Consecutive: popart.CommGroupType.Consecutive,
          CommGroupType.Orthogonal: popart.CommGroupType.Orthogonal,
          CommGroupType.NoGrouping: popart.CommGroupType.Ungrouped}


@functools.lru_cache(maxsize=1)
def extend_parameters() -> None:
    """Gives parameters the method replicaGrouping."""
    torch.nn.Parameter.replicaGrouping = _replica_grouping


def _replica_grouping(parameter, comm_group_type, shards, variable_retrieval_mode):
    """Groups of replicas have values of this parameter of their own; a group has `shards` of
    them. Of each group, or of each replica, one value comes back. Before compiling."""
    if not isinstance(comm_group_type, CommGroupType):
        raise Error(f"replicaGrouping takes a poptorch.CommGroupType, not {comm_group_type!r}")
    if not isinstance(shards, int) or isinstance(shards, bool) or shards < 0:
        raise Error(f"replicaGrouping takes a number of replicas, not {shards!r}")
    if not isinstance(variable_retrieval_mode, VariableRetrievalMode):
        raise Error("replicaGrouping takes a poptorch.VariableRetrievalMode, not "
                    f"{variable_retrieval_mode!r}")
    settings = popart.VariableSettings(
        popart.CommGroup(_TYPES[comm_group_type], shards),
        popart.VariableRetrievalMode(int(variable_retrieval_mode)))
    settings.verify()
    _settings[parameter] = settings


def settings_of(tensor: torch.Tensor) -> Any:
    """The popart.VariableSettings of a parameter, or None."""
    return _settings.get(tensor)


def keep(old: torch.Tensor, new: torch.Tensor) -> None:
    """A tensor takes the place of another one."""
    if old in _settings:
        _settings[new] = _settings[old]


@contextlib.contextmanager
def of_one_group(model: Any, replicas: int) -> Iterator[None]:
    """A context in which grouped parameters of a model have the value of one group."""
    replaced = []
    modules = model.modules() if isinstance(model, torch.nn.Module) else []
    for module in modules:
        for name, tensor in module._parameters.items():
            settings = None if tensor is None else settings_of(tensor)
            if settings is not None and _is_divided(settings, replicas, name, tensor):
                replaced.append((module, name, tensor))
                module._parameters[name] = torch.nn.Parameter(
                    tensor.detach()[0].clone(), tensor.requires_grad)
    try:
        yield
    finally:
        for module, name, tensor in replaced:
            module._parameters[name] = tensor


def _is_divided(settings: Any, replicas: int, name: str, tensor: torch.Tensor) -> bool:
    """True if there is more than one group, which the tensor has values for."""
    groups = len(settings.groups(replicas))
    if groups == 1:
        return False
    if not tensor.ndim or tensor.shape[0] != groups:
        raise Error(f"{name} has the shape {list(tensor.shape)}, and needs a value for each of "
                    f"{groups} groups of replicas in front")
    return True


def shape_on_replica(tensor: torch.Tensor, replicas: int) -> tuple:
    """The shape that a replica has of a parameter or buffer."""
    settings = settings_of(tensor)
    if settings is None or len(settings.groups(replicas)) == 1:
        return tuple(tensor.shape)
    return tuple(tensor.shape[1:])


def returned_shape(tensor: torch.Tensor, on_replica: tuple, replicas: int) -> tuple:
    """The shape in which a parameter comes back: with a value of each group or replica."""
    settings = settings_of(tensor)
    return (tuple(tensor.shape) if settings is None
            else tuple(settings.shapeOnHost(list(on_replica), replicas)))


def shared_inputs(array: np.ndarray, options: Any) -> np.ndarray:
    """The data of an input for all replicas, of which groups get the same.

    The first dimension is [device iterations, accumulation, groups, micro-batch].
    """
    size, replicas = options.input_group_size, options.replication_factor
    if size == 1:
        return array
    groups = replicas // size
    calls = options.device_iterations * options.Training.gradient_accumulation
    parts = array.reshape(calls, groups, -1)
    consecutive = options.input_group_type == CommGroupType.Consecutive
    of_all = np.repeat(parts, size, 1) if consecutive else np.tile(parts, (1, size, 1))
    return np.ascontiguousarray(of_all.reshape(array.shape[0] * size, *array.shape[1:]))
