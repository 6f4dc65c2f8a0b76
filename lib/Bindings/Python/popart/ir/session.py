# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of an Ir as popart has them: `popart.InferenceSession.fromIr`."""

from typing import Any, Dict, Optional

import numpy as np
import popart
import popxl
import popxl_core
from popxl.dtypes import to_ir


class IrSession:
    """Runs an Ir with the methods of a popart session; streams are named by their tensor ids."""

    def __init__(self, ir: popxl.Ir, device: Any,
                 session: Optional[popxl.Session] = None) -> None:
        self._ir = ir
        self._device = device
        self._session = session

    def prepareDevice(self, loadEngine: bool = True) -> None:
        """Compiles the program and loads it."""
        if self._session is None:
            self._session = popxl.Session(self._ir, self._device)
        self._session.__enter__()

    def weightsFromHost(self) -> None:
        self._prepared().weights_from_host()

    def weightsToHost(self) -> None:
        self._prepared().weights_to_host()

    def initAnchorArrays(self) -> Dict[str, np.ndarray]:
        """An array for each stream to the host."""
        arrays = self._prepared().create_host_outputs()
        return {str(stream.tensor_id): array for stream, array in arrays.items()}

    def run(self, stepio: Any, debugName: str = "") -> None:
        """Runs the program once."""
        session = self._prepared()
        session._mark_out_of_sync()
        popxl_core.run_with_step_io(session._program, stepio)

    def readWeights(self, weightsIo: Any) -> None:
        """Writes variables, as the host has them, into the arrays of a popart.PyWeightsIO."""
        session = self._prepared()
        for variable in self._ir.main_graph.variables:
            popxl_core.give_weight(weightsIo, variable.id, to_ir(variable.dtype),
                                   session.get_tensor_data(variable))

    def writeWeights(self, weightsIo: Any) -> None:
        """Gives variables the elements of the arrays of a popart.PyWeightsIO, on the host.

        The others are read from the device first, so that weightsFromHost keeps what they hold.
        """
        if self._session is not None and self._session.is_attached:
            self._session._fetch()
        for variable in self._ir.main_graph.variables:
            popxl_core.take_weight(weightsIo, variable.id, to_ir(variable.dtype),
                                   variable._host)

    def getInfo(self, tensor_id: str) -> Any:
        """Shape and type of a tensor."""
        stream = self._ir._streams.get(tensor_id)
        return stream.spec if stream else self._ir.main_graph.get_tensor(tensor_id).spec

    def _prepared(self) -> popxl.Session:
        if self._session is None or not self._session.is_attached:
            raise popart.popart_exception("The session needs prepareDevice() first.")
        return self._session


def session_of(ir: Any, device: Any) -> IrSession:
    """A session of an Ir: of `popart.ir.Ir`, or what its `_pb_ir` is."""
    return IrSession(getattr(ir, "_ir", ir), device)
