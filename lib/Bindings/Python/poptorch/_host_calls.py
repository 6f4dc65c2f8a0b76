# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that call functions of the host (poptorch.CPU): a program for each part between calls.

An operator is in the part behind all calls that it depends on:

    y = layer(x)       part 0      a program with the results y and z
    h = call(y)                    the host, for each micro-batch
    z = other(x)       part 0
    r = h + z          part 1      a program with the inputs h and z

The parts have no state: a model whose buffers change is refused.
"""

import torch

from . import ops_cpu
from .enums import OutputMode
from .errors import Error

_CALL = "populus_poptorch.host_call.default"


def calls(trace):
    """The calls of the host in a traced model."""
    return [node for node in trace.graph.nodes if str(node.target) == _CALL]


class _Part:
    """One part: a module with the operators of a level, and the nodes that it reads and makes."""

    def __init__(self, trace, tensors, nodes, results):
        self.nodes, self.results = nodes, results
        self.inputs = []
        self._trace, self._tensors = trace, tensors
        self._graph, self._root = torch.fx.Graph(), torch.nn.Module()
        self._copies = {}

    def module(self):
        """A torch module of the part."""
        own = set(self.nodes)
        read = {node for part in self.nodes for node in part.all_input_nodes} | set(self.results)
        for node in self._trace.graph.nodes:
            if node in read and node not in own and not self._is_kept(node):
                self.inputs.append(node)
                self._copies[node] = self._graph.placeholder(node.name)
        for node in self._trace.graph.nodes:
            if node in own or (node in read and self._is_kept(node)):
                self._copy(node)
        self._graph.output(tuple(self._copies[node] for node in self.results))
        return torch.fx.GraphModule(self._root, self._graph).eval()

    def _is_kept(self, node):
        trace = self._trace
        return node in trace.parameters or node in trace.buffers or node in trace.constants

    def _copy(self, node):
        if not self._is_kept(node):
            self._copies[node] = self._graph.node_copy(node, self._copies.__getitem__)
            return
        trace = self._trace
        if node in trace.constants:
            self._root.register_buffer(node.name, trace.constants[node])
        elif node in trace.buffers:
            self._root.register_buffer(node.name, self._tensors[trace.buffers[node]])
        else:
            self._root.register_parameter(node.name, self._tensors[trace.parameters[node]])
        self._copies[node] = self._graph.get_attr(node.name)


class Parts:
    """The programs of a model with calls; called with the flat list of its arguments."""

    def __init__(self, trace, tensors, options, make_executor):
        if trace.buffer_updates or trace.input_updates or trace.modules:
            raise Error("A model with poptorch.CPU cannot change its buffers or arguments")
        self._trace, self._factor = trace, options.device_iterations * (
            options.replication_factor // options.input_group_size)
        if self._factor > 1 and options.resolvedOutputMode(False) != OutputMode.All:
            raise Error("A model with poptorch.CPU returns the results of all micro-batches: "
                        f"{options.output_mode} is not supported")
        self._levels = _levels(trace)
        self._parts = []
        for level in range(1 + max(self._levels.values(), default=0)):
            part = _Part(trace, tensors, self._nodes(level), self._crossing(level))
            self._parts.append((part, make_executor(part.module(), _all(options))))

    def _nodes(self, level):
        return [node for node in self._trace.graph.nodes if node.op == "call_function"
                and self._levels[node] == level and not _is_of_host(node)]

    def _crossing(self, level):
        """Values of a part that something else reads."""
        outputs = {node for node in self._trace.outputs if isinstance(node, torch.fx.Node)}
        own = set(self._nodes(level))
        return [node for node in self._trace.graph.nodes if node in own and (
            node in outputs or any(user not in own and user.op != "output"
                                   for user in node.users))]

    def executors(self):
        """The executors of the parts."""
        return [executor for _, executor in self._parts]

    def __call__(self, tensors):
        values = dict(zip(self._trace.inputs, tensors))
        for level, (part, executor) in enumerate(self._parts):
            if part.results:
                inputs = [self._input(values[node], node) for node in part.inputs]
                values.update(zip(part.results, executor(*inputs)))
            for node in calls(self._trace):
                if self._levels[node] == level + 1:
                    self._call(node, values)
        return self._trace.results.rebuild(
            [self._output(node, values) for node in self._trace.outputs])

    def _input(self, value, node):
        """A value in the type that the trace has it in; shapes have to have a batch."""
        fake = node.meta["val"]
        if self._factor > 1 and not fake.ndim:
            raise Error("A model with poptorch.CPU and several micro-batches passes tensors "
                        "without dimensions to or from it")
        return value.to(fake.dtype)

    def _call(self, node, values):
        """Calls the host for each micro-batch."""
        function = ops_cpu.function_of(node.args[1])
        inputs = [self._input(values[arg], arg) for arg in node.args[0]]
        batches = zip(*(value.chunk(self._factor) for value in inputs))
        with torch.no_grad():
            results = [ops_cpu.listed(function(*batch)) for batch in batches]
        joined = [part[0] if self._factor == 1 else torch.cat(part) for part in zip(*results)]
        for user in node.users:  # operator.getitem
            values[user] = joined[user.args[1]]

    def _output(self, node, values):
        if not isinstance(node, torch.fx.Node):
            return node
        if node in self._trace.constants:
            return self._trace.constants[node]
        return values[node]


def _all(options):
    clone = options.clone()
    clone.outputMode(OutputMode.All)
    return clone


def _is_of_host(node):
    """True of a call, and of its results."""
    return str(node.target) == _CALL or (
        node.op == "call_function" and node.args and isinstance(node.args[0], torch.fx.Node)
        and str(node.args[0].target) == _CALL)


def _levels(trace):
    """How many calls are before each node."""
    levels = {}
    for node in trace.graph.nodes:
        before = max((levels[arg] for arg in node.all_input_nodes), default=0)
        levels[node] = before + int(str(node.target) == _CALL)
    return levels
