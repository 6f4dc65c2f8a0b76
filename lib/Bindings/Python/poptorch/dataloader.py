# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loader of data whose batches are as large as a call of a model needs.

    loader = poptorch.DataLoader(options, dataset, batch_size=16, shuffle=True)

Each batch has batch_size elements for each device iteration, replica and micro-batch that
accumulates. A loader may work in a process of its own (mode), and each process of a job gets its
share of the data.
"""

import copy
from typing import Any, Dict, Iterator, Optional

import torch
import torch.utils.data

from ._async import AsynchronousDataAccessor
from ._logging import logger
from ._sampling import JoinedBatches, ShareSampler
from .enums import DataLoaderMode
from .errors import ArgumentError, Error
from .options import Options


class DataLoader(torch.utils.data.DataLoader):
    """torch.utils.data.DataLoader, with batches for a model with these options.

    An incomplete last batch is left out unless drop_last is False. With batch_size None elements
    come as the data set has them. With a batch_sampler, its batches are joined.
    auto_distributed_partitioning gives each process of a job its share. async_options are those
    of AsynchronousDataAccessor; the process loads batches of rebatched_worker_size, 1 by default,
    if the mode is AsyncRebatched.
    """

    def __init__(self, options: Options, dataset: Any, batch_size: Optional[int] = 1,
                 shuffle: Optional[bool] = None, num_workers: int = 0, drop_last: bool = True,
                 persistent_workers: Optional[bool] = None,
                 auto_distributed_partitioning: bool = True,
                 mode: DataLoaderMode = DataLoaderMode.Sync,
                 async_options: Optional[Dict[str, Any]] = None,
                 rebatched_worker_size: Optional[int] = None, batch_sampler: Any = None,
                 **kwargs: Any):
        self._accessor: Optional[AsynchronousDataAccessor] = None
        assert isinstance(options, Options), f"Expected poptorch.Options, not {options!r}"
        assert isinstance(mode, DataLoaderMode), (
            f"mode must be a poptorch.DataLoaderMode, not {mode!r}")
        options._freeze()
        self._options = options
        self._factor = (options.device_iterations * options.Training.gradient_accumulation
                        * _replicaGroups(options))
        self._drop = drop_last
        self._combined = _combined(batch_size, batch_sampler, self._factor)
        self._rebatched = _rebatches(mode, batch_size, batch_sampler, drop_last, self._combined)
        self._checkModes(mode, async_options, rebatched_worker_size)
        arguments = self._torchArguments(
            dataset, batch_size, shuffle, auto_distributed_partitioning, batch_sampler,
            rebatched_worker_size, kwargs)
        if persistent_workers is None:
            persistent_workers = num_workers > 0
        _warnOfCopies(dataset, num_workers, kwargs)
        super().__init__(dataset, num_workers=num_workers, persistent_workers=persistent_workers,
                         **arguments)
        if mode != DataLoaderMode.Sync:
            # A copy, for two that know each other would outlive their last use.
            self._accessor = AsynchronousDataAccessor(
                copy.copy(self), rebatched_size=self._combined if self._rebatched else None,
                drop_last=drop_last, **(async_options or {}))

    def _checkModes(self, mode: DataLoaderMode, async_options: Optional[Dict[str, Any]],
                    worker_size: Optional[int]) -> None:
        """Arguments that only some modes have."""
        assert async_options is None or mode != DataLoaderMode.Sync, (
            "async_options are for the modes Async and AsyncRebatched")
        for name in ("dataset", "rebatched_size", "drop_last"):
            assert name not in (async_options or {}), (
                f"{name} is not one of async_options: the DataLoader sets it")
        if worker_size is not None:
            assert mode == DataLoaderMode.AsyncRebatched, (
                "rebatched_worker_size is for the mode AsyncRebatched")
            assert self._combined is not None and 0 < worker_size <= self._combined, (
                f"rebatched_worker_size must be from 1 to the combined batch size "
                f"{self._combined}, not {worker_size}")

    def _torchArguments(self, dataset: Any, batch_size: Optional[int], shuffle: Optional[bool],
                        partitioning: bool, batch_sampler: Any, worker_size: Optional[int],
                        given: Dict[str, Any]) -> Dict[str, Any]:
        """Arguments of torch's class: order and batches."""
        arguments = dict(given)
        if arguments.get("generator") is None and self._options.random_seed is not None:
            arguments["generator"] = torch.Generator().manual_seed(self._options.random_seed)
        is_shared = partitioning and self._options.Distributed.numProcesses > 1
        if batch_sampler is not None:
            _checkAlone(batch_size, shuffle, given, is_shared)
            arguments["batch_sampler"] = JoinedBatches(batch_sampler, self._factor, self._drop)
            return arguments
        if self._rebatched:
            arguments.update(batch_size=worker_size or 1, drop_last=False)
        else:
            # Without batches there is no last one.
            arguments.update(batch_size=self._combined,
                             drop_last=self._drop and self._combined is not None)
        if is_shared:
            arguments["sampler"] = self._share(dataset, bool(shuffle), given)
        elif not isinstance(dataset, torch.utils.data.IterableDataset):
            arguments["shuffle"] = shuffle
        elif shuffle:
            raise ArgumentError("An IterableDataset cannot be shuffled.")
        return arguments

    def _share(self, dataset: Any, shuffle: bool, given: Dict[str, Any]) -> ShareSampler:
        """The elements of this process."""
        assert not isinstance(dataset, torch.utils.data.IterableDataset), (
            "An IterableDataset cannot be shared between processes: use "
            "auto_distributed_partitioning=False, and let each process iterate over its part")
        if given.get("sampler") is not None:
            raise ArgumentError("A sampler and auto_distributed_partitioning exclude each other "
                                "in a job of several processes.")
        seed = self._options.random_seed
        assert not shuffle or seed is not None, (
            "Processes that share shuffled data need the same seed: set Options.randomSeed")
        distributed = self._options.Distributed
        return ShareSampler(len(dataset), distributed.numProcesses, distributed.processId,
                            (self._combined or 1) if self._drop else None,
                            seed if shuffle else None)

    @property
    def combinedBatchSize(self) -> Optional[int]:
        """Elements of a batch; None if there are no batches, or those of a sampler of its own
        kind."""
        return self._combined

    @property
    def options(self) -> Options:
        """The options that the loader was made from, which are frozen."""
        return self._options

    def __len__(self) -> int:
        if not self._rebatched:
            return super().__len__()
        length = len(self.dataset) if isinstance(
            self.dataset, torch.utils.data.IterableDataset) else len(self.sampler)
        assert self._combined is not None
        rounding = 0 if self._drop else self._combined - 1
        return (length + rounding) // self._combined

    def __iter__(self) -> Iterator[Any]:
        if self._accessor is None:
            return super().__iter__()
        return iter(self._accessor)

    def terminate(self) -> None:
        """Ends the process that loads, if there is one."""
        if self._accessor is not None:
            self._accessor.terminate()

    def __getstate__(self) -> Dict[str, Any]:
        # The process that loads gets a copy that works where it is.
        return {**self.__dict__, "_accessor": None, "_iterator": None}


def _replicaGroups(options: Options) -> int:
    """Replicas that get data of their own."""
    groups, rest = divmod(options.replication_factor, options.input_group_size)
    if rest:
        raise Error(f"{options.replication_factor} replicas cannot be in groups of "
                    f"{options.input_group_size}.")
    return groups


def _combined(batch_size: Optional[int], batch_sampler: Any, factor: int) -> Optional[int]:
    if batch_sampler is not None:
        batch_size = getattr(batch_sampler, "batch_size", None)
    return None if batch_size is None else batch_size * factor


def _rebatches(mode: DataLoaderMode, batch_size: Optional[int], batch_sampler: Any,
               drop_last: bool, combined: Optional[int]) -> bool:
    """Returns true if the process joins elements or small batches."""
    if mode == DataLoaderMode.AsyncRebatched:
        assert batch_size is not None and batch_sampler is None, (
            "The mode AsyncRebatched needs a batch_size and no batch_sampler")
        return True
    return (mode == DataLoaderMode.Async and not drop_last and batch_sampler is None
            and combined is not None and combined > 1)


def _checkAlone(batch_size: Optional[int], shuffle: Optional[bool], given: Dict[str, Any],
                is_shared: bool) -> None:
    """A batch sampler says all about order and batches."""
    if batch_size not in (None, 1) or shuffle or given.get("sampler") is not None:
        raise ArgumentError("A batch_sampler excludes batch_size, shuffle and sampler.")
    if is_shared:
        raise ArgumentError("A batch_sampler excludes auto_distributed_partitioning in a job of "
                            "several processes.")


def _warnOfCopies(dataset: Any, num_workers: int, given: Dict[str, Any]) -> None:
    if (isinstance(dataset, torch.utils.data.IterableDataset) and num_workers > 0
            and given.get("worker_init_fn") is None):
        logger.warning("Each of the %d workers returns all elements of the IterableDataset: a "
                       "worker_init_fn can give each of them its part.", num_workers)
