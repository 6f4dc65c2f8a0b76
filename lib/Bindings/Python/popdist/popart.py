# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options and devices for the part of a job that a process has."""

from typing import Any, Optional

import popart as _popart

import popdist


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
    count = (ipus_per_replica or popdist.getNumIpusPerReplica()) * popdist.getNumLocalReplicas()
    return _popart.DeviceManager().acquireAvailableDevice(count, connectionType=connectionType)
