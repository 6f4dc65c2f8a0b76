#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Python costs: importing popart, building a model, a step of a small session.

    popart_speed.py        with popart on PYTHONPATH (build/enable.sh)

Prints a line for each number, beside its budget. Times are the best of several. Where ONNX
Runtime can be imported (`pip install onnxruntime` in an environment with --system-site-packages),
its step of the same model stands beside ours.
"""

import subprocess
import sys
import time


def best(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def report(what, seconds, unit, budget):
    scale = {"ms": 1e3, "us": 1e6, "s": 1}[unit]
    print(f"{what:<55} {seconds * scale:8.2f} {unit}   (budget {budget})")


def import_time():
    run = lambda module: best(
        lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True), 5)
    report("import popart, beside an interpreter with NumPy", run("popart, numpy") - run("numpy"),
           "ms", "300 ms")


def building(popart):
    def build():
        builder = popart.Builder()
        x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4]))
        for _ in range(10000):
            x = builder.aiOnnx.relu([x])
            builder.getTensorShape(x)

    report("building 10,000 operators, asking each shape", best(build, 2), "s", "3 s")


def session_step(popart, numpy):
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4]))
    y = builder.aiOnnx.relu([x])
    builder.addOutputTensor(y)
    session = popart.InferenceSession(
        builder.getModelProto(), popart.DataFlow(1, [y]),
        popart.DeviceManager().createCpuDevice())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    data = numpy.zeros(4, numpy.float32)
    count = 2000

    def steps():
        for _ in range(count):
            session.run(popart.PyStepIO({x: data}, anchors))

    report("a step of a session of one operator, CPU", best(steps, 3) / count, "us", "1000 us")
    onnxruntime_step(builder.getModelProto(), {x: data}, count)


def onnxruntime_step(model, inputs, count):
    try:
        import onnxruntime
    except ImportError:
        print("ONNX Runtime is not installed")
        return
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def steps():
        for _ in range(count):
            session.run(None, inputs)

    report(f"the same with ONNX Runtime {onnxruntime.__version__}", best(steps, 3) / count, "us",
           "none")


def popxl_speed(numpy):
    import popxl
    from popxl import ops

    def build():
        ir = popxl.Ir()
        with ir.main_graph:
            x = popxl.variable(numpy.ones(4, numpy.float32))
            for _ in range(10000):
                x = ops.relu(x)

    report("popxl: building 10,000 operators", best(build, 2), "s", "3 s")
    ir = popxl.Ir()
    with ir.main_graph:
        stream = popxl.h2d_stream((4,), popxl.float32)
        out = popxl.d2h_stream((4,), popxl.float32)
        ops.host_store(out, ops.relu(ops.host_load(stream)))
    data = {stream: numpy.zeros(4, numpy.float32)}
    count = 2000
    with popxl.Session(ir, "cpu") as session:
        def steps():
            for _ in range(count):
                session.run(data)

        report("popxl: a run of one operator, CPU", best(steps, 3) / count, "us", "1000 us")


def main():
    import_time()
    import numpy
    import popart
    building(popart)
    session_step(popart, numpy)
    popxl_speed(numpy)


main()
