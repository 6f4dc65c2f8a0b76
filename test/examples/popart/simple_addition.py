# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds two numbers with PopART: a model is built, compiled and run.

python3 simple_addition.py
"""
import numpy as np
import popart

builder = popart.Builder()
shape = popart.TensorInfo("FLOAT", [1])
a = builder.addInputTensor(shape)
b = builder.addInputTensor(shape)
o = builder.aiOnnx.add([a, b])
builder.addOutputTensor(o)

# Return the sum of each step.
data_flow = popart.DataFlow(1, {o: popart.AnchorReturnType("ALL")})
device = popart.DeviceManager().createIpuModelDevice({})
session = popart.InferenceSession(builder.getModelProto(), data_flow, device)
session.prepareDevice()

anchors = session.initAnchorArrays()
numbers = {
    a: np.array([1.5], dtype=np.float32),
    b: np.array([2.25], dtype=np.float32),
}
session.run(popart.PyStepIO(numbers, anchors))
print("1.5 + 2.25 =", anchors[o][0])
