# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `with` statements set for the operators inside: the graph, the IPU, names, order.

Operators run in the order in which they are made, with or without `in_sequence`. What it says
is kept with each operator all the same: where neither it nor the tensors order two operators,
and one of them writes what the other one reads, programs are refused (_ambiguity.py).
"""

import functools
import itertools
from contextlib import contextmanager
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple, TypeVar,
                    Union)

from popart import popart_exception

if TYPE_CHECKING:
    from popxl.graph import Graph
    from popxl.ir import Ir

_graphs: List["Graph"] = []
_ipus: List[int] = []
_tile_sets: List[str] = []
_scopes: List[str] = []
_sequences: List[Optional["Sequence"]] = []  # None is "pass"


def get_current_graph() -> "Graph":
    """The graph to which operators are added; RuntimeError where there is none."""
    if not _graphs:
        raise RuntimeError("There are no graphs in the current context.")
    return _graphs[-1]


def get_main_graph() -> "Graph":
    """The main graph of the current Ir."""
    return get_current_graph().ir.main_graph


def get_ir() -> "Ir":
    """The Ir of the current graph."""
    return get_current_graph().ir


gcg = get_current_graph
gmg = get_main_graph
gir = get_ir


class Sequence:
    """An `in_sequence` that is open. Its parts are operators, and sequences inside of it."""

    def __init__(self, is_ordered: bool) -> None:
        self.is_ordered = is_ordered
        self.parts = 0


# By sequence around an operator, from the outermost one on: which part of it the operator is, or
# is in.
Place = Tuple[Tuple[Sequence, int], ...]


def next_place() -> Place:
    """The place of a new operator."""
    if not _sequences or _sequences[-1] is None:
        return ()
    _sequences[-1].parts += 1
    open_ones: List[Tuple[Sequence, int]] = []
    for sequence in reversed(_sequences):
        if sequence is None:
            break
        open_ones.append((sequence, sequence.parts))
    return tuple(reversed(open_ones))


class Context:
    """What operators of all graphs have in common."""

    def __init__(self) -> None:
        self._hooks: Dict[int, Callable[[Any], Any]] = {}
        self._handles = itertools.count()

    @property
    def graph(self) -> "Graph":
        """The graph to which operators are added."""
        return get_current_graph()

    @property
    def ipu_id(self) -> Optional[int]:
        """The IPU of the `with popxl.ipu(...)` around, None where there is none."""
        return current_ipu()

    def _get_op_settings(self, name: str) -> Any:
        """Where an operator of that name would be."""
        from popxl._shim import PbGraph, Settings

        return Settings(PbGraph(self.graph), scoped(name))

    def _op_created(self, op: Any) -> None:
        """Adds an operator that a module of C++ has made to its graph of popxl."""
        from popxl import _program_ops

        _program_ops.adopt(op)

    def register_op_created_hook(self, fn: Callable[[Any], Any]) -> int:
        """Calls `fn` with each operator that is added to a graph from now on."""
        handle = next(self._handles)
        self._hooks[handle] = fn
        return handle

    def remove_op_created_hook(self, handle: int) -> None:
        """Ends what `register_op_created_hook` began; ValueError for another handle."""
        if handle not in self._hooks:
            raise ValueError(f"No hook has the handle {handle}.")
        del self._hooks[handle]


_context = Context()

Function = TypeVar("Function", bound=Callable)


def debug_context_frame_offset(offset: int) -> Callable[[Function], Function]:
    """Programs decorate functions with this whose callers are where an operator is added, `offset`
    frames further out. It changes nothing: operators have no places of the source."""
    return op_debug_context


def op_debug_context(function: Function) -> Function:
    """Programs decorate functions that add operators with this. It changes nothing."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def get_current_context() -> Context:
    return _context


def push_graph(graph: "Graph") -> None:
    if _graphs and _graphs[-1].ir != graph.ir:
        raise RuntimeError(
            "The Graph of another Ir is entered inside of a Graph; Graphs of different Irs cannot "
            "be nested.")
    _graphs.append(graph)


def pop_graph() -> None:
    _graphs.pop()


def current_ipu() -> Optional[int]:
    return _ipus[-1] if _ipus else None


def current_tile_set() -> str:
    return _tile_sets[-1] if _tile_sets else "compute"


def scoped(name: str) -> str:
    return "/".join(_scopes + [name])


@contextmanager
def ipu(ipu: int) -> Iterator[int]:
    """Operators inside run on that IPU.

    Raises TypeError where it is no int and ValueError where it is negative.
    """
    if isinstance(ipu, bool) or not isinstance(ipu, int):
        raise TypeError(f"The number of an IPU is an int, not {ipu!r}.")
    if ipu < 0:
        raise ValueError(f"The number of an IPU is not negative, as {ipu} is.")
    _ipus.append(ipu)
    try:
        yield ipu
    finally:
        _ipus.pop()


@contextmanager
def _execution_context(execution_context: Any) -> Iterator[None]:
    """Operators inside run when runs do, in the ExecutionContext `Normal`.

    Raises popart_exception for the others, which run when weights go to or come from the host.
    """
    from popxl._shim import ExecutionContext

    if execution_context != ExecutionContext.Normal:
        raise popart_exception(f"The execution context {execution_context} is not supported: "
                               "operators run when the program runs.")
    yield


@contextmanager
def tile_set(name: str) -> Iterator[None]:
    """Operators inside run on the tiles "io" or "compute"."""
    _tile_sets.append(name)
    try:
        yield
    finally:
        _tile_sets.pop()


@contextmanager
def place(ipu_number: Optional[int], tiles: str) -> Iterator[None]:
    """Operators inside run there, whatever is around; None for no IPU."""
    saved = (_ipus[:], _tile_sets[:])
    _ipus[:], _tile_sets[:] = [] if ipu_number is None else [ipu_number], [tiles]
    try:
        yield
    finally:
        _ipus[:], _tile_sets[:] = saved


@contextmanager
def io_tiles() -> Iterator[None]:
    """Operators inside run on the tiles set aside for transfers with the host, of which each IPU
    has `numIOTiles` (`ir._pb_ir.getSessionOptions()`); with none, where the others run."""
    with tile_set("io"):
        yield


@contextmanager
def name_scope(name: str) -> Iterator[str]:
    """Names of tensors made inside begin with `name/`."""
    _scopes.append(name)
    try:
        yield name
    finally:
        _scopes.pop()


@contextmanager
def in_sequence(enabled: Union[bool, str] = True) -> Iterator[None]:
    """Operators inside run in the order in which they are made.

    With False they are not ordered among each other, and with "pass" not at all. Where that
    leaves open whether something is read before or after it is written, sessions refuse the
    program; else nothing depends on it here, since operators always run in that order.
    """
    if enabled is None:
        raise TypeError("`None` cannot be passed to `popxl.in_sequence`.")
    if enabled not in (True, False, "pass"):
        raise TypeError(f"`popxl.in_sequence` takes True, False or 'pass', not {enabled!r}.")
    if _sequences and _sequences[-1] is not None:
        _sequences[-1].parts += 1
    _sequences.append(None if enabled == "pass" else Sequence(bool(enabled)))
    try:
        yield
    finally:
        _sequences.pop()


@contextmanager
def outside_scopes() -> Iterator[None]:
    """For a graph of its own: IPUs and names of the caller do not count inside."""
    saved = (_ipus[:], _tile_sets[:], _scopes[:])
    _scopes.clear()
    try:
        yield
    finally:
        _ipus[:], _tile_sets[:], _scopes[:] = saved
