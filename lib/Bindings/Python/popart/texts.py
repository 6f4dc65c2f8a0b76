# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of objects, as an interactive Python shows them: what their constructors are given."""

import popart_core
from popart_core import (SGD, AccumulateOuterFragmentSettings, Adam, Adaptive, AutodiffSettings,
                         AutomaticLossScalingSettings, BatchSerializationSettings, DataFlow,
                         ExecutionPhaseSettings, ExperimentalSettings, InputShapeInfo,
                         OptimizerValue, SessionOptions, TensorLocation, TensorLocationSettings)

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


# Other names of fields.
_ALIASES = ("pingPongPhases", "prefetchBufferingDepthMap", "defaultPrefetchBufferingDepth",
            "autoVirtualGraph", "enableVirtualGraphs", "ignoreData")


def _fields(settings):
    """Names and values of the fields that a class of settings was bound with."""
    return {name: getattr(settings, name) for name, field in vars(type(settings)).items()
            if isinstance(field, property) and field.fset and name not in _ALIASES}


def _settings_text(self):
    """The fields that differ from those of a new object; fields may be settings, too."""
    new = _fields(type(self)())
    changed = [f"{name}={dict(value) if isinstance(value, _MAPS) else value!r}" for name, value in _fields(self).items()
               if value != new[name] and repr(value) != repr(new[name])]
    return f"{type(self).__name__}({', '.join(changed)})"


# Texts of maps of C++ have no quotes.
_MAPS = (popart_core._Texts, popart_core._Depths, popart_core._Locations)
# Classes whose objects are made without arguments and then filled in.
_SETTINGS = (SessionOptions, AccumulateOuterFragmentSettings, AutodiffSettings,
             AutomaticLossScalingSettings, BatchSerializationSettings, ExecutionPhaseSettings,
             ExperimentalSettings, TensorLocation, TensorLocationSettings)

_TEXTS: dict = {
    **{_class: _settings_text for _class in _SETTINGS},
    popart_core._BuilderCore: _builder_text,
    DataFlow: _data_flow_text,
    InputShapeInfo: _shapes_text,
    OptimizerValue: lambda self: f"OptimizerValue{_pair(self)}",
    **{optimizer: _optimizer_text(numbers) for optimizer, numbers in _NUMBERS.items()},
}
for _class, _text in _TEXTS.items():
    setattr(_class, "__repr__", _text)
