# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of all types on the ways between programs and devices, with any version of NumPy."""

import numpy as np
import popart
import popxl
from popxl import ops


def types():
    """An array of each type has that type; another order of bytes, and records, are told apart."""
    for name in ("float32", "float16", "float64", "int8", "int16", "int32", "int64", "uint8",
                 "uint16", "uint32", "uint64", "bool", "complex64", "complex128"):
        info = popart.TensorInfo(np.zeros((2, 3), name))
        assert (info.data_type_lcase(), info.shape()) == (name, [2, 3]), name
        assert popart.TensorInfo(np.dtype(name), [2]).data_type_lcase() == name
    for kind in (popxl.float8_143, popxl.float8_152):
        assert popart.TensorInfo(kind.as_numpy(), [1]).data_type_lcase() == kind.name
    for wrong in ([("a", "u1"), ("b", "u1")], [("other", "u1")], "U3", "M8[s]"):
        try:
            popart.TensorInfo(np.zeros(2, wrong))
        except popart.popart_exception:
            continue
        raise AssertionError(wrong)
    print("types agree")


def relu(data, make_io=None):
    b = popart.Builder()
    x = b.addInputTensor(popart.TensorInfo(data))
    y = b.aiOnnx.relu([b.reshape_const(b.aiOnnx, [x], [2])])
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]),
                                      popart.DeviceManager().createIpuModelDevice({}))
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(make_io(x, y, anchors) if make_io else popart.PyStepIO({x: data}, anchors))
    return anchors[y]


def callbacks(data):
    return lambda x, y, anchors: popart.PyStepIOCallback(
        lambda name, prefetch: data, lambda name: None, lambda name: anchors[name],
        lambda name: None)


def weights():
    b = popart.Builder()
    w = b.addInitializedInputTensor(np.float32([2, 3]))
    loss = b.aiGraphcore.l1loss([w], 1.0)
    session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1), loss,
                                     popart.ConstSGD(1.0),
                                     popart.DeviceManager().createCpuDevice())
    session.prepareDevice()
    session.weightsFromHost()
    session.run(popart.PyStepIO({}, {}))
    session.weightsToHost()
    read = {w: np.zeros(2, np.float32)}
    session.readWeights(popart.PyWeightsIO(read))
    return read[w]


def program():
    ir = popxl.Ir()
    with ir.main_graph:
        stream = popxl.h2d_stream((2,), popxl.float32)
        x = ops.host_load(stream)
        count = popxl.variable(np.array([1, 2]), name="count")
        ops.var_updates.accumulate_(count, popxl.constant(np.array([1, 1])))
        out = popxl.d2h_stream((2,), popxl.float32)
        ops.host_store(out, x + np.float64([2, 2]))
    with popxl.Session(ir, "ipu_model") as session:
        result = session.run({stream: [1, 2]})[out]
    return result, session.get_tensor_data(count)


def main():
    types()
    data = np.float32([-1, 2])
    result = relu(data)
    print("session", result, result.dtype)
    result = relu(data.astype(np.float16))
    print("half", result, result.dtype)
    print("callbacks", relu(data, callbacks(data)))
    print("weights", weights())
    print("popxl", *program())


main()
