# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of the host: arrays of all processes of a job, as horovod and mpi4py have them.

    from popdist import collectives
    loss = collectives.allreduce(loss)            # the mean
    weights = collectives.broadcast(weights, 0)

All processes call the same collectives in the same order, or those of `execute_on_instances`.
Elements are added up in the order of the processes, so the bits do not depend on how they run. A
program without poprun is a job of one process. Arrays may be numbers, lists or tensors of PyTorch,
too; the result is an array of NumPy.
"""

import zlib
from typing import Any, List, Optional

import numpy as np

from popdist import _job, _members

_OPERATIONS = ("mean", "sum", "min", "max", "product")


def size() -> int:
    """How many processes take part."""
    return len(_members.current())


def rank() -> int:
    """Which of them this one is."""
    return _members.current().index(_job.number("INSTANCE_INDEX", 0))


def barrier() -> None:
    """Waits until all have come so far."""
    allgather(np.zeros(1, np.uint8))


def broadcast(data: Any, root: int = 0, name: Optional[str] = None) -> np.ndarray:
    """The array of process `root`; those of the others have its shape and type."""
    array = _array(data)
    members = _members.current()
    _check_root(root, members)
    _check_same(array, name)
    if len(members) > 1:
        _job.begin().broadcast(members, root, _tag(name, members), array)
    return array


def allreduce(data: Any, op: str = "mean", name: Optional[str] = None) -> np.ndarray:
    """The mean, sum, min, max or product of the arrays of all."""
    if op not in _OPERATIONS:
        raise ValueError(f"There is no operation {op!r}; there are {', '.join(_OPERATIONS)}.")
    arrays = list(_stacked(data, name))
    if op == "mean" and not np.issubdtype(arrays[0].dtype, np.floating):
        raise TypeError(f"The mean of {arrays[0].dtype} is no {arrays[0].dtype}; use op='sum', or "
                        "convert to floats.")
    function = {"min": np.minimum, "max": np.maximum, "product": np.multiply}.get(op, np.add)
    result = arrays[0].copy()
    for array in arrays[1:]:
        result = function(result, array).astype(result.dtype)
    if op == "mean":
        result = (result / len(arrays)).astype(result.dtype)
    return result


def allgather(data: Any, name: Optional[str] = None) -> np.ndarray:
    """The arrays of all, joined along the first dimension."""
    arrays = _stacked(data, name)
    return arrays.reshape(-1) if arrays.ndim == 1 else np.concatenate(list(arrays))


def gather_objects(value: Any) -> List[Any]:
    """Values of any kind that pickle knows, one of each process."""
    import pickle

    own = np.frombuffer(pickle.dumps(value), np.uint8)
    sizes = _stacked(np.int64(own.size), None)
    padded = np.zeros(int(sizes.max()), np.uint8)
    padded[:own.size] = own
    parts = _stacked(padded, None)
    return [pickle.loads(part[:count].tobytes()) for part, count in zip(parts, sizes)]


def broadcast_object(value: Any, root: int = 0) -> Any:
    """The value of process `root`, of any kind that pickle knows."""
    members = _members.current()
    _check_root(root, members)
    return gather_objects(value)[members.index(root)]


def _array(data: Any) -> np.ndarray:
    if hasattr(data, "detach"):  # a tensor of PyTorch
        data = data.detach().cpu().numpy()
    array = np.array(data, order="C")
    if array.dtype.hasobject:
        raise TypeError(f"{type(data).__name__} is no array of numbers; gather_objects and "
                        "broadcast_object take values of any kind.")
    return array


def _stacked(data: Any, name: Optional[str]) -> np.ndarray:
    array = _array(data)
    _check_same(array, name)
    return _gathered(array, name)


def _gathered(array: np.ndarray, name: Optional[str]) -> np.ndarray:
    members = _members.current()
    result = np.empty((len(members), *array.shape), array.dtype)
    if len(members) == 1:
        result[0] = array
    elif array.nbytes != 0:
        _job.begin().gather(members, _tag(name, members), array, result)
    return result


def _check_same(array: np.ndarray, name: Optional[str]) -> None:
    """ValueError in all processes where shapes or types differ."""
    text = f"{array.dtype} {array.shape}"
    own = np.frombuffer(text.ljust(256)[:256].encode(), np.uint8)
    texts = [bytes(row).decode().rstrip() for row in _gathered(own, name)]
    if len(set(texts)) != 1:
        raise ValueError("The arrays of a collective have to be alike: "
                         f"{', '.join(f'{t} in {i}' for i, t in zip(_members.current(), texts))}.")


def _check_root(root: int, members: List[int]) -> None:
    if root not in members:
        raise ValueError(f"Instance {root} takes no part; {members} do.")


def _tag(name: Optional[str], members: List[int]) -> int:
    """Collectives of other names and other processes do not meet."""
    return zlib.crc32(f"{name}{members}".encode())
