#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit floats in popxl.

    popxl-float8.py DEVICE

What bits mean is worked out here by itself, as the published table of the formats has it: bias 8
and 16, the code 0x80 is NaN, there is no infinity. Conversions are compared with a search for the
nearest number.
"""

import sys
import unittest

import numpy as np
import popart
import popxl
import popxl.ops as ops
import popxl.transforms as transforms
from popxl import utils
from popxl_testing import DEVICE, results

FORMATS = {popxl.float8_143: (4, 3, 8), popxl.float8_152: (5, 2, 16)}
LARGEST = {popxl.float8_143: 240.0, popxl.float8_152: 57344.0}


def numbers(dtype):
    """What the 256 codes stand for."""
    _, fraction_bits, bias = FORMATS[dtype]
    codes = np.arange(256)
    exponent = (codes & 0x7f) >> fraction_bits
    fraction = (codes & ((1 << fraction_bits) - 1)) / 2.0 ** fraction_bits
    size = np.where(exponent == 0, fraction * 2.0 ** (1 - bias),
                    (1 + fraction) * 2.0 ** (exponent - bias))
    values = np.where(codes & 0x80, -size, size)
    values[0x80] = np.nan
    return values


def nearest(dtype, values):
    """The codes of the nearest numbers; of two, that of the even fraction."""
    table = numbers(dtype)
    table[0x80] = np.inf
    codes = []
    for value in np.ravel(values).astype(np.float64):
        distance = np.abs(table - value)
        best = np.flatnonzero(distance == distance.min())
        codes.append(min(best, key=lambda code: code & 1))
    return np.uint8(codes).reshape(np.shape(values))


def bits(array):
    return np.asarray(array).view(np.uint8)


def samples(dtype):
    """All numbers, what lies between two of them, and just beside that."""
    table = np.sort(numbers(dtype)[~np.isnan(numbers(dtype))])
    middles = (table[1:] + table[:-1]) / 2
    beside = [np.nextafter(middles.astype(np.float32), np.float32(way)) for way in (-1e9, 1e9)]
    return np.float32(np.concatenate([table, middles, *beside]))


class Float8(unittest.TestCase):

    def setUp(self):
        self.ir = popxl.Ir()
        self.graph = self.ir.main_graph.__enter__()
        self.addCleanup(self.ir.main_graph.__exit__, None, None, None)

    def test_largest(self):
        for dtype, largest in LARGEST.items():
            self.assertEqual(np.nanmax(numbers(dtype)), largest)

    def test_host(self):
        for dtype in FORMATS:
            codes = np.arange(256, dtype=np.uint8).view(dtype.as_numpy())
            for wide in (popxl.float32, popxl.float64):
                np.testing.assert_array_equal(
                    utils.host_pow2scale_cast_from_fp8(codes, wide, 3), numbers(dtype) * 8)
            for data in (samples(dtype), samples(dtype).astype(np.float16)):
                made = utils.host_pow2scale_cast_to_fp8(data, dtype)
                self.assertEqual(made.dtype, dtype.as_numpy())
                np.testing.assert_array_equal(bits(made), nearest(dtype, data))
            scaled = utils.host_pow2scale_cast_to_fp8(samples(dtype), dtype, 2)
            held = np.clip(samples(dtype) * 4.0, -LARGEST[dtype], LARGEST[dtype])
            fits = np.abs(samples(dtype) * 4.0) <= LARGEST[dtype]
            np.testing.assert_array_equal(bits(scaled)[fits], nearest(dtype, held)[fits])

    def test_host_rounds_once(self):
        # Just above the middle of 1 and 1.125, by less than a float32 shows.
        above = np.float64([1.0625 + 2.0 ** -40, 1.0625, 1.0625 - 2.0 ** -40])
        np.testing.assert_array_equal(
            bits(utils.host_pow2scale_cast_to_fp8(above, popxl.float8_143)), [0x41, 0x40, 0x40])

    def test_host_overflow(self):
        data = np.float32([1e6, -1e6, np.nan, np.inf])
        for dtype in FORMATS:
            made = utils.host_pow2scale_cast_to_fp8(data, dtype)
            np.testing.assert_array_equal(bits(made), [0x80] * 4)
            made = utils.host_pow2scale_cast_to_fp8(data, dtype, nan_on_overflow=False)
            np.testing.assert_array_equal(bits(made), [0x7f, 0xff, 0x80, 0x7f])

    def test_host_refuses(self):
        data = np.float32([1])
        for attempt in (
                lambda: utils.host_pow2scale_cast_to_fp8(np.int32([1]), popxl.float8_143),
                lambda: utils.host_pow2scale_cast_to_fp8(data, popxl.float16),
                lambda: utils.host_pow2scale_cast_to_fp8(data, popxl.float8_143, 32),
                lambda: utils.host_pow2scale_cast_to_fp8(data, popxl.float8_143, 0.5),
                lambda: utils.host_pow2scale_cast_from_fp8(data, popxl.float32),
                lambda: utils.host_pow2scale_cast_from_fp8(
                    utils.host_pow2scale_cast_to_fp8(data, popxl.float8_143), popxl.int32)):
            with self.assertRaises(RuntimeError):
                attempt()

    def test_types(self):
        for dtype in FORMATS:
            self.assertTrue(dtype.is_floating_point and dtype.is_signed)
            self.assertIs(popxl.dtype.as_dtype(dtype.as_numpy()), dtype)
            self.assertIs(popxl.dtype.as_dtype(np.zeros(2, dtype.as_numpy())), dtype)
            self.assertIs(popxl.dtype.as_dtype(dtype.name), dtype)

    def test_tensors(self):
        made = []
        for dtype in FORMATS:
            data = np.arange(256, dtype=np.uint8).view(dtype.as_numpy())
            made += [popxl.variable(data, name="v"), popxl.constant(data),
                     popxl.variable([1.0, 2.5], dtype, log2_scale=2, name="scaled"),
                     popxl.variable([1e6], dtype, nan_on_overflow=False)]
            self.assertEqual([t.dtype for t in made[-4:]], [dtype] * 4)
        got = results(self.ir, made)
        for i, dtype in enumerate(FORMATS):
            for whole in got[4 * i:4 * i + 2]:
                self.assertEqual(whole.dtype, dtype.as_numpy())
                np.testing.assert_array_equal(bits(whole), np.arange(256))
            np.testing.assert_array_equal(bits(got[4 * i + 2]), nearest(dtype, [4, 10]))
            np.testing.assert_array_equal(bits(got[4 * i + 3]), [0x7f])
        with self.assertRaises(RuntimeError):
            with popxl.Ir().main_graph:
                popxl.variable([1.0], popxl.float16, log2_scale=2)

    def test_casts(self):
        made, wanted = [], []
        for dtype in FORMATS:
            data = samples(dtype)
            x = popxl.variable(data)
            made.append(ops.pow2scale_cast_to_fp8(x, 0, dtype))
            wanted.append(nearest(dtype, np.clip(data, -LARGEST[dtype], LARGEST[dtype])))
            for scale in (-3, 2):
                as_tensor = popxl.variable(np.int32(scale))
                held = np.clip(data * 2.0 ** scale, -LARGEST[dtype], LARGEST[dtype])
                for given in (scale, as_tensor, popxl.constant(np.int32(scale))):
                    made.append(ops.pow2scale_cast_to_fp8(x, given, dtype))
                    wanted.append(nearest(dtype, held))
            y = popxl.variable(np.arange(256, dtype=np.uint8).view(dtype.as_numpy()))
            for scale in (0, -2, popxl.variable(np.int32(-2))):
                number = 0 if isinstance(scale, int) and scale == 0 else -2
                for wide in (popxl.float32, popxl.float16):
                    made.append(ops.pow2scale_cast_from_fp8(y, scale, wide))
                    wanted.append((numbers(dtype) * 2.0 ** number).astype(wide.as_numpy()))
        for got, want in zip(results(self.ir, made), wanted):
            np.testing.assert_array_equal(bits(got) if want.dtype == np.uint8 else got, want)

    def test_scale_out_of_range(self):
        x = popxl.variable([1.0, 2.0])
        made = [ops.pow2scale_cast_to_fp8(x, popxl.variable(np.int32(s)), popxl.float8_152)
                for s in (-33, 32, 1000)]
        for got in results(self.ir, made):
            np.testing.assert_array_equal(bits(got), [0x80] * 2)

    def test_products(self):
        rng = np.random.default_rng(3)
        made, wanted = [], []
        for left in FORMATS:
            for right in FORMATS:
                a, b = rng.normal(size=(3, 5)) * 4, rng.normal(size=(5, 2)) * 4
                x, w = rng.normal(size=(1, 2, 5, 5)), rng.normal(size=(3, 2, 3, 3))
                ta, tb = popxl.variable(a, left), popxl.variable(b, right)
                tx, tw = popxl.variable(x, left), popxl.variable(w, right)
                a, x = (numbers(left)[nearest(left, v)] for v in (a, x))
                b, w = (numbers(right)[nearest(right, v)] for v in (b, w))
                windows = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), (1, 2))
                convolved = np.einsum("cyxij,ocij->oyx", windows, w)[None]
                scale = popxl.variable(np.int32(-2))
                made += [ops.matmul_pow2scaled(ta, tb, scale), ops.conv_pow2scaled(tx, tw, 1),
                         ops.conv_transpose_pow2scaled(
                             tx, ops.transpose(tw, (1, 0, 2, 3)), popxl.constant(np.int32(0)),
                             padding=(2, 2, 2, 2))]
                flipped = np.einsum("cyxij,ocij->oyx", windows, w[:, :, ::-1, ::-1])[None]
                wanted += [a @ b / 4, convolved * 2, flipped]
        for got, want in zip(results(self.ir, made), wanted):
            self.assertEqual(got.dtype, np.float16)
            np.testing.assert_allclose(got, want.astype(np.float16), rtol=2e-3, atol=1e-6)

    def test_moves(self):
        data = np.arange(24, dtype=np.uint8).reshape(4, 6).view(popxl.float8_143.as_numpy())
        x = popxl.variable(data)
        graph = self.ir.create_graph(lambda t: t.T, x)
        buffer = popxl.remote_buffer((4, 6), popxl.float8_143, 2)
        with popxl.in_sequence():
            ops.remote_store(buffer, 1, x)
            loaded = ops.remote_load(buffer, 1)
        index = popxl.constant(np.uint32([1]))
        made = [x.reshape((6, 4)), ops.call(graph, x)[0], x[1:3], x[:, ::2], ops.concat([x, x], 0),
                ops.split(x, 2, 1)[1], ops.dynamic_slice(x, index, [0], [2], True), loaded,
                ops.identity(x), ops.init((2,), popxl.float8_152)]
        plain = data.view(np.uint8)
        wanted = [plain.reshape(6, 4), plain.T, plain[1:3], plain[:, ::2],
                  np.concatenate([plain, plain]), plain[:, 3:], plain[1:3], plain, plain, [0, 0]]
        for got, want in zip(results(self.ir, made), wanted):
            np.testing.assert_array_equal(bits(got), want)

    def test_streams(self):
        ins = popxl.h2d_stream((2, 2), popxl.float8_152)
        outs = popxl.d2h_stream((2, 2), popxl.float8_152)
        ops.host_store(outs, ops.host_load(ins))
        self.ir.num_host_transfers = 1
        data = np.uint8([[0, 0x80], [0xff, 3]])
        with popxl.Session(self.ir, DEVICE) as session:
            for given in (data, data.view(popxl.float8_152.as_numpy())):
                got = session.run({ins: given})[outs]
                self.assertEqual(got.dtype, popxl.float8_152.as_numpy())
                np.testing.assert_array_equal(bits(got), data)
            with self.assertRaises(TypeError):
                session.run({ins: np.float32(data)})

    def test_variables_of_sessions(self):
        x = popxl.variable([1.0, 2.0], popxl.float8_143)
        ops.var_updates.copy_var_update_(x, popxl.constant([3.0, 4.0], popxl.float8_143))
        with popxl.Session(self.ir, DEVICE) as session:
            np.testing.assert_array_equal(bits(session.get_tensor_data(x)),
                                          nearest(popxl.float8_143, [1, 2]))
            session.run()
        np.testing.assert_array_equal(bits(session.get_tensor_data(x)),
                                      nearest(popxl.float8_143, [3, 4]))
        with self.assertRaises(TypeError):
            session.write_variable_data(x, np.float32([1, 2]))

    def test_structure(self):
        x = popxl.variable([1.0], popxl.float8_143, name="x")
        wide = ops.pow2scale_cast_from_fp8(x, 1, popxl.float32)
        ops.pow2scale_cast_to_fp8(wide, 1, popxl.float8_152)
        import popart._internal.ir as _ir
        kinds = [type(op) for op in self.graph._pb_graph.getOps()]
        self.assertEqual(kinds, [_ir.op.CastThenPow2ScaleOp, _ir.op.Pow2ScaleThenCastOp])

    def test_refuses(self):
        x = popxl.variable([[1.0]], popxl.float8_143)
        wide = popxl.variable([[1.0]])
        for attempt in (lambda: x + x, lambda: x @ x, lambda: ops.relu(x), lambda: ops.add_(x, x),
                        lambda: ops.sum(x), lambda: ops.cast(x, popxl.float32)):
            with self.assertRaisesRegex(popart.popart_exception, "float8_143"):
                attempt()
        scale = popxl.variable(np.int32(0))
        for attempt in (lambda: ops.matmul_pow2scaled(x, wide, scale),
                        lambda: ops.matmul_pow2scaled(x, x, popxl.variable(1.0)),
                        lambda: ops.pow2scale_cast_to_fp8(x, 0, popxl.float8_152),
                        lambda: ops.pow2scale_cast_to_fp8(wide, 0, popxl.float16),
                        lambda: ops.pow2scale_cast_from_fp8(wide, 0),
                        lambda: ops.pow2scale_cast_from_fp8(x, 0, popxl.int32),
                        lambda: ops.cast(wide, popxl.float8_143)):
            with self.assertRaises(TypeError):
                attempt()
        for bad in (32, -33, popxl.constant(np.int32(40)), popxl.variable(np.int32([1, 2]))):
            with self.assertRaises(ValueError):
                ops.pow2scale_cast_from_fp8(x, bad)

    def test_has_no_gradient(self):
        x = popxl.variable([[1.0]])

        def forward(t):
            small = ops.pow2scale_cast_to_fp8(t, 1, popxl.float8_143)
            return ops.pow2scale_cast_from_fp8(small, -1, popxl.float32)

        with self.assertRaisesRegex(popart.popart_exception,
                                    "does not have a valid grad op.*Pow2ScaleThenCastOp"):
            transforms.autodiff(self.ir.create_graph(forward, x))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
