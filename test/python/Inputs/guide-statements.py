# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of the guides to PopART and PopXL, one function each."""

import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import popart
import popxl
import pva
from popxl import ops


def session(ir, device="cpu"):
    return popxl.Session(ir, device)


def ids_and_numbers():
    ir = popxl.Ir(replication=6)
    assert isinstance(ir.id, int) and ir.id != popxl.Ir().id
    assert isinstance(ir.instance_replication_factor, int)
    grouping = ir.replica_grouping()
    assert (grouping.stride, grouping.group_size) == (1, 6), grouping
    assert ir.replica_grouping(stride=2).group_size == 3
    scattered = ir.replica_grouping_from_assignments([0, 1, 0, 0, 1, 1])
    assert not scattered.is_const and scattered.num_groups == 2


def columns_of_types():
    rows = {"bool": (0, 0, 0), "int8": (1, 0, 1), "int32": (1, 0, 1), "uint8": (1, 0, 0),
            "uint32": (1, 0, 0), "float16": (0, 1, 1), "float32": (0, 1, 1)}
    for name, row in rows.items():
        known = getattr(popxl, name)
        got = (known.is_int, known.is_floating_point, known.is_signed)
        assert got == tuple(map(bool, row)), (name, got)


def producers_and_consumers():
    ir = popxl.Ir()
    with ir.main_graph as graph:
        v = popxl.variable(np.float32([1, 2]), name="v")
        a, b = v + 1, v * 2
        c = a + b
        ops.host_store(popxl.d2h_stream(c.shape, c.dtype), c)
    assert not v._pb_tensor.hasProducer()
    assert a._pb_tensor.hasProducer() and a._pb_tensor.getProducer().hasInputTensor(v._pb_tensor)
    readers = [op for op in graph._pb_graph.getOps() if op.hasInputTensor(v._pb_tensor)]
    assert len(readers) == 2, readers
    with session(ir) as s:
        np.testing.assert_array_equal(list(s.run({}).values())[0], [4, 7])


def variables_are_of_the_main_graph():
    ir = popxl.Ir()
    with ir.main_graph:
        v = popxl.variable(np.float32([1]), name="v")
        assert v.graph is ir.main_graph and v.scope == ""
        with ir.create_empty_graph("sub"):
            try:
                popxl.variable(np.float32([1]))
            except ValueError:
                return
    raise AssertionError("a subgraph holds a variable")


def dots_of(setting, environment=None):
    """The checkpoints whose files appear in a folder."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        code = f"""
import numpy as np, popxl
from popxl import ops
ir = popxl.Ir()
options = ir._pb_ir.getSessionOptions()
{setting}
with ir.main_graph:
    v = popxl.variable(np.float32([1, 2]))
    v + 1
ir.dot_checkpoint("One", {first!r})
ir.dot_checkpoint("Two")
ir.dot_checkpoint("Three", {second!r})
ir.dot_checkpoint("Four")
"""
        subprocess.run([sys.executable, "-c", code], check=True,
                       env={**os.environ, **(environment or {})})
        names = [sorted(os.listdir(folder)) for folder in (first, second)]
    return [sorted({re.split(r"[_.]", name)[0].lower() for name in part}) for part in names]


def dot_checkpoints():
    assert dots_of("options.dotChecks = {'Two'}") == [["two"], []]
    assert dots_of("", {"POPART_DOT_CHECKS": "One:Four"}) == [["one"], ["four"]]
    assert dots_of("options.dotChecks = {'ALL'}") == [["one", "two"], ["four", "three"]]


def devices_by_id():
    """The ids are those of gc-info; one may stand for several IPUs."""
    text = subprocess.run(["gc-info"], check=True, capture_output=True, text=True).stdout
    listed = {int(number): int(ipus) for number, ipus in
              re.findall(r"Id: \[(\d+)\].*IPUs: \[(\d+)\]", text)}
    manager = popart.DeviceManager()
    for count in (1, 2):
        for found in manager.enumerateDevices(numIpus=count):
            assert listed[found.id] == count, (found.id, text)
            device = manager.acquireDeviceById(found.id)
            assert (device.id, device.numIpus) == (found.id, count)
            device.detach()


def refused(error, call, *words):
    """That a call raises the error, with the words."""
    try:
        call()
    except error as raised:
        assert all(word in str(raised) for word in words), raised
    else:
        raise AssertionError(f"no {error.__name__}")


def scattered_groups():
    """They set variables, and no collective takes them."""
    ir = popxl.Ir(replication=4)
    group = ir.replica_grouping_from_assignments([0, 1, 1, 0])
    with ir.main_graph:
        v = popxl.variable(np.float32([[1], [2]]), replica_grouping=group)
        refused(NotImplementedError,
                lambda: ops.collectives.replicated_all_reduce(v, group=group), "constant stride")
        out = popxl.d2h_stream((1,), popxl.float32)
        ops.host_store(out, v)
    device = popart.DeviceManager().createIpuModelDevice({"numIPUs": 4, "tilesPerIPU": 2})
    with session(ir, device) as running:
        assert running.run()[out].ravel().tolist() == [1, 2, 2, 1]


def numbers_of_transfers():
    """One number, which is set before the session."""
    ir = popxl.Ir()
    with ir.main_graph:
        popxl.variable(np.float32([1])) + 1
    ir.num_host_transfers = 6
    assert not hasattr(ir, "batches_per_step") and not hasattr(ir, "accumulation_factor")
    session(ir)

    def change():
        ir.num_host_transfers = 7
    refused(RuntimeError, change, "num_host_transfers", "session")


def nested_arguments():
    """Tensors inside of them are no inputs, so the function cannot use them."""
    ir = popxl.Ir()
    with ir.main_graph:
        v = popxl.variable(np.float32([1]))
        for value, use in (([[v], [v]], lambda t: t[0][0] + 1), ({"v": v}, lambda t: t["v"] + 1)):
            refused(ValueError, lambda value=value, use=use: ir.create_graph(use, value),
                    "not in the current Graph")


def pipeline_of_four_replicas():
    """Four replicas of four IPUs are on sixteen."""
    for count in (8, 16):
        ir = popxl.Ir(replication=4)
        with ir.main_graph, popxl.in_sequence():
            stream = popxl.h2d_stream((2,), popxl.float32)
            with popxl.ipu(0):
                x = ops.host_load(stream)
            for ipu in range(1, 4):
                x = ops.ipu_copy(x, ipu)
                with popxl.ipu(ipu):
                    x = x + ipu
            out = popxl.d2h_stream((2,), popxl.float32)
            ops.host_store(out, x)
        device = popart.DeviceManager().createIpuModelDevice({"numIPUs": count, "tilesPerIPU": 2})
        if count == 8:
            refused(RuntimeError, lambda: session(ir, device))
            continue
        data = np.arange(8, dtype=np.float32).reshape(4, 2)
        with session(ir, device) as running:
            np.testing.assert_array_equal(running.run({stream: data})[out], data + 6)


def code_of_call_sites():
    """A graph that is called three times has as many vertices as one that is called once."""
    def vertices(calls):
        ir = popxl.Ir()
        with tempfile.TemporaryDirectory() as folder:
            ir._pb_ir.getSessionOptions().engineOptions = {
                "autoReport.all": "true", "autoReport.directory": folder}
            with ir.main_graph, popxl.in_sequence():
                stream = popxl.h2d_stream((16, 16), popxl.float32)
                x = ops.host_load(stream)
                graph = ir.create_graph(lambda t: ops.tanh(t @ t) + t, x)
                for _ in range(calls):
                    x, = ops.call(graph, x)
                out = popxl.d2h_stream((16, 16), popxl.float32)
                ops.host_store(out, x)
            device = popart.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4})
            with session(ir, device) as running:
                running.run({stream: np.eye(16, dtype=np.float32)})
            report = pva.openReport(os.path.join(folder, "profile.pop"))
            return report.compilation.graph.numVertices
    once = vertices(1)
    assert once > 4 and vertices(3) == once, (once, vertices(3))


def float64_is_float32():
    ir = popxl.Ir()
    with ir.main_graph:
        assert popxl.double is popxl.float64
        x = popxl.constant(np.float64([1 / 3]), popxl.float64)
        out = popxl.d2h_stream(x.shape, x.dtype)
        ops.host_store(out, x * 3)
    with session(ir) as running:
        result = running.run()[out]
    assert result.tolist() == [float(np.float32(1 / 3) * np.float32(3))], result


for check in (ids_and_numbers, columns_of_types, producers_and_consumers,
              variables_are_of_the_main_graph, dot_checkpoints, devices_by_id, scattered_groups,
              numbers_of_transfers, nested_arguments, pipeline_of_four_replicas,
              code_of_call_sites, float64_is_float32):
    check()
    print(check.__name__)
