# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators of ONNX over the whole range of floats and halves.

    elementwise_range.py models DIR          writes a model for each type, with the operands
                                             as inputs and as constants
    elementwise_range.py check DIR TYPE PAGE MACHINE...
                                             compares the results in DIR/TYPE-MACHINE with mpmath

An error is counted in units of the last place of the exact result; of functions that lose
digits by their definition, like x * (1 + erf(x)) for negative x, in those of the operand. No
error may be larger than the table of operators of PAGE, docs/device-maths.md, says. Special
operands are the table of docs/operators.md (special_values.py)."""

import math
import pathlib
import random
import re
import sys

import mpmath
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tile" / "Inputs"))
import maths_range as whole  # noqa: E402

mpmath.mp.prec = 400
one, two = mpmath.mpf(1), mpmath.mpf(2)
TYPES = {"float": (np.float32, TensorProto.FLOAT, 24, -126, 3.4028234663852886e38),
         "half": (np.float16, TensorProto.FLOAT16, 11, -14, 65504.0)}


def f32(x):
    return mpmath.mpf(float(np.float32(x)))


def softplus(x):
    return mpmath.log1p(mpmath.exp(x)) if x < 500 else x


def elu(x, alpha=one, gamma=one):
    return gamma * (x if x > 0 else alpha * mpmath.expm1(x))


def gelu_tanh(x):
    return x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + f32(0.044715) * x**3)))


def hard_sigmoid(x, alpha, beta):
    return max(min(alpha * x + beta, one), mpmath.mpf(0))


ALPHA, GAMMA = f32(1.67326319217681884765625), f32(1.05070102214813232421875)
GRAPHCORE = "ai.graphcore"
# Name: function, attributes, whether errors are counted in units of the operand.
UNARY = {
    "Sqrt": (mpmath.sqrt, {}), "Exp": (mpmath.exp, {}), "Log": (mpmath.log, {}),
    "Reciprocal": (lambda x: 1 / x, {}), "Tanh": (mpmath.tanh, {}),
    "Sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), {}), "Erf": (mpmath.erf, {}),
    "Sin": (mpmath.sin, {}), "Cos": (mpmath.cos, {}), "Tan": (mpmath.tan, {}),
    "Asin": (mpmath.asin, {}), "Acos": (mpmath.acos, {}), "Atan": (mpmath.atan, {}),
    "Sinh": (mpmath.sinh, {}), "Cosh": (mpmath.cosh, {}), "Asinh": (mpmath.asinh, {}),
    "Acosh": (mpmath.acosh, {}), "Atanh": (mpmath.atanh, {}), "Abs": (abs, {}),
    "Neg": (lambda x: -x, {}), "Sign": (mpmath.sign, {}), "Ceil": (mpmath.ceil, {}),
    "Floor": (mpmath.floor, {}), "Round": (mpmath.nint, {}),
    "Relu": (lambda x: max(x, mpmath.mpf(0)), {}), "Softplus": (softplus, {}),
    "Softsign": (lambda x: x / (1 + abs(x)), {}), "Elu": (elu, {}),
    "Celu": (lambda x: elu(x / 2, one) * 2, {"alpha": 2.0}),
    "Selu": (lambda x: elu(x, ALPHA, GAMMA), {}),
    "LeakyRelu": (lambda x: x if x > 0 else x * f32(0.01), {}),
    "Mish": (lambda x: x * mpmath.tanh(softplus(x)), {}),
    "Gelu": (lambda x: x / 2 * (1 + mpmath.erf(x / mpmath.sqrt(2))), {}),
    "HardSigmoid": (lambda x: hard_sigmoid(x, f32(0.2), f32(0.5)), {}),
    "HardSwish": (lambda x: x * hard_sigmoid(x, one / 6, one / 2), {}),
    "ThresholdedRelu": (lambda x: x if x > 1 else mpmath.mpf(0), {}),
    "Shrink": (lambda x: x if abs(x) > 0.5 else mpmath.mpf(0), {}),
    f"{GRAPHCORE}.Expm1": (mpmath.expm1, {}), f"{GRAPHCORE}.Log1p": (mpmath.log1p, {}),
    f"{GRAPHCORE}.Gelu": (gelu_tanh, {}), f"{GRAPHCORE}.Square": (lambda x: x * x, {}),
    f"{GRAPHCORE}.Swish": (lambda x: x / (1 + mpmath.exp(-x)), {}),
}
BINARY = {
    "Add": (lambda x, y: x + y, {}), "Sub": (lambda x, y: x - y, {}),
    "Mul": (lambda x, y: x * y, {}), "Div": (lambda x, y: x / y, {}),
    "Pow": (lambda x, y: x**y, {}), "Mod": (whole.fmod, {"fmod": 1}),
    "Max": (max, {}), "Min": (min, {}), "Mean": (lambda x, y: (x + y) / 2, {}),
    f"{GRAPHCORE}.Atan2": (mpmath.atan2, {}),
}
OF_OPERAND = {"Mish", "Gelu", "HardSwish", "HardSigmoid", f"{GRAPHCORE}.Gelu",
              f"{GRAPHCORE}.Swish"}


def operands(kind):
    """x and y: all exponents and signs, the places that are hard for some function, and y
    near x in size."""
    rng = random.Random(1)
    dtype, _, digits, least, largest = TYPES[kind]
    values = [s * m * 2.0**e for e in range(least - digits + 1, math.frexp(largest)[1])
              for s in (1, -1) for m in (1.0, rng.uniform(1, 2), rng.uniform(1, 2))]
    for point in (0.5, 1, 2, 3.5, 10, 44.36, 88.72284, 89.4, 11.09, 10.39, 0.7071, 127.9, 181.0,
                  256.5, 300.0):
        values += [s * point * (1 + k * 2.0**-digits) for s in (1, -1) for k in (-3, -1, 0, 1, 3)]
    values += [rng.uniform(-limit, limit) for limit in (1, 2, 20, 100) for _ in range(60)]
    if kind == "float":
        values += whole.near_quarters(whole.Draw(whole.FLOAT, 1)) + [s * 1.9e19 for s in (1, -1)] + [3e38, -3e38]
    with np.errstate(over="ignore"):
        x = np.array(values).astype(dtype)
        x = x[np.isfinite(x) & (x != 0)]
        x = x[::3] if kind == "float" else x
        near = [rng.choice([1, -1]) * 2.0**rng.uniform(-12, 12) for _ in x]
        y = (x.astype(np.float64) * near).astype(dtype)
    y[::3] = rng.sample(list(x), len(x))[::3]
    y[~np.isfinite(y) | (y == 0)] = 1.5
    y[::7] = x[::7]
    return x, y


def nodes():
    for name, (_, attributes) in {**UNARY, **BINARY}.items():
        domain, _, op = name.rpartition(".")
        inputs = ["x", "y"] if name in BINARY else ["x"]
        extra = {"bias": 0.0, "lambd": 0.5} if name == "Shrink" else {}
        yield helper.make_node(op, inputs, [name], domain=domain, **attributes, **extra)


def models(folder):
    for kind, (_, onnx_type, *_) in TYPES.items():
        x, y = operands(kind)
        values = {"x": x, "y": y}
        info = {k: helper.make_tensor_value_info(k, onnx_type, v.shape) for k, v in values.items()}
        results = [helper.make_tensor_value_info(n, onnx_type, x.shape)
                   for n in [*UNARY, *BINARY]]
        for name, inputs, constants in (
                ("given", list(info.values()), []),
                ("folded", [], [numpy_helper.from_array(v, k) for k, v in values.items()])):
            graph = helper.make_graph(list(nodes()), name, inputs, results, constants)
            save(helper.make_model(graph, ir_version=8, opset_imports=[
                helper.make_opsetid("", 20), helper.make_opsetid(GRAPHCORE, 1)]),
                f"{folder}/{kind}-{name}.onnx")
        for name, value in values.items():
            np.save(f"{folder}/{kind}-{name}.npy", value)


def bounds(page, kind):
    text = page.split("## Operators", 1)[1]
    rows = re.findall(r"^\| ((?:`[\w.]+`(?:, )?)+) \| ([0-9.]+) \| ([0-9.]+) \|", text,
                      re.MULTILINE)
    return {name: float(of[kind]) for names, *limits in rows
            for of in [dict(zip(TYPES, limits))] for name in re.findall(r"[\w.]+", names)}


def error(exact, got, kind, unit_of):
    _, _, digits, least, largest = TYPES[kind]
    if isinstance(exact, mpmath.mpc) or mpmath.isnan(exact):
        return 0.0 if math.isnan(got) else math.inf
    unit = mpmath.mpf(2) ** (1 - digits)
    if abs(exact) >= largest * (1 + unit / 4):  # rounded, it is infinite; in halves the largest
        beyond = math.inf if kind == "float" else largest
        return 0.0 if got == math.copysign(beyond, exact) else math.inf
    if not math.isfinite(got):
        return math.inf
    size = max(abs(exact), abs(unit_of))
    exponent = max(int(mpmath.floor(mpmath.log(size, 2))), least) if size != 0 else least
    return float(abs(got - exact) / (unit * mpmath.mpf(2) ** exponent))


def exact_results(function, operands):
    """For each element the exact result; None where a division by zero has none."""
    results = []
    for given in operands:
        try:
            results.append(function(*given))
        except ZeroDivisionError:
            results.append(None)
    return results


def report(machine, name, operands, exact, got, kind, limit):
    worst, where = 0.0, ""
    for given, right, result in zip(operands, exact, got):
        if right is None:
            continue
        away = error(right, float(result), kind, given[0] if name in OF_OPERAND else 0)
        if away > worst:
            worst = away
            where = f"of {[float(v) for v in given]}: {result} for {mpmath.nstr(right, 9)}"
    print(f"{kind} {machine} {name}: {worst:.2f}", "" if worst <= limit + 0.005 else f"WRONG {where}")


def check(folder, kind, page, *machines):
    """Exact results take longest, so all machines are compared with the same ones."""
    limits = bounds(pathlib.Path(page).read_text(), kind)
    x, y = ([mpmath.mpf(float(v)) for v in np.load(f"{folder}/{kind}-{n}.npy")] for n in "xy")
    for name, (function, _) in {**UNARY, **BINARY}.items():
        operands = list(zip(x, y)) if name in BINARY else [(v,) for v in x]
        exact = exact_results(function, operands)
        for machine in machines:
            got = np.load(f"{folder}/{kind}-{machine}/{name}.npy").astype(np.float64)
            report(machine, name, operands, exact, got, kind, limits[name])


if __name__ == "__main__":
    (models if sys.argv[1] == "models" else check)(*sys.argv[2:])
