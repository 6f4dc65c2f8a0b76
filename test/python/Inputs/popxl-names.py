# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that libraries over popxl and tutorials import, in the way that they do, used once."""

import contextlib
import subprocess
import sys
import unittest

import numpy as np
import popart
import popart._internal.ir as _ir
import popxl
from popxl import ops
from popxl_testing import DEVICE, results


class Hosts(unittest.TestCase):
    """Modules of what is on the host."""

    def test_data(self):
        from popxl.tensor import HostScalarTensor, HostTensor, host_tensor_types

        kinds = tuple(host_tensor_types)
        for data in (np.zeros(2), [1.0], (1, 2), memoryview(b"ab")):
            self.assertIsInstance(data, kinds)
        self.assertNotIsInstance(3.0, kinds)

        def total(data: HostTensor, more: HostScalarTensor) -> float:
            return float(np.sum(data) + more)

        self.assertEqual(total([1, 2], 3), 6)

    def test_fp8_utils(self):
        from popxl.fp8_utils import host_pow2scale_cast_from_fp8, host_pow2scale_cast_to_fp8

        data = np.float32([1, 2.5, -20])
        small = host_pow2scale_cast_to_fp8(data, popxl.float8_143, -2)
        back = host_pow2scale_cast_from_fp8(small, popxl.float32, 2)
        np.testing.assert_array_equal(back, data)

    def test_utils(self):
        from popxl.utils import _to_device_info, downcast_np_dtypes, table_to_string

        for wide, narrow in ((np.int64, np.int32), (np.uint64, np.uint32),
                             (np.float64, np.float32), (np.float16, np.float16),
                             (np.bool_, np.bool_)):
            narrowed = downcast_np_dtypes(np.ones(2, wide))
            self.assertEqual((narrowed.dtype, narrowed.tolist()), (narrow, [1, 1]))
        self.assertEqual(table_to_string([["name", "shape"], ["x", (2, 3)], ["weight"]]),
                         "name    shape\nx       (2, 3)\nweight")
        for name, kind, ipus in (("cpu", popart.DeviceType.Cpu, 1),
                                 ("ipu_model", popart.DeviceType.IpuModel, 2),
                                 ("ipu_hw", popart.DeviceType.Ipu, 2)):
            device = _to_device_info(name, ipus)
            self.assertEqual((device.type, device.numIpus), (kind, ipus))
            self.assertIs(_to_device_info(device), device)
        with self.assertRaises(ValueError):
            _to_device_info("gpu")

    def test_from_ir(self):
        """Without an import of popart.ir."""
        program = ("import popart, popxl, numpy as np; ir = popxl.Ir()\n"
                   "with ir.main_graph: v = popxl.variable(2.0, name='v'); v += 1.0\n"
                   "s = popart.InferenceSession.fromIr(ir._pb_ir, "
                   "popart.DeviceManager().createCpuDevice())\n"
                   "s.prepareDevice(); s.weightsFromHost(); s.run(popart.PyStepIO({}, {}))\n"
                   "out = {'v': np.zeros((), np.float32)}\n"
                   "s.weightsToHost(); s.readWeights(popart.PyWeightsIO(out)); print(out['v'])")
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                             check=True)
        self.assertEqual(run.stdout, "3.0\n")


class Graphs(unittest.TestCase):
    def setUp(self):
        self.ir = popxl.Ir()
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        stack.enter_context(self.ir.main_graph)
        stack.enter_context(popxl.in_sequence())

    def test_strides(self):
        for dtype, size in ((popxl.float32, 4), (popxl.float16, 2), (popxl.bool, 1),
                            (popxl.int32, 4)):
            data = np.zeros((2, 3, 4), dtype.as_numpy())
            t = popxl.constant(data, dtype)
            self.assertEqual(t.strides(), data.strides)
            self.assertIsInstance(t.strides(), tuple)
            self.assertEqual(t.strides((5, 6)), (6 * size, size))
        self.assertEqual(popxl.constant(1.0).strides(), ())

    def test_tensors_by_way_of_their_module(self):
        from popxl.tensor import constant, graph_input, graph_output, variable

        graph = self.ir.create_empty_graph("g")
        with graph:
            x = graph_input((2,), popxl.float32, "x")
            graph_output(x + constant([1.0, 2.0]))
        self.assertEqual(results(self.ir, ops.call(graph, variable([3.0, 4.0])))[0].tolist(),
                         [4.0, 6.0])
        with self.assertRaises(ImportError):
            from popxl.tensor import nothing

    def test_modules_of_operators(self):
        """A module and a function may have one name."""
        from popxl.ops.call import CallSiteInfo, call_with_info
        from popxl.ops.conditional import ConditionalSiteInfo, conditional_with_info
        from popxl.ops.repeat import repeat_with_info

        x = popxl.variable(3.0)
        graph = self.ir.create_graph(lambda t: t * 2, x)
        info = call_with_info(graph, x)
        self.assertIsInstance(info, CallSiteInfo)
        self.assertIsInstance(repeat_with_info(graph, 2, x), CallSiteInfo)
        other = conditional_with_info(popxl.constant(True), graph, graph, [x], [x])
        self.assertIsInstance(other, ConditionalSiteInfo)
        values = [*ops.call(graph, x), *ops.repeat(graph, 3, x),
                  *ops.conditional(popxl.constant(False), graph, graph, [x], [popxl.constant(5.0)])]
        self.assertEqual([v.tolist() for v in results(self.ir, values)], [6.0, 24.0, 10.0])

    def test_convolutions(self):
        from popxl.ops.conv import PadType

        def conv(t, w, pad_type: PadType):
            return ops.conv(t, w, pad_type=pad_type)

        ones = popxl.constant(np.ones((1, 1, 3, 3), np.float32))
        self.assertEqual(conv(ones, ones, "same_upper").shape, (1, 1, 3, 3))
        self.assertEqual(conv(ones, ones, "valid").shape, (1, 1, 1, 1))

    def test_losses(self):
        from popxl.ops.negative_log_likelihood import nll_loss, nll_loss_with_softmax_grad

        probs, labels = popxl.constant([[0.25, 0.75]]), popxl.constant([1], popxl.int32)
        loss = nll_loss(probs, labels)
        other, grad = nll_loss_with_softmax_grad(probs, labels)
        for got, wanted in zip(results(self.ir, [loss, other, grad]),
                               (-np.log(0.75), -np.log(0.75), [[0.25, -0.25]])):
            np.testing.assert_allclose(got, wanted, rtol=1e-6)

    def test_collectives(self):
        from popxl.ops.collectives.collectives import CollectiveOps, to_collective_op

        self.assertEqual(to_collective_op("add"), _ir.CollectiveOperator.Add)
        with self.assertRaises(ValueError):
            to_collective_op("average")

        def reduced(t, op: CollectiveOps = "add"):
            return ops.collectives.replicated_all_reduce(t, op)

        self.assertEqual(results(self.ir, [reduced(popxl.variable(3.0))])[0], 3.0)

    def test_8_bit_floats(self):
        x = popxl.variable([1.0, 3.0])
        small = ops.pow2scale_cast_to_fp8(x, data_type=popxl.float8_152, log2_scale=1)
        self.assertEqual(small.dtype, popxl.float8_152)
        self.assertEqual(ops.pow2scale_cast_to_fp8(x).dtype, popxl.float8_143)
        wide = ops.pow2scale_cast_from_fp8(small, -1, data_type=popxl.float32)
        self.assertEqual(results(self.ir, [wide])[0].tolist(), [1.0, 3.0])
        with self.assertRaises(TypeError):
            ops.pow2scale_cast_to_fp8(x, 0, popxl.float8_143, data_type=popxl.float8_152)

    def test_optional_floats(self):
        from popxl.ops.utils import convert_optional_float

        self.assertEqual(convert_optional_float(0.5).value(), 0.5)
        self.assertTrue(convert_optional_float(0.0))
        self.assertEqual(convert_optional_float(None), _ir.OptionalFloat())
        with self.assertRaises(popart.popart_exception):
            convert_optional_float(None).value()

    def test_contexts(self):
        from popxl.context import (_execution_context, debug_context_frame_offset,
                                   get_current_context)

        @debug_context_frame_offset(1)
        def double(t):
            """Twice."""
            return t * 2

        self.assertEqual(double.__doc__, "Twice.")
        with _execution_context(popxl.ExecutionContext.Normal):
            y = double(popxl.variable(3.0))
        self.assertEqual(results(self.ir, [y])[0], 6.0)
        with self.assertRaisesRegex(popart.popart_exception, "WeightsFromHostFragment"):
            with _execution_context(popxl.ExecutionContext.WeightsFromHostFragment):
                pass
        self.assertIsNone(get_current_context().ipu_id)
        with popxl.ipu(3):
            self.assertEqual(get_current_context().ipu_id, 3)

    def test_remote_buffers(self):
        buffer = popxl.RemoteBuffer((2,), popxl.float32, 3)
        self.assertEqual((buffer.tensor_shape, buffer.tensor_dtype, buffer.entries),
                         ((2,), popxl.float32, 3))
        ops.remote_store(buffer, 2, popxl.variable([5.0, 6.0]))
        self.assertEqual(results(self.ir, [ops.remote_load(buffer, 2)])[0].tolist(), [5.0, 6.0])

    def test_objects_behind(self):
        x = popxl.variable(3.0, name="x")
        graph = self.ir.create_graph(lambda t: t * 2, x)
        ops.call(graph, x)
        behind = graph._pb_graph
        self.assertIs(popxl.Graph._from_pb(behind), graph)
        self.assertIs(behind.get_tensor(graph.inputs[0].id), graph.inputs[0])
        main = self.ir.main_graph._pb_graph
        self.assertEqual(main.getCalledGraphs(), [behind])
        call = main.getOps()[-1]
        self.assertEqual(call.getCalledGraph(), behind)
        self.assertEqual(call.getInputTensors(), [x._pb_tensor])
        self.assertEqual(call.getInputIndexMap(), {0: x._pb_tensor})
        self.assertEqual(call.getOutputIds(), [t.id for t in call.getOutputTensors()])
        self.assertEqual((call.inIndex(x._pb_tensor), call.getVirtualGraphId()), (0, 0))
        mul = behind.getOps()[-1]
        self.assertFalse(hasattr(mul, "getCalledGraph"))
        for change in ("disconnectAllInputs", "disconnectAllOutputs", "addModified"):
            with self.assertRaisesRegex(popart.popart_exception, change):
                getattr(mul, change)(main)
        for change in ("connectInTensor", "createAndConnectOutTensor"):
            with self.assertRaisesRegex(popart.popart_exception, change):
                getattr(mul, change)(0, x.id)
        connection = popxl.transforms.ExpectedConnection._from_pb(
            behind, _ir.ExpectedConnection(graph.inputs[0].id, _ir.ExpectedConnectionType.Fwd))
        self.assertIs(connection.fwd_tensor, graph.inputs[0])

    def test_session_behind(self):
        x = popxl.variable([1.0, 2.0], name="x")
        with popxl.Session(self.ir, DEVICE) as session:
            data = popart.PyWeightsIO({x.id: np.float32([3, 4])})
            session._pb_session.writeWeights(data)
            session._pb_session.weightsFromHost()
            self.assertEqual(session.get_tensor_data(x).tolist(), [3.0, 4.0])

    def test_outputs_taken_away(self):
        """By the indices that they had at the beginning, from the first one on."""
        graph = self.ir.create_graph(lambda t: (t, t + 1, t + 2, t + 3), popxl.constant(1.0))
        kept = graph.outputs[:1]
        for index in (1, 2, 3):
            graph._pb_graph.removeOutput(index)
        self.assertEqual(graph.outputs, kept)
        graph._pb_graph.removeOutput(5)
        self.assertEqual(graph.outputs, ())
        with self.assertRaises(IndexError):
            graph._pb_graph.removeOutput(0)


if __name__ == "__main__":
    print(DEVICE)
    unittest.main()
