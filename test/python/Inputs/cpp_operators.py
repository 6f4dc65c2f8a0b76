# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of a module of C++ in graphs of popxl, with gradients: cpp_operators.py FOLDER."""

import sys

import numpy as np
import popart
import popxl
from popxl import ops
from popxl.context import get_current_context, op_debug_context
from popxl.ops.utils import check_in_graph, check_tensor_ipu_and_tile_set

sys.path.insert(0, sys.argv[1])
import cpp_operators as binding  # noqa: E402


@op_debug_context
def scale(t, factor):
    ctx = get_current_context()
    graph = ctx.graph
    check_in_graph(graph, t=t)
    check_tensor_ipu_and_tile_set(t=t)
    op = binding.Scale.create_op_in_graph(
        graph=graph._pb_graph, inputs={0: t.id}, outputs={0: graph._create_tensor_id("scale_out")},
        params=binding.ScaleParams(factor), settings=ctx._get_op_settings("scale"))
    ctx._op_created(op)
    return popxl.Tensor._from_pb_tensor(op.outTensor(0))


@op_debug_context
def plain(op_type, *tensors):
    """Without _op_created, which is for hooks."""
    ctx = get_current_context()
    graph = ctx.graph
    op = binding.Plain.createOpInGraph(
        op_type, graph._pb_graph, {i: t.id for i, t in enumerate(tensors)},
        {0: graph._create_tensor_id(f"{op_type}_out")}, ctx._get_op_settings(op_type))
    return popxl.Tensor._from_pb_tensor(op.outTensor(0))


def run(ir, device="cpu"):
    with popxl.Session(ir, device) as session:
        return [np.array(value) for value in session.run({}).values()]


def test_values(device):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    ir = popxl.Ir()
    with ir.main_graph:
        with popxl.name_scope("outer"):
            v = popxl.variable(x, name="v")
            y = scale(v, 3)
        assert y.name == "outer/scale_out" and y.shape == (2, 3), y
        z = scale(scale(y, 2), 0.5) + y
        named = scale(ops.relu(v), 4)
        ops.host_store(popxl.d2h_stream(z.shape, z.dtype), z)
        ops.host_store(popxl.d2h_stream(z.shape, z.dtype), named)
    assert [op.opType() for op in ir.main_graph._pb_graph.getOps()].count("Scale") == 4
    got = run(ir, device)
    np.testing.assert_array_equal(got[0], 6 * x)
    np.testing.assert_array_equal(got[1], 4 * x)


def test_gradient(device):
    """In a called graph, whose gradient graph autodiff makes."""
    x = np.float32([1, -2, 3])
    ir = popxl.Ir()
    with ir.main_graph:
        v = popxl.variable(x, name="v")

        def forward(t):
            return plain("Pass", scale(ops.mul(t, t), 5))

        graph = ir.create_graph(forward, v)
        info = ops.call_with_info(graph, v)
        gradients = popxl.transforms.autodiff(graph)
        seed = popxl.constant(np.float32([1, 10, 100]))
        back, = ops.call(gradients.graph, seed,
                         inputs_dict=gradients.inputs_dict(info))
        for t in (info.outputs[0], back):
            ops.host_store(popxl.d2h_stream(t.shape, t.dtype), t)
    y, dx = run(ir, device)
    np.testing.assert_array_equal(y, 5 * x * x)
    np.testing.assert_array_equal(dx, 10 * x * np.float32([1, 10, 100]))


def test_in_place(device):
    ir = popxl.Ir()
    with ir.main_graph, popxl.in_sequence():
        v = popxl.variable(np.float32([1, 2]), name="v")
        before = v + 0
        new = plain("AddTo", v, popxl.constant(np.float32([10, 20])))
        after = v * 2
        for t in (before, new, after):
            ops.host_store(popxl.d2h_stream(t.shape, t.dtype), t)
    with popxl.Session(ir, device) as session:
        first = [np.array(value) for value in session.run({}).values()]
        session.run({})
    np.testing.assert_array_equal(first, [[1, 2], [11, 22], [22, 44]])
    np.testing.assert_array_equal(session.get_tensor_data(v), [21, 42])


def test_rows(device):
    """A lowering of PopART's as that of an own operator."""
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    ir = popxl.Ir()
    with ir.main_graph:
        t = plain("Rows", popxl.variable(x), popxl.constant(np.int32([3, 0])))
        ops.host_store(popxl.d2h_stream(t.shape, t.dtype), t)
    np.testing.assert_array_equal(run(ir, device)[0], x[[3, 0]])


def test_hooks_and_errors():
    ir = popxl.Ir()
    seen = []
    with ir.main_graph as graph:
        hook = graph.register_op_created_hook(
            lambda op: seen.append((op.opType(), op.outId(0))))
        v = popxl.variable(np.float32([1, 2]), name="v")
        scale(v, 3)
        assert seen == [("Scale", "scale_out")], seen
        graph.remove_op_created_hook(hook)
        for function, text in ((lambda: scale(v, "x"), "ScaleParams"),
                               (lambda: plain("Missing", v), "test.ops.Missing")):
            try:
                t = function()
                ops.host_store(popxl.d2h_stream(t.shape, t.dtype), t)
                run(ir)
            except (TypeError, popart.popart_exception) as error:
                assert text in str(error), error
            else:
                raise AssertionError(text)


for device in sys.argv[2:]:
    test_values(device)
    test_gradient(device)
    test_in_place(device)
    test_rows(device)
    print(device, "agrees")
test_hooks_and_errors()
print("hooks and errors")
