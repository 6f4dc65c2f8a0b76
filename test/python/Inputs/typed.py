# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that type checkers accept, but for the lines that say so."""

import numpy as np
import popart

builder = popart.Builder(opsets={"ai.onnx": 10})
x: str = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]))
w: str = builder.addInitializedInputTensor(np.zeros(2, np.float32), "w")
with builder.virtualGraph(0), builder.nameScope("scope"):
    y = builder.aiOnnx.add([x, w], "sum")
loss = builder.aiGraphcore.l1loss([y], 0.1, popart.ReductionType.Sum)
values = builder.aiOnnx.topk([x], axis=0)
values.append("a list")
prefix: str = popart.reservedGradientPrefix() + w
options = popart.SessionOptions()
options.enableOutlining = False
options.engineOptions["debug.trace"] = "true"
session = popart.TrainingSession(
    builder.getModelProto(), dataFlow=popart.DataFlow(1, [loss]), loss=loss,
    optimizer=popart.ConstSGD(0.1), deviceInfo=popart.DeviceManager().createCpuDevice(),
    userOptions=options)
session.run(popart.PyStepIO({x: np.zeros(2, np.float32)}, session.initAnchorArrays()))

builder.aiOnnx.add(5)  # error: a number is not a list of names
builder.aiOnnx.concat([x])  # error: no axis
number: int = builder.aiOnnx.relu([x])  # error: a name is not a number
options.engineOptions["debug.trace"] = 1  # error: values are texts
