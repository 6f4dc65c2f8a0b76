# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads data in a process of its own.

The process copies the tensors of each item into one of a few slots of shared memory, in turn, and
says which; the program reads them there, and gives the slot back when it asks for the next item.

    program                              process
      start 0                  ---->
                               <----     slot 0: tensors ...; item of pass 0 in slot 0
                               <----     slot 1: tensors ...; item of pass 0 in slot 1
      free 0                   ---->
                               <----     end of pass 0

Passes over the data have numbers, so that items of a pass that the program has left are known and
thrown away. The process is one pass ahead at most.
"""

import multiprocessing
import multiprocessing.connection
import multiprocessing.reduction
import multiprocessing.util
import random
import signal
from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch
import torch.multiprocessing
from torch._utils import ExceptionWrapper

from . import _structure
from .enums import SharingStrategy
from .errors import Error

# The way in which each strategy starts the process.
_METHODS = {SharingStrategy.SharedMemory: "spawn", SharingStrategy.FileSystem: "spawn",
            SharingStrategy.Fork: "fork", SharingStrategy.ForkServer: "forkserver"}


def _generatorWith(state: bytes) -> torch.Generator:
    generator = torch.Generator()
    generator.set_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
    return generator


# PyTorch hands the state over in shared memory, which is gone before the process has it.
multiprocessing.reduction.ForkingPickler.register(
    torch.Generator, lambda generator: (_generatorWith, (generator.get_state().numpy().tobytes(),)))


class _Left(Exception):
    """The program has left the pass that is being loaded, or wants no more data."""


class _Ring:
    """The slots, and the messages about them, as the process sees them."""

    def __init__(self, connection: Any, slots: int, early: bool, ahead: int):
        self._connection = connection
        self._slots: List[Optional[List[torch.Tensor]]] = [None] * slots
        self._free = list(range(slots))
        self._ahead = ahead
        self.asked = 0 if early else -1  # the latest pass that the program wants
        self.current = -1
        self.stopped = False
        self._parent = multiprocessing.parent_process()

    def begin(self) -> None:
        """Waits until the next pass is wanted."""
        self.current += 1
        while self.current > self.asked + (self._ahead if self.asked >= 0 else 0):
            self._receive()
        self.current = max(self.current, self.asked)

    def slot(self) -> int:
        """A free slot, as soon as there is one."""
        while self._connection.poll():
            self._receive()
        self._stay()
        while not self._free:
            self._receive()
            self._stay()
        return self._free.pop(0)

    def _stay(self) -> None:
        if self.current < self.asked:
            raise _Left

    def tensors(self, slot: int, like: List[Tuple[torch.Size, torch.dtype]]) -> List[torch.Tensor]:
        """The memory of a slot, made again if its shapes are others."""
        tensors = self._slots[slot]
        if tensors is None or [(t.shape, t.dtype) for t in tensors] != like:
            tensors = [torch.empty(shape, dtype=dtype).share_memory_() for shape, dtype in like]
            self._slots[slot] = tensors
            self._connection.send(("slot", slot, tensors))
        return tensors

    def giveBack(self, slot: int) -> None:
        """A slot that has not been sent."""
        self._free.insert(0, slot)

    def send(self, kind: str, *values: Any) -> None:
        self._connection.send((kind, self.current, *values))

    def _receive(self) -> None:
        """Takes one message; the end of the program ends this process, too."""
        sentinels = [] if self._parent is None else [self._parent.sentinel]
        ready = multiprocessing.connection.wait([self._connection, *sentinels])
        if self._connection not in ready:
            self._stop()
        try:
            kind, number = self._connection.recv()
        except (EOFError, OSError):
            self._stop()
        if kind == "stop":
            self._stop()
        elif kind == "free":
            self._free.append(number)
        else:
            self.asked = max(self.asked, number)

    def _stop(self) -> None:
        self.stopped = True
        raise _Left


def _items(dataset: Any) -> Iterator[Any]:
    if hasattr(dataset, "__iter__"):
        return iter(dataset)
    return (dataset[index] for index in range(len(dataset)))


def _loadWhole(ring: _Ring, dataset: Any) -> None:
    """A pass whose items are handed on as they are."""
    for item in _items(dataset):
        tensors, structure = _structure.flatten(item)
        slot = ring.slot()
        memory = ring.tensors(slot, [(tensor.shape, tensor.dtype) for tensor in tensors])
        for target, tensor in zip(memory, tensors):
            target.copy_(tensor.detach())
        ring.send("item", slot, structure, None)


def _holdsValues(node: Any) -> bool:
    """Returns true if a structure has values that are no tensors; each item has its own."""
    kind, rest = node[0], node[1:]
    if kind == "value":
        return rest[0] is not None
    if kind in ("tensor", "custom"):
        return False
    children = rest[0] if kind in ("list", "tuple") else rest[1]
    return any(_holdsValues(child[1] if kind == "dict" else child) for child in children)


class _Rebatching:
    """A pass whose items, small batches, are joined to batches of `size` rows."""

    def __init__(self, ring: _Ring, size: int, drop_last: bool):
        self._ring, self._size, self._drop_last = ring, size, drop_last
        self._slot = -1
        self._rows = 0
        self._structure: Any = None
        self._memory: List[torch.Tensor] = []

    def load(self, dataset: Any) -> None:
        try:
            for item in _items(dataset):
                self._add(item)
            if self._rows and not self._drop_last:
                self._send(self._rows)
        finally:
            if self._slot >= 0:
                self._ring.giveBack(self._slot)

    def _add(self, item: Any) -> None:
        tensors, structure = _structure.flatten(item)
        if _holdsValues(structure.root) or len(tensors) != self._count(tensors):
            raise Error("Items cannot be joined to batches: they must be alike, and hold tensors "
                        "only.")
        counts = {tensor.shape[0] if tensor.dim() else None for tensor in tensors}
        if len(counts) != 1 or None in counts:
            raise Error("Items cannot be joined to batches: their tensors must have the same "
                        "first dimension, and have "
                        f"{', '.join(str(tuple(tensor.shape)) for tensor in tensors)}.")
        first, count = 0, tensors[0].shape[0]
        while first < count:
            rows = min(count - first, self._size - self._rows)
            self._copy(tensors, structure, first, rows)
            first += rows

    def _count(self, tensors: List[torch.Tensor]) -> int:
        """The number of tensors that an item has to have."""
        return len(self._memory) if self._slot >= 0 else len(tensors)

    def _copy(self, tensors: List[torch.Tensor], structure: Any, first: int, rows: int) -> None:
        if self._slot < 0:
            self._slot, self._structure = self._ring.slot(), structure
            self._memory = self._ring.tensors(self._slot, [
                (torch.Size((self._size, *tensor.shape[1:])), tensor.dtype)
                for tensor in tensors])
        for target, tensor in zip(self._memory, tensors):
            target[self._rows:self._rows + rows].copy_(tensor[first:first + rows].detach())
        self._rows += rows
        if self._rows == self._size:
            self._send(None)

    def _send(self, rows: Optional[int]) -> None:
        self._ring.send("item", self._slot, self._structure, rows)
        self._slot, self._rows = -1, 0


def _work(connection: Any, dataset: Any, settings: Dict[str, Any]) -> None:
    """The process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program ends this process
    torch.set_num_threads(1)
    # Workers of a loader are forked from here, however this process was started.
    multiprocessing.set_start_method("fork", force=True)
    if settings["file_system"]:
        torch.multiprocessing.set_sharing_strategy("file_system")
    _seed(settings["seed"])
    _structure._parsers.update(settings["parsers"])
    ring = _Ring(connection, settings["buffer_size"], settings["early_preload"],
                 int(settings["load_indefinitely"]))
    while not ring.stopped:
        try:
            ring.begin()
            _pass(ring, dataset, settings)
            ring.send("end")
        except _Left:
            continue
        except (BrokenPipeError, ConnectionError):
            return
        except Exception:  # of the dataset: the program raises it
            ring.send("error", ExceptionWrapper(where="in the process that loads data"))


def _pass(ring: _Ring, dataset: Any, settings: Dict[str, Any]) -> None:
    if settings["rebatched_size"] is None:
        _loadWhole(ring, dataset)
    else:
        _Rebatching(ring, settings["rebatched_size"], settings["drop_last"]).load(dataset)


def _seed(seed: int) -> None:
    torch.manual_seed(seed)
    random.seed(seed)
    try:
        import numpy

        numpy.random.seed(seed % 2**32)
    except ImportError:
        pass


def _end(process: Any, connection: Any) -> None:
    """Ends a process, gently first."""
    try:
        connection.send(("stop", 0))
    except (OSError, ValueError):
        pass
    if process.is_alive():
        process.join(1)
    if process.is_alive():
        process.terminate()
        process.join(5)
    if process.is_alive():
        process.kill()
        process.join()
    connection.close()


class AsynchronousDataAccessor:
    """Iterates over a loader or dataset that works in a process of its own. Tensors that it returns
    are overwritten after the next item is asked for: clone those that have to stay.

    The process begins with the first pass over the data, or at once (early_preload), and goes on
    with the next pass by itself (load_indefinitely). A rebatched_size joins items to batches of so
    many rows. miss_sleep_time_in_ms has no effect: the program waits for messages.
    """

    def __init__(self, dataset: Any, buffer_size: int = 3, miss_sleep_time_in_ms: float = 0.1,
                 load_indefinitely: bool = True, early_preload: bool = False,
                 sharing_strategy: SharingStrategy = SharingStrategy.ForkServer,
                 rebatched_size: Optional[int] = None, drop_last: bool = True):
        assert isinstance(buffer_size, int) and buffer_size > 0, (
            f"buffer_size must be a number greater than 0, not {buffer_size!r}")
        assert miss_sleep_time_in_ms >= 0, "miss_sleep_time_in_ms must not be negative"
        assert isinstance(sharing_strategy, SharingStrategy), (
            f"Expected a poptorch.SharingStrategy, not {sharing_strategy!r}")
        assert rebatched_size is None or rebatched_size > 0, (
            f"rebatched_size must be greater than 0, not {rebatched_size!r}")
        self._dataset = dataset
        self._rebatched_size, self._drop_last = rebatched_size, drop_last
        self._slots: Dict[int, List[torch.Tensor]] = {}
        self._pass = 0  # the pass that is read, or the next one
        self._is_begun = False  # something of the pass has been read
        self._is_iterating = False
        self._held: Optional[int] = None
        self._start(sharing_strategy, {
            "buffer_size": buffer_size, "early_preload": early_preload,
            "load_indefinitely": load_indefinitely, "rebatched_size": rebatched_size,
            "drop_last": drop_last, "parsers": dict(_structure._parsers),
            "seed": int(torch.empty((), dtype=torch.int64).random_().item()),
            "file_system": sharing_strategy == SharingStrategy.FileSystem})

    def _start(self, strategy: SharingStrategy, settings: Dict[str, Any]) -> None:
        context = multiprocessing.get_context(_METHODS[strategy])
        if strategy == SharingStrategy.ForkServer:
            # The first process imports it, the others are forked from there.
            context.set_forkserver_preload(["torch", "poptorch"])  # type: ignore[attr-defined]
        self._connection, theirs = context.Pipe()
        # No daemon: those may not have processes of their own.
        self._process = context.Process(target=_work, args=(theirs, self._dataset, settings),
                                        daemon=False)
        self._process.start()
        theirs.close()
        # Before multiprocessing waits for processes at the end of the program.
        self._finalizer = multiprocessing.util.Finalize(
            self, _end, (self._process, self._connection), exitpriority=100)

    def terminate(self) -> None:
        """Ends the process; nothing can be read any more."""
        self._slots.clear()
        self._finalizer()

    def __len__(self) -> int:
        length = len(self._dataset)
        if self._rebatched_size is None:
            return length
        rows = length * (getattr(self._dataset, "batch_size", None) or 1)
        rounding = 0 if self._drop_last else self._rebatched_size - 1
        return (rows + rounding) // self._rebatched_size

    def __iter__(self) -> Iterator[Any]:
        self._checkOpen()
        self._release()
        if self._is_begun:  # the last pass was left
            self._pass += 1
        self._is_begun, self._is_iterating = False, True
        self._send("start", self._pass)
        return self

    def __next__(self) -> Any:
        self._checkOpen()
        if not self._is_iterating:
            raise StopIteration
        self._release()
        while True:
            kind, number, *values = self._receive()
            if kind == "slot":
                self._slots[number] = values[0]
            elif number < self._pass:  # of a pass that was left
                if kind == "item":
                    self._send("free", values[0])
            else:
                return self._take(kind, values)

    def _take(self, kind: str, values: List[Any]) -> Any:
        if kind == "item":
            slot, structure, rows = values
            self._held, self._is_begun = slot, True
            tensors = self._slots[slot]
            return structure.rebuild(tensors if rows is None else [t[:rows] for t in tensors])
        self._pass += 1
        self._is_begun = self._is_iterating = False
        if kind == "error":
            values[0].reraise()
        raise StopIteration

    def _release(self) -> None:
        if self._held is not None:
            self._send("free", self._held)
            self._held = None

    def _checkOpen(self) -> None:
        if not self._finalizer.still_active():
            raise Error("The AsynchronousDataAccessor has been terminated.")

    def _send(self, kind: str, number: int) -> None:
        try:
            self._connection.send((kind, number))
        except (BrokenPipeError, ConnectionError):
            self._lost()

    def _receive(self) -> Tuple[Any, ...]:
        ready = multiprocessing.connection.wait([self._connection, self._process.sentinel])
        if self._connection not in ready:
            self._lost()
        try:
            return self._connection.recv()
        except (EOFError, ConnectionError):
            self._lost()
        raise AssertionError

    def _lost(self) -> None:
        self._process.join(5)
        code = self._process.exitcode
        self.terminate()
        raise Error(f"The process that loads data has ended with the status {code}; its messages "
                    "are on the standard error.")
