# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of the guide's chapter on popart.ir as they are printed, run by a session of
popart; and the names that popart.ir has besides those of popxl."""

import sys

import numpy as np
import popart


def device():
    manager = popart.DeviceManager()
    return {
        "cpu": manager.createCpuDevice,
        "ipu_model": lambda: manager.createIpuModelDevice({}),
        "ipu_hw": lambda: manager.createSimDevice({}),
    }[sys.argv[1]]()


def run(ir, inputs, batches=1):
    """The results of an Ir, as programs of that time get them."""
    pb_ir = ir._pb_ir
    anchors = {s.tensor_id(): popart.AnchorReturnType("All") for s in ir.get_all_d2h_streams()}
    pb_ir.setDataFlow(popart.DataFlow(batches, anchors))
    options = pb_ir.getSessionOptions()
    options.useHostCopyOps = True
    options.enableExplicitMainLoops = True
    pb_ir.updateVertices()
    session = popart.InferenceSession.fromIr(ir=pb_ir, deviceInfo=device())
    session.prepareDevice()
    arrays = session.initAnchorArrays()
    session.weightsFromHost()
    session.run(popart.PyStepIO({s.tensor_id(): data for s, data in inputs.items()}, arrays))
    session.weightsToHost()
    return session, arrays


# ---- Simple addition --------------------------------------------------------

import popart.ir as pir
import popart.ir.ops as ops

# Creating a model with popart.ir
ir = pir.Ir()
main = ir.main_graph()
with main:
    # host load
    input0 = pir.h2d_stream([1], pir.float32, name="input0_stream")
    a = ops.host_load(input0, "a")
    input1 = pir.h2d_stream([1], pir.float32, name="input1_stream")
    b = ops.host_load(input1, "b")
    # addition
    o = ops.add(a, b)
    # host store
    o_d2h = pir.d2h_stream(o.shape, o.dtype, name="output_stream")
    ops.host_store(o_d2h, o)

_, results = run(ir, {input0: np.float32([1]), input1: np.float32([2])})
print("simple addition", results["output_stream"])

# ---- Tensor addition --------------------------------------------------------

ir = pir.Ir()
main = ir.main_graph()
with main:
    a = pir.variable(3, dtype=pir.int8, name="variable_a")
    b = pir.constant(1, dtype=pir.int8, name="constant_b")
    # addition
    o = a + b
    same = a + 1
    for t, name in ((o, "o"), (same, "same")):
        ops.host_store(pir.d2h_stream(t.shape, t.dtype, name=name), t)

session, results = run(ir, {})
print("tensor addition", results["o"], results["same"], results["o"].dtype)
weights = {"variable_a": np.zeros((), np.int8)}
session.readWeights(popart.PyWeightsIO(weights))
print("weights", weights["variable_a"])
session.writeWeights(popart.PyWeightsIO({"variable_a": np.array(7, np.int8)}))
session.weightsFromHost()
arrays = session.initAnchorArrays()
session.run(popart.PyStepIO({}, arrays))
print("written", arrays["o"])

# ---- Other names ------------------------------------------------------------

ir = pir.Ir()
main = ir.main_graph()
with main:
    x = pir.variable([1.0, 2.0], name="x")

    def build():
        y = pir.subgraph_input((2,), pir.float32, "y")
        pir.subgraph_output(ops.add(y, y))

    graph = ir.create_empty_graph("g")
    with graph:
        build()
    y, = graph.get_input_tensors()
    info = ops.call_with_info(graph, subgraph_in_to_parent_in={y: x})
    assert info.subgraph_to_op_tensor(y) is x
    assert info.get_input_tensors() == (x,)
    assert info.get_op_output_tensor(0) is info.get_output_tensors()[0]
    one = ops.call(graph, x)
    assert isinstance(one, pir.Tensor)
    assert graph.ir() is ir and graph.get_main_graph() is main and main.get_variables() == (x,)
    backward = pir.transforms.autodiff.autodiff(graph)
    given = pir.transforms.get_expected_forward_inputs_from_call(info, backward)
    dx = ops.call(backward.graph, pir.constant([1.0, 1.0]), subgraph_in_to_parent_in=given)
    handle = pir.RemoteBufferHandle(1, (2,), pir.float32, 2)
    assert pir.RemoteBufferHandle(1) is handle
    ops.remote_store(dx, 1, handle)
    with pir.virtual_graph(0), pir.pipeline_stage(0), pir.in_sequence(True):
        back = ops.remote_load(dx, 1, handle)
    ops.host_store(pir.d2h_stream((2,), pir.float32, name="gradient"), back)
    assert ops.repeat(graph, 2, x).shape == (2,)
_, results = run(ir, {})
print("gradient", results["gradient"])
try:
    with main:
        ops.call(graph)
except Exception as error:
    print(type(error).__name__)
