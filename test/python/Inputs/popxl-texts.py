#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of popxl's tensors and graphs, and the exceptions and texts that programs compare."""

import os
import tempfile
import unittest

import numpy as np
import popart
import popart._internal.ir as _ir
import popxl
from popxl import ops, transforms


class Case(unittest.TestCase):
    def setUp(self):
        self.ir = popxl.Ir()

    def raises(self, kind, text, attempt, begins=False):
        """`attempt` in the main graph raises that, with a text that has this or begins so."""
        with self.assertRaises(kind) as caught, self.ir.main_graph:
            attempt()
        message = str(caught.exception)
        self.assertTrue(message.startswith(text) if begins else text in message, message)

    def variable(self, *shape, **keywords):
        with self.ir.main_graph:
            return popxl.variable(np.ones(shape, np.float32), **keywords)


class Names(Case):
    def test_tensors(self):
        with self.ir.main_graph:
            first, second = popxl.variable(1.0, name="a"), popxl.variable(1.0, name="a")
            self.assertEqual(first.id, "a")
            self.assertTrue(second.id.startswith("a__t"))
            self.assertEqual(popxl.constant(1).id, "t")
            with popxl.name_scope("s"):
                self.assertEqual((first + second).id, "s/add_out")
            stream = popxl.h2d_stream((), popxl.float32)
            self.assertEqual(stream.tensor_id, "h2d_stream")
            self.assertEqual(ops.host_load(stream, "mine").id, "mine")
            self.assertEqual(popxl.d2h_stream((), popxl.float32).tensor_id, "d2h_stream")
            self.assertEqual(ops.identity(first, "same").name, "same")

    def test_graphs(self):
        def function(x):
            return x + 1

        with self.ir.main_graph:
            x = popxl.variable(np.int32([1]), name="bob")
            graph = self.ir.create_graph(function, x)
            name = "Names.test_graphs.function_subgraph(0)"
            self.assertEqual((graph.name, graph.id), (name, name))
            self.assertEqual(repr(x), "Variable[bob popxl.dtypes.int32 (1,)]")
            self.assertEqual(repr(graph.inputs[0]), f"Tensor[{name}/x popxl.dtypes.int32 (1,)]")
            self.assertEqual(self.ir.create_empty_graph().name, "graph_subgraph(0)")
            self.assertEqual(graph.inputs_by_name, {"x": graph.inputs[0]})
            y, = ops.call(graph, x)
            self.assertEqual(y.name, graph.outputs[0].name)

    def test_gradients(self):
        with self.ir.main_graph:
            x, w = popxl.variable(np.ones((2, 2)), name="x"), popxl.variable(np.ones((2, 2)))
            forward = self.ir.create_graph(lambda x, w: ops.gelu(x @ w), x, w)
            info = transforms.autodiff(forward)
            self.assertEqual(info.graph.name, forward.name + "_bwd")
            self.assertEqual([t.name for t in info.graph.outputs],
                             ["Gradient___x", "Gradient___w"])
            again = transforms.autodiff(forward, return_all_grad_graphs=True)
            self.assertEqual(again[forward].graph.name, forward.name + "_bwd_1")
            # Operators of the gradient graph are there to be seen.
            types = [op.opType() for op in info.graph._pb_graph.getOps()]
            self.assertIn("MatMul", types)
            made = {t for op in info.graph._pb_graph.getOps() for t in
                    (op.outId(i) for i in range(9) if op.hasOutput(i))}
            self.assertTrue(all(t.id in made for t in info.graph.outputs))
            called = transforms.autodiff(
                self.ir.create_graph(lambda x: ops.call(forward, x, x)[0], x),
                called_graphs_grad_info={forward: info})
            self.assertEqual(len(called.graph.outputs), 1)

    def test_ops(self):
        with self.ir.main_graph as graph:
            x = popxl.variable(np.ones((1, 2, 4, 4), np.float32))
            ops.conv(x, popxl.variable(np.ones((2, 2, 3, 3), np.float32)))
            ops.max_pool(x, (2, 2))
            ops.interpolate(x, (1.0, 1.0, 2.0, 2.0))
            ops.negate(x)
            x += 1
            kinds = [type(op) for op in graph._pb_graph.getOps()]
            self.assertEqual(kinds, [_ir.op.ConvOp, _ir.op.MaxPoolOp, _ir.op.ResizeOp,
                                     _ir.op.NegateOp, _ir.op.AddLhsInplaceOp])
            self.assertEqual(x._pb_tensor.info, popart.TensorInfo("FLOAT", [1, 2, 4, 4]))

    def test_drawings(self):
        with tempfile.TemporaryDirectory() as folder:
            self.variable(2)
            self.ir.dot_checkpoint("mine", folder)
            self.assertEqual(os.listdir(folder), ["mine.dot"])


class Texts(Case):
    def test_shapes(self):
        x = self.variable(4)
        cube = self.variable(1, 2, 3)
        self.raises(ValueError, "Invalid shape value in reshape", lambda: x.reshape((3,)))
        self.raises(ValueError, "(-2, 2)", lambda: x.reshape((-2, 2)))
        self.raises(ValueError, "Reshape shape can contain at most one '-1' value",
                    lambda: x.reshape((-1, -1)))
        self.raises(ValueError, "Values in permutation must be less than",
                    lambda: cube.transpose((0, 1, 3)))
        for text in ("rank 3", "(0, 1, 3)"):
            self.raises(ValueError, text, lambda: cube.transpose((0, 1, 3)))
        self.raises(ValueError, "rank", lambda: x.diag)
        self.raises(ValueError, "", lambda: len(self.variable()))

    def test_types(self):
        x = self.variable(2)
        with self.ir.main_graph:
            i = popxl.variable(np.int32([1, 2]))
        self.raises(popart.popart_exception, "", lambda: x + i)
        self.raises(popart.popart_exception,
                    "All inputs to a concat operation must have the same type:",
                    lambda: ops.concat([x, i]))
        self.raises(TypeError, "", lambda: ops.add(x, 1))
        self.raises(TypeError, "", lambda: x < x)
        self.raises(ValueError, "", lambda: x + np.zeros(0, np.float32))
        for key in ("a", 1.0, True):
            self.raises(TypeError, "", lambda key=key: x[key])
        self.raises(ValueError, "", lambda: popxl.dtype.as_dtype(np.str_))
        self.raises(ValueError, "", lambda: popxl.dtype.from_name("other"))
        self.raises(TypeError, "", popxl.dtype)
        for kind in (popxl.Graph, popxl.Tensor, popxl.HostToDeviceStream, popxl.CallSiteInfo):
            self.raises(RuntimeError, "cannot be constructed directly", kind)

    def test_calls(self):
        x = self.variable()
        with self.ir.main_graph:
            graph = self.ir.create_graph(lambda x, y: x + y, x, x)
            one = self.ir.create_graph(lambda x: (x, x), x)
            info = ops.call_with_info(graph, x, 2)
        self.raises(ValueError, "Too many inputs have been provided",
                    lambda: ops.call(graph, x, x, x), begins=True)
        self.raises(ValueError, "Not enough inputs have been provided", lambda: ops.call(graph, x),
                    begins=True)
        self.raises(ValueError, "specified twice",
                    lambda: ops.call(graph, x, x, inputs_dict={graph.inputs[0]: x}))
        self.raises(ValueError, "not in the called graph",
                    lambda: ops.call(graph, x, inputs_dict={x: x}))
        self.raises(TypeError, "", lambda: ops.call(graph, x, "text"))
        self.raises(ValueError, "Repeat count must be >= 0", lambda: ops.repeat(graph, -1, x, x),
                    begins=True)
        self.raises(ValueError, "To repeat the subgraph", lambda: ops.repeat(one, 2, x),
                    begins=True)
        self.raises(ValueError, "", lambda: info.graph_to_parent(x))
        self.raises(ValueError, "", lambda: info.parent_to_graph(graph.inputs[0]))
        self.raises(IndexError, "", lambda: info.parent_input(5))
        self.raises(IndexError, "", lambda: info.parent_output(1))
        self.raises(ValueError, "The input tensor `rhs` is not in the current Graph ",
                    lambda: ops.add(x, graph.inputs[0]), begins=True)

    def test_graphs(self):
        x = self.variable()
        create = self.ir.create_graph
        self.raises(TypeError, "", lambda: create(3, x))
        self.raises(ValueError, "", lambda: create(lambda x: 5, x))
        self.raises(ValueError, "", lambda: create(lambda x: x))
        self.raises(TypeError, "", lambda: create(lambda both: both[0], [x, 1]))
        with self.ir.main_graph:
            graph = create(lambda x: x + 1, x)
        with self.assertRaises(ValueError), graph:
            popxl.variable(1)
        other = popxl.Ir()
        self.raises(RuntimeError, "", other.main_graph.__enter__)
        self.raises(TypeError, "", lambda: self.ir == 1)
        for outside in (popxl.gcg, popxl.gmg, popxl.gir, lambda: popxl.variable(1)):
            with self.assertRaises(RuntimeError):
                outside()

    def test_contexts(self):
        self.raises(TypeError, "`None` cannot be passed to",
                    lambda: popxl.in_sequence(None).__enter__())
        x, y = self.variable(), self.variable()
        with self.ir.main_graph:
            with popxl.ipu(1):
                t2 = y + 1
            with popxl.ipu(0):
                t1 = x + 1
        for text in ("rhs", "IPUs"):
            self.raises(ValueError, text, lambda: ops.add(t1, t2))
        self.raises(popxl.errors.UndefinedValue, "", lambda: self.variable().ipu)

    def test_buffers(self):
        x = self.variable(3)
        with self.ir.main_graph:
            buffer = popxl.remote_buffer((2,), popxl.float32, 2)
        for entries in (0, -1):
            self.raises(ValueError,
                        f"Entries must be a non-zero, positive integer. Got {entries}",
                        lambda: popxl.remote_buffer((2,), popxl.float32, entries))
        self.raises(ValueError, f"Tensor {x.id} does not match buffer.",
                    lambda: ops.remote_store(buffer, 0, x), begins=True)
        for name, value in (("tensor_shape", (3,)), ("tensor_dtype", popxl.int32),
                            ("remote_buffer_id", 7), ("meta_shape", (3,))):
            self.raises(AttributeError, "can't set attribute",
                        lambda name=name, value=value: setattr(buffer, name, value), begins=True)
        buffer.entries = 5
        self.assertEqual((buffer.remote_buffer_id, buffer.entries), (1, 5))

    def test_autodiff(self):
        x = self.variable(4, 2)
        with self.ir.main_graph:
            i = popxl.variable(np.int32([0, 1]))
            rows = self.ir.create_graph(lambda x, i: ops.gather(x, i), x, i)
            writes = self.ir.create_graph(ops.gelu_, x)
            closed = self.ir.create_graph(lambda x: x + 1, x)
        closed._pb_graph.setCanBeRecursivelyAutodiffed(False)
        fails = popart.popart_exception
        self.raises(fails, "[Autodiff] Unable to provide required gradient output for ",
                    lambda: transforms.autodiff(rows), begins=True)
        self.raises(fails, f"The graph {writes.name} contains a modifying op",
                    lambda: transforms.autodiff(writes), begins=True)
        self.raises(fails, "has been marked as unsafe to autodiff",
                    lambda: transforms.autodiff(closed))
        self.raises(fails, "", lambda: transforms.autodiff(rows, grads_required=[]))
        for kind in (transforms.GradGraphInfo, transforms.ExpectedConnection):
            self.raises(TypeError, "", kind)

    def test_updaters(self):
        a, b, w, step = (self.variable(2) for _ in range(4))
        update = ops.var_updates
        self.raises(ValueError, "Bias correction requires both beta1 and beta2 to not be None.",
                    lambda: update.adam_updater(a, b, w, time_step=step))
        self.raises(ValueError, "Weight decay requires weight to not be None.",
                    lambda: update.adam_updater(a, b, weight_decay=0.1))
        self.raises(ValueError, "AdaMax requires time_step to not be None.",
                    lambda: update.adamax_updater(a, b, w, beta1=0.1))

    def test_data(self):
        with tempfile.TemporaryDirectory() as folder:
            def mapped(name, dtype):
                return np.memmap(os.path.join(folder, name), dtype, mode="w+", shape=(2, 3))

            start = "When passing a memory-mapped NumPy array, "
            self.raises(ValueError, start, lambda: popxl.variable(mapped("a", np.float64)),
                        begins=True)
            self.raises(ValueError, start,
                        lambda: popxl.variable(mapped("b", np.float32), popxl.float16), begins=True)
            self.raises(ValueError, start, lambda: popxl.variable(mapped("c", np.float32).T),
                        begins=True)

    def test_sessions(self):
        with self.ir.main_graph, popxl.in_sequence():
            v, c = popxl.variable(np.arange(4.0), name="v"), popxl.constant([1, 2])
            stream = popxl.h2d_stream((4,), popxl.float32)
            x = ops.host_load(stream)
            ops.var_updates.accumulate_(v, x)
        session = popxl.Session(self.ir, "cpu")
        data = {stream: np.zeros(4, np.float32)}
        for outside in (lambda: session.run(data), session.weights_to_host,
                        session.weights_from_host,
                        lambda: session.run_with_outputs(data, {})):
            with self.assertRaisesRegex(ValueError, "Must be attached to device"):
                outside()
        with self.assertRaisesRegex(TypeError, "is not of type Constant or Variable"):
            session.get_tensor_data(x)
        with self.assertRaises(TypeError):
            session.write_variable_data(v, np.zeros(4))
        with self.assertRaises(ValueError):
            session.write_variable_data(v, np.zeros(3, np.float32))
        with session:
            with self.assertRaisesRegex(ValueError, "^Missing input"):
                session.run()
            with self.assertRaisesRegex(ValueError, "^Unexpected input"):
                session.run({**data, "other": np.zeros(4)})
            with self.assertRaisesRegex(ValueError, "^Shape mismatch for input stream "):
                session.run({stream: np.zeros(3, np.float32)})
            self.assertEqual(session.run(data), {})
        with self.assertRaises(RuntimeError):
            popxl.Session(self.ir, "cpu")
        with self.assertRaises(RuntimeError), self.ir.main_graph:
            popxl.variable(1)
        np.testing.assert_array_equal(session.get_tensor_data(c), [1, 2])

    def test_ambiguity(self):
        with self.ir.main_graph:
            v = popxl.variable(np.arange(4.0))
            ops.sin(v)
            ops.relu_(v)
            ops.cos(v)
        with self.assertRaises(popart.popart_exception) as caught:
            popxl.Session(self.ir, "cpu")
        self.assertTrue(str(caught.exception).startswith("Inplacing ambiguity detected."))


class Options(Case):
    def test_rounding(self):
        """Numbers between two halves go up or down."""
        with self.ir.main_graph:
            x = popxl.variable(np.full(64, 1, np.float16))
            small = popxl.variable(np.full(64, 0.0003, np.float16))
            stream = popxl.d2h_stream((64,), popxl.float16)
            ops.host_store(stream, x + small)
        self.ir._pb_ir.getSessionOptions().enableStochasticRounding = True
        device = popart.DeviceManager().createSimDevice({"tilesPerIPU": 4})
        with popxl.Session(self.ir, device) as session:
            self.assertEqual(len(set(session.run()[stream])), 2)


unittest.main()
