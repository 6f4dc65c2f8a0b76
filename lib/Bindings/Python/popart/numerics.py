# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much two trainings of a model differ: in what they changed the weights by."""

import os
from typing import Dict, Union

import numpy as np
import popart_core

_Model = Union[str, bytes]


def _weights(model: _Model) -> Dict[str, np.ndarray]:
    """The weights of a model by name, as 64-bit floats."""
    import onnx  # type: ignore[import-not-found]
    from onnx import numpy_helper

    if isinstance(model, str) and not os.path.exists(model):
        raise popart_core.popart_exception(f"NumericsReport: there is no file '{model}'")
    proto = onnx.load(model) if isinstance(model, str) else onnx.load_model_from_string(model)
    return {tensor.name: numpy_helper.to_array(tensor).astype(np.float64)
            for tensor in proto.graph.initializer}


class NumericsReport:
    """Compares two runs, A and B, by their models before (0) and after (1): paths of ONNX files,
    or their bytes.

    The error of a weight is |dA - dB|^2 / (|dA| |dB|), where dA and dB are the changes in the two
    runs and |x| is the Euclidean norm; 0 where both are equal.
    """

    def __init__(self, A0: _Model, A1: _Model, B0: _Model, B1: _Model) -> None:
        models = [_weights(model) for model in (A0, A1, B0, B1)]
        for other in models[1:]:
            if {n: w.shape for n, w in other.items()} != {n: w.shape
                                                          for n, w in models[0].items()}:
                raise popart_core.popart_exception(
                    "NumericsReport: the four models do not have the same weights")
        self._changes = {name: (models[1][name] - models[0][name],
                                models[3][name] - models[2][name]) for name in models[0]}

    def _error(self, id: str) -> float:
        if id not in self._changes:
            raise popart_core.popart_exception(f"NumericsReport: there is no weight '{id}'")
        a, b = self._changes[id]
        difference = float(np.sum((a - b) ** 2))
        size = float(np.linalg.norm(a) * np.linalg.norm(b))
        if difference == 0:
            return 0.0
        return difference / size if size else float("inf")

    def report(self, id: str) -> str:
        """A line about a weight."""
        a, b = self._changes.get(id, (np.zeros(0), np.zeros(0)))
        return (f"{id}: |dA|^2={np.sum(a ** 2):g} |dB|^2={np.sum(b ** 2):g} "
                f"|dA-dB|^2/(|dA||dB|)={self._error(id):g}")

    def fullReport(self) -> str:
        """A line about each weight."""
        return "\n".join(self.report(id) for id in self._changes)

    def getRelativeErrors(self) -> Dict[str, float]:
        """The error of each weight."""
        return {id: self._error(id) for id in self._changes}
