# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""poptorch.DataLoader: sizes of batches, order, shares of processes, and loading in a process of
its own."""

import collections
import copy
import sys

import torch

import poptorch
from poptorch import AsynchronousDataAccessor, DataLoader, DataLoaderMode, SharingStrategy

MODES = list(DataLoaderMode)
Pair = collections.namedtuple("Pair", "first second")


class Numbers(torch.utils.data.Dataset):
    """Element i is (2x3 times i, i)."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((2, 3), float(index)), index


class Stream(torch.utils.data.IterableDataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __iter__(self):
        return iter(torch.arange(self.count).float())


class Structures(Numbers):
    def __getitem__(self, index):
        return {"a": torch.tensor([index]), "b": [Pair(torch.ones(2), torch.tensor(index))]}


class Broken(Numbers):
    def __getitem__(self, index):
        if index == 5:
            raise ValueError("element 5 is broken")
        return torch.tensor(index)


class Texts(Numbers):
    def __getitem__(self, index):
        return torch.tensor(index), str(index)


class Own:
    def __init__(self, tensor, label):
        self.tensor, self.label = tensor, label


class OwnParser(poptorch.ICustomArgParser):
    def yieldTensors(self, struct):
        yield struct.tensor

    def reconstruct(self, original_structure, tensor_iterator):
        return Own(next(tensor_iterator), original_structure.label)


class Owns(Numbers):
    def __getitem__(self, index):
        return Own(torch.tensor([index]), "label")


def refused(errors, function, *arguments, **named):
    text = named.pop("text", "")
    try:
        function(*arguments, **named)
    except errors as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"{function} took {arguments} {named}")


def options(iterations=1, replicas=1, accumulation=1):
    result = poptorch.Options().deviceIterations(iterations).replicationFactor(replicas)
    result.Training.gradientAccumulation(accumulation)
    return result


def batches(loader):
    return [labels.tolist() for _, labels in loader]


def cut(count, size, drop_last=True):
    return [list(range(first, min(first + size, count)))
            for first in range(0, count, size) if first + size <= count or not drop_last]


def sizes():
    for mode in MODES:
        for count, size, iterations, replicas, accumulation, drop in (
                (30, 1, 1, 1, 1, True), (30, 2, 2, 1, 1, True), (30, 1, 2, 2, 2, True),
                (30, 2, 2, 1, 1, False), (7, 3, 1, 1, 1, False)):
            loader = DataLoader(options(iterations, replicas, accumulation), Numbers(count), size,
                                mode=mode, drop_last=drop)
            combined = size * iterations * replicas * accumulation
            assert loader.combinedBatchSize == combined
            expected = cut(count, combined, drop)
            assert len(loader) == len(expected)
            for _ in range(2):
                assert batches(loader) == expected, (mode, count, combined, drop)
            loader.terminate()
    grouped = options(replicas=4).inputReplicaGrouping(2, poptorch.CommGroupType.Consecutive)
    assert DataLoader(grouped, Numbers(8), 3).combinedBatchSize == 6
    loader = DataLoader(options(2), Numbers(3), None)
    assert loader.combinedBatchSize is None and [label for _, label in loader] == [0, 1, 2]
    frozen = options()
    assert DataLoader(frozen, Numbers(2)).options is frozen
    refused(AttributeError, frozen.deviceIterations, 2, text="frozen")


def passes():
    """Passes that are left, tensors that are overwritten, loops of several kinds."""
    for mode in (DataLoaderMode.Async, DataLoaderMode.AsyncRebatched):
        for settings in ({}, {"load_indefinitely": False}, {"early_preload": True},
                         {"buffer_size": 1}):
            loader = DataLoader(options(2), Numbers(24), 2, mode=mode, async_options=settings)
            for number in range(3):
                for data, labels in loader:
                    assert torch.equal(data[:, 1, 2], labels.float())
                    if labels[0] == 4 * number:
                        break
            assert batches(loader) == cut(24, 4)
            iterator = iter(loader)
            first, second = next(iterator)[0], next(iterator)[0]
            assert second[0, 0, 0] == 4 and (first.data_ptr() == second.data_ptr()) == (
                settings.get("buffer_size") == 1)
            loader.terminate()
            refused(poptorch.Error, iter, loader, text="terminated")
            loader.terminate()
    forgotten = DataLoader(options(), Numbers(100), mode=DataLoaderMode.Async)
    next(iter(forgotten))
    process = forgotten._accessor._process
    del forgotten
    process.join(5)
    assert not process.is_alive()
    left_to_the_end = DataLoader(options(), Numbers(100), mode=DataLoaderMode.Async)
    next(iter(left_to_the_end))
    globals()["left"] = left_to_the_end  # ends with the program


def workers():
    for mode in MODES:
        more = {"rebatched_worker_size": 3} if mode == DataLoaderMode.AsyncRebatched else {}
        loader = DataLoader(options(2), Numbers(24), 2, num_workers=2, mode=mode, **more)
        assert loader.persistent_workers
        for _ in range(2):
            assert batches(loader) == cut(24, 4)
        loader.terminate()


def accessors():
    # SharedMemory starts a process as FileSystem does, and shares tensors as the others do.
    for strategy in (SharingStrategy.FileSystem, SharingStrategy.Fork, SharingStrategy.ForkServer):
        accessor = AsynchronousDataAccessor(Numbers(5), sharing_strategy=strategy)
        assert len(accessor) == 5 and [label for _, label in accessor] == list(range(5))
        accessor.terminate()
    plain = torch.utils.data.DataLoader(Numbers(10), batch_size=2)
    accessor = AsynchronousDataAccessor(plain, rebatched_size=4)
    assert len(accessor) == 2 and batches(accessor) == cut(10, 4)
    accessor.terminate()
    structures = AsynchronousDataAccessor(Structures(2))
    found = copy.deepcopy(list(map(copy.deepcopy, structures)))
    assert found[1]["a"].tolist() == [1] and found[1]["b"][0].second == 1
    assert type(found[0]["b"][0]) is Pair
    structures.terminate()
    poptorch.registerCustomArgParser(Own, OwnParser())
    own = AsynchronousDataAccessor(Owns(3))
    assert [(item.tensor.item(), item.label) for item in own] == [(i, "label") for i in range(3)]
    own.terminate()
    for wrong in ({"buffer_size": 0}, {"sharing_strategy": 3}, {"rebatched_size": 0}):
        refused(AssertionError, AsynchronousDataAccessor, Numbers(2), **wrong)


def broken():
    for mode in MODES:
        loader = DataLoader(options(), Broken(10), 2, mode=mode)
        iterator = iter(loader)
        assert next(iterator).tolist() == [0, 1] and next(iterator).tolist() == [2, 3]
        refused(ValueError, next, iterator, text="element 5 is broken")
        assert next(iter(loader)).tolist() == [0, 1]
        loader.terminate()
    loader = DataLoader(options(), Texts(4), 2, mode=DataLoaderMode.AsyncRebatched)
    refused(poptorch.Error, next, iter(loader), text="hold tensors only")
    loader.terminate()
    loader = DataLoader(options(), Numbers(10), mode=DataLoaderMode.Async)
    iterator = iter(loader)
    next(iterator)
    loader._accessor._process.kill()
    refused(poptorch.Error, lambda: list(iterator), text="ended with the status -9")


def iterables():
    for mode in MODES:
        loader = DataLoader(options(2), Stream(9), 2, mode=mode)
        assert len(loader) == 2
        assert [batch.tolist() for batch in loader] == [[0, 1, 2, 3], [4, 5, 6, 7]]
        loader.terminate()
    refused(poptorch.Error, DataLoader, options(), Stream(4), shuffle=True)
    shared = options()
    shared.Distributed.configureProcessId(0, 2)
    refused(AssertionError, DataLoader, shared, Stream(4), text="cannot be shared")
    assert len(DataLoader(shared, Stream(4), auto_distributed_partitioning=False)) == 4


def orders():
    seeded = options().randomSeed(3)
    first = DataLoader(seeded, Numbers(32), 4, shuffle=True)
    orders = [batches(first), batches(first)]
    assert orders[0] != orders[1] and sorted(sum(orders[0], [])) == list(range(32))
    for mode in MODES:
        again = DataLoader(options().randomSeed(3), Numbers(32), 4, shuffle=True, mode=mode)
        assert [batches(again), batches(again)] == orders, mode
        again.terminate()
    torch.manual_seed(5)
    one = DataLoader(options(), Numbers(32), 4, shuffle=True, mode=DataLoaderMode.Async)
    torch.manual_seed(6)
    two = DataLoader(options(), Numbers(32), 4, shuffle=True, mode=DataLoaderMode.Async)
    assert batches(one) != batches(two)
    one.terminate()
    two.terminate()
    sampler = torch.utils.data.BatchSampler(range(9, -1, -1), batch_size=2, drop_last=False)
    loader = DataLoader(options(2), Numbers(10), batch_sampler=sampler)
    assert loader.combinedBatchSize == 4 and len(loader) == 2
    assert batches(loader) == [[9, 8, 7, 6], [5, 4, 3, 2]]
    loader = DataLoader(options(2), Numbers(10), batch_sampler=sampler, drop_last=False)
    assert len(loader) == 3 and batches(loader)[-1] == [1, 0]


def refusals():
    sampler = torch.utils.data.BatchSampler(range(4), batch_size=2, drop_last=True)
    make = lambda **named: DataLoader(options(), Numbers(4), **named)
    refused(poptorch.Error, make, batch_sampler=sampler, batch_size=2)
    refused(ValueError, make, batch_sampler=sampler, shuffle=True)
    refused(AssertionError, make, async_options={"buffer_size": 2}, text="async_options")
    refused(AssertionError, make, mode=DataLoaderMode.Async,
            async_options={"rebatched_size": 2}, text="rebatched_size")
    refused(AssertionError, make, mode=DataLoaderMode.Async, rebatched_worker_size=1)
    refused(AssertionError, make, mode=DataLoaderMode.AsyncRebatched, rebatched_worker_size=2)
    refused(AssertionError, make, mode=DataLoaderMode.AsyncRebatched, batch_size=None)
    refused(AssertionError, make, mode=1)
    refused(AssertionError, DataLoader, None, Numbers(4))
    shared = options()
    shared.Distributed.configureProcessId(0, 2)
    refused(poptorch.Error, DataLoader, shared, Numbers(4), batch_sampler=sampler,
            text="auto_distributed_partitioning")
    refused(AssertionError, DataLoader, shared, Numbers(4), shuffle=True, text="randomSeed")
    DataLoader(shared, Numbers(4), batch_sampler=sampler, auto_distributed_partitioning=False)


def shares():
    def loaders(count, shuffle=False, **named):
        result = []
        for number in range(2):
            shared = options(2).randomSeed(7)
            shared.Distributed.configureProcessId(number, 2)
            result.append(DataLoader(shared, Numbers(count), 2, shuffle=shuffle, **named))
        return result

    first, second = loaders(18)
    assert len(first) == 2
    assert sum(batches(first), []) == list(range(8))
    assert sum(batches(second), []) == list(range(8, 16))
    assert sum(batches(first), []) == [16, 17, *range(2, 8)]
    assert sum(batches(second), []) == list(range(8, 16))
    seen = {0, 1}
    for _ in range(7):
        now = sum(batches(first) + batches(second), [])
        assert len(now) == len(set(now)) == 16 and {16, 17} < set(now)
        seen |= set(range(18)) - set(now)
    assert seen == set(range(16))  # each of them has been left out once
    there = loaders(18, mode=DataLoaderMode.Async)[1]
    assert [sum(batches(there), []) for _ in range(2)] == [
        list(range(8, 16)), list(range(8, 16))]
    there.terminate()
    whole = loaders(18, drop_last=False)
    assert sorted(sum(batches(whole[0]) + batches(whole[1]), [])) == list(range(18))
    mixed = loaders(18, shuffle=True)
    one, two = (sum(batches(loader), []) for loader in mixed)
    assert len(set(one + two)) == 16 and one != sorted(one)
    assert sum(batches(mixed[0]), []) != one


if __name__ == "__main__":
    for test in (sizes, passes, workers, accessors, broken, iterables, orders, refusals, shares):
        test()
        print(test.__name__, "ok")
        sys.stdout.flush()
