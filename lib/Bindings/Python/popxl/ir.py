# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Ir: a main graph, graphs that it calls, variables, streams and buffers."""

import inspect
import itertools
import typing
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Set, Union

import popxl_core

from popxl import context
from popxl._options import default_options
from popxl.graph import Graph
from popxl.module import Module
from popxl.replica_grouping import ReplicaGrouping
from popxl.streams import DeviceToHostStream, HostToDeviceStream
from popxl.tensor import Tensor, TensorByRef, TensorSpec

_ids = itertools.count()


class Ir:
    """A program under construction.

    `replication` is the number of replicas, which run at the same time with data of their own;
    "popdist" means those of the job.
    """

    _graph_class = Graph

    def __init__(self, replication: Union[int, str] = 1) -> None:
        self._instances, self._instance = 1, 0
        if replication == "popdist":
            import popdist

            replication = popdist.getNumTotalReplicas()
            self._instances = popdist.getNumInstances()
            self._instance = popdist.getInstanceIndex()
        self._id = next(_ids)
        self._module = popxl_core.Module()
        self._op_ids = itertools.count()
        self._tensor_numbers = itertools.count()
        self._graph_numbers: Dict[str, int] = {}
        self._graphs: List[Graph] = []
        self._streams: Dict[str, Any] = {}
        self._remote_buffers: List[Any] = []
        self._session = None
        self._options = default_options()
        self._num_host_transfers = 1
        self._replication_factor = 1
        # True once shapes or operators depend on the factor.
        self._uses_replication_factor = False
        self.replication_factor = replication
        self._main_graph = self._graph_class._new(self, "")

    # ---- Properties -----------------------------------------------------------

    @property
    def main_graph(self) -> Graph:
        """The graph that a run of the program runs."""
        return self._main_graph

    @property
    def id(self) -> int:
        return self._id

    @property
    def num_host_transfers(self) -> int:
        """How many tensors a stream transfers in a run; set it before the session is made."""
        return self._num_host_transfers

    @num_host_transfers.setter
    def num_host_transfers(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"num_host_transfers has to be a positive int, not {value!r}.")
        if self._session is not None and value != self._num_host_transfers:
            raise RuntimeError("num_host_transfers cannot be changed once a session has been made "
                               "of the Ir.")
        self._num_host_transfers = value

    @property
    def replication_factor(self) -> int:
        return self._replication_factor

    @replication_factor.setter
    def replication_factor(self, value: int) -> None:
        if self._session is not None:
            raise RuntimeError("The replication factor cannot be changed once a session has "
                               "been made of the Ir.")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"The replication factor has to be a positive int, not {value!r}.")
        if value % self._instances != 0:
            raise ValueError(f"The {self._instances} instances of the job cannot share "
                             f"{value} replicas evenly.")
        if self._uses_replication_factor and value != self._replication_factor:
            raise RuntimeError("The replication factor cannot be changed once there are "
                               "collectives, replica groupings of variables or shards.")
        self._replication_factor = value

    @property
    def instance_replication_factor(self) -> int:
        return self._replication_factor // self._instances

    @property
    def _replica_offset(self) -> int:
        """The number of the first replica of this process."""
        return self._instance * self.instance_replication_factor

    def replica_grouping(self, stride: int = 1,
                         group_size: Optional[int] = None) -> ReplicaGrouping:
        """Groups of `group_size` replicas that are `stride` apart, or of as many as there are."""
        return ReplicaGrouping._of_stride(self, stride, group_size)

    def replica_grouping_from_assignments(self, assignment: List[int]) -> ReplicaGrouping:
        """Groups by replica."""
        return ReplicaGrouping._of_assignment(self, assignment)

    @property
    def _pb_ir(self):
        from popxl._shim import PbIr

        return PbIr(self)

    def __repr__(self) -> str:
        return f"Ir[id={self._id}]"

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Ir):
            raise TypeError(f"Value must be of type popxl.Ir. Type: {type(other)}. "
                            f"Value: {other}.")
        return self is other

    def __hash__(self) -> int:
        return hash((Ir, self._id))

    # ---- Streams --------------------------------------------------------------

    def get_all_h2d_streams(self) -> Set[HostToDeviceStream]:
        """The streams from the host that a host_load reads."""
        return {s for s in self._streams.values()
                if isinstance(s, HostToDeviceStream) and s._is_used}

    def get_all_d2h_streams(self) -> Set[DeviceToHostStream]:
        """The streams to the host that a host_store writes."""
        return {s for s in self._streams.values()
                if isinstance(s, DeviceToHostStream) and s._is_used}

    # ---- Graphs ---------------------------------------------------------------

    def create_empty_graph(self, name: Optional[str] = None) -> Graph:
        """A graph to which inputs, operators and outputs are added in a `with` statement."""
        self._check_open()
        return self._graph_class._new(self, self._graph_name(name or "graph"))

    def create_graph(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Graph:
        """The graph that a function, or the method `build` of a Module, makes.

        Its inputs are the tensors and TensorSpecs among the arguments, in the order of the
        function's signature: alone, in lists and tuples, in `*args` and `**kwargs`. Those with
        the type hint `TensorByRef` or `List[TensorByRef]` are passed by reference. The function
        returns the outputs: None, a tensor, or several.

        Raises TypeError where `fn` is no function with a name, and where a list mixes tensors
        with something else; ValueError where the arguments do not fit the signature, and where
        an output is no tensor.
        """
        self._check_open()
        named = type(fn) if isinstance(fn, Module) else fn
        if not callable(fn) or not hasattr(named, "__qualname__"):
            raise TypeError("Callable `fn` must be either a function or a class that extends "
                            "popxl.Module.")
        function = fn.build if isinstance(fn, Module) else fn
        name = named.__qualname__.replace(".<locals>", "")
        bound = _bind(function, args, kwargs)
        graph = self._graph_class._new(self, self._graph_name(name))
        hints = _hints(function)
        with graph, context.outside_scopes():
            for parameter in bound.signature.parameters.values():
                by_ref = _is_by_ref(hints.get(parameter.name, parameter.annotation))
                value = bound.arguments[parameter.name]
                bound.arguments[parameter.name] = _as_inputs(graph, parameter, value, by_ref)
            outputs = function(*bound.args, **bound.kwargs)
            for output in _as_outputs(outputs):
                graph._check_own(output=output)
                graph._add_graph_output(output)
        return graph

    def _graph_name(self, name: str) -> str:
        number = self._graph_numbers.get(name, 0)
        self._graph_numbers[name] = number + 1
        return f"{name}_subgraph({number})"

    def _exact_graph_name(self, name: str) -> str:
        """The name itself, or with a number where a graph has it."""
        taken = {graph.name for graph in self._graphs}
        if name not in taken:
            return name
        return next(n for n in (f"{name}_{i}" for i in itertools.count(1)) if n not in taken)

    # ---- Checks and numbers ---------------------------------------------------

    def _check_open(self) -> None:
        if self._session is not None:
            raise RuntimeError("The Ir belongs to a popxl.Session and cannot be changed any more.")

    def _next_op_id(self) -> int:
        return next(self._op_ids)

    def _next_tensor_number(self) -> int:
        return next(self._tensor_numbers)

    # ---- Drawings -------------------------------------------------------------

    def dot_checkpoint(self, check: str, save_dir: Optional[Union[Path, str]] = None) -> None:
        """Draws the graphs, for Graphviz, into `<check>.dot` files of `save_dir`.

        That happens where the session option `dotChecks` or POPART_DOT_CHECKS names the check
        or says ALL, and where neither names any.
        """
        from popxl._dot import write_checkpoint

        write_checkpoint(self, check, save_dir)


def _bind(function: Callable, args: Iterable[Any], kwargs: Dict[str, Any]):
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise ValueError("The arguments do not match the signature of the function: "
                         f"{error}.") from error
    bound.apply_defaults()
    return bound


def _hints(function: Callable) -> Dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:  # of names that exist for type checkers only
        return {}


def _is_by_ref(hint: Any) -> bool:
    if hint is TensorByRef or hint == "TensorByRef":
        return True
    return typing.get_origin(hint) in (list, tuple) and all(
        arg is TensorByRef for arg in typing.get_args(hint) if arg is not Ellipsis)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, TensorSpec))


def _as_inputs(graph: Graph, parameter: inspect.Parameter, value: Any, by_ref: bool) -> Any:
    """What the function gets for an argument: inputs of the graph for tensors."""
    name = parameter.name
    if _is_tensor(value):
        return _as_input(graph, name, value, by_ref)
    is_keywords = parameter.kind is parameter.VAR_KEYWORD
    values = value.values() if is_keywords else value
    if not is_keywords and not isinstance(value, (list, tuple)):
        return value
    count = sum(_is_tensor(v) for v in values)
    if count == 0:
        return value
    if count != len(values):
        raise TypeError(f"Arguments mix tensors with other types, which is not possible: "
                        f"`{name}` is {value!r}.")
    if is_keywords:
        return {key: _as_input(graph, key, v, by_ref) for key, v in value.items()}
    return type(value)(
        [_as_input(graph, f"{name}_{i}", v, by_ref) for i, v in enumerate(value)])


def _as_input(graph: Graph, name: str, value: Any, by_ref: bool) -> Tensor:
    return graph._add_input(value.shape, value.dtype, name, by_ref, value.meta_shape)


def _as_outputs(outputs: Any) -> List[Tensor]:
    if outputs is None:
        return []
    if isinstance(outputs, Tensor):
        return [outputs]
    text = ("Output of subgraph must be a Tensor, an iterable of Tensors or None. "
            f"Output type: {type(outputs)}. Value: {outputs}")
    if isinstance(outputs, (str, dict)):
        raise ValueError(text)
    try:
        outputs = list(outputs)
    except TypeError:
        raise ValueError(text) from None
    if not all(isinstance(output, Tensor) for output in outputs):
        raise ValueError(text)
    return outputs
