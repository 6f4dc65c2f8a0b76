"""Operators that keep state, over steps whose factors change, in all types of accumulators,
beside the same recurrences in float64. A step may round the state once."""
import sys
import unittest

import numpy as np

import popxl
import popxl.ops as ops

DEVICES = sys.argv.pop(1).split(",") if len(sys.argv) > 1 else ["cpu"]
TYPES = (popxl.float16, popxl.float32)
FACTORS = (0.9, 0.99, 0.999, 0.5, 0.9999, 0.0)
random = np.random.default_rng(4)
STATE = np.array([0.5, -3, 100, 0], np.float32)
# Squares of the last one are no halves.
GRADIENTS = [random.standard_normal(4).astype(np.float32) * [1, 8, 64, 300] for _ in FACTORS]

updates = ops.var_updates
RULES = {
    "accumulate_": lambda t, x, f: t + f * x,
    "accumulate_square_": lambda t, x, f: t + f * x * x,
    "accumulate_mean_": lambda t, x, f: (f * t + x) / (f + 1),
    "accumulate_moving_average_": lambda t, x, f: f * t + (1 - f) * x,
    "accumulate_moving_average_square_": lambda t, x, f: f * t + (1 - f) * x * x,
}
LARGEST = 65504


def factors_of(name):
    """Of a mean they count steps, more than a half can count."""
    return (0, 1, 2, 100, 3001, 4095) if name == "accumulate_mean_" else FACTORS


class State(unittest.TestCase):
    def check(self, name, kind, gradient_kind, as_tensor, device):
        of_type = {popxl.float16: np.float16, popxl.float32: np.float32}
        state = STATE.astype(of_type[kind])
        gradients = [(g / 8 if name == "accumulate_square_" else g).astype(of_type[gradient_kind])
                     for g in GRADIENTS]
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence(True):
            t = popxl.variable(state, kind, "t")
            for i, (g, f) in enumerate(zip(gradients, factors_of(name))):
                factor = popxl.constant(f, popxl.float32) if as_tensor else float(f)
                getattr(updates, name)(t, popxl.variable(g, gradient_kind, f"g{i}"), factor)
        with popxl.Session(ir, device) as session:
            session.run()
        found = session.get_tensor_data(t).astype(np.float64)
        wanted, slack = state.astype(np.float64), np.zeros(4)
        ulp = 2.0 ** -11 if kind == popxl.float16 else 2.0 ** -22
        for g, f in zip(gradients, factors_of(name)):
            # A factor that is a tensor is a float32, and so is 1 - f.
            exact = float(np.float32(f)) if as_tensor else f
            wanted = RULES[name](wanted, g.astype(np.float64), exact)
            wanted = np.clip(wanted, -LARGEST, LARGEST) if kind == popxl.float16 else wanted
            slack += ulp * np.abs(wanted) + 2.0 ** -24
        self.assertTrue((np.abs(found - wanted) <= slack).all(), f"{found} is not {wanted}")

    def test_recurrences(self):
        for device in DEVICES:
            for name in RULES:
                for kind in TYPES:
                    for gradient_kind in TYPES:
                        for as_tensor in (False, True):
                            with self.subTest(device, name=name, kind=kind, of=gradient_kind,
                                              as_tensor=as_tensor):
                                self.check(name, kind, gradient_kind, as_tensor, device)

    def test_scale(self):
        for kind, numbers in ((popxl.float16, np.float16), (popxl.float32, np.float32)):
            ir = popxl.Ir()
            with ir.main_graph:
                t = popxl.variable(STATE.astype(numbers), kind, "t")
                updates.accumulator_scale_(t, 0.9999)
            with popxl.Session(ir, DEVICES[0]) as session:
                session.run()
            wanted = (STATE.astype(numbers).astype(np.float64) * 0.9999).astype(numbers)
            np.testing.assert_allclose(session.get_tensor_data(t), wanted, rtol=1e-7)


unittest.main()
