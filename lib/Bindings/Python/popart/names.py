# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the names of tensors begin with that a session adds to a model. Each is a function
without arguments: reservedGradientPrefix() is "Gradient___"."""

_PREFIXES = {
    "Gradient": "Gradient___",
    "UpdatedVar": "UpdatedVar___",
    "Accum": "Accum___",
    "Accl": "Accl___",
    "Accl1": "Accl1___",
    "Accl2": "Accl2___",
    "Accl3": "Accl3___",
    "Step": "Step___",
    "AcclToAccumulator": "AcclIntoAccumulator___",
    "AcclToReduce": "AcclIntoReduce___",
    "AcclToUpdate": "AcclIntoUpdate___",
    "AcclFinalOut": "AcclOutOfAcclUpdate___",
    "FinalReducedGrad": "FinalReducedGradient___",
    "Stashed": "Stashed___",
    "Restored": "Restored___",
    "LossScaling": "lossScaling_",
    "RandomSeed": "randomSeed___",
    "SeedModifier": "randomSeedModifier___",
    "RemoteArg": "RemoteArg___",
    "LambR1Sq": "LambR1Sq___",
    "LambR2Sq": "LambR2Sq___",
    "AdamUpdater": "AdamUpdater___",
    "AdaptiveUpdater": "AdaptiveUpdater___",
    "AutomaticLossScale": "AutomaticLossScaleProxy___",
    "GlobalNorm": "GlobalNorm___",
    "Counter": "Counter___",
    "LossScalingRatio": "LossScalingRatio_",
    "PreviousLossScaling": "PreviousLossScaling_",
}

# Numbers of optimizers, whose tensors have the prefix <number>___default___, or
# <number>___specific___ where they are those of one weight.
_NUMBERS = ("scaledLearningRate0", "weightDecayScaleFactor0", "scaledLearningRate1",
            "scaledWeightDecay1", "dampeningScaleFactor1", "scaledMomentum1",
            "scaledLearningRate2", "dampeningScaleFactor2", "scaledMomentum2", "learningRate",
            "weightDecay", "lossScaling", "maxWeightNorm", "adamBeta1", "adamBeta2", "adamEps",
            "adamGradientScaling", "step", "sgdWeightDecay", "sgdMomentum",
            "nesterovGradScaleFactor1", "nesterovGradScaleFactor2",
            "nesterovDampeningScaleFactor1", "nesterovDampeningScaleFactor2", "adaptiveAlpha",
            "adaptiveMomentum", "adaptiveEps", "adaptiveGradientScaling")

__all__ = []


def _define(name, prefix):
    def reserved():
        return prefix

    reserved.__name__ = name
    reserved.__doc__ = f'"{prefix}".'
    globals()[name] = reserved
    __all__.append(name)


for _name, _prefix in _PREFIXES.items():
    _define(f"reserved{_name}Prefix", _prefix)
for _number in _NUMBERS:
    _title = _number[0].upper() + _number[1:]
    _define(f"reservedDefault{_title}Prefix", f"{_number}___default___")
    _define(f"reservedSpecific{_title}Prefix", f"{_number}___specific___")
