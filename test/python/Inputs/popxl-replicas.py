# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of popxl with several replicas, beside NumPy and beside one replica."""
import unittest

import numpy as np
import popart
import popxl
from popxl import ops


def device(ipus):
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": 4})


def run(ir, results, inputs=None, read=()):
    """What tensors hold at the end in each replica, and variables as the session gives them."""
    # Nothing orders the stores behind what tests do in sequences of their own.
    ir._pb_ir.getSessionOptions().enableInplaceAmbiguityChecking = False
    with ir.main_graph:
        streams = [popxl.d2h_stream(t.shape, t.dtype) for t in results]
        for stream, t in zip(streams, results):
            ops.host_store(stream, t)
    session = popxl.Session(ir, device(ir.replication_factor))
    with session:
        outputs = session.run(inputs)
        variables = [session.get_tensor_data(v) for v in read]
    return [outputs[s] for s in streams] + variables


ROWS = np.arange(24, dtype=np.float32).reshape(4, 6) - 7


def collective(op, rows=ROWS, shape=None):
    ir = popxl.Ir(replication=len(rows))
    with ir.main_graph, popxl.in_sequence():
        stream = popxl.h2d_stream(shape or rows.shape[1:], popxl.float32)
        result = op(ir, ops.host_load(stream))
    return run(ir, [result], {stream: rows})[0]


class Collectives(unittest.TestCase):
    def test_all_reduce(self):
        wanted = {"add": ROWS.sum(0), "mean": ROWS.mean(0), "mul": ROWS.prod(0),
                  "min": ROWS.min(0), "max": ROWS.max(0), "square_add": (ROWS * ROWS).sum(0)}
        for name, value in wanted.items():
            got = collective(lambda ir, t: ops.collectives.replicated_all_reduce(t, name))
            np.testing.assert_allclose(got, np.tile(value, (4, 1)), rtol=1e-6, err_msg=name)
        got = collective(lambda ir, t: ops.collectives.replicated_all_reduce(t, "local"))
        np.testing.assert_array_equal(got, ROWS)

    def test_in_place(self):
        def both(ir, t):
            ops.collectives.replicated_all_reduce_(t)
            return t
        np.testing.assert_array_equal(collective(both), np.tile(ROWS.sum(0), (4, 1)))

    def test_groups(self):
        for stride, groups in ((1, [[0, 1], [2, 3]]), (2, [[0, 2], [1, 3]])):
            got = collective(lambda ir, t: ops.collectives.replicated_all_reduce(
                t, group=ir.replica_grouping(stride, 2)))
            for members in groups:
                np.testing.assert_array_equal(got[members], [ROWS[members].sum(0)] * 2)

    def test_reduce_scatter_and_gather(self):
        c = ops.collectives
        got = collective(lambda ir, t: c.replicated_reduce_scatter(t))
        np.testing.assert_array_equal(got, np.pad(ROWS.sum(0), (0, 2)).reshape(4, 2))

        def back(ir, t):
            shard = c.replicated_reduce_scatter(
                t, configure_output_for_replicated_tensor_sharding=True)
            self.assertEqual((shard.shape, shard.meta_shape), ((2,), (3, 2)))
            return c.replicated_all_gather(shard)
        got = collective(back, ROWS.reshape(4, 3, 2))
        np.testing.assert_array_equal(got, np.tile(ROWS.sum(0), (4, 1)).reshape(4, 3, 2))
        got = collective(lambda ir, t: c.replicated_all_gather(c.replica_sharded_slice(t)))
        parts = [ROWS[0, :2], ROWS[1, 2:4], ROWS[2, 4:]]
        np.testing.assert_array_equal(got, np.tile(np.concatenate(parts), (4, 1)))

    def test_gather_along_axes(self):
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        c = ops.collectives
        for axis in (0, 1, -1):
            got = collective(lambda ir, t: c.replicated_all_gather(t, axis), x)
            np.testing.assert_array_equal(got[1], np.concatenate(x, axis), str(axis))
            got = collective(lambda ir, t: c.replicated_all_gather(
                t, axis, output_shape="new_axis"), x)
            np.testing.assert_array_equal(got[0], np.stack(x, axis), str(axis))

    def test_slices(self):
        x = np.arange(48, dtype=np.float32).reshape(2, 6, 4)
        for axis in (0, 1):
            got = collective(lambda ir, t: ops.collectives.replicated_slice(t, axis), x)
            for replica in range(2):
                np.testing.assert_array_equal(got[replica],
                                              np.split(x[replica], 2, axis)[replica])

    def test_refusals(self):
        ir = popxl.Ir(replication=4)
        odd = ir.replica_grouping_from_assignments([0, 0, 1, 1])
        self.assertTrue(odd.is_const)
        with ir.main_graph:
            t = popxl.variable(np.zeros(3, np.float32))
            with self.assertRaises(NotImplementedError):
                ops.collectives.replicated_all_reduce(
                    t, group=ir.replica_grouping_from_assignments([0, 1, 1, 0]))
            with self.assertRaisesRegex(ValueError, "cannot be divided by the 4 replicas"):
                ops.collectives.replicated_slice(t)
            ops.collectives.replicated_all_reduce(t)
        with self.assertRaisesRegex(RuntimeError, "cannot be changed"):
            ir.replication_factor = 2


class Variables(unittest.TestCase):
    def test_same_for_all(self):
        ir = popxl.Ir(replication=2)
        with ir.main_graph, popxl.in_sequence():
            v = popxl.variable(np.float32([1, 2]))
            result = v + 1
        got, back = run(ir, [result], read=[v])
        np.testing.assert_array_equal(got, [[2, 3], [2, 3]])
        np.testing.assert_array_equal(back, [1, 2])

    def test_groups(self):
        data = np.float32([[1, 2], [3, 4]])
        for stride, rows in ((1, [0, 0, 1, 1]), (2, [0, 1, 0, 1])):
            for mode in ("one_per_group", "all_replicas"):
                ir = popxl.Ir(replication=4)
                with ir.main_graph, popxl.in_sequence():
                    v = popxl.variable(data, replica_grouping=ir.replica_grouping(stride, 2),
                                       retrieval_mode=mode)
                    self.assertEqual((v.shape, v.shape_on_host), ((2,), (2, 2)))
                    ops.add_(v, popxl.constant(np.float32(10)))
                got, back = run(ir, [v], read=[v])
                np.testing.assert_array_equal(got, data[rows] + 10)
                wanted = data if mode == "one_per_group" else data[rows]
                np.testing.assert_array_equal(back, wanted + 10)

    def test_written_data(self):
        ir = popxl.Ir(replication=2)
        with ir.main_graph, popxl.in_sequence():
            v = popxl.variable(np.zeros((2, 3), np.float32),
                               replica_grouping=ir.replica_grouping(1, 1))
            stream = popxl.d2h_stream(v.shape, v.dtype)
            ops.host_store(stream, v)
        session = popxl.Session(ir, device(2))
        data = np.arange(6, dtype=np.float32).reshape(2, 3)
        session.write_variable_data(v, data)
        with session:
            np.testing.assert_array_equal(session.run()[stream], data)
            session.write_variable_data(v, data + 1)
            np.testing.assert_array_equal(session.run()[stream], data + 1)

    def test_shards(self):
        data = np.arange(5, dtype=np.float32)
        ir = popxl.Ir(replication=2)
        with ir.main_graph, popxl.in_sequence():
            v, shard = popxl.replica_sharded_variable(data)
            self.assertEqual((shard.shape, shard.meta_shape, v.shape_on_host),
                             ((3,), (5,), (5,)))
            ops.add_(shard, popxl.constant(np.float32(1)))
            whole = ops.collectives.replicated_all_gather(shard)
        own, whole, back = run(ir, [shard, whole], read=[v])
        np.testing.assert_array_equal(own[:, :2], [[1, 2], [4, 5]])
        np.testing.assert_array_equal(whole, [data + 1] * 2)
        np.testing.assert_array_equal(back, data + 1)

    def test_shards_of_groups(self):
        data = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
        ir = popxl.Ir(replication=4)
        groups = ir.replica_grouping(1, 2)
        with ir.main_graph, popxl.in_sequence():
            v, shard = popxl.replica_sharded_variable(data, replica_grouping=groups)
            whole = ops.collectives.replicated_all_gather(shard, group=groups)
        whole, back = run(ir, [whole], read=[v])
        np.testing.assert_array_equal(whole, data[[0, 0, 1, 1]])
        np.testing.assert_array_equal(back, data)

    def test_remote(self):
        ir = popxl.Ir(replication=2)
        with ir.main_graph, popxl.in_sequence():
            buffer = popxl.remote_buffer((2,), popxl.float32, 2)
            data = np.float32([[1, 2], [3, 4]])
            v = popxl.remote_variable(data, buffer, 1,
                                      replica_grouping=ir.replica_grouping(1, 1))
            sharded = popxl.replica_sharded_buffer((3,), popxl.float32)
            w = popxl.remote_replica_sharded_variable(np.float32([5, 6, 7]), sharded)
            t = ops.remote_load(buffer, 1)
            s = ops.remote_load(sharded, 0)
            ops.remote_store(buffer, 1, t * t)
            ops.remote_store(sharded, 0, s + 1)
            whole = ops.collectives.replicated_all_gather(s)
        got, whole, v_back, w_back = run(ir, [t, whole], read=[v, w])
        np.testing.assert_array_equal(got, data)
        np.testing.assert_array_equal(whole, [[5, 6, 7]] * 2)
        np.testing.assert_array_equal(v_back, data * data)
        np.testing.assert_array_equal(w_back, [6, 7, 8])

    def test_refusals(self):
        ir = popxl.Ir(replication=4)
        with ir.main_graph:
            with self.assertRaisesRegex(ValueError, "2 groups of replicas"):
                popxl.variable(np.zeros(3, np.float32),
                               replica_grouping=ir.replica_grouping(1, 2))
            with self.assertRaisesRegex(ValueError, "3 of the 4 replicas"):
                popxl.replica_sharded_variable(np.zeros(3, np.float32), shard_over=3)
            v, _ = popxl.replica_sharded_variable(np.zeros(3, np.float32))
            with self.assertRaisesRegex(popart.popart_exception, "read its shard"):
                v + 1


class Sessions(unittest.TestCase):
    def test_transfers(self):
        ir = popxl.Ir(replication=2)
        ir.num_host_transfers = 3
        data = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
        with ir.main_graph, popxl.in_sequence():
            h2d = popxl.h2d_stream((2,), popxl.float32)
            d2h = popxl.d2h_stream((2,), popxl.float32)

            def step():
                ops.host_store(d2h, ops.host_load(h2d) * 2)
            ops.repeat(ir.create_graph(step), 3)
        session = popxl.Session(ir, device(2))
        with session:
            np.testing.assert_array_equal(session.run({h2d: data})[d2h], 2 * data)
            with self.assertRaisesRegex(ValueError, r"expected \(3, 2, 2\)"):
                session.run({h2d: data[:, 0]})

    def test_dropout_by_seeds(self):
        ir = popxl.Ir(replication=2)
        with ir.main_graph, popxl.in_sequence():
            seed = popxl.h2d_stream((2,), popxl.uint32)
            x = popxl.variable(np.ones(64, np.float32))
            result = ops.dropout(x, ops.host_load(seed), 0.5)
        got, = run(ir, [result], {seed: popxl.create_seeds(1, replicas=2)})
        self.assertFalse(np.array_equal(got[0], got[1]))

    def test_devices(self):
        def program():
            ir = popxl.Ir(replication=2)
            with ir.main_graph:
                popxl.variable(np.float32([1])) + 1
            return ir
        for machine in ("cpu", device(1), device(3)):
            with self.assertRaisesRegex(RuntimeError, "divisible by the replication factor"):
                popxl.Session(program(), machine)

    def test_other_count_in_options(self):
        ir = popxl.Ir(replication=2)
        options = ir._pb_ir.getSessionOptions()
        options.enableReplicatedGraphs = True
        options.replicatedGraphCount = 4
        with ir.main_graph:
            popxl.variable(np.float32([1])) + 1
        with self.assertRaisesRegex(RuntimeError, "replicatedGraphCount.*the Ir has 2"):
            popxl.Session(ir, device(4))

    def train(self, replicas, data):
        """A step of gradient descent, whose gradients all replicas add up."""
        ir = popxl.Ir(replication=replicas)
        rng = np.random.default_rng(5)
        start = rng.standard_normal((4, 3)).astype(np.float32)
        with ir.main_graph, popxl.in_sequence():
            stream = popxl.h2d_stream((data.shape[0] // replicas, 4), popxl.float32)
            w = popxl.variable(start)

            def forward(x, weight):
                return ops.sum(ops.tanh(x @ weight))
            graph = ir.create_graph(forward, ops.host_load(stream), w)
            call = ops.call_with_info(graph, ops.host_load(stream), w)
            grads = popxl.transforms.autodiff(graph)
            seed = popxl.constant(np.float32(1))
            results = ops.call_with_info(grads.graph, seed, inputs_dict=grads.inputs_dict(call))
            by_input = grads.fwd_parent_ins_to_grad_parent_outs(call, results)
            gradient = ops.collectives.replicated_all_reduce(by_input[w])
            ops.scaled_add_(w, gradient, b=-0.1)
        ir.num_host_transfers = 2
        shape = (2, replicas, data.shape[0] // replicas, 4)
        shape = shape if replicas > 1 else (2, data.shape[0], 4)
        session = popxl.Session(ir, device(replicas))
        with session:
            session.run({stream: np.stack([data, data]).reshape(shape)})
            return session.get_tensor_data(w)

    def test_data_parallel(self):
        data = np.random.default_rng(2).standard_normal((8, 4)).astype(np.float32)
        one = self.train(1, data)
        for replicas in (2, 4):
            np.testing.assert_allclose(self.train(replicas, data), one, rtol=1e-6, atol=1e-7)


class Branches(unittest.TestCase):
    """Replicas that decide by themselves, beside one replica with the data of each in turn."""

    DATA = np.float32([[1, -2, 3], [-4, 5, -6], [7, 8, -20], [0, 1, 2]])

    def program(self, replicas):
        ir = popxl.Ir(replication=replicas)
        with ir.main_graph, popxl.in_sequence():
            stream = popxl.h2d_stream((3,), popxl.float32)
            x = ops.host_load(stream)

            def up(t):
                return ops.exp(t * 0.1), ops.sum(t)

            def down(t):
                for _ in range(3):
                    t = t @ popxl.constant(np.float32([[0, 1, 0], [0, 0, 1], [1, 2, 0]]))
                return t, popxl.constant(np.float32(100)) + 0
            yes, no = ir.create_graph(up, x), ir.create_graph(down, x)
            is_positive = ops.greater(ops.sum(x), popxl.constant(np.float32(0)))
            y, total = ops.conditional(is_positive, yes, no, [x], [x])
            out = [popxl.d2h_stream((3,), popxl.float32), popxl.d2h_stream((), popxl.float32)]
            ops.host_store(out[0], y)
            ops.host_store(out[1], total)
        return ir, stream, out

    def run_on(self, data, kind):
        replicas = len(data)
        ir, stream, out = self.program(replicas)
        machine = device(replicas) if kind == "model" else \
            popart.DeviceManager().acquireAvailableDevice(replicas, 4)
        with popxl.Session(ir, machine) as session:
            results = session.run({stream: data if replicas > 1 else data[0]})
        return [results[s] for s in out]

    def test_conditional(self):
        for kind in ("model", "emulator"):
            got = self.run_on(self.DATA, kind)
            for r, row in enumerate(self.DATA):
                one = self.run_on(row[None], kind)
                for ours, wanted in zip(got, one):
                    np.testing.assert_array_equal(ours[r], wanted)
            np.testing.assert_allclose(got[0][0], np.exp(self.DATA[0] * 0.1), rtol=1e-5)
            np.testing.assert_array_equal(got[1], [2, 100, 100, 3])

    def test_collective_in_a_branch(self):
        ir = popxl.Ir(replication=2)
        with ir.main_graph, popxl.in_sequence():
            stream = popxl.h2d_stream((), popxl.bool)
            x = popxl.variable(np.ones(8, np.float32))
            summed = ir.create_graph(lambda t: ops.collectives.replicated_all_reduce(t), x)
            same = ir.create_graph(lambda t: t * 2, x)
            y, = ops.conditional(ops.host_load(stream), summed, same, [x], [x])
            out = popxl.d2h_stream((8,), popxl.float32)
            ops.host_store(out, y)
        with popxl.Session(ir, device(2)) as session:
            got = session.run({stream: np.array([True, True])})[out]
            np.testing.assert_array_equal(got, np.full((2, 8), 2))
            with self.assertRaisesRegex(RuntimeError, "in it copies between replicas"):
                session.run({stream: np.array([True, False])})


if __name__ == "__main__":
    unittest.main()
