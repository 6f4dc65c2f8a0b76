# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of popxl: names, types, operators, writes in place, contexts."""

import contextlib
import unittest

import numpy as np
import popart
import popxl
from popxl import TensorByRef, ops
from popxl_testing import DEVICE, results


class Tensors(unittest.TestCase):
    def setUp(self):
        self.ir = popxl.Ir()
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        stack.enter_context(self.ir.main_graph)
        stack.enter_context(popxl.in_sequence())

    def test_names(self):
        a = popxl.variable(1, name="bob")
        self.assertEqual(repr(a), "Variable[bob popxl.dtypes.int32 ()]")
        self.assertEqual(popxl.constant([1.0]).name, "t")
        self.assertRegex(popxl.constant([1.0]).name, r"^t__t\d+$")
        with popxl.name_scope("layer"), popxl.name_scope("one"):
            b = popxl.constant(1, name="c")
        self.assertEqual((b.name, b.scope, b.id), ("layer/one/c", "layer/one", "layer/one/c"))

        def subgraph1(x):
            self.x = x
            return x + 1

        graph = self.ir.create_graph(subgraph1, a)
        scope = "Tensors.test_names.subgraph1_subgraph(0)"
        self.assertEqual(graph.name, scope)
        self.assertEqual(repr(self.x), f"Tensor[{scope}/x popxl.dtypes.int32 ()]")
        self.assertEqual(self.ir.create_empty_graph().name, "graph_subgraph(0)")
        self.assertEqual(self.ir.create_empty_graph("graph").name, "graph_subgraph(1)")
        self.assertIs(graph.get_tensor(self.x.id), self.x)
        with self.assertRaises(ValueError):
            graph.get_tensor("none")

    def test_types(self):
        for data, dtype in ((1, popxl.int32), (1.0, popxl.float32), (True, popxl.bool),
                            (np.float64(1), popxl.float32), (np.uint64(1), popxl.uint32),
                            (np.float16(1), popxl.float16)):
            self.assertEqual(popxl.variable(data).dtype, dtype)
        self.assertEqual(popxl.variable(1, downcast=False).dtype, popxl.int64)
        self.assertEqual(popxl.variable(1.5, popxl.int32).dtype, popxl.int32)
        self.assertEqual(popxl.dtype.as_dtype(float), popxl.float32)
        self.assertEqual(popxl.dtype.as_dtype(int), popxl.int64)
        self.assertEqual(popxl.dtype.as_dtype("half"), popxl.float16)
        self.assertEqual(popxl.float16.as_numpy(), np.float16)
        self.assertEqual(repr(popxl.float32), "popxl.dtypes.float32")
        with self.assertRaises(TypeError):
            popxl.dtype()
        with self.assertRaises(ValueError):
            popxl.dtype.from_name("unknown")
        with self.assertRaises(ValueError):
            popxl.dtype.as_dtype(str)
        with self.assertRaises(ValueError):
            popxl.variable(1) + np.zeros((0,))
        with self.assertRaises(popart.popart_exception):
            popxl.variable(1) + popxl.variable(1.0)

    def test_operators(self):
        a, b = popxl.variable(7.0), popxl.variable(2.0)
        c, d = popxl.variable(True), popxl.variable(False)
        self.assertEqual(
            [x.tolist() for x in results(self.ir, [
                a + b, a - b, a * b, a / b, a % b, a ** b, 1 - a, 14 / a, 2 ** b, -a, ~c, c & d,
                c | d, a + [1, 2], (popxl.variable(np.eye(2)) @ np.float32([[1], [2]])).T])],
            [9.0, 5.0, 14.0, 3.5, 1.0, 49.0, -6.0, 2.0, 4.0, -7.0, False, False, True,
             [8.0, 9.0], [[1.0, 2.0]]])

    def test_properties(self):
        a = popxl.variable(np.zeros((2, 3)))
        self.assertEqual((a.rank, a.nelms, a.shape, a.strides(), len(a)),
                         (2, 6, (2, 3), (12, 4), 2))
        for attempt in (lambda: iter(a), lambda: 1 in a):
            with self.assertRaises(TypeError):
                attempt()
        with self.assertRaises(ValueError):
            numbers = []
            numbers += a
        self.assertEqual(a.spec, popxl.TensorSpec((2, 3), popxl.float32))
        b = popxl.variable(1.0)
        with self.assertRaises(popxl.errors.UndefinedValue):
            b.ipu
        with popxl.ipu(1):
            c = b + 1
        self.assertEqual((c.ipu, c.tile_set), (1, "compute"))
        with self.assertRaisesRegex(ValueError, "IPUs.*`rhs`"):
            c + popxl.variable(1.0) * 2
        self.assertTrue(a == a)
        self.assertFalse(a == b)
        for key in ("x", True, 1.5):
            with self.assertRaises(TypeError):
                a[key]

    def test_shape_errors(self):
        a = popxl.variable(np.zeros((2, 3, 4)))
        with self.assertRaisesRegex(ValueError, r"Invalid shape value in reshape: \(-2,\)"):
            a.reshape((-2,))
        with self.assertRaisesRegex(ValueError, r"at most one '-1' value: \(-1, -1\)"):
            a.reshape((-1, -1))
        with self.assertRaisesRegex(ValueError, r"less than.*rank 3.*\(0, 1, 5\)"):
            a.transpose((0, 1, 5))
        with self.assertRaises(ValueError):
            a.diag
        with self.assertRaisesRegex(popart.popart_exception,
                                    "All inputs to a concat operation must have the same type:"):
            ops.concat([a, popxl.variable(np.zeros((2, 3, 4)), popxl.int32)])

    def test_foreign_tensors(self):
        a = popxl.variable(1.0)
        with self.ir.create_empty_graph():
            with self.assertRaisesRegex(
                    ValueError, "The input tensor `lhs` is not in the current Graph"):
                ops.add(a, popxl.constant(1.0))
        with self.assertRaises(TypeError):
            ops.add(a, 1)
        with self.assertRaises(ValueError):
            with self.ir.create_empty_graph():
                popxl.variable(1)

    def test_in_place(self):
        a = popxl.variable(np.arange(6.0).reshape(2, 3))
        before = a + 0
        b = a.reshape_((3, 2))
        c = a.T_
        ops.add_(b, popxl.constant(1.0))
        part = ops.slice_(a, 1, 2, 1, 0)
        ops.add_(part, popxl.constant(10.0))
        kept = a.reshape((6,))
        ops.var_updates.accumulator_zero_(c)
        got = results(self.ir, [before, a, b, c, part, kept])
        self.assertEqual(got[0].ravel().tolist(), [0, 1, 2, 3, 4, 5])
        self.assertEqual(got[5].tolist(), [1, 2, 3, 14, 15, 16])
        for zeros in got[1:5]:
            self.assertFalse(zeros.any())

    def test_in_place_operators(self):
        cases = {
            ops.exp_: np.exp, ops.relu_: lambda x: np.maximum(x, 0),
            ops.swish_: lambda x: x / (1 + np.exp(-x)),
            lambda t: ops.scaled_add_(t, t, 0.5, 2.0): lambda x: 2.5 * x,
            lambda t: ops.increment_mod_(t, 2.0, 3.0): lambda x: np.fmod(x + 2, 3),
        }
        data = np.float32([-1.5, 2.0])
        written = [popxl.variable(data) for _ in cases]
        same = [apply(t) for apply, t in zip(cases, written)]
        got = results(self.ir, written + same)
        for i, expected in enumerate(cases.values()):
            np.testing.assert_allclose(got[i], expected(data), rtol=1e-5)
            np.testing.assert_array_equal(got[i], got[len(cases) + i])

    def test_writes_read_what_was_before(self):
        a, b = popxl.variable([1.0, 2.0]), popxl.variable([3.0, 4.0])
        old, new = popxl.variable([0.0, 0.0]), popxl.variable([5.0, 6.0])
        late = popxl.variable([[0.0], [0.0]])
        kept = a + 0
        update = ops.var_updates
        update.copy_var_update_(late, new.reshape((2, 1)))
        update.copy_var_update_(old, new)
        update.accumulate_(new, popxl.constant(1.0))
        update.copy_var_update_(a, b)
        update.copy_var_update_(b, kept)
        with popxl.Session(self.ir, DEVICE) as session:
            session.run()
            session.run()
        got = [session.get_tensor_data(t).ravel().tolist() for t in (a, b, old, new, late)]
        self.assertEqual(got, [[1, 2], [3, 4], [6, 7], [7, 8], [6, 7]])

    def test_views_of_variables(self):
        a, b = popxl.variable([1.0, 2.0]), popxl.variable([[3.0, 4.0]])
        flat, was = b.flatten(), a.reshape((2,))
        ops.var_updates.copy_var_update_(a, flat)
        ops.var_updates.copy_var_update_(b, was.reshape((1, 2)))
        got = results(self.ir, [flat, was, a, b])
        self.assertEqual([x.ravel().tolist() for x in got], [[3, 4], [1, 2], [3, 4], [1, 2]])

    def test_outputs_that_are_inputs(self):
        a = popxl.variable([1.0, 2.0])

        def swap(x: TensorByRef, y: TensorByRef):
            t = x + 0
            ops.var_updates.copy_var_update_(x, y)
            ops.var_updates.copy_var_update_(y, t)
            return y, x

        b = popxl.variable([3.0, 4.0])
        same, = ops.call(self.ir.create_graph(lambda x: x, a), a)
        ops.add_(same, popxl.constant(10.0))
        y, x = ops.call(self.ir.create_graph(swap, a, b), a, b)
        got = results(self.ir, [same, a, b, y, x])
        self.assertEqual([v.tolist() for v in got],
                         [[11, 12], [3, 4], [1, 2], [1, 2], [3, 4]])

    def test_several_ipus(self):
        a = popxl.variable([1.0, 2.0])
        with popxl.ipu(0):
            b = a * 2
        with popxl.ipu(1):
            c = b.copy_to_ipu(1) + 1
            self.assertEqual(c.ipu, 1)
        d = c.copy_to_ipu(0)
        with popxl.ipu(0):
            e = b + d
        if DEVICE != "cpu":
            self.assertEqual(results(self.ir, [c, e])[1].tolist(), [5, 9])

    def test_constants_do_not_change(self):
        with self.assertRaises(popart.popart_exception):
            ops.add_(popxl.constant(1.0), popxl.constant(1.0))
        with self.assertRaises(popart.popart_exception):
            ops.add_(popxl.variable(1.0), popxl.constant([1.0, 2.0]))

    def test_contexts(self):
        with self.assertRaisesRegex(TypeError, "`None` cannot be passed to"):
            with popxl.in_sequence(None):
                pass
        with self.assertRaises(RuntimeError):
            with popxl.Ir().main_graph:
                pass
        self.assertIs(popxl.gcg(), self.ir.main_graph)
        self.assertIs(popxl.gmg(), self.ir.main_graph)
        self.assertIs(popxl.gir(), self.ir)
        with self.assertRaises(TypeError):
            self.ir == 1

    def test_hooks(self):
        seen = []
        handle = self.ir.main_graph.register_op_created_hook(lambda op: seen.append(op.opType()))
        popxl.variable(1.0) + 1
        self.ir.main_graph.remove_op_created_hook(handle)
        popxl.variable(1.0) * 2
        self.assertEqual(seen, ["Add"])
        everywhere = popxl.context.get_current_context()
        mine = everywhere.register_op_created_hook(lambda op: seen.append(op.name()))
        popxl.variable(1.0) / 2
        everywhere.remove_op_created_hook(mine)
        self.assertEqual(seen, ["Add", "div"])
        with self.assertRaises(ValueError):
            self.ir.main_graph.remove_op_created_hook(handle)

    def test_structure(self):
        import popart._internal.ir as _ir

        a = popxl.variable([1.0, -1.0])
        ops.relu(a)
        ops.add_(a, a)
        relu, add = self.ir.main_graph._pb_graph.getOps()
        self.assertIsInstance(relu, _ir.op.ReluOp)
        self.assertIsInstance(add, _ir.op.AddLhsInplaceOp)
        self.assertNotIsInstance(add, _ir.op.AddOp)
        self.assertTrue(a._pb_tensor.isAliased())
        self.assertEqual(len(self.ir.main_graph.tensors), 3)

    def test_erasing(self):
        """Operators whose results nobody uses."""
        a = popxl.variable([1.0, -1.0])
        b = ops.relu(a)
        c = ops.exp(b)
        main = self.ir.main_graph._pb_graph
        relu, exp = main.getOps()
        with self.assertRaisesRegex(popart.popart_exception, "its results are used"):
            main.eraseOp(relu.id)
        main.eraseOp(exp.id)
        main.eraseOp(relu.id)
        self.assertEqual(main.getOps(), [])
        self.assertNotIn(c.name, [t.name for t in self.ir.main_graph.tensors])
        ops.add_(a, a)
        with self.assertRaisesRegex(popart.popart_exception, "more than its results show"):
            main.eraseOp(main.getOps()[0].id)


unittest.main()
