# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program asks to know its part of a job of several processes. There is one process here,
the first one, with one replica, so that programs which ask run as they do by themselves.

    import popdist
    if popdist.isPopdistEnvSet():
        popdist.init()
    print(popdist.getInstanceIndex(), "of", popdist.getNumInstances())
"""

from typing import Any, Callable, Iterable

_is_initialized = False


def isPopdistEnvSet() -> bool:
    """Whether the process was started as one of several: never."""
    return False


def getNumInstances() -> int:
    """How many processes there are."""
    return 1


def getInstanceIndex() -> int:
    """Which of them this one is."""
    return 0


def getLocalInstanceIndex() -> int:
    """The same among those of this machine."""
    return 0


def getNumTotalReplicas() -> int:
    """How many replicas all processes have."""
    return 1


def getNumLocalReplicas() -> int:
    """How many replicas this process has."""
    return 1


def getReplicaIndexOffset() -> int:
    """The number of the first replica of this process."""
    return 0


def getNumIpusPerReplica() -> int:
    """How many IPUs a replica has, as the start of the job says."""
    return 1


def checkNumIpusPerReplica(numIpus: int) -> None:
    """Nothing is said about it, so any number is right."""


def getDeviceId(ipusPerReplica: int = 0) -> int:
    """The number of the device that has so many IPUs; RuntimeError where none has."""
    import popart

    device = popart.DeviceManager().tryAcquireAvailableDevice(max(ipusPerReplica, 1))
    if device is None:
        raise RuntimeError(f"There is no device of {ipusPerReplica} IPUs.")
    return device.id


def init() -> None:
    """Begins the work of this process with the others, of which there are none."""
    initializeBackend()


def initializeBackend() -> None:
    """The same."""
    global _is_initialized
    _is_initialized = True


def isBackendInitialized() -> bool:
    """Whether init or initializeBackend has been called."""
    return _is_initialized


def finalizeBackend() -> None:
    """Ends what init began."""
    global _is_initialized
    _is_initialized = False


def execute_on_instances(instances: Iterable[int], function: Callable[..., Any],
                         *args: Any, **kwargs: Any) -> Any:
    """Calls the function where this process is one of these; returns what it returns."""
    if getInstanceIndex() in set(instances):
        return function(*args, **kwargs)
    return None
