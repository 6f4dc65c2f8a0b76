#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of PopART's user guide, as they are printed there, with what the text around
them says they do. Where a program reads "alexnet.onnx", which TorchVision would make, there is
a small network of convolutions of that name.

    guide.py cpu|model|ipu     run in an empty folder

Which block of the guide is which function:

    Importing graphs                                importing
    Creating a session                              creating_a_session
    Session control options, losses in inference    evaluation
    Building graphs in PopART                       building
    Adding operations, parameters to the graph      adding_operations
    Setting the IPU number for operations           setting_the_ipu_number
    Setting input/output data buffers, running      step_io
    Changing the learning rate, saving weights      learning_rates
    Selecting a device                              devices
    Retrieving profiling reports                    reports
    Turning on execution tracing                    logging
    Simple addition                                 simple_addition

The chapter on popart.ir is popart-ir.py; that on popxl.Ir, which has no programs, is the classes
Graphs of popxl-graphs.py (create_graph, create_empty_graph), Sessions of popxl-sessions.py
(streams, num_host_transfers, drawings, replica groupings) and Tensors of popxl-tensors.py.
"""

import json
import os
import sys

import popart

import numpy as np
import onnx
from onnx import numpy_helper


def expect(condition, text):
    if not condition:
        sys.exit(f"guide.py: {text}")


def device_of(kind):
    manager = popart.DeviceManager()
    if kind == "cpu":
        return manager.createCpuDevice()
    if kind == "model":
        return manager.createIpuModelDevice({})
    return manager.createSimDevice({"numIPUs": 1, "tilesPerIPU": 4})


def make_alexnet():
    random = np.random.RandomState(1)
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 3, 8, 8]), "input")
    w = builder.addInitializedInputTensor(
        random.normal(0, 0.2, (5, 3, 3, 3)).astype(np.float32), "conv.weight")
    o = builder.aiOnnx.relu([builder.aiOnnx.conv([x, w], strides=[2, 2])])
    o = builder.aiOnnx.flatten([o])
    d = builder.addInitializedInputTensor(
        random.normal(0, 0.2, (45, 10)).astype(np.float32), "head.weight")
    o = builder.aiOnnx.softmax([builder.aiOnnx.matmul([o, d])])
    builder.addOutputTensor(o)
    model = onnx.load_model_from_string(builder.getModelProto())
    for node in model.graph.node:
        node.output[:] = ["output" if name == o else name for name in node.output]
    model.graph.output[0].name = "output"
    onnx.save(model, "alexnet.onnx")


def importing(device):
    output_name = "output"
    # Create a runtime environment
    anchors = {output_name: popart.AnchorReturnType("ALL")}
    dataFeed = popart.DataFlow(100, anchors)

    session = popart.InferenceSession("alexnet.onnx", dataFeed, device)

    session.prepareDevice()
    anchors = session.initAnchorArrays()
    expect(anchors[output_name].shape == (100, 4, 10), "the shape of the anchor")
    x = np.random.rand(100, 4, 3, 8, 8).astype(np.float32)
    session.run(popart.PyStepIO({"input": x}, anchors))
    expect(np.allclose(anchors[output_name].sum(2), 1, atol=1e-4), "probabilities")


def creating_a_session(device):
    labels_name = "labels"
    output_name = "output"

    # Describe the labels input shape
    inputShapeInfo = popart.InputShapeInfo()
    inputShapeInfo.add(labels_name, popart.TensorInfo("INT32", [4]))

    # Create a runtime environment
    anchors = {output_name: popart.AnchorReturnType("ALL")}
    dataFeed = popart.DataFlow(100, anchors)

    losses = [popart.NllLoss(output_name, labels_name, "loss")]
    optimizer = popart.ConstSGD(0.001)

    session = popart.TrainingSession("alexnet.onnx",
                                     deviceInfo=device,
                                     dataFeed=dataFeed,
                                     losses=losses,
                                     optimizer=optimizer,
                                     inputShapeInfo=inputShapeInfo)

    session.prepareDevice()
    session.weightsFromHost()
    session.optimizerFromHost()
    anchors = session.initAnchorArrays()
    random = np.random.RandomState(5)
    x = np.tile(random.rand(1, 4, 3, 8, 8), (100, 1, 1, 1, 1)).astype(np.float32)
    labels = np.tile(np.int32([1, 2, 3, 4]), (100, 1))
    session.run(popart.PyStepIO({"input": x, labels_name: labels}, anchors))
    picked = anchors[output_name][:, np.arange(4), labels[0]]
    expect(picked[-1].sum() > picked[0].sum(), "training makes labels more probable")

    # Saving and loading a model
    session.modelToHost("trained_model.onnx")
    trained = {t.name: numpy_helper.to_array(t)
               for t in onnx.load("trained_model.onnx").graph.initializer}
    first = {t.name: numpy_helper.to_array(t)
             for t in onnx.load("alexnet.onnx").graph.initializer}
    expect(not np.allclose(trained["head.weight"], first["head.weight"]), "weights have changed")
    session.resetHostWeights("alexnet.onnx", True)
    session.weightsFromHost()
    session.run(popart.PyStepIO({"input": x, labels_name: labels}, anchors))
    again = anchors[output_name][:, np.arange(4), labels[0]]
    expect(np.allclose(again, picked, atol=1e-5), "loaded weights begin anew")


def evaluation(device):
    """Losses of an inference session are computed; they are vectors."""
    shapes = popart.InputShapeInfo()
    shapes.add("labels", popart.TensorInfo("INT32", [4]))
    anchors = {name: popart.AnchorReturnType("ALL") for name in ("loss", "output")}
    session = popart.InferenceSession(
        "alexnet.onnx", dataFeed=popart.DataFlow(1, anchors), deviceInfo=device,
        losses=[popart.NllLoss("output", "labels", "loss")], inputShapeInfo=shapes)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    labels = np.int32([1, 2, 3, 4])
    x = np.random.rand(4, 3, 8, 8).astype(np.float32)
    session.run(popart.PyStepIO({"input": x, "labels": labels}, anchors))
    wanted = -np.log(anchors["output"][np.arange(4), labels])
    expect(np.allclose(anchors["loss"], wanted, atol=1e-5), "the loss of each sample")


def building(device):
    builder = popart.Builder()

    # Build a simple graph
    i1 = builder.addInputTensor(popart.TensorInfo("FLOAT", [1, 2, 32, 32]))
    i2 = builder.addInputTensor(popart.TensorInfo("FLOAT", [1, 2, 32, 32]))

    o = builder.aiOnnx.add([i1, i2])

    builder.addOutputTensor(o)

    # Get the ONNX protobuf from the builder to pass to the Session
    proto = builder.getModelProto()

    # Create a runtime environment
    anchors = {o : popart.AnchorReturnType("ALL")}
    dataFeed = popart.DataFlow(1, anchors)

    # Create the session from the graph, data feed and device information
    session = popart.InferenceSession(proto, dataFeed, device)
    expect((i1, i2, o) == ("input", "input/1", "Add:0"), "names of tensors")


def adding_operations(_):
    builder = popart.Builder()
    input = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 4]), "input")
    builder.addInputTensor(popart.TensorInfo("INT32", [2]), "indices")
    output = builder.aiOnnx.relu([input], "debug-name")
    expect(output == "Relu:0", "the name of the result")
    output = builder.aiOnnx.gather(['input', 'indices'], axis=1, debugPrefix="My-Gather")
    builder.addOutputTensor(output)
    model = onnx.load_model_from_string(builder.getModelProto())
    expect([n.name for n in model.graph.node] == ["debug-name", "My-Gather"], "names of nodes")
    expect(builder.getTensorShape(output) == [4, 2], "the shape of the result")

    # Adding parameters to the graph
    w_data = np.random.rand(64, 4, 3, 3).astype(np.float16)
    w1 = builder.addInitializedInputTensor(w_data)
    expect(w1 == "init_input" and builder.isInitializer(w1), "a weight")
    expect(builder.getTensorDtypeString(w1) == "float16", "the weight's type")


def setting_the_ipu_number(_):
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT16", [1, 4, 8, 8]))
    we = builder.addInitializedInputTensor(np.zeros([32, 4, 3, 3], np.float16))
    bi = builder.addInitializedInputTensor(np.zeros([32], np.float16))
    o = builder.aiOnnx.conv([x, we, bi],
                            dilations=[1, 1],
                            pads=[1, 1, 1, 1],
                            strides=[1, 1])
    # place operation on IPU 1
    builder.virtualGraph(o, 1)
    expect(builder.getVirtualGraph(o) == 1, "the IPU of the convolution")

    builder = popart.Builder()

    i1 = builder.addInputTensor(popart.TensorInfo("FLOAT", [1]))
    i2 = builder.addInputTensor(popart.TensorInfo("FLOAT", [1]))
    i3 = builder.addInputTensor(popart.TensorInfo("FLOAT", [1]))
    i4 = builder.addInputTensor(popart.TensorInfo("FLOAT", [1]))

    # place two add operations on IPU 0
    with builder.virtualGraph(0):
        o1 = builder.aiOnnx.add([i1, i2])
        o2 = builder.aiOnnx.add([i3, i4])

    # place one add operation on IPU 1
    with builder.virtualGraph(1):
        o = builder.aiOnnx.add([o1, o2])
    expect([builder.getVirtualGraph(i) for i in (o1, o2, o)] == [0, 0, 1], "IPUs of contexts")

    for option in ("enableVirtualGraphs", "autoVirtualGraph"):
        opts = popart.SessionOptions()
        setattr(opts, option, True)
        session = popart.InferenceSession(
            builder.getModelProto(), popart.DataFlow(1, {o: popart.AnchorReturnType("ALL")}),
            popart.DeviceManager().createIpuModelDevice({"numIPUs": 2}), userOptions=opts)
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO(
            {i: np.float32([n]) for n, i in enumerate((i1, i2, i3, i4))}, anchors))
        expect(anchors[o] == 6, "the sum on two IPUs")


def step_io(device):
    builder = popart.Builder()
    shape = popart.TensorInfo("FLOAT", [1])
    a = builder.addInputTensor(shape, "a")
    b = builder.addInputTensor(shape, "b")
    o = builder.aiOnnx.add([a, b])
    builder.addOutputTensor(o)
    builder.saveModelProto("onnx.pb")

    df = popart.DataFlow(1, {o: popart.AnchorReturnType("ALL")})
    session = popart.InferenceSession("onnx.pb", deviceInfo=device, dataFeed=df)
    session.prepareDevice()

    # Create buffers to receive results from the execution
    anchors = session.initAnchorArrays()

    # Generate some random input data
    data_a = np.random.rand(1).astype(np.float32)
    data_b = np.random.rand(1).astype(np.float32)

    stepio = popart.PyStepIO({'a': data_a, 'b': data_b}, anchors)
    session.run(stepio)
    expect(anchors[o] == data_a + data_b, "the sum")

    # Retrieving results
    numbers = np.arange(6, dtype=np.float32)
    for art, wanted in ((popart.AnchorReturnType("ALL"), numbers * 2),
                        (popart.AnchorReturnType("EVERYN", 2), [2, 6, 10]),
                        (popart.AnchorReturnType("FINAL"), [10])):
        df = popart.DataFlow(6, {o: art})
        session = popart.InferenceSession("onnx.pb", deviceInfo=device, dataFeed=df)
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({'a': numbers, 'b': numbers}, anchors))
        expect(np.allclose(anchors[o].reshape(-1), wanted), f"{art}")


def learning_rates(device):
    """Numbers of the optimizer change between steps."""
    builder = popart.Builder()
    w = builder.addInitializedInputTensor(np.float32([1, 2]))
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.add([w, w])], 1.0,
                                      popart.ReductionType.Sum)
    learningRate = [0.5, 0.25]
    session = popart.TrainingSession(
        builder.getModelProto(), loss=loss, optimizer=popart.SGD(learningRate[0]),
        dataFlow=popart.DataFlow(1), deviceInfo=device)
    session.prepareDevice()
    session.weightsFromHost()
    for step in range(2):
        # Update learning rate parameter between training steps
        stepLr = learningRate[step]
        session.updateOptimizer(popart.SGD(stepLr))
        session.optimizerFromHost()
        session.run(popart.PyStepIO({}, {}))
    values = np.zeros(2, np.float32)
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO({w: values}))
    # The gradient is 2, and at 0 nothing.
    expect(np.allclose(values, [0, 0.5]), f"weights after two steps are {values}")


def devices(_):
    # Acquire a two-IPU pair
    dev = popart.DeviceManager().acquireAvailableDevice(2)
    expect(dev.numIpus == 2, "a pair")
    expect(len(popart.DeviceManager().enumerateDevices()) > 0, "devices")
    try:
        popart.DeviceManager().acquireDeviceById(99)
        expect(False, "device 99")
    except popart.popart_exception as error:
        expect("99" in str(error), "an error that names the device")


def reports(device):
    opts = popart.SessionOptions()
    opts.engineOptions = {"debug.instrument": "true"}
    opts.reportOptions = {"showExecutionSteps": "true"}
    df = popart.DataFlow(1, {"Add:0": popart.AnchorReturnType("ALL")})
    one = np.ones(1, np.float32)
    for options in (opts, popart.SessionOptions()):
        session = popart.InferenceSession("onnx.pb", df, device, userOptions=options)
        session.prepareDevice()
        session.run(popart.PyStepIO({"a": one, "b": one}, session.initAnchorArrays()))
        summary = session.getSummaryReport()
        graph = session.getGraphReport()
        execution = session.getExecutionReport()
        expect(graph[:1] == b"{" and execution[:1] == b"{", "reports are JSON")
        if options is opts:
            # The CPU has no cycles to count, whatever is asked for.
            isCpu = device.type == popart.DeviceType.Cpu
            expect((json.loads(execution) == {"profilerMode": "CPU"}) == isCpu, "a profile")
            expect(isCpu or "OnTileExecute (cycles" in summary, "with its steps")
            cycles = []
            for runs in (1, 0, 2):
                for _ in range(runs):
                    session.run(popart.PyStepIO({"a": one, "b": one}, session.initAnchorArrays()))
                report = json.loads(session.getExecutionReport())
                cycles.append(0 if isCpu else report["simulation"]["cycles"])
            # The report covers all runs since the last one.
            expect(2 * cycles[0] == cycles[2] and cycles[1] == 0, "since the last report")
            expect(isCpu or cycles[0] > 0, "a run")
        if options is not opts:
            expect(json.loads(execution) == {"profilerMode": "NONE"}, "no profile")
            expect("Execution profiling not enabled" in summary, "a summary without profile")
    opts.engineOptions = {"debug.instrument": "perhaps"}
    try:
        popart.InferenceSession("onnx.pb", df, device, userOptions=opts).prepareDevice()
        expect(False, "the engine gets the options")
    except Exception as error:
        expect("'perhaps'" in str(error), "and refuses values")


def dot_files(device):
    one = np.ones(1, np.float32)
    df = popart.DataFlow(1, {"Add:0": popart.AnchorReturnType("ALL")})
    opts = popart.SessionOptions()
    opts.dotChecks = {"BWD0"}
    opts.logDir = "dots"
    os.makedirs(opts.logDir)
    os.environ["POPART_DOT_CHECKS"] = "FWD1:FINAL"
    popart.InferenceSession("onnx.pb", df, device, userOptions=opts).prepareDevice()
    del os.environ["POPART_DOT_CHECKS"]
    expect(sorted(os.listdir("dots")) == ["bwd0.dot", "final.dot", "fwd1.dot"], "both are drawn")


def logging(_):
    # Set all modules to DEBUG level
    popart.getLogger().setLevel("DEBUG")
    # Turn off logging for the session module
    popart.getLogger("session").setLevel("OFF")
    popart.getLogger().debug("a line of the program")
    popart.getLogger().setLevel("OFF")


def simple_addition(device):
    # Create a builder and construct a graph
    builder = popart.Builder()

    data_shape = popart.TensorInfo("FLOAT", [1])

    a = builder.addInputTensor(data_shape)
    b = builder.addInputTensor(data_shape)

    o = builder.aiOnnx.add([a, b])

    builder.addOutputTensor(o)

    proto = builder.getModelProto()

    # Describe how to run the model
    dataFlow = popart.DataFlow(1, {o: popart.AnchorReturnType("ALL")})

    # Create a session to compile and execute the graph
    session = popart.InferenceSession(fnModel=proto,
                                      dataFeed=dataFlow,
                                      deviceInfo=device)

    # Compile graph
    session.prepareDevice()

    # Create buffers to receive results from the execution
    anchors = session.initAnchorArrays()

    # Generate some random input data
    data_a = np.random.rand(1).astype(np.float32)
    data_b = np.random.rand(1).astype(np.float32)

    stepio = popart.PyStepIO({a: data_a, b: data_b}, anchors)

    session.run(stepio)

    print("Input a is " + str(data_a))
    print("Input b is " + str(data_b))
    print("Result is " + str(anchors[o]))
    expect(anchors[o] == data_a + data_b, "the sum")


make_alexnet()
for program in (importing, creating_a_session, evaluation, building, adding_operations,
                setting_the_ipu_number, step_io, learning_rates, devices, reports, dot_files,
                logging,
                simple_addition):
    program(device_of(sys.argv[1]))
    print(program.__name__, "ok")
