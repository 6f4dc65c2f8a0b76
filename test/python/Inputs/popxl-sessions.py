# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of popxl: devices, variables, streams, buffers, random numbers, optimizers."""

import unittest

import numpy as np
import popart
import popxl
from popxl import ops, transforms
from popxl_testing import DEVICE, results


class Random(unittest.TestCase):
    def test_numbers(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            stream = popxl.h2d_stream((2,), popxl.uint32)
            a, b, c = ops.split_random_seed(ops.host_load(stream), 3)
            tensors = [a, b, c, ops.random_normal(a, (2000,), 3.0, 2.0),
                       ops.random_normal(b, (2000,), 3.0, 2.0),
                       ops.random_uniform(a, (2000,), -1, 1, popxl.float16),
                       ops.dropout(popxl.constant(np.ones(2000)), b, 0.25)]
        seeds = popxl.create_seeds(42)
        self.assertEqual(seeds.shape, (2,))
        got = results(ir, tensors, {stream: seeds})
        self.assertEqual(len({tuple(s) for s in got[:3]}), 3)
        self.assertAlmostEqual(got[3].mean(), 3, delta=0.2)
        self.assertAlmostEqual(got[3].std(), 2, delta=0.15)
        self.assertFalse(np.array_equal(got[3], got[4]))
        self.assertTrue((np.abs(got[5]) <= 1).all())
        self.assertAlmostEqual((got[6] == 0).mean(), 0.25, delta=0.05)
        self.assertEqual(set(np.round(got[6], 4)), {np.float32(0), np.float32(1.3333)})
        again = popxl.Ir()
        with again.main_graph, popxl.in_sequence():
            seed = popxl.constant(seeds)
            t = ops.random_normal(ops.split_random_seed(seed, 3)[0], (2000,), 3.0, 2.0)
        np.testing.assert_array_equal(results(again, [t])[0], got[3])

    def test_seeds(self):
        self.assertEqual(popxl.create_seeds(1, 0, 3, 7, 9).shape, (3, 7, 9, 2))
        self.assertFalse((popxl.create_seeds(1) == popxl.create_seeds(2)).all())

    def test_gradient_meets_the_same_mask(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x, seed = popxl.variable(np.ones(50)), popxl.constant(np.uint32([3, 4]))
            graph = ir.create_graph(lambda a, s: ops.dropout(a, s, 0.5), x, seed)
            info = ops.call_with_info(graph, x, seed)
            grad = transforms.autodiff(graph, grads_required=graph.inputs[:1])
            dx, = ops.call(grad.graph, np.ones(50), inputs_dict=grad.inputs_dict(info))
        y, dx = results(ir, [info.outputs[0], dx])
        np.testing.assert_array_equal(y, dx)
        self.assertEqual(set(y), {0, 2})


class Optimizers(unittest.TestCase):
    def test_accumulators(self):
        update = ops.var_updates
        t, x = np.float32([1, 2]), np.float32([3, -4])
        cases = [
            (lambda a, b: update.accumulate_(a, b), t + x),
            (lambda a, b: update.accumulate_(a, b, 0.5), t + 0.5 * x),
            (lambda a, b: update.accumulate_(a, b, popxl.constant(2.0)), t + 2 * x),
            (lambda a, b: update.accumulate_square_(a, b, 0.5), t + 0.5 * x * x),
            (lambda a, b: update.accumulate_mean_(a, b, 3.0), 0.75 * t + x / 4),
            (lambda a, b: update.accumulate_moving_average_(a, b, 0.9), 0.9 * t + 0.1 * x),
            (lambda a, b: update.accumulate_moving_average_square_(a, b, 0.9),
             0.9 * t + 0.1 * x * x),
            (lambda a, b: update.accumulator_scale_(a, 0.5), t / 2),
            (lambda a, b: update.accumulator_zero_(a), t * 0),
            (lambda a, b: update.copy_var_update_(a, b), x),
            (lambda a, b: update.sparse_accumulate_(
                a, b, popxl.constant(np.uint32([1, 1])), 0, 2.0), t + np.float32([0, -2])),
        ]
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            variables = [popxl.variable(t) for _ in cases]
            for (apply, _), v in zip(cases, variables):
                apply(v, popxl.constant(x))
        with popxl.Session(ir, DEVICE) as session:
            session.run()
        for (_, expected), v in zip(cases, variables):
            np.testing.assert_allclose(session.get_tensor_data(v), expected, rtol=1e-5)

    def test_adam(self):
        w, g = np.float32([1, -2]), np.float32([0.5, 0.25])
        ir = popxl.Ir()
        update = ops.var_updates
        with ir.main_graph, popxl.in_sequence():
            weight, m, v = popxl.variable(w), popxl.variable(w * 0), popxl.variable(w * 0)
            step = popxl.variable(0.0)
            gradient = popxl.constant(g)
            update.accumulate_moving_average_(m, gradient, 0.9)
            update.accumulate_moving_average_square_(v, gradient, 0.999)
            x = update.adam_updater(m, v, weight, step, 0.01, 0.9, 0.999, 1e-6)
            ops.scaled_add_(weight, x, b=-0.1)
            lamb = popxl.variable(w)
            update.adam_var_update(lamb, gradient, ops.lamb_square(lamb),
                                   ops.lamb_square(gradient), 0.1, 10.0)
            adamax = update.adamax_updater(m, v, time_step=popxl.variable(0.0), beta1=0.9)
            kept = popxl.variable(w)
            update.copy_var_update_(kept, adamax)
            plain = popxl.variable(w)
            update.copy_var_update_(plain, update.lamb_updater(m, v))
            with self.assertRaisesRegex(ValueError, "Bias correction requires both beta1 and beta2 "
                                                    "to not be None."):
                update.adam_updater(m, v, time_step=step)
            with self.assertRaisesRegex(ValueError, "Weight decay requires weight to not be None."):
                update.adam_updater(m, v, weight_decay=0.1)
            with self.assertRaisesRegex(ValueError, "AdaMax requires time_step to not be None."):
                update.adamax_updater(m, v, beta1=0.9)
        with popxl.Session(ir, DEVICE) as session:
            for _ in range(3):
                session.run()
        want, first, second = w.astype(float), np.zeros(2), np.zeros(2)
        for t in range(1, 4):
            first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
            size = np.sqrt(second / (1 - 0.999**t)) + 1e-6
            want = want - 0.1 * (first / (1 - 0.9**t) / size + 0.01 * want)
        np.testing.assert_allclose(session.get_tensor_data(weight), want, rtol=1e-4)
        self.assertEqual(session.get_tensor_data(step), 3)
        np.testing.assert_allclose(session.get_tensor_data(kept),
                                   first / (1 - 0.9**3) / (second + 1e-7), rtol=1e-3)
        np.testing.assert_allclose(session.get_tensor_data(plain),
                                   first / (np.sqrt(second) + 1e-7), rtol=1e-3)
        norm = np.linalg.norm
        want = w.astype(float)
        for _ in range(3):
            want = want - 0.1 * min(norm(want), 10) / norm(g) * g
        np.testing.assert_allclose(session.get_tensor_data(lamb), want, rtol=1e-4)


class Remote(unittest.TestCase):
    def test_buffers(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            buffer = popxl.remote_buffer((2,), popxl.float32, 3)
            off = popxl.remote_variable(np.float32([1, 2]), buffer, 1)
            a = ops.remote_load(buffer, 1, "a")
            ops.remote_store(buffer, 2, a * 2)
            b = ops.remote_load(buffer, popxl.constant(np.uint32([2])))
            c = popxl.variable([0.0, 0.0])
            ops.remote_load_(buffer, 2, c)

            def step(x, i):
                i += 1
                ops.remote_store(buffer, i, ops.remote_load(buffer, i) + 1)
                return x + ops.remote_load(buffer, 0), i

            x, _ = ops.repeat(ir.create_graph(step, c, popxl.constant(0)), 2, c,
                              popxl.constant(-1, popxl.int32))
            d = ops.remote_load(buffer, 1)
            for entries in (0, -1, 1.5):
                with self.assertRaisesRegex(ValueError, "^Entries must be a non-zero, positive "
                                                        f"integer. Got {entries}"):
                    popxl.remote_buffer((1,), popxl.float32, entries)
            with self.assertRaises(AttributeError):
                buffer.tensor_shape = (3,)
            with self.assertRaisesRegex(ValueError, "^Tensor t.* does not match buffer."):
                ops.remote_store(buffer, 0, popxl.constant([1.0]))
            streams = [popxl.d2h_stream(t.shape, t.dtype) for t in (a, b, c, x, d)]
            for stream, t in zip(streams, (a, b, c, x, d)):
                ops.host_store(stream, t)
        with popxl.Session(ir, DEVICE) as session:
            got = session.run()
            self.assertEqual([got[s].tolist() for s in streams],
                             [[1, 2], [2, 4], [2, 4], [4, 6], [2, 3]])
            self.assertEqual(session.get_tensor_data(off).tolist(), [2, 3])
            session.write_variable_data(off, np.float32([5, 6]))
            self.assertEqual(session.run()[streams[0]].tolist(), [5, 6])
        self.assertEqual(session.get_tensor_data(off).tolist(), [6, 7])


class Sessions(unittest.TestCase):
    def make(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            self.input = popxl.h2d_stream((2,), popxl.float32, "in")
            x = ops.host_load(self.input, "x")
            self.v = popxl.variable([1.0, 2.0], name="v")
            self.c = popxl.constant([5.0])
            ops.add_(self.v, x)
            self.y = x + self.v
            self.output = popxl.d2h_stream((2,), popxl.float32, "out")
            ops.host_store(self.output, self.y)
        return ir

    def test_rules(self):
        ir = self.make()
        session = popxl.Session(ir, DEVICE)
        self.assertEqual(session.expected_inputs(), [self.input])
        data = {self.input: np.float32([1, 1])}
        for call in (lambda: session.run(data), session.weights_to_host, session.weights_from_host):
            with self.assertRaises(ValueError):
                call()
        self.assertEqual(session.get_tensor_data(self.v).tolist(), [1, 2])
        with session:
            self.assertTrue(session.is_attached)
            with session:
                self.assertEqual(session.run(data)[self.output].tolist(), [3, 4])
            self.assertFalse(self.v.in_sync_with_ipu)
            self.assertEqual(session.get_tensor_data(self.v).tolist(), [2, 3])
            self.assertTrue(self.v.in_sync_with_ipu)
            self.assertEqual(session.run({self.input: [1, 1]})[self.output].tolist(), [4, 5])
        self.assertFalse(session.is_attached)
        self.assertEqual(session.get_tensor_data(self.v).tolist(), [3, 4])
        session.write_variable_data(self.v, np.float32([0, 0]))
        with session:
            outputs = session.create_host_outputs()
            session.run_with_outputs(data, outputs)
            self.assertEqual(outputs[self.output].tolist(), [2, 2])
            session.write_variable_data(self.v, np.float32([7, 7]))
            self.assertEqual(session.run(data)[self.output].tolist(), [9, 9])
        self.assertEqual(session.get_tensor_data(self.c).tolist(), [5])
        with self.assertRaisesRegex(TypeError, "is not of type Constant or Variable"):
            session.get_tensor_data(self.y)
        with self.assertRaises(TypeError):
            session.write_variable_data(self.v, np.zeros(2))
        with self.assertRaises(ValueError):
            session.write_variable_data(self.v, np.zeros(3, np.float32))
        with self.assertRaises(RuntimeError), ir.main_graph:
            self.v + 1
        with self.assertRaises(RuntimeError):
            ir.replication_factor = 2

    def test_inputs(self):
        ir = self.make()
        other = self.make().get_all_h2d_streams().pop()
        self.make()
        stream = ir.get_all_h2d_streams().pop()
        with popxl.Session(ir, DEVICE, weights_to_host_on_exit=False) as session:
            with self.assertRaisesRegex(ValueError, "^Missing input"):
                session.run()
            with self.assertRaisesRegex(ValueError, "^Unexpected input"):
                session.run({stream: [1, 2], other: [1, 2]})
            with self.assertRaisesRegex(ValueError, "^Shape mismatch for input stream in"):
                session.run({stream: [1, 2, 3]})
            session.run({stream: np.float64([1, 2])})

    def test_options(self):
        ir = popxl.Ir()
        options = ir._pb_ir.getSessionOptions()
        self.assertIsInstance(options, popart.SessionOptions)
        self.assertTrue(options.enableInplaceAmbiguityChecking)
        self.assertIs(ir._pb_ir.getSessionOptions(), options)
        with self.assertRaises(AttributeError):
            options.engineOption = {}
        other = popart.SessionOptions()
        other.engineOptions = {"target.syncMethod": "polling"}
        ir._pb_ir.setSessionOptions(other)
        other.engineOptions["target.syncMethod"] = "hybrid"
        taken = ir._pb_ir.getSessionOptions()
        self.assertEqual(taken.engineOptions, {"target.syncMethod": "polling"})
        self.assertFalse(taken.enableInplaceAmbiguityChecking)

    def test_devices(self):
        manager = popart.DeviceManager()
        for device in (manager.createCpuDevice(),
                       manager.createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4})):
            with popxl.Session(self.make(), device) as session:
                self.assertEqual(session.run({self.input: [1, 2]})[self.output].tolist(), [3, 6])
        with self.assertRaises(ValueError):
            popxl.Session(self.make(), "none")

    def test_streams(self):
        ir = popxl.Ir()
        types = [popxl.int8, popxl.uint8, popxl.int16, popxl.int32, popxl.uint32, popxl.int64,
                 popxl.float16, popxl.float32, popxl.bool]
        with ir.main_graph, popxl.in_sequence():
            ins = [popxl.h2d_stream((2,), t) for t in types]
            outs = [popxl.d2h_stream((2,), t) for t in types]
            for i, o in zip(ins, outs):
                ops.host_store(o, ops.host_load(i))
            with self.assertRaises(ValueError):
                ops.host_store(outs[0], popxl.constant([1.0, 2.0]))
        data = {i: np.array([1, 0]).astype(i.dtype.as_numpy()) for i in ins}
        data[ins[0]][:] = [-128, 127]
        data[ins[1]][:] = [255, 3]
        with popxl.Session(ir, DEVICE) as session:
            got = session.run(data)
        for i, o in zip(ins, outs):
            self.assertEqual(got[o].dtype, o.dtype.as_numpy())
            np.testing.assert_array_equal(got[o], data[i])

    def test_integers_that_the_device_lacks(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            stream, out = popxl.h2d_stream((2,), popxl.int64), popxl.d2h_stream((2,), popxl.int64)
            ops.host_store(out, ops.host_load(stream))
        with popxl.Session(ir, DEVICE) as session:
            most = np.int64([2**31 - 1, -2**31])
            np.testing.assert_array_equal(session.run({stream: most})[out], most)
            with self.assertRaisesRegex(OverflowError, "2147483648, which int32"):
                session.run({stream: np.int64([1, 2**31])})

    def test_memory_mapped(self):
        import pathlib
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "data")
            np.arange(4, dtype=np.float32).tofile(path)
            for mode in ("r+", "r"):
                data = np.memmap(path, np.float32, mode, shape=(4,))
                ir = popxl.Ir()
                with ir.main_graph, popxl.in_sequence():
                    x = popxl.variable(data)
                    ops.add_(x, popxl.constant(1.0))
                    with self.assertRaisesRegex(ValueError, "^When passing a memory-mapped"):
                        popxl.variable(data, popxl.float16)
                    with self.assertRaisesRegex(ValueError, "^When passing a memory-mapped"):
                        popxl.variable(np.memmap(path, np.float64, mode))
                with popxl.Session(ir, DEVICE) as session:
                    session.run()
                    if mode == "r":
                        with self.assertRaises(Exception):
                            session.weights_to_host()
                self.assertEqual(np.fromfile(path, np.float32).tolist(), [1, 2, 3, 4])

    def test_groupings(self):
        def assignment(replicas, *args):
            return popxl.Ir(replicas).replica_grouping(*args).assignment

        self.assertEqual(assignment(8, 1, 2), [0, 0, 1, 1, 2, 2, 3, 3])
        self.assertEqual(assignment(8, 1, 4), [0, 0, 0, 0, 1, 1, 1, 1])
        self.assertEqual(assignment(8, 2, 4), [0, 1, 0, 1, 0, 1, 0, 1])
        self.assertEqual(assignment(8, 4, 2), [0, 1, 2, 3, 0, 1, 2, 3])
        self.assertEqual(assignment(8, 2, 2), [0, 1, 0, 1, 2, 3, 2, 3])
        ir = popxl.Ir(8)
        grouping = ir.replica_grouping_from_assignments([0, 0, 1, 1, 0, 0, 1, 1])
        self.assertEqual(grouping.assignment, [0, 0, 1, 1, 0, 0, 1, 1])
        self.assertFalse(grouping.is_const)
        transposed = ir.replica_grouping(1, 4).transpose()
        self.assertEqual((transposed.stride, transposed.group_size), (4, 2))
        for bad in ((0, 1), (9, 1), (3, 1), (1, 0), (1, 9)):
            with self.assertRaises(ValueError):
                ir.replica_grouping(*bad)
        with self.assertRaises(TypeError):
            grouping == 1

    def test_printing(self):
        import os
        import tempfile

        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x = popxl.variable([1.0, 2.5])
            ops.print_tensor(x, "mine")
            graph = ir.create_graph(lambda a: ops.print_tensor(a * 2, print_gradient=True), x)
            info = ops.call_with_info(graph, x)
            grad = transforms.autodiff(graph)
            ops.call(grad.graph, [7.0, 7.0], inputs_dict=grad.inputs_dict(info))
        with tempfile.TemporaryFile() as file, popxl.Session(ir, DEVICE) as session:
            kept = os.dup(2)
            os.dup2(file.fileno(), 2)
            session.run()
            os.dup2(kept, 2)
            file.seek(0)
            text = file.read().decode()
        self.assertRegex(text, r"mine: \[1\.0+ 2\.50+\]")
        self.assertRegex(text, r"print\{mul_out\}: \[2\.0+ 5\.0+\]")
        self.assertRegex(text, r"gradient: \[7\.0+ 7\.0+\]")

    def test_html(self):
        ir = self.make()
        self.assertIn("HostLoad", ir.main_graph._repr_html_())
        with popxl.Session(ir, DEVICE):
            self.assertIn("HostLoad", ir.main_graph._repr_html_())

    def test_cache(self):
        """What is kept is found again, and only where the program is the same."""
        import os
        import tempfile

        def run(number, value):
            ir = popxl.Ir()
            with ir.main_graph:
                v = popxl.variable(np.full(100, value, np.float32))
                stream, out = popxl.h2d_stream((100,), popxl.float32), popxl.d2h_stream(
                    (100,), popxl.float32)
                ops.host_store(out, ops.host_load(stream) * number + v)
            with popxl.Session(ir, DEVICE) as session:
                return session.run({stream: np.arange(100)})[out][2]

        with tempfile.TemporaryDirectory() as folder:
            os.environ["POPXL_CACHE_DIR"] = folder
            try:
                counts = []
                for number, value in ((3, 1), (3, 1), (4, 1), (3, 2), (3, 1)):
                    self.assertEqual(run(number, value), 2 * number + value)
                    counts.append(len(os.listdir(folder)))
            finally:
                del os.environ["POPXL_CACHE_DIR"]
            self.assertEqual([counts[0], counts[1] - counts[0], counts[2] - counts[1],
                              counts[4] - counts[3]], [1, 0, 1, 0])

    def test_interrupt(self):
        """Ctrl-C ends a run, and the session runs again."""
        import os
        import signal
        import threading

        transfers = 400000
        ir = popxl.Ir()
        ir.num_host_transfers = transfers
        with ir.main_graph:
            stream, out = popxl.h2d_stream((), popxl.float32), popxl.d2h_stream((), popxl.float32)

            def step():
                ops.host_store(out, ops.host_load(stream) + 1)

            ops.repeat(ir.create_graph(step), transfers)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        data = {stream: np.arange(transfers, dtype=np.float32)}
        with popxl.Session(ir, DEVICE) as session:
            timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                for _ in range(100):
                    session.run(data)
            timer.join()
            if DEVICE != "ipu_hw":  # which takes long
                self.assertEqual(session.run(data)[out][7], 8)

    def test_drawing(self):
        import pathlib
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            self.make().dot_checkpoint("mine", folder)
            self.assertIn("HostLoad", pathlib.Path(folder, "mine.dot").read_text())


unittest.main()
