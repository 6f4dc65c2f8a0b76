# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions with the keywords of all of PopART's versions, and what they give back."""

import enum
import importlib

import popart_core
from popart_core import OutOfMemoryException


class IrSerializationFormat(enum.Enum):
    """How the IR is written."""
    JSON = 0


class DotCheck:
    """The stages that SessionOptions.dotChecks draws."""
    FWD0 = "FWD0"
    FWD1 = "FWD1"
    BWD0 = "BWD0"
    PREALIAS = "PREALIAS"
    FINAL = "FINAL"
    ALL = "ALL"
    Fwd0, Fwd1, Bwd0, PreAlias, Final, All = FWD0, FWD1, BWD0, PREALIAS, FINAL, ALL


# PopART 1's name of the error that prepareDevice raises if a program does not
# fit.
PrepareDeviceException = OutOfMemoryException


def _get_summary_report(self):
    """What the program needs."""
    return str(self)


def _get_profile_path(self):
    """The folder of a profile; empty where none was written."""
    return ""


OutOfMemoryException.getSummaryReport = _get_summary_report  # type: ignore[attr-defined]
OutOfMemoryException.getGraphReport = _get_summary_report  # type: ignore[attr-defined]
OutOfMemoryException.getProfilePath = _get_profile_path  # type: ignore[attr-defined]


def _one_of(function, **given):
    """The value of a keyword that has had several names; None where none is given."""
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) > 1:
        raise TypeError(f"{function}: {' and '.join(named)} are the same argument")
    return next(iter(named.values()), None)


def _needed(function, name, value):
    if value is None:
        raise TypeError(f"{function} needs the argument {name}")
    return value


def _patterns(patterns):
    return popart_core.Patterns() if patterns is None else patterns


def _line(operator):
    results, operands = (", ".join(f"{t['name']} {t.get('shape', '')}".rstrip()
                                   for t in operator[side]) for side in ("outputs", "inputs"))
    return f"  {results} = {operator['type']}({operands})"


class _Methods:
    """What sessions of both kinds add to those of C++."""

    def initAnchorArrays(self):
        """Arrays for all that a step returns, by the names of anchors. Leading dimensions are
        the numbers of batches and micro-batches, where they are not 1."""
        return {name: self._anchorArray(name) for name in self.dataFlow.anchors()}

    def _serializeIr(self, format=IrSerializationFormat.JSON):
        """The IR as JSON."""
        return self._serializeIrAsJson()

    def getIr(self):
        """The IR: its graphs and their operators."""
        import json

        from popart.ir_view import IrView

        return IrView(json.loads(self._serializeIrAsJson()), self._sessionOptions)

    @staticmethod
    def fromIr(ir, deviceInfo, name="fromIr"):
        """A session of a popxl.Ir, or of its `_pb_ir`, whose streams are named by tensor ids."""
        # popart.ir stands on popxl, which stands on this package: found at run time only.
        return importlib.import_module("popart.ir.session").session_of(ir, deviceInfo)

    def checkInplacingAmbiguity(self):
        """Nothing is ambiguous: what is computed in place keeps to the order of the model."""

    def broadcastWeights(self, rankSrc=0):
        """Gives all instances of a job the host's weights of one of them; all have to call it."""
        if importlib.import_module("popdist").getNumInstances() > 1:
            self._broadcastWeights(rankSrc)

    def setEngineIsLoaded(self, isLoaded):
        """With False, the next step loads the program again."""
        if not isLoaded:
            self.loadEngineAndConnectStreams()

    def _repr_html_(self):
        """What a notebook shows: the operators."""
        import html
        import json

        graphs = json.loads(self._serializeIrAsJson())
        lines = [line for name, operators in graphs.items()
                 for line in [f"{name}:", *(_line(operator) for operator in operators)]]
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"


class InferenceSession(_Methods, popart_core._InferenceSession):
    """Runs a model.

    fnModel: the path of an ONNX file, or the bytes of a model.
    dataFlow: what comes back, and how many batches a step has; also dataFeed.
    deviceInfo: the machine, from DeviceManager.
    inputShapeInfo: types and shapes of inputs that the model leaves open.
    patterns: which rewrites are on; also passes.
    userOptions: SessionOptions.
    losses: objects whose loss tensors are computed as well, as in PopART 1.

    Raises popart_exception where the model or an option is not supported.
    """

    def __init__(self, fnModel=None, dataFlow=None, deviceInfo=None, inputShapeInfo=None,
                 patterns=None, userOptions=None, name="inference", *, dataFeed=None,
                 passes=None, losses=None):
        function = "InferenceSession"
        if isinstance(inputShapeInfo, list):  # losses were the fourth argument in PopART 1
            losses, inputShapeInfo = inputShapeInfo, None
        model = _needed(function, "fnModel", fnModel)
        flow = _needed(function, "dataFlow", _one_of(function, dataFlow=dataFlow,
                                                     dataFeed=dataFeed))
        shapes = inputShapeInfo or popart_core.InputShapeInfo()
        if losses:
            model, _ = popart_core._withLosses(model, losses, shapes)
        super().__init__(model, flow, deviceInfo, shapes,
                         _patterns(_one_of(function, patterns=patterns, passes=passes)),
                         userOptions or popart_core.SessionOptions(), name)


class TrainingSession(_Methods, popart_core._TrainingSession):
    """Trains a model: each step changes its weights.

    fnModel: the path of an ONNX file, or the bytes of a model.
    dataFlow: what comes back, and how many batches a step has; also dataFeed.
    loss: the tensor that is made smaller, or losses: objects as in PopART 1.
    optimizer: SGD, ConstSGD, Adam or Adaptive.
    deviceInfo, inputShapeInfo, patterns, userOptions: as for InferenceSession.

    Raises popart_exception where the model or an option is not supported.
    """

    def __init__(self, fnModel=None, dataFlow=None, loss=None, optimizer=None, deviceInfo=None,
                 inputShapeInfo=None, patterns=None, userOptions=None, name="training", *,
                 dataFeed=None, passes=None, losses=None):
        function = "TrainingSession"
        model = _needed(function, "fnModel", fnModel)
        flow = _needed(function, "dataFlow", _one_of(function, dataFlow=dataFlow,
                                                     dataFeed=dataFeed))
        loss = _needed(function, "loss", _one_of(function, loss=loss, losses=losses))
        shapes = inputShapeInfo or popart_core.InputShapeInfo()
        if not isinstance(loss, str):
            model, loss = popart_core._withLosses(model, loss, shapes)
        super().__init__(model, flow, loss, _needed(function, "optimizer", optimizer),
                         deviceInfo, shapes,
                         _patterns(_one_of(function, patterns=patterns, passes=passes)),
                         userOptions or popart_core.SessionOptions(), name)
        self._next_optimizer = None

    def updateOptimizer(self, optimizer):
        """Numbers that optimizerFromHost gives to the next steps, as in PopART 1."""
        self._next_optimizer = optimizer

    def optimizerFromHost(self):
        """Gives the device the numbers of updateOptimizer, as in PopART 1."""
        if self._next_optimizer is not None:
            self.updateOptimizerFromHost(self._next_optimizer)
            self._next_optimizer = None
