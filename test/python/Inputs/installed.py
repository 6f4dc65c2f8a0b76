# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of an installed tree: each of the packages, on each kind of device."""

import importlib.metadata

import libpvti
import numpy as np
import popart
import popxl
import pva

print(popart.__file__)
manager = popart.DeviceManager()
builder = popart.Builder()
x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]))
y = builder.aiOnnx.relu([x])
builder.addOutputTensor(y)
for name, device in (("cpu", manager.createCpuDevice()),
                     ("model", manager.createIpuModelDevice({})),
                     ("ipu", manager.acquireAvailableDevice())):
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), device)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: np.float32([-1, 2])}, anchors))
    print(name, anchors[y])

ir = popxl.Ir()
with ir.main_graph:
    out = popxl.d2h_stream((), popxl.float32)
    popxl.ops.host_store(out, popxl.variable(1.0) * 2)
with popxl.Session(ir, "ipu_model") as session:
    print("popxl", session.run()[out])
print("pva", pva.Report.__name__, libpvti.TraceChannel is not None)
backends = importlib.metadata.entry_points(group="torch_dynamo_backends")
print("torch.compile", *(f"{backend.name} is {backend.value}" for backend in backends))
