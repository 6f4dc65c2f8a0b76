# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces a model: from a torch module and arguments to a functional graph of ATen operators.

torch.export does the work. It sees a module whose arguments and results are flat lists of
tensors; the structures around them (tuples, dicts, None, numbers, types with a parser) are
taken apart before and put together again after it (_structure.py), so that any argument that
holds tensors can be given. Two things are kept that export loses: results of `torch.no_grad`
regions become detached, and marks set while the model runs (blocks, attributes) stay with
each operator, as annotations of torch's tracer.
"""

import contextlib
import dataclasses
import functools
import logging
import os
import sys
import warnings

import torch
import torch.export._trace
import torch.fx.traceback
from torch.export.graph_signature import InputKind, OutputKind

from . import _state
from ._replaced import REPLACED
from ._structure import Structure, flatten
from .errors import Error


class _Flat(torch.nn.Module):
    """The model with flat lists of tensors as arguments and results."""

    def __init__(self, model, structure, results):
        super().__init__()
        self.poptorch_model = model
        self._arguments = structure
        self._keep_results = results.append

    def forward(self, *tensors):
        args, kwargs = self._arguments.rebuild(tensors)
        buffers = dict(self.poptorch_model.named_buffers())
        with _state.model_runs(), _state.tracing_buffers(buffers), _kept(self.poptorch_model):
            result = self.poptorch_model(*args, **kwargs)
        values, structure = flatten(result)
        self._keep_results(structure)
        return tuple(values)


@contextlib.contextmanager
def _kept(model):
    """An Error if a model replaces one of its parameters or buffers; it has the old one again."""
    before = [(module, prefix, dict(module._parameters), dict(module._buffers))
              for prefix, module in model.named_modules()
              if not isinstance(module, torch.nn.modules.batchnorm._NormBase)]
    yield
    replaced = []
    for module, prefix, *kinds in before:
        for kind, now, old in zip(("Parameter", "Buffer"), (module._parameters, module._buffers),
                                  kinds):
            for name, tensor in old.items():
                if now.get(name) is not tensor:
                    now[name] = tensor
                    replaced.append(f"{kind} {prefix}{'.' if prefix else ''}{name}")
    if replaced:
        raise Error(f"{', '.join(replaced)} reassigned within the model: write into a buffer with "
                    "an operator in place, such as self.name.copy_(value)")


class _Function(torch.nn.Module):
    """A plain callable as a module."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def forward(self, *args, **kwargs):
        return self._function(*args, **kwargs)


@dataclasses.dataclass
class Trace:
    """A traced model."""
    graph: torch.fx.Graph
    inputs: list          # placeholders of arguments, in the order of the flat list
    parameters: dict      # placeholder -> name of the parameter
    buffers: dict         # placeholder -> name of the buffer
    constants: dict       # placeholder -> tensor
    outputs: list         # nodes (or constants) that the model returns, flat
    buffer_updates: dict  # name of a buffer -> node
    input_updates: dict   # index of an argument -> node
    results: Structure    # the structure of what the model returns
    modules: dict         # graphs that higher-order operators call


_PREFIX = "poptorch_model."


def as_module(model):
    """The module of a model; plain callables become one."""
    return model if isinstance(model, torch.nn.Module) else _Function(model)


def trace(model, tensors, structure, training=False):
    """Traces a model with example tensors, the flat list of `structure`."""
    results = []
    flat = _Flat(as_module(model), structure, results)
    flat.training = model.training if isinstance(model, torch.nn.Module) else True
    inputs = tuple(tensor.detach() for tensor in tensors)
    program = _state.again_until_known(lambda: _export(flat, inputs, training))
    _refuse_reads(program.graph)
    return _read(program, results[-1])


def _export(module, tensors, training):
    with _state.tracing(training), _quiet(), torch.fx.traceback.preserve_node_meta():
        calls = _Replaced()
        try:
            with calls:
                program = torch.export.export(module, tensors, strict=False)
            _state.remove_all_marks()
            for node in program.graph.find_nodes(op="placeholder"):
                _state.remove_marks(node)  # torch wants no other ones on its new placeholders
            _detach_results_without_gradients(program.graph_module)
            with _composites_of(program.graph_module):
                return program.run_decompositions({})
        except (Error, _state.TraceAgain):
            raise
        except Exception as error:  # torch's own errors of many kinds
            raise _explained(error, calls.line) from error


class _Replaced(torch.overrides.TorchFunctionMode):
    """Calls that cannot be exported become operators of poptorch; and each operator is marked
    with the line of the program that calls it."""

    def __init__(self):
        super().__init__()
        self.line = None  # of the last call

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if _state.is_model_running():
            self.line = _calling_line()
            _state.set_marks(line=self.line)
        function = REPLACED.get(function, function)
        return function(*args, **(kwargs or {}))


_OWN_FOLDERS = (os.path.dirname(torch.__file__) + os.sep, os.path.dirname(__file__) + os.sep)


def _is_own(path):
    """True of files of torch and of this package."""
    return path.startswith(_OWN_FOLDERS) or path.startswith("<")


def _calling_line():
    """`FILE:LINE` of the innermost frame of the program."""
    frame = sys._getframe(2)
    while frame is not None and (_is_own(frame.f_code.co_filename)
                                 or frame.f_code.co_filename == contextlib.__file__):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else None


@contextlib.contextmanager
def _quiet():
    """Without torch's warnings about values that are read, and the graphs that it prints before an
    error; the error names the line."""
    log = logging.getLogger("torch.fx.experimental.symbolic_shapes")
    level = log.level
    log.setLevel(logging.ERROR)
    tracer = torch.export._trace
    tracer.print = lambda *_, **__: None  # in place of Python's, in that module
    try:
        with warnings.catch_warnings():
            # torch's recurrent layers make their list of weights anew.
            warnings.filterwarnings("ignore", ".*were assigned during export")
            yield
    finally:
        log.setLevel(level)
        del tracer.print


@contextlib.contextmanager
def _composites_of(module):
    """Lets torch keep those composite operators whole that a graph has, in place of all 1,500 that
    there are, which takes a second. Without effect where torch has another inside."""
    home = torch.export.exported_program
    name = "_collect_all_valid_cia_ops"
    find = getattr(home, name, None)
    if find is None:
        yield
        return
    present = {node.target for part in module.modules() if isinstance(part, torch.fx.GraphModule)
               for node in part.graph.nodes}
    setattr(home, name, lambda: _composites(find) & present)
    try:
        yield
    finally:
        setattr(home, name, find)


@functools.lru_cache(maxsize=1)
def _composites(find):
    return set(find())


# In messages of PyTorch about functions that read a tensor which has no elements.
_HOST_READS = ("Cannot cast FakeTensor", ".numpy() is not supported", ".tolist() is not supported",
               "Cannot access data pointer", "target=torch.ops.aten.nonzero_numpy")


def _explained(error, line):
    """An error of the tracer in terms of the model; the model's own errors stay."""
    text = str(error)
    line = f" at {line}" if line else ""
    if "data-dependent" in text or type(error).__name__ in (
            "GuardOnDataDependentSymNode", "DataDependentOutputException",
            "DynamicOutputShapeException", "PendingUnbackedSymbolNotFound") or any(part in text for part in _HOST_READS):
        return _read_error(line)
    if "expected compiled_fn to be GraphModule" in text:
        return Error("An argument that the model writes shares memory with another argument: give "
                     "the model a copy")
    return error


def _read_error(line):
    return Error("The model reads the value of a tensor on the host (with .item(), bool(), int(), "
                 "an `if`, or a shape that depends on data)"
                 f"{line}. Values are known only when the program runs: use torch.where, masks or "
                 "poptorch.cond instead")


def _refuse_reads(graph):
    """An Error if a number that was read has a part in the results."""
    for node in graph.nodes:
        if str(node.target) in ("aten.item.default", "aten._local_scalar_dense.default"):
            raise _read_error(f" at {source_line(node)}")


def _detach_results_without_gradients(module):
    """Puts a detach behind each result of a region where gradients are off."""
    for node in list(module.graph.nodes):
        if node.op != "call_function" or "set_grad_enabled" not in str(node.target):
            continue
        if node.args and node.args[0] is False:
            _detach_uses(module.graph, node)
    module.recompile()


def _detach_uses(graph, region):
    for result in list(region.users):
        value = result.meta.get("val")
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            continue
        with graph.inserting_after(result):
            detached = graph.call_function(torch.ops.aten.detach.default, (result,))
        detached.meta.update({key: result.meta[key] for key in ("val", "stack_trace")
                              if key in result.meta})
        result.replace_all_uses_with(detached, delete_user_cb=lambda user: user is not detached)


def _read(program, results):
    """The record of an exported program."""
    signature = program.graph_signature
    nodes = {node.name: node for node in program.graph.nodes}
    kinds = {InputKind.PARAMETER: {}, InputKind.BUFFER: {}, InputKind.CONSTANT_TENSOR: {}}
    inputs = []
    for spec in signature.input_specs:
        node = nodes[spec.arg.name]
        if spec.kind == InputKind.USER_INPUT:
            inputs.append(node)
        elif spec.kind in kinds:
            kinds[spec.kind][node] = spec.target
        else:
            raise Error(f"an input of the kind {spec.kind} is not supported")
    constants = {node: program.constants[name]
                 for node, name in kinds[InputKind.CONSTANT_TENSOR].items()}
    buffers = {}
    for node, name in kinds[InputKind.BUFFER].items():
        buffers[node] = _without_prefix(name)
    trace = Trace(program.graph, inputs,
                  {node: _without_prefix(name)
                   for node, name in kinds[InputKind.PARAMETER].items()},
                  buffers, constants, [], {}, {}, results,
                  dict(program.graph_module.named_children()))
    _read_outputs(signature, nodes, trace)
    return trace


def _read_outputs(signature, nodes, trace):
    names = [node.name for node in trace.inputs]
    for spec in signature.output_specs:
        node = nodes.get(getattr(spec.arg, "name", None))
        if spec.kind == OutputKind.USER_OUTPUT:
            trace.outputs.append(node)
        elif spec.kind == OutputKind.BUFFER_MUTATION:
            trace.buffer_updates[_without_prefix(spec.target)] = node
        elif spec.kind == OutputKind.USER_INPUT_MUTATION:
            trace.input_updates[names.index(spec.target)] = node
        elif "PARAMETER" in spec.kind.name:
            raise Error(f"the parameter {_without_prefix(spec.target)} is changed by the model; "
                        "only buffers keep a state")
        else:
            raise Error(f"a result of the kind {spec.kind} is not supported")


def _without_prefix(name):
    return name[len(_PREFIX):] if name.startswith(_PREFIX) else name


def module_path(node):
    """The names of the modules around an operator."""
    stack = node.meta.get("nn_module_stack") or {}
    path = ""
    for entry in stack.values():
        name = entry[0] if isinstance(entry, tuple) else str(entry)
        if len(name) > len(path):
            path = name
    path = _without_prefix(path)
    return () if path == _PREFIX[:-1] else tuple(part for part in path.split(".") if part)


def source_line(node):
    """`FILE:LINE` of the program for an operator."""
    return _state.marks_of(node).get("line", "unknown line")
