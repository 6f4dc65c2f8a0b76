# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part that a process has in a job of several processes."""

import os
from typing import Any, Dict

from ._group import Field, Group


class DistributedOptions(Group):
    """The number of processes, and the number of this one: set, or said by variables of the
    environment, which are those of MPI unless others are named."""

    FIELDS = {
        "distributed_process_id": Field(None, int),
        "num_distributed_processes": Field(None, int),
        "ipuof_configs": Field({}, dict),
    }

    def __init__(self) -> None:
        super().__init__()
        self._names = ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK")

    def disable(self) -> "DistributedOptions":
        """Ignores the environment: one process."""
        return self._set(num_distributed_processes=1, distributed_process_id=0)

    def setEnvVarNames(self, var_num_processes: str,
                       var_process_id: str) -> "DistributedOptions":
        """Names of the variables that say how many processes there are, and which this is."""
        for name in (var_num_processes, var_process_id):
            assert isinstance(name, str), f"Names of variables are texts, not {name!r}"
        self._set(num_distributed_processes=None, distributed_process_id=None)
        self._names = (var_num_processes, var_process_id)
        return self

    def configureProcessId(self, process_id: int, num_processes: int) -> "DistributedOptions":
        """Says it by numbers."""
        self._set(num_distributed_processes=num_processes, distributed_process_id=process_id)
        assert 0 <= process_id < num_processes, (
            f"The process {process_id} is none of {num_processes}")
        return self

    @property
    def numProcesses(self) -> int:
        """The number of processes."""
        number = self.num_distributed_processes
        return int(os.environ.get(self._names[0], "1")) if number is None else number

    @property
    def processId(self) -> int:
        """The number of this one, from 0."""
        number = self.distributed_process_id
        return int(os.environ.get(self._names[1], "0")) if number is None else number

    def toDict(self) -> Dict[str, Any]:
        return {"num_distributed_processes": self.numProcesses,
                "distributed_process_id": self.processId}
