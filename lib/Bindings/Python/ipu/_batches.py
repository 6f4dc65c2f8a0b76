# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches for programs: taken from Keras's iterators, and stacked for the steps and replicas of a
run. Data sets that Keras does not know become generators."""

import itertools
import warnings
from typing import Any, Iterable, Iterator, List, Optional, Sequence

import jax
import numpy as np


def take(iterator: Iterator, count: int) -> List[Any]:
    """The next batches, as arrays; at least one."""
    batches = [next(iterator)]
    batches += itertools.islice(iterator, count - 1)
    return [jax.tree.map(np.asarray, batch) for batch in batches]


def runs(batches: Sequence[Any], replicas: int) -> Iterator[List[Any]]:
    """Groups of batches of one shape, in order: a program has fixed shapes. Raises ValueError for
    a group that replicas cannot share."""
    for _, group in itertools.groupby(batches, _shapes):
        group = list(group)
        if len(group) % replicas:
            raise ValueError(f"An epoch ends with {len(group)} batches of one size, and "
                             f"{replicas} replicas cannot share them: let the number of batches "
                             f"be a multiple of {replicas}, and the batch size divide the number "
                             "of samples.")
        yield group


def _shapes(batch: Any) -> List[Any]:
    return [leaf.shape for leaf in jax.tree.leaves(batch)]


def stacked(batches: Sequence[Any], replicas: int) -> Any:
    """[steps, ...] or, for several replicas, [replicas, steps, ...]: replica r takes batch
    r, r + replicas and so on."""
    def stack(*leaves: Any) -> np.ndarray:
        rows = np.stack(leaves)
        if replicas == 1:
            return rows
        return np.swapaxes(rows.reshape(-1, replicas, *rows.shape[1:]), 0, 1)
    return jax.tree.map(stack, *batches)


class OddBatches:
    """Warns once when a run has other shapes than the first: it is a program of its own."""

    def __init__(self) -> None:
        self._first: Optional[List[Any]] = None
        self._warned = False

    def note(self, batches: Sequence[Any]) -> None:
        """Looks at the batches of a run."""
        shapes = [len(batches), *_shapes(batches[0])]
        self._first = self._first or shapes
        if shapes == self._first or self._warned:
            return
        self._warned = True
        warnings.warn(
            f"A run of {_words(shapes)} follows one of {_words(self._first)}, and a program has "
            "fixed shapes: another one is compiled for it. The batch size should divide the "
            "number of samples, and steps_per_execution the number of steps of an epoch.",
            stacklevel=3)


def _words(shapes: List[Any]) -> str:
    samples = shapes[1][0] if len(shapes) > 1 and shapes[1] else "?"
    return f"{shapes[0]} x {samples} samples"


# ---- Data sets that Keras does not know ----------------------------------------------


def known(data: Any, steps: Optional[int]) -> Any:
    """A data set as Keras takes it. Objects that can be iterated over again and again, such as
    `tf.data.Dataset`, become a `PyDataset`. Raises ValueError for one whose length nobody
    knows."""
    import keras

    if not _is_foreign(data, keras):
        return data
    count = _length(data) if steps is None else steps
    if count is None:
        raise ValueError(f"{type(data).__name__} has no length; give steps_per_epoch (steps of "
                         "evaluate and predict).")

    class Batches(keras.utils.PyDataset):
        """Batches in the order of the data set, whatever index Keras asks for. With a number of
        steps it goes on from epoch to epoch, as a generator does."""

        def __init__(self) -> None:
            super().__init__()
            self._batches: Iterator = iter(())

        @property
        def num_batches(self) -> Optional[int]:
            return count if steps is None else None

        def __getitem__(self, index: int) -> Any:
            if steps is not None and index == 0:
                self._batches = iter(data)
            for batch in self._batches:
                return batch
            self._batches = iter(data)
            return next(self._batches)

        def on_epoch_begin(self) -> None:
            if steps is None:
                self._batches = iter(data)

    return Batches()


_OF_KERAS = ("torch.utils.data", "tensorflow", "grain", "jax", "pandas", "keras")


def _is_foreign(data: Any, keras: Any) -> bool:
    if isinstance(data, (list, tuple, dict, str, np.ndarray, keras.utils.PyDataset, Iterator)):
        return False
    if hasattr(data, "__array__") or not isinstance(data, Iterable):
        return False
    names = [c.__module__ for c in type(data).__mro__]
    return not any(name.startswith(_OF_KERAS) for name in names)


def _length(data: Any) -> Optional[int]:
    if hasattr(data, "__len__"):
        return len(data)
    cardinality = getattr(data, "cardinality", None)
    count = int(cardinality()) if callable(cardinality) else -1
    return count if count >= 0 else None
