"""The operator of leaky_relu.cpp, by Builder.customOp."""
import ctypes
import sys

import numpy as np
import popart

ctypes.cdll.LoadLibrary(sys.argv[1])

builder = popart.Builder()
x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4]))
w = builder.addInitializedInputTensor(np.array([1, -1, 2, -2], np.float32), "w")
p = builder.aiOnnx.mul([x, w])
y = builder.customOp(opName="LeakyRelu", opVersion=1, domain="custom.ops", inputs=[p],
                     attributes={"alpha": 0.25}, name="leaky")[0]
loss = builder.aiGraphcore.identityloss([y], popart.ReductionType.Sum)
print(y)

values = np.array([1, 2, 3, 4], np.float32)
product = values * np.array([1, -1, 2, -2])
for name, device in (("cpu", popart.DeviceManager().createCpuDevice()),
                     ("ipu_model", popart.DeviceManager().createIpuModelDevice({}))):
    flow = popart.DataFlow(1, [y, "Gradient___w"])
    session = popart.TrainingSession(builder.getModelProto(), flow, loss, popart.ConstSGD(0.1),
                                     deviceInfo=device)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: values}, anchors))
    np.testing.assert_allclose(anchors[y], np.where(product > 0, product, product / 4))
    np.testing.assert_allclose(anchors["Gradient___w"],
                               np.where(product > 0, values, values / 4))
    print(name, "agrees")
