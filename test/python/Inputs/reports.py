#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A session's report through pva, and marks of the host through libpvti."""

import sys

import numpy as np
import popart
import libpvti as pvti
import pva

builder = popart.Builder()
x = builder.addInputTensor(popart.TensorInfo("FLOAT", [32, 32]))
w = builder.addInitializedInputTensor(np.ones((32, 32), np.float32))
y = builder.aiOnnx.matmul([x, w])
builder.addOutputTensor(y)
options = popart.SessionOptions()
options.engineOptions["debug.instrument"] = "true"
session = popart.InferenceSession(
    builder.getModelProto(), popart.DataFlow(1, [y]),
    popart.DeviceManager().createIpuModelDevice({"tilesPerIPU": 8}), userOptions=options)
session.prepareDevice()
channel = pvti.createTraceChannel("test")
with pvti.Tracepoint(channel, "a step"):
    session.run(popart.PyStepIO({x: np.ones((32, 32), np.float32)}, session.initAnchorArrays()))
report = session.getReport()
assert isinstance(report, pva.Report)
target = report.compilation.target
print("target", target.architecture, target.numTiles, len(report.compilation.tiles))
print("memory", report.compilation.tiles[0].memory.total.includingGaps > 0,
      sum(report.compilation.tiles[0].memory.category.values()) > 0)


class Counter(pva.ProgramVisitor):
    def __init__(self):
        super().__init__()
        self.sets = 0

    def visitOnTileExecute(self, program):
        self.sets += len(program.vertices) > 0


counter = Counter()
for step in report.execution.steps:
    step.program.accept(counter)
kinds = {step.program.type for step in report.execution.steps}
print("steps", counter.sets > 0, pva.Program.Type.OnTileExecute in kinds,
      report.execution.totalCycles.total > 0)
page = report._repr_html_()
print("page", "8 tiles" in page, "of these compute" in page, "Convolve" in page)
try:
    pva.openReport("missing.pop")
except pva.ReportError as error:
    print("error", error)


class Loader:
    def load(self):
        return 5


loader = Loader()
pvti.instrument(loader, ["load"], channel)
print("instrumented", loader.load(), "test" in pvti.listTraceChannels())
pvti.Graph("numbers").addSeries("one").add(1.0)
if len(sys.argv) > 1:
    print("trace", pvti.getCurrentTraceFilename() != "")
