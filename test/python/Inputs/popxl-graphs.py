# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of popxl: signatures, calls, references, loops, branches, gradients."""

import typing
import unittest

import numpy as np
import popart
import popxl
from popxl import TensorByRef, ops, transforms
from popxl_testing import DEVICE, results


class Graphs(unittest.TestCase):
    def test_arguments(self):
        ir = popxl.Ir()
        seen = {}

        def f(a, b: typing.List[TensorByRef], *args, scale=3, **kwargs):
            seen.update(a=a, b=b, args=args, scale=scale, kwargs=kwargs)
            popxl.graph_input((1,), popxl.float32, "late")
            return a, b[0]

        with ir.main_graph, popxl.in_sequence():
            t = popxl.variable(1.0)
            graph = ir.create_graph(f, t, [t, t], t, extra=popxl.TensorSpec((2,), popxl.int32))
            self.assertEqual([x.name for x in graph.inputs],
                             ["a", "b_0", "b_1", "args_0", "extra", "late"])
            self.assertEqual(graph._by_ref_inputs, set(seen["b"]))
            self.assertEqual((seen["scale"], seen["kwargs"]["extra"].shape), (3, (2,)))
            self.assertEqual(len(graph.outputs), 2)
            with self.assertRaises(TypeError):
                ir.create_graph(f, t, [t, 1])
            with self.assertRaises(ValueError):
                ir.create_graph(f)
            for bad in (1, "text", [t, 1]):
                with self.assertRaises(ValueError):
                    ir.create_graph(lambda x: bad, t)
            with self.assertRaises(TypeError):
                ir.create_graph(3, t)
            self.assertEqual(ops.call(ir.create_graph(lambda x: None, t), t), ())

    def test_call_errors(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            t = popxl.variable(1.0)
            graph = ir.create_graph(lambda x, y: x + y, t, t)
            x, y = graph.inputs
            with self.assertRaisesRegex(ValueError, "^Too many inputs have been provided"):
                ops.call(graph, t, t, t)
            with self.assertRaisesRegex(ValueError, "^Not enough inputs have been provided"):
                ops.call(graph, t)
            with self.assertRaisesRegex(ValueError, "specified twice"):
                ops.call(graph, t, inputs_dict={x: t})
            with self.assertRaisesRegex(ValueError, "not in the called graph"):
                ops.call(graph, t, inputs_dict={t: t})
            with self.assertRaises(TypeError):
                ops.call(graph, t, "text")
            info = ops.call_with_info(graph, t, inputs_dict={y: 2})
            self.assertIs(info.graph_to_parent(x), t)
            self.assertIs(info.parent_to_graph(info.outputs[0]), graph.outputs[0])
            with self.assertRaises(ValueError):
                info.graph_to_parent(t)
            with self.assertRaises(IndexError):
                info.parent_input(2)
            self.assertEqual(ir.main_graph.called_graphs, (graph,))

    def test_references(self):
        def by_ref(x: TensorByRef, y):
            ops.var_updates.accumulate_(x, y)

        def by_value(x, y):
            x += y
            return x

        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            a, b, c, d = (popxl.variable([1.0, 2.0]) for _ in range(4))
            ref, value = ir.create_graph(by_ref, a, a), ir.create_graph(by_value, a, a)
            for _ in range(2):
                info = ops.call_with_info(ref, a, d)
            self.assertTrue(info._op.modifiesIndex(0))
            self.assertFalse(info._op.modifiesIndex(1))
            returned, = ops.call(value, b, d)
            info = ops.call_with_info(value, c, d)
            info.set_parent_input_modified(c)
        got = results(ir, [a, b, c, d, returned])
        self.assertEqual([x.tolist() for x in got],
                         [[3, 6], [1, 2], [2, 4], [1, 2], [2, 4]])

    def test_repeat(self):
        def step(x, count: TensorByRef, y):
            ops.add_(count, popxl.constant(1.0))
            return x * y

        ir = popxl.Ir()
        ir.num_host_transfers = 3
        with ir.main_graph, popxl.in_sequence():
            x, y, count = popxl.variable(1.0), popxl.variable(2.0), popxl.variable(0.0)
            graph = ir.create_graph(step, x, count, y)
            out, = ops.repeat(graph, 5, x, count, y)
            none, = ops.repeat(graph, 0, x, count, y)
            load = popxl.h2d_stream((), popxl.float32, "in")
            store = popxl.d2h_stream((), popxl.float32, "out")

            def transfer(total):
                t = ops.host_load(load)
                ops.host_store(store, t * 10)
                return total + t

            total, = ops.repeat(ir.create_graph(transfer, x), 3, popxl.constant(0.0))
            info = ops.repeat_with_info(graph, 1, x, count, y)
            self.assertEqual(info.called_graph.name, f"{graph.name}__loop_wrapper_subgraph(2)")
            last = popxl.variable([0.0, 0, 0])
            for v, place in ((out, 0), (none, 1), (total, 2)):
                part = ops.slice_(last, place, place + 1)
                ops.var_updates.copy_var_update_(part, v.reshape((1,)))
            with self.assertRaisesRegex(ValueError, "^Repeat count must be >= 0"):
                ops.repeat(graph, -1, x, count, y)
            with self.assertRaisesRegex(ValueError, "^To repeat the subgraph"):
                ops.repeat(ir.create_graph(lambda a: (a, a + 1), x), 2, x)
        with popxl.Session(ir, DEVICE) as session:
            got = session.run({load: np.float32([1, 2, 3])})
        self.assertEqual(got[store].tolist(), [10, 20, 30])
        self.assertEqual(session.get_tensor_data(last).tolist(), [32, 1, 6])
        self.assertEqual(session.get_tensor_data(count), 6)

    def test_nested_references(self):
        def inner(x: TensorByRef, y):
            ops.var_updates.accumulate_(x, y)
            return y * 2

        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            total, y = popxl.variable([0.0, 0.0]), popxl.variable([1.0, 2.0])
            matrix = popxl.variable(np.zeros((2, 2)))
            adds = ir.create_graph(inner, total, y)

            def twice(y, x: TensorByRef):
                z, = ops.call(adds, x, y)
                return z

            loop = ir.create_graph(twice, y, total)

            def outer(rows: typing.List[TensorByRef], y):
                return ops.repeat(loop, 2, y, rows[0]) + ops.repeat(loop, 1, y, rows[1])

            rows = [ops.slice_(matrix, i, i + 1).reshape_((2,)) for i in range(2)]
            graph = ir.create_graph(outer, rows, y)
            four, two = ops.call(graph, rows, y)
            ops.repeat(loop, 3, y, total)
        got = results(ir, [matrix, total, four, two, y])
        self.assertEqual([v.tolist() for v in got],
                         [[[3, 6], [1, 2]], [7, 14], [4, 8], [2, 4], [1, 2]])

    def test_too_few_transfers(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            load = popxl.h2d_stream((), popxl.float32, "in")
            graph = ir.create_graph(lambda t: t + ops.host_load(load), popxl.constant(0.0))
            ops.repeat(graph, 3, popxl.constant(0.0))
        with popxl.Session(ir, DEVICE) as session:
            with self.assertRaisesRegex(Exception, "stream 'in'"):
                session.run({load: np.float32(1)})

    def test_conditional(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x, yes = popxl.variable(3.0), popxl.variable(True)
            then = ir.create_graph(lambda a: a * 2, x)
            other = ir.create_graph(lambda a, b: a - b, x, x)
            outs = [ops.conditional(c, then, other, [x], [x, 1])[0] for c in (yes, ~yes)]
            info = ops.conditional_with_info(yes, then, other, [x], [x, x])
            self.assertIs(info.graph_to_parent(then.inputs[0]), x)
            self.assertEqual(len(info.inputs), 4)
            with self.assertRaises(ValueError):
                ops.conditional(yes, then, ir.create_graph(lambda a: None, x), [x], [x])
            with self.assertRaises(NotImplementedError):
                info.set_parent_input_modified(x)
            with self.assertRaises(IndexError):
                info.parent_output(1)
        self.assertEqual([float(v) for v in results(ir, outs)], [6, 2])

    def test_module(self):
        class Linear(popxl.Module):
            def build(self, x, out):
                self.w = popxl.graph_input((x.shape[-1], out), x.dtype, "w")
                return x @ self.w

        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x, w = popxl.variable(np.ones((1, 2))), popxl.variable(np.ones((2, 3)))
            linear = Linear()
            graph = ir.create_graph(linear, x, out=3)
            self.assertTrue(graph.name.endswith("Linear_subgraph(0)"))
            y, = ops.call(graph, x, inputs_dict={linear.w: w})
        self.assertEqual(results(ir, [y])[0].tolist(), [[2, 2, 2]])

    def test_outputs_that_come_later(self):
        """Calls before autodiff get the outputs that it adds."""
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x = popxl.variable([0.5, 1.0])
            graph = ir.create_graph(lambda a: ops.exp(ops.sin(a)) * 2, x)
            info = ops.call_with_info(graph, x)
            grad = transforms.autodiff(graph)
            self.assertEqual(grad.graph.name, f"{graph.name}_bwd")
            self.assertEqual(len(info.outputs), len(graph.outputs))
            dx, = ops.call(grad.graph, np.float32([1, 1]), inputs_dict=grad.inputs_dict(info))
            self.assertIn("Gradient___a", dx.name)
        x = np.float32([0.5, 1])
        np.testing.assert_allclose(results(ir, [dx])[0], 2 * np.exp(np.sin(x)) * np.cos(x),
                                   rtol=1e-4)

    def test_autodiff_errors(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x, i = popxl.variable([1.0, 2.0]), popxl.variable([1, 0])
            graph = ir.create_graph(lambda a, k: ops.gather(a, k), x, i)
            with self.assertRaisesRegex(popart.popart_exception,
                                        r"\[Autodiff\] Unable to provide required gradient"):
                transforms.autodiff(graph)
            with self.assertRaises(ValueError):
                transforms.autodiff(graph, [x])
            with self.assertRaises(popart.popart_exception):
                transforms.autodiff(graph, [])

            def writes(a):
                a += 1
                return a

            graph = ir.create_graph(writes, x)
            with self.assertRaisesRegex(popart.popart_exception,
                                        r"^The graph .*_subgraph\(0\) contains a modifying op"):
                transforms.autodiff(graph)
            with self.assertRaises(TypeError):
                transforms.GradGraphInfo()

    def test_autodiff_of_effects(self):
        """What a forward graph sends and prints is not sent again by its gradient graph."""
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            out = popxl.d2h_stream((), popxl.float32, "out")

            def forward(a):
                b = a * a
                ops.host_store(out, b)
                return b

            x = popxl.variable(3.0)
            graph = ir.create_graph(forward, x)
            info = ops.call_with_info(graph, x)
            grad = transforms.autodiff(graph)
            dx, = ops.call(grad.graph, 1, inputs_dict=grad.inputs_dict(info))
            ops.var_updates.accumulate_(x, dx)
        with popxl.Session(ir, DEVICE) as session:
            self.assertEqual(session.run()[out], 9)
        self.assertEqual(session.get_tensor_data(x), 9)

    def test_autodiff_of_loops_and_branches(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x, y = popxl.variable([0.5, -1.0]), popxl.variable([1.5, 2.0])
            step = ir.create_graph(lambda a, b: ops.sin(a) * b, x, y)
            square = ir.create_graph(lambda a: a * a, x)
            cube = ir.create_graph(lambda a: a * a * a, x)

            def forward(a, b, c):
                repeated, = ops.repeat(step, 3, a, b)
                return ops.conditional(c, square, cube, [repeated], [repeated])[0]

            gradients = []
            for condition in (True, False):
                c = popxl.variable(condition)
                graph = ir.create_graph(forward, x, y, c)
                info = ops.call_with_info(graph, x, y, c)
                grad = transforms.autodiff(graph, grads_required=graph.inputs[:2])
                gradients += ops.call(grad.graph, np.float32([1, 1]),
                                      inputs_dict=grad.inputs_dict(info))
        got = results(ir, gradients)

        def f(a, b, power):
            for _ in range(3):
                a = np.sin(a) * b
            return a**power

        x, y = np.array([0.5, -1.0]), np.array([1.5, 2.0])
        for i, power in enumerate((2, 3)):
            by_x = (f(x + 1e-6, y, power) - f(x - 1e-6, y, power)) / 2e-6
            by_y = (f(x, y + 1e-6, power) - f(x, y - 1e-6, power)) / 2e-6
            np.testing.assert_allclose(got[2 * i], by_x, rtol=1e-3)
            np.testing.assert_allclose(got[2 * i + 1], by_y, rtol=1e-3)

    def test_nested_autodiff(self):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            x = popxl.variable([0.5, -1.0])
            inner = ir.create_graph(lambda a: ops.tanh(a) * a, x)

            def outer(a):
                b, = ops.call(inner, a * 2)
                return ops.call(inner, b)[0] + a

            graph = ir.create_graph(outer, x)
            info = ops.call_with_info(graph, x)
            known = {inner: transforms.autodiff(inner)}
            grad = transforms.autodiff(graph, called_graphs_grad_info=known)
            dx, = ops.call(grad.graph, np.float32([1, 1]), inputs_dict=grad.inputs_dict(info))

            with known[inner].graph:
                popxl.constant(1.0) + 1
            with self.assertRaisesRegex(popart.popart_exception, "was changed"):
                transforms.autodiff(graph, called_graphs_grad_info=known)

        def f(a):
            b = np.tanh(2 * a) * 2 * a
            return np.tanh(b) * b + a

        x = np.array([0.5, -1.0])
        np.testing.assert_allclose(results(ir, [dx])[0], (f(x + 1e-6) - f(x - 1e-6)) / 2e-6,
                                   rtol=1e-3)


unittest.main()
