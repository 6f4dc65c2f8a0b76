# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program's part of a job of several processes, which poprun starts. Each process, or instance,
has an equal share of the replicas. Without poprun there is one process with one replica, so that
programs run as they do by themselves.

    import popdist
    if popdist.isPopdistEnvSet():
        popdist.init()
    print(popdist.getInstanceIndex(), "of", popdist.getNumInstances())
"""

from typing import Any, Callable, Iterable

from libpvti import __version__

from popdist import _job, _members

_is_initialized = False


def isPopdistEnvSet() -> bool:
    """Whether poprun has started this process."""
    return _job.is_set()


def getNumInstances() -> int:
    """How many processes there are."""
    return _job.number("NUM_INSTANCES", 1)


def getInstanceIndex() -> int:
    """Which of them this one is."""
    return _job.number("INSTANCE_INDEX", 0)


def getLocalInstanceIndex() -> int:
    """The same among those of this machine."""
    return _job.number("LOCAL_INSTANCE_INDEX", 0)


def getNumTotalReplicas() -> int:
    """How many replicas all processes have."""
    return _job.number("NUM_TOTAL_REPLICAS", 1)


def getNumLocalReplicas() -> int:
    """How many replicas this process has."""
    return _job.number("NUM_LOCAL_REPLICAS", 1)


def getReplicaIndexOffset() -> int:
    """The number of the first replica of this process."""
    return _job.number("REPLICA_INDEX_OFFSET", 0)


def getNumIpusPerReplica() -> int:
    """How many IPUs a replica has, as the start of the job says."""
    return _job.number("NUM_IPUS_PER_REPLICA", 1)


def checkNumIpusPerReplica(numIpus: int) -> None:
    """RuntimeError where the job was started for replicas of another number of IPUs."""
    if isPopdistEnvSet() and numIpus != getNumIpusPerReplica():
        raise RuntimeError(f"The program has {numIpus} IPUs per replica, and the job was started "
                           f"for {getNumIpusPerReplica()}; start it with poprun "
                           f"--ipus-per-replica={numIpus}.")


def getDeviceId(ipusPerReplica: int = 0) -> int:
    """The number of the device that has the IPUs of this process' replicas, which have
    `ipusPerReplica` or as many as the job says; RuntimeError where there is none."""
    import popart

    ipus = (ipusPerReplica or getNumIpusPerReplica()) * getNumLocalReplicas()
    device = popart.DeviceManager().tryAcquireAvailableDevice(ipus)
    if device is None:
        raise RuntimeError(f"There is no device of {ipus} IPUs.")
    return device.id


def init() -> None:
    """Begins the work of this process with the others. It ends when the program does."""
    initializeBackend()


def initializeBackend() -> None:
    """The same. RuntimeError where the processes cannot reach each other."""
    global _is_initialized
    if isPopdistEnvSet() and not _job.is_begun():
        _job.begin()
    _is_initialized = True


def isBackendInitialized() -> bool:
    """Whether init or initializeBackend has been called."""
    return _is_initialized


def finalizeBackend() -> None:
    """Ends what init began, when all processes have come so far."""
    global _is_initialized
    _is_initialized = False
    _job.end()


def execute_on_instances(instances: Iterable[int], function: Callable[..., Any],
                         *args: Any, **kwargs: Any) -> Any:
    """Calls the function where this process is one of these, and returns its result; None in
    others. Collectives that the function calls are among these processes only."""
    members = sorted(i for i in set(instances) if 0 <= i < getNumInstances())
    if getInstanceIndex() not in members:
        return None
    with _members.only(members):
        return function(*args, **kwargs)
