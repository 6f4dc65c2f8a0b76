# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of objects, as an interactive Python shows them: what their constructors are given."""

import popart_core
from popart_core import (SGD, Adam, Adaptive, DataFlow, InputShapeInfo, OptimizerValue)

# By optimizer: the numbers that its constructor takes, and the methods that have them.
_NUMBERS = {
    SGD: {"defaultLearningRate": "learningRates", "defaultWeightDecay": "weightDecays",
          "defaultMomentum": "momentums", "defaultDampening": "dampenings",
          "defaultVelocityScaling": "velocityScalings", "nesterov": "nesterov"},
    Adam: {"defaultLearningRate": "learningRates", "defaultWeightDecay": "weightDecays",
           "defaultBeta1": "beta1s", "defaultBeta2": "beta2s", "defaultEps": "epss",
           "defaultMaxWeightNorm": "maxWeightNorms"},
    Adaptive: {"defaultLearningRate": "learningRates", "defaultWeightDecay": "weightDecays",
               "defaultAlpha": "alphas", "defaultMomentum": "momentums", "defaultEps": "epss"},
}


def _pair(value):
    return f"({value.val():g}, {value.isConst()})"


def _optimizer_text(numbers):
    def text(self):
        given = [f'"{name}": {_pair(getattr(self, method)().getDefault())}'
                 for name, method in numbers.items()]
        scaling = f'"lossScaling": {self.getLossScalingVal():g}'
        return f"{type(self).__name__}({{{', '.join([*given, scaling])}}})"

    return text


def _builder_text(self):
    weights = self.getTrainableTensorIds()
    inputs = [name for name in self.getInputTensorIds() if name not in weights]
    return f"Builder(inputs={inputs}, weights={weights}, outputs={self.getOutputTensorIds()})"


def _data_flow_text(self):
    anchors = {name: self.art(name) for name in self.anchors()}
    return f"DataFlow({self.batchesPerStep()}, {anchors})"


def _shapes_text(self):
    infos = {name: self.get(name) for name in self.getAllTensorIds()}
    return f"InputShapeInfo({infos})"


_TEXTS = {
    popart_core._BuilderCore: _builder_text,
    DataFlow: _data_flow_text,
    InputShapeInfo: _shapes_text,
    OptimizerValue: lambda self: f"OptimizerValue{_pair(self)}",
    **{optimizer: _optimizer_text(numbers) for optimizer, numbers in _NUMBERS.items()},
}
for _class, _text in _TEXTS.items():
    setattr(_class, "__repr__", _text)
