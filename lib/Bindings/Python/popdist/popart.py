# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options and devices for the part of a job that a process has."""

from typing import Any, Optional

import popart as _popart

import popdist
from popdist import _job


def configureSessionOptions(options: Any) -> None:
    """Sets what the options say about replicas."""
    options.enableDistributedReplicatedGraphs = popdist.getNumInstances() > 1
    options.enableReplicatedGraphs = popdist.getNumLocalReplicas() > 1
    options.replicatedGraphCount = popdist.getNumLocalReplicas()
    options.globalReplicationFactor = popdist.getNumTotalReplicas()
    options.globalReplicaOffset = popdist.getReplicaIndexOffset()


def getDevice(ipus_per_replica: Optional[int] = None,
              connectionType: Any = _popart.DeviceConnectionType.Always) -> Any:
    """An emulated IPU, or several, for the replicas of this process."""
    if ipus_per_replica is not None:
        popdist.checkNumIpusPerReplica(ipus_per_replica)
    count = (ipus_per_replica or popdist.getNumIpusPerReplica()) * popdist.getNumLocalReplicas()
    if _job.number("OFFLINE_MODE", 0):
        return _popart.DeviceManager().createOfflineIPUDevice({"numIPUs": str(count)})
    return _popart.DeviceManager().acquireAvailableDevice(count, connectionType=connectionType)
