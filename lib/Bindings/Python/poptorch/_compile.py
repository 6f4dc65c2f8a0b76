# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend "populus" of torch.compile.

    fast = torch.compile(model, backend="populus", options={"device": "ipu_model"})

torch's dynamo takes the Python code apart into graphs; where it cannot, torch runs that part. Its
AOTAutograd makes a functional graph of each, and one of its gradients. Here each becomes a program
of popart whose inputs and results cross over to torch's tensors:

    code -> dynamo -> forward  -> lowerings of ATen (_aten) -> popart.InferenceSession
                   -> backward -> the same

A graph whose shapes change has a program for each shape, of which the last few are kept. A graph
with operators that have no lowering is run by torch, and a warning names them.

Parameters and buffers that a step leaves alone stay on the device: all of a graph without gradients,
and the frozen ones (requires_grad=False) of a forward pass that is trained. They go up when their
elements have changed, which is found by a comparison, for a write through `.data` leaves no other
trace, not even a new version of the tensor. torch's optimizer computes the trained ones on the host
in each step, and a module writes its own buffers; those have to cross over, and are inputs. They do
so once: a forward pass that returns an argument for the backward pass, or a view of one, returns the
host's tensor. The device writes its results into the tensors that are returned.
"""

import collections
import contextlib
import functools
import operator
import threading
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import numpy as np
import popart
import torch
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.registry import register_backend
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import default_partition
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from . import _aten
from ._emit import Emitter, Value, to_numpy
from ._logging import logger
from .errors import Error, translated
from .options import Options

_DEVICES = ("cpu", "ipu_model", "ipu")


class Settings:
    """The options of torch.compile.

    device      "ipu_model" (the default), "ipu", the emulated one, or "cpu"
    tiles       tiles of the device; 1,472 by default
    fallback    True: torch runs graphs that cannot be compiled; False: they are errors
    max_shapes  programs of a graph with different shapes that are kept: 8
    options     poptorch.Options, for precision and PopART's own options
    """

    def __init__(self, given: Optional[Dict[str, Any]]):
        known: Dict[str, Any] = {"device": "ipu_model", "tiles": 1472, "fallback": True,
                                 "max_shapes": 8, "options": None}
        for name in given or {}:
            if name not in known:
                raise Error(f"Unknown option {name!r} of the backend populus: options are "
                            f"{', '.join(known)}.")
        known.update(given or {})
        if known["device"] not in _DEVICES:
            raise Error(f"Unknown device {known['device']!r} of the backend populus: devices are "
                        f"{', '.join(_DEVICES)}.")
        self.device, self.tiles, self.fallback = known["device"], known["tiles"], known["fallback"]
        self.max_shapes, self.options = known["max_shapes"], known["options"] or Options()

    def makeDevice(self) -> Any:
        """A device for one program."""
        manager = popart.DeviceManager()
        if self.device == "cpu":
            return manager.createCpuDevice()
        if self.device == "ipu_model":
            return manager.createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": self.tiles})
        return manager.acquireAvailableDevice(1, self.tiles)


def populus(module: torch.fx.GraphModule, examples: Sequence[Any],
            options: Optional[Dict[str, Any]] = None,
            mode: Optional[str] = None) -> Callable[..., Any]:
    """Compiles a graph of dynamo; torch.compile calls it."""
    settings = Settings(options)
    if mode not in (None, "default"):
        logger.warning("The backend populus has no modes: mode=%r is ignored.", mode)

    def forward(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return make_boxed_func(_Graph(graph, settings, _steadyPositions(is_training=True)))

    def backward(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return make_boxed_func(_Graph(graph, settings))

    def infer(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return make_boxed_func(_Graph(graph, settings, _steadyPositions(is_training=False)))

    backend = aot_autograd(fw_compiler=forward, bw_compiler=backward, inference_compiler=infer,
                           decompositions=_decompositions(), partition_fn=_partition)
    # Attention as products and a softmax, whose gradients have lowerings.
    with sdpa_kernel(SDPBackend.MATH):
        return backend(module, examples)


def _steadyPositions(is_training: bool) -> FrozenSet[int]:
    """Positions among the arguments of the graph that is compiled now: parameters and buffers that
    neither the graph nor, in training, an optimizer changes."""
    context = torch._guards.TracingContext.try_get()
    metadata = getattr(context, "fw_metadata", None)
    if metadata is None:
        return frozenset()
    arguments = metadata.input_info
    return frozenset(position for position in metadata.static_input_indices or ()
                     if not arguments[position].mutates_data
                     and not (is_training and arguments[position].requires_grad))


def _partition(joint: torch.fx.GraphModule, *arguments: Any, **named: Any) -> Any:
    """torch's graphs of a forward and a backward pass. A detached tensor would be a second one that
    crosses over."""
    for node in joint.graph.find_nodes(op="call_function", target=torch.ops.aten.detach.default):
        node.replace_all_uses_with(node.args[0])
        joint.graph.erase_node(node)
    joint.recompile()
    return default_partition(joint, *arguments, **named)


def _decompositions() -> Dict[Any, Callable[..., Any]]:
    """Operators that AOTAutograd takes apart: PopART's dropout is one of programs that train."""
    return torch._decomp.get_decompositions([torch.ops.aten.native_dropout])


class _Graph:
    """A functional graph with a program for each of its shapes; called with its arguments."""

    def __init__(self, module: torch.fx.GraphModule, settings: Settings,
                 weights: FrozenSet[int] = frozenset()):
        self._module, self._settings, self._weights = module, settings, weights
        self._programs: Dict[Tuple, Callable[..., Any]] = collections.OrderedDict()
        self._is_symbolic = any(_isSymbolic(node.meta.get("val")) for node in module.graph.nodes)
        self._lock = threading.Lock()  # gradients are computed in a thread of their own

    def __call__(self, *arguments: Any) -> Any:
        key = _key(arguments) if self._is_symbolic else ()
        with self._lock:
            program = self._programs.pop(key, None)
            if program is None:
                program = self._compiled(arguments)
            self._programs[key] = program  # the last one used
            if len(self._programs) > self._settings.max_shapes:
                self._programs.pop(next(iter(self._programs)))
            with torch.no_grad():
                return program(*arguments)

    def _compiled(self, arguments: Sequence[Any]) -> Callable[..., Any]:
        try:
            module = self._module
            if self._is_symbolic:
                with torch.no_grad():
                    module = make_fx(module, tracing_mode="fake")(*arguments)
            return _Program(module, self._settings, self._weights)
        except Error as error:
            if not self._settings.fallback:
                raise
            logger.warning("torch runs a graph that the backend populus cannot compile: %s", error)
            return self._module


def _isSymbolic(value: Any) -> bool:
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return True
    return isinstance(value, torch.Tensor) and any(
        isinstance(extent, torch.SymInt) for extent in value.shape)


def _key(arguments: Sequence[Any]) -> Tuple:
    return tuple(tuple(value.shape) if isinstance(value, torch.Tensor) else value
                 for value in arguments)


class _Program:
    """One program of a graph whose shapes are known."""

    def __init__(self, module: torch.fx.GraphModule, settings: Settings,
                 weights: FrozenSet[int] = frozenset()):
        self._emitter = Emitter()
        self._inputs: List[Tuple[int, str]] = []   # positions of arguments that are read
        self._weights: List[Tuple[int, str]] = []  # those that stay on the device
        self._uploaded: Dict[str, np.ndarray] = {}
        values = self._addInputs(module, weights)
        self.graph, self.modules = module.graph, module
        values = _aten.lower_graph(self._emitter, self, values, _nowhere)
        self._names: List[str] = []  # of results that come from the device
        self._outputs = self._addOutputs(module, values)
        self._session: Any = None
        if self._names:
            with translated():
                self._start(settings)

    def _addInputs(self, module: torch.fx.GraphModule,
                   weights: FrozenSet[int]) -> Dict[Any, Any]:
        placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
        values: Dict[Any, Any] = {}
        for position, node in enumerate(placeholders):
            example = node.meta.get("val")
            if not isinstance(example, torch.Tensor):
                values[node] = example
            elif not any(user.op != "output" for user in node.users):
                pass
            elif position in weights and example.is_floating_point():
                values[node] = self._emitter.variable(node.name, example.shape, example.dtype)
                self._weights.append((position, values[node].id))
            else:
                values[node] = self._emitter.input(node.name, example.shape, example.dtype)
                self._inputs.append((position, values[node].id))
        return values

    def _addOutputs(self, module: torch.fx.GraphModule,
                    values: Dict[Any, Any]) -> List[Callable[[Sequence[Any]], Any]]:
        """For each result a function of the arguments; arguments that are results, such as weights
        that the backward pass reads, are returned as they are."""
        output = next(node for node in module.graph.nodes if node.op == "output")
        placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
        positions = {node: position for position, node in enumerate(placeholders)}
        placed: Dict[str, str] = {}
        results: List[Callable[[Sequence[Any]], Any]] = []
        for node in output.args[0]:
            value = values.get(node) if isinstance(node, torch.fx.Node) else node
            if node in positions:
                results.append(operator.itemgetter(positions[node]))
            elif isinstance(node, torch.fx.Node) and _isViewOf(node, positions):
                results.append(functools.partial(_viewed, node, positions))
            elif isinstance(value, Value):
                if value.id not in placed:  # a constant cannot be anchored
                    placed[value.id] = self._emitter.identity(value).id
                    self._emitter.builder.addOutputTensor(placed[value.id])
                results.append(_Result(placed[value.id], node.meta["val"]))
            else:
                results.append(lambda _, value=value: value)
        self._names = list(placed.values())
        return results

    def _start(self, settings: Settings) -> None:
        kind = popart.AnchorReturnType("All")
        flow = popart.DataFlow(1, {name: kind for name in self._names})
        self._session = popart.InferenceSession(
            self._emitter.model(), dataFlow=flow, deviceInfo=settings.makeDevice(),
            userOptions=settings.options.toSessionOptions(),
            patterns=settings.options.toPatterns(), name="torch.compile")
        self._session.prepareDevice()
        self._session.weightsFromHost()
        if settings.options.random_seed is None:
            self._session.setRandomSeed(int(torch.randint(2**31, ()).item()))
        else:
            self._session.setRandomSeed(settings.options.random_seed)
        self._anchors = self._session.initAnchorArrays()
        direct: Dict[str, _Result] = {}
        for output in self._outputs:
            if isinstance(output, _Result):
                output.connect(self._anchors)
                if output.isPlain:
                    direct.setdefault(output.name, output)
        for result in direct.values():
            result.isDirect = True
        self._direct = list(direct.values())

    def __call__(self, *arguments: Any) -> List[Any]:
        if self._session is not None:
            inputs = {name: to_numpy(arguments[position]) for position, name in self._inputs}
            found = {result.name: result.new() for result in self._direct}
            anchors = {**self._anchors, **{name: tensor.numpy() for name, tensor in found.items()}}
            with translated():
                self._upload(arguments)
                self._session.run(popart.PyStepIO(inputs, anchors))
        return [output.tensor(found) if isinstance(output, _Result) else output(arguments)
                for output in self._outputs]

    def _upload(self, arguments: Sequence[Any]) -> None:
        """Gives the device the weights that have changed since the last call."""
        changed = {}
        for position, name in self._weights:
            array, before = to_numpy(arguments[position]), self._uploaded.get(name)
            if before is None or not np.array_equal(_bits(array), _bits(before)):
                changed[name] = array.copy()
        if changed:
            self._session.writeWeights(popart.PyWeightsIO(changed))
            self._session.weightsFromHost()
            self._uploaded.update(changed)


class _Result:
    """A result that comes from the device, as a tensor with the type and strides that torch expects.

    The device writes a new tensor of a plain result in each run. The first result of a name is that
    tensor, others are copies of it."""

    def __init__(self, name: str, example: torch.Tensor):
        self.name, self._dtype = name, example.dtype
        self._shape, self._strides = tuple(example.shape), example.stride()
        self.isDirect = False

    def connect(self, anchors: Dict[str, np.ndarray]) -> None:
        """The arrays that a run writes where it has no new tensor."""
        self._found = torch.from_numpy(anchors[self.name]).reshape(self._shape)
        self.isPlain = (self._found.dtype, self._found.stride()) == (self._dtype, self._strides)

    def new(self) -> torch.Tensor:
        """A tensor that the next run writes."""
        return torch.empty(self._shape, dtype=self._dtype)

    def tensor(self, written: Dict[str, torch.Tensor]) -> torch.Tensor:
        """The result of the last run, which wrote these tensors by name."""
        found = written.get(self.name, self._found)
        if self.isDirect:
            return found
        if self.isPlain:
            return found.clone()
        # Elements of an expanded dimension share their memory; one of them is written.
        extents = [min(extent, 1) if stride == 0 else extent
                   for extent, stride in zip(self._shape, self._strides)]
        result = torch.empty_strided(extents, self._strides, dtype=self._dtype)
        result.copy_(found[tuple(map(slice, extents))])
        return result.expand(self._shape)


# Views that a host makes without a copy.
_VIEWS = {torch.ops.aten.t.default, torch.ops.aten.transpose.int, torch.ops.aten.permute.default,
          torch.ops.aten.view.default, torch.ops.aten.expand.default,
          torch.ops.aten.unsqueeze.default, torch.ops.aten.squeeze.dim}


def _isViewOf(node: torch.fx.Node, positions: Dict[Any, int]) -> bool:
    """True of a view of an argument whose other operands are numbers."""
    while node.target in _VIEWS and all(
            other is node.args[0] for other in node.all_input_nodes):
        node = node.args[0]  # type: ignore[assignment]
    return node in positions


def _viewed(node: torch.fx.Node, positions: Dict[Any, int],
            arguments: Sequence[Any]) -> torch.Tensor:
    if node in positions:
        return arguments[positions[node]]
    source, *rest = node.args
    return node.target(_viewed(source, positions, arguments), *rest)  # type: ignore


def _bits(array: np.ndarray) -> np.ndarray:
    """The elements as integers, of which a NaN equals itself."""
    return array.view(f"i{array.itemsize}")


@contextlib.contextmanager
def _nowhere(_: Any) -> Any:
    yield


def register() -> None:
    """Makes the backend known to torch.compile under its name."""
    try:
        register_backend(populus, name="populus")
    except AssertionError:  # the entry point of an installed package was first
        pass
