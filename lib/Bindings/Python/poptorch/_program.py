# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a traced model to PopART's: variables, inputs, operators, updates of state, results."""

import contextlib
import dataclasses

import torch

from . import _aten, _export, _groups, _losses, ops_overlap
from ._emit import Emitter, Value, narrow, to_numpy
from .errors import Error


@dataclasses.dataclass
class Repeated:
    """A result that is this tensor for each micro-batch, whatever the inputs are."""
    tensor: torch.Tensor


@dataclasses.dataclass
class Program:
    """A model for a session."""
    model: bytes
    inputs: list           # (index of an argument, name, type) of arguments that are read
    outputs: list          # for each result: the name of its anchor, a tensor, or Repeated
    input_updates: dict    # index of an argument -> name of the anchor
    variables: dict        # name -> tensor of the torch model
    names: dict            # name of a variable -> its name in the torch model
    encoded: set           # names of variables that hold integers
    counters: dict         # name of a buffer -> what each micro-batch adds to it
    constants: list        # names of buffers that the program holds as constants
    unwritten: list        # names of buffers of integers that are variables for the host only
    loss: str
    trace: object
    replica_shapes: dict   # name of a variable -> its shape on a replica
    shapes: dict           # name of an anchor -> shape of a micro-batch
    strategies: dict       # name of an input or anchor that overlaps -> exchange strategy


class _Building:
    """One translation."""

    def __init__(self, model, trace, training, place, changing, replicas):
        self.replicas = replicas
        self.trace = trace
        self.changing = changing
        self.training = training
        self.place = place
        self.emitter = Emitter(training)
        self.tensors = tensors_of(model)
        self.values = {}
        self.variables = {}
        self.names = {}
        self.counters = {}
        self.constants = []
        self.unwritten = []
        self.encoded = set()
        self.anchored = {}
        self.known = {}
        self.strategies = {}
        # The builder finds shapes of outputs, and would take those that weights have on the host.
        self.is_grouped = any(map(_groups.settings_of, self.tensors.values()))
        self.variable_of = {}  # tensors that have two names are one variable

    def run(self):
        trace, emitter = self.trace, self.emitter
        loss = _losses.find_loss(trace.graph) if self.training else None
        inputs = self._add_inputs()
        for node, name in trace.parameters.items():
            self._add_parameter(node, name)
        for node, name in trace.buffers.items():
            self._add_buffer(node, name)
        for node, tensor in trace.constants.items():
            self.values[node] = emitter.constant(tensor)
        if hasattr(self.place, "begin"):
            self.place.begin(trace.graph, emitter)
        values = _aten.lower_graph(emitter, trace, self.values, self.place, loss)
        emitter.set_scope(())
        for name, node in trace.buffer_updates.items():
            self._update(name, node, values)
        outputs, updates = self._add_outputs(values)
        return Program(emitter.model(), inputs, outputs, updates, self.variables, self.names,
                       self.encoded, self.counters, self.constants, self.unwritten,
                       self._loss_id(loss, values), trace,
                       {value.id: value.shape for value in self.variable_of.values()},
                       self.anchored, self.strategies)

    # ---- Inputs and state -------------------------------------------------------------

    def _add_inputs(self):
        inputs = []
        strategies = ops_overlap.input_strategies(self.trace.graph, self.trace.inputs)
        for index, node in enumerate(self.trace.inputs):
            fake = node.meta["val"]
            if not node.users:
                continue
            strategy = strategies.get(node)
            value = self.emitter.input("input", fake.shape, fake.dtype, strategy)
            if strategy is not None:
                self.strategies[value.id] = strategy
            self.values[node] = value
            inputs.append((index, value.id, narrow(fake.dtype)))
        return inputs

    def _variable(self, name, tensor):
        key = id(tensor)
        if key not in self.variable_of:
            value = self.emitter.variable(
                name, tensor.shape, tensor.dtype, _groups.settings_of(tensor),
                _groups.shape_on_replica(tensor, self.replicas))
            self.variable_of[key] = value
            self.variables[value.id] = tensor
            self.names[value.id] = name
        return self.variable_of[key]

    def _add_parameter(self, node, name):
        tensor = self.tensors[name]
        if not node.users:
            return
        value = self._variable(name, tensor)
        if self.training and not tensor.requires_grad:
            value = self.emitter.detach(value)
        self.values[node] = value

    def _add_buffer(self, node, name):
        tensor = self.tensors[name]
        update = self.trace.buffer_updates.get(name)
        if update is not None and not tensor.is_floating_point():
            self._add_integer_state(node, name, tensor, update)
        elif not node.users:
            return
        elif tensor.is_floating_point():
            value = self._variable(name, tensor)
            self.values[node] = self.emitter.detach(value) if self.training else value
        elif name in self.changing:
            self.unwritten.append(name)
            self._add_encoded(node, name, tensor)
        else:
            self.constants.append(name)
            self.values[node] = self.emitter.constant(tensor)

    def _add_integer_state(self, node, name, tensor, update):
        step = _counted(node, update)
        if step is not None:
            self.counters[name] = step
            self.values[node] = self.emitter.constant(torch.zeros_like(tensor))
            update.args = (node, step)
            return
        self._add_encoded(node, name, tensor)

    def _add_encoded(self, node, name, tensor):
        # Variables are floats in popart: a number is two halves of 16 bits, which floats hold.
        value = self.variable_of.get(id(tensor))
        if value is None:
            value = self.emitter.variable(name, (2, *tensor.shape), torch.float32)
            self.variable_of[id(tensor)] = value
            self.variables[value.id] = tensor
            self.names[value.id] = name
            self.encoded.add(value.id)
        self.values[node] = self._decoded(self.emitter.detach(value), tensor)

    def _decoded(self, value, tensor):
        e = self.emitter
        high, low = (e.cast(e.squeeze(e.slice(value, 0, half, half + 1), 0), torch.int32)
                     for half in (0, 1))
        return e.cast(e.add(e.scaled(high, 1 << 16), low), tensor.dtype)

    def _encoded(self, value):
        e = self.emitter
        value = e.cast(value, torch.int32)
        base = e.constant(1 << 16, torch.int32)
        # Division rounds towards zero; the low half is never negative.
        rest = e.sub(value, e.mul(e.div(value, base), base))
        low = e.where(e.compare("Less", rest, e.constant(0, torch.int32)), e.add(rest, base), rest)
        high = e.div(e.sub(value, low), base)
        return e.concat([e.unsqueeze(e.cast(half, torch.float32), 0) for half in (high, low)], 0)

    def _update(self, name, node, values):
        if name in self.counters:
            return
        variable = self.variable_of[id(self.tensors[name])]
        value = values[node]
        if value.id == variable.id:
            return
        self.emitter.check_visible(value)
        if variable.id in self.encoded:
            value = self._encoded(value)
        value = self.emitter.cast(value, variable.dtype)
        if self.training:
            value = self.emitter.detach(value)
        self.emitter.update(variable, value)

    # ---- Results ----------------------------------------------------------------------

    def _add_outputs(self, values):
        own = {value.id for value in self.values.values() if isinstance(value, Value)}
        own |= {value.id for value in self.variable_of.values()}
        ops_overlap.check_outputs(self.trace.graph, self.trace.outputs)
        outputs = [self._output(node, values, own) for node in self.trace.outputs]
        updates = {index: self._output(node, values, own)
                   for index, node in self.trace.input_updates.items()}
        return outputs, updates

    def _output(self, node, values, own):
        if not isinstance(node, torch.fx.Node):
            return node
        if self._is_known(node):  # and the same in each batch
            result = self._computed(node)
            return result.to(narrow(result.dtype)) if isinstance(result, torch.Tensor) else result
        value = values[node]
        if not isinstance(value, Value):
            return value
        # Such as zeros in the shape of an input; PopART's program does not have it.
        constant = self.emitter.constant_of(value)
        if constant is not None:
            return Repeated(torch.tensor(constant))
        self.emitter.check_visible(value)
        if value.id in own:
            value = self.emitter.identity(value)
        self._anchor(value)
        strategy = ops_overlap.output_strategy(node)
        if strategy is not None:
            self.strategies[value.id] = strategy
        return value.id

    def _is_known(self, node):
        """True of a result that no input, weight, or random number has a part in."""
        if node not in self.known:
            if node.op == "placeholder":
                self.known[node] = node in self.trace.constants
            else:
                tags = getattr(node.target, "tags", ())
                self.known[node] = (node.op == "call_function"
                                    and torch.Tag.nondeterministic_seeded not in tags
                                    and "poptorch" not in str(node.target)
                                    and all(map(self._is_known, node.all_input_nodes)))
        return self.known[node]

    def _computed(self, node):
        """A known result, as torch computes it."""
        if node.op == "placeholder":
            return self.trace.constants[node]
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), self._computed)
        return node.target(*args, **kwargs)

    def _anchor(self, value):
        if value.id not in self.anchored:
            self.anchored[value.id] = value.shape
            if not self.is_grouped:
                self.emitter.builder.addOutputTensor(value.id)

    def _loss_id(self, loss, values):
        if loss is None:
            return ""
        value = values[loss]
        value = value[0] if isinstance(value, tuple) else value
        self._anchor(value)
        return value.id


def tensors_of(model):
    """All parameters and buffers by all of their names."""
    module = _export.as_module(model)
    tensors = dict(module.named_parameters(remove_duplicate=False))
    tensors.update(module.named_buffers(remove_duplicate=False))
    return tensors


def _counted(node, update):
    """The number that an update adds to a buffer which nothing else reads, or None."""
    if str(update.target) not in ("aten.add.Tensor", "aten.add.Scalar"):
        return None
    if set(node.users) != {update} or update.args[0] is not node:
        return None
    step = update.args[1]
    readers = [user for user in update.users if user.op != "output"]
    return step if isinstance(step, int) and not update.kwargs and not readers else None


def find_tensor(model, name):
    """A parameter or buffer by its name."""
    *path, last = name.split(".")
    module = _export.as_module(model)
    for part in path:
        module = module._modules[part]
    tensors = module._buffers if last in module._buffers else module._parameters
    return tensors[last]


def build(model, trace, training, place=lambda marks: contextlib.nullcontext(), changing=(),
          replicas=1):
    """Translates a traced model; buffers of integers that are `changing` are variables."""
    return _Building(model, trace, training, place, changing, replicas).run()


def as_inputs(program, tensors, options):
    """Arrays of a program's inputs from the flat list of arguments."""
    return {name: _groups.shared_inputs(to_numpy(tensors[index]), options)
            for index, name, _ in program.inputs}
