#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in which it is open whether a tensor is read before or after it is written are
refused; tensors that lead from one to the other, and in_sequence, order them."""

import unittest

import popart
import popxl
from popxl import TensorByRef, ops

from popxl_testing import DEVICE


def ones():
    return popxl.constant([1.0, 1.0])


def store(t):
    stream = popxl.d2h_stream(t.shape, t.dtype)
    ops.host_store(stream, t)
    return stream


class Order(unittest.TestCase):
    def setUp(self):
        self.ir = popxl.Ir()

    def run_it(self):
        with popxl.Session(self.ir, DEVICE) as session:
            return session.run()

    def refused(self):
        with self.assertRaises(popart.popart_exception) as caught:
            self.run_it()
        self.assertTrue(str(caught.exception).startswith("Inplacing ambiguity detected."))

    def test_a_read_after_a_write(self):
        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            ops.add_(x, ones())
            store(x)
        self.refused()

    def test_a_read_before_a_write(self):
        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            store(x * 2)
            ops.relu_(x)
        self.refused()

    def test_two_writes(self):
        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            ops.var_updates.accumulate_(x, ones())
            ops.var_updates.accumulator_scale_(x, 2.0)
        self.refused()

    def test_views_of_the_whole(self):
        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            ops.exp_(x.reshape_((2, 1)))
            store(x)
        self.refused()

    def test_parts(self):
        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            first, second = ops.slice_(x, [0], [1]), ops.slice_(x, [1], [2])
            ops.add_(first, popxl.constant([5.0]))
            out = store(second + 1)
        self.assertEqual(self.run_it()[out], 3)

    def test_a_part_and_the_whole(self):
        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            ops.add_(ops.slice_(x, [0], [1]), popxl.constant([5.0]))
            store(x)
        self.refused()

    def test_references(self):
        def add(x: TensorByRef):
            ops.add_(x, ones())

        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            ops.call(self.ir.create_graph(add, x), x)
            store(x)
        self.refused()

    def test_called_graphs(self):
        def add(x):
            ops.add_(x, ones())
            return x * 2

        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            store(ops.call(self.ir.create_graph(add, x), x)[0])
        self.refused()

    def test_tensors_order(self):
        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            before = x * 2
            after = ops.add_(x, before)
            out = store(after)
        self.assertEqual(list(self.run_it()[out]), [3, 6])

    def test_sequences_order(self):
        with self.ir.main_graph, popxl.in_sequence():
            x = popxl.variable([1.0, 2.0])
            before = store(x)
            ops.add_(x, ones())
            with popxl.in_sequence(False):
                after = store(x)
                store(x * 3)
            ops.add_(x, ones())
        results = self.run_it()
        self.assertEqual([list(results[s]) for s in (before, after)], [[1, 2], [2, 3]])

    def test_what_does_not_order(self):
        for inner in (False, "pass"):
            self.ir = popxl.Ir()
            with self.ir.main_graph, popxl.in_sequence(True), popxl.in_sequence(inner):
                x = popxl.variable([1.0, 2.0])
                ops.add_(x, ones())
                store(x)
            self.refused()
        self.ir = popxl.Ir()
        with self.ir.main_graph:
            with popxl.in_sequence():
                x = popxl.variable([1.0, 2.0])
                ops.add_(x, ones())
            with popxl.in_sequence():
                store(x)
        self.refused()

    def test_the_check_is_an_option(self):
        with self.ir.main_graph:
            x = popxl.variable([1.0, 2.0])
            ops.add_(x, ones())
            out = store(x)
        self.ir._pb_ir.getSessionOptions().enableInplaceAmbiguityChecking = False
        self.assertEqual(list(self.run_it()[out]), [2, 3])

    def test_decorator(self):
        @popxl.in_sequence()
        def update(x):
            ops.add_(x, ones())
            return store(x)

        with self.ir.main_graph:
            out = update(popxl.variable([1.0, 2.0]))
        self.assertEqual(list(self.run_it()[out]), [2, 3])


if __name__ == "__main__":
    unittest.main()
