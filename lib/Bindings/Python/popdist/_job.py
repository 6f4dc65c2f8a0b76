# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The job of this process: what poprun writes into the environment, and the library through which
processes exchange data.

poprun sets for each process, for example for the second of two with two replicas each:

    POPDIST_NUM_INSTANCES=2              POPDIST_INSTANCE_INDEX=1
    POPDIST_NUM_TOTAL_REPLICAS=4         POPDIST_LOCAL_INSTANCE_INDEX=1
    POPDIST_NUM_LOCAL_REPLICAS=2         POPDIST_REPLICA_INDEX_OFFSET=2
    POPDIST_NUM_IPUS_PER_REPLICA=1       POPDIST_OFFLINE_MODE=0

Without these there is one process, with one replica.
"""

import atexit
import ctypes
import os
import pathlib
import sys
from typing import Any, Optional, Sequence

_LIBRARY = "libpopulus-mpi.so"


class NoJobError(RuntimeError):
    """What a call needs is only there in a process that poprun has started."""


def number(name: str, default: int) -> int:
    """A number of the environment; RuntimeError where it is none."""
    text = os.environ.get(f"POPDIST_{name}")
    if text is None:
        return default
    if not text.isdigit():
        raise RuntimeError(f"POPDIST_{name} is {text!r}, and has to be a number; poprun sets it.")
    return int(text)


def is_set() -> bool:
    """Whether poprun has started this process."""
    return "POPDIST_NUM_INSTANCES" in os.environ


class Library:
    """The functions of the fabric's library (lib/Distribution)."""

    def __init__(self) -> None:
        path = _library_path()
        # Open MPI loads components, which look for its symbols.
        self._library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        index, count = ctypes.c_uint(), ctypes.c_uint()
        self._call("populusMpiBegin", ctypes.byref(index), ctypes.byref(count))
        self.index, self.count = index.value, count.value
        if self.count != number("NUM_INSTANCES", 1) or self.index != number("INSTANCE_INDEX", 0):
            raise RuntimeError(
                f"MPI says that this is process {self.index} of {self.count}, and poprun that it "
                f"is instance {number('INSTANCE_INDEX', 0)} of {number('NUM_INSTANCES', 1)}; does "
                "the program start others by mpirun?")

    def _call(self, name: str, *arguments: Any) -> None:
        error = ctypes.create_string_buffer(512)
        function = getattr(self._library, name)
        function.restype = ctypes.c_int
        if function(*arguments, error, ctypes.c_size_t(len(error))) != 0:
            raise RuntimeError(error.value.decode(errors="replace"))

    def end(self) -> None:
        """Waits for all processes, and ends."""
        self._call("populusMpiEnd")

    def gather(self, members: Sequence[int], tag: int, own: Any, everything: Any) -> None:
        """Fills an array with the members' arrays, one after the other."""
        self._call("populusMpiGather", _numbers(members), ctypes.c_uint(len(members)),
                   ctypes.c_uint(tag), ctypes.c_void_p(own.ctypes.data),
                   ctypes.c_void_p(everything.ctypes.data), ctypes.c_uint64(own.nbytes))

    def broadcast(self, members: Sequence[int], root: int, tag: int, data: Any) -> None:
        """Replaces the members' arrays by that of the process `root`."""
        self._call("populusMpiBroadcast", _numbers(members), ctypes.c_uint(len(members)),
                   ctypes.c_uint(root), ctypes.c_uint(tag), ctypes.c_void_p(data.ctypes.data),
                   ctypes.c_uint64(data.nbytes))


def _numbers(members: Sequence[int]) -> Any:
    return (ctypes.c_uint * len(members))(*members)


def _library_path() -> pathlib.Path:
    """In the lib/ of the tree that holds this package."""
    here = pathlib.Path(__file__).resolve().parent.parent
    for folder in (here, here.parent, here / "populus"):
        for found in sorted(folder.glob(f"lib*/**/{_LIBRARY}")):
            return found
    raise RuntimeError(f"This build has no {_LIBRARY}, without which processes cannot exchange "
                       "data; install Open MPI (libopenmpi-dev) and build again.")


_library: Optional[Library] = None


def begin() -> Library:
    """The library; loads it on the first call."""
    global _library
    if _library is None:
        _library = Library()
        _leave_after_exceptions()
    return _library


def _leave_after_exceptions() -> None:
    """mpi4py finalises MPI when a program ends, also after an exception, and waits for the other
    processes, which may wait for this one. A program that has failed leaves without that."""
    failures = []
    hook = sys.excepthook

    def note(kind: Any, *arguments: Any) -> None:
        failures.append(kind)
        hook(kind, *arguments)

    def leave() -> None:
        if failures and "mpi4py.MPI" in sys.modules:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)

    sys.excepthook = note
    atexit.register(leave)


def is_begun() -> bool:
    return _library is not None


def end() -> None:
    """Ends the part of this process in the job. Other processes wait for it no longer."""
    global _library
    if _library is not None:
        library, _library = _library, None
        library.end()
