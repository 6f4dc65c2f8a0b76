# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of a PyTorch model for the part of a job that a process has.

    options = popdist.poptorch.Options()
    loader = poptorch.DataLoader(options, dataset, batch_size=16)
"""

from typing import Any, Optional

import poptorch

import popdist


class Options(poptorch.Options):
    """Replicas and processes are as the start of the job says, and cannot be set."""

    def __init__(self, ipus_per_replica: Optional[int] = None):
        super().__init__()
        if ipus_per_replica is not None:
            popdist.checkNumIpusPerReplica(ipus_per_replica)
        super().replicationFactor(popdist.getNumLocalReplicas())
        self.Distributed.configureProcessId(popdist.getInstanceIndex(),
                                            popdist.getNumInstances())
        if popdist.isPopdistEnvSet():
            self.showCompilationProgressBar(popdist.getInstanceIndex() == 0)
            self.useIpuId(popdist.getDeviceId(ipus_per_replica or 0))

    def replicationFactor(self, replication_factor: int) -> Any:
        """Refuses other numbers than that of the job."""
        if replication_factor != self.replication_factor:
            raise RuntimeError(
                f"The job gives each process {self.replication_factor} replicas, not "
                f"{replication_factor}: poprun sets them for popdist.poptorch.Options.")
        return self
