# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies between the tensors of a torch model and the device of its program.

Weights are parameters and buffers; the state is the optimizer's, by the names of PopART:
`Accl___weight`, `Accl1___weight`, `Step___weight`.
"""

import numpy as np
import popart
import torch

from . import _groups, _program, _weights
from ._emit import to_numpy
from .errors import Error, translated


def find_variables(model, program, record):
    """Parameters and buffers that have been replaced in the torch model are the new ones."""
    variables = program.variables
    for name, path in program.names.items():
        tensor = _program.find_tensor(model, path)
        old = variables[name]
        if tensor is old:
            continue
        _groups.keep(old, tensor)
        if tensor.shape != old.shape or tensor.dtype != old.dtype:
            raise Error(f"{path} has become a tensor of another shape or type; make another "
                        "executor, or call destroy() first")
        variables[name] = tensor
        record.add(tensor)


def upload(session, program, has_newer_weights):
    """Gives the device the host's weights; where it has newer ones, it has newer state, too, which
    stays."""
    with translated():
        if has_newer_weights:
            session.weightsToHost()
        arrays = {name: _weights.host_array(tensor, name in program.encoded)
                  for name, tensor in program.variables.items()}
        if arrays:
            session.writeWeights(popart.PyWeightsIO(arrays))
        session.weightsFromHost()


def download(session, program, replicas):
    """Copies the device's weights into the torch model's tensors."""
    with translated():
        session.weightsToHost()
        arrays = {name: _receiving_array(program, name, tensor, replicas)
                  for name, tensor in program.variables.items()}
        if arrays:
            session.readWeights(popart.PyWeightsIO(arrays))
    for name, tensor in program.variables.items():
        _weights.take(tensor, arrays[name], name in program.encoded)


def _receiving_array(program, name, tensor, replicas):
    shape = _groups.returned_shape(tensor, program.replica_shapes[name], replicas)
    if shape != tuple(tensor.shape):
        return np.empty(shape, _weights.numpy_type(tensor.dtype))
    return _weights.receiving_array(tensor, name in program.encoded)


def trained(program):
    """Names and tensors of the weights that an optimizer changes."""
    return [(name, tensor) for name, tensor in program.variables.items()
            if isinstance(tensor, torch.nn.Parameter) and tensor.requires_grad]


def _state_names(session, program):
    weights = {name for name, _ in trained(program)}
    return [name for name in session.getAllTensorIds()
            if name.startswith(("Acc", "Step___")) and name.split("___", 1)[-1] in weights]


def read_state(session, program, is_attached):
    """The optimizer's state: the device's, or if none is attached the last one from there."""
    with translated():
        state = {}
        for name in _state_names(session, program):
            info = session.getInfo(name)
            state[name] = np.zeros(tuple(info.shape()), info.data_type_lcase())
        if state:
            if is_attached:
                session.weightsToHost()
            session.readWeights(popart.PyWeightsIO(state))
    return {name: torch.from_numpy(array) for name, array in state.items()}


def write_state(session, program, state):
    """Gives the device a state that read_state returned."""
    known = set(_state_names(session, program))
    arrays = {name: to_numpy(tensor) for name, tensor in state.items() if name in known}
    if not arrays:
        return
    with translated():
        session.weightsToHost()
        session.writeWeights(popart.PyWeightsIO(arrays))
        session.weightsFromHost()
