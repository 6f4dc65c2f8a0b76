"""Gradients of elementwise operators."""
import math

import numpy as np

from harness import Case, Samples, constant, graphcore, main

samples = Samples(1)
normal = samples.normal
random = samples.random
erf = np.vectorize(math.erf)


def positive(*shape):
    return (random.random(shape) + 0.5).astype(np.float32)


def within(low, high, *shape):
    return (random.random(shape) * (high - low) + low).astype(np.float32)


def values(*numbers):
    return np.array(numbers, np.float32)


# Points around and at changes of a slope.
around = values(-2, -1, -0.5, 0, 0.5, 1, 2)


def passes(condition):
    """Rules of operators that pass the gradient on where a condition of (x, y) holds."""
    return {0: lambda x, y, dy: dy * condition(x[0], y[0])}


functions = [
    Case("Neg", normal(3, 7)),
    Case("Abs", around, rules=passes(lambda x, y: np.sign(x))),
    Case("Relu", around, rules=passes(lambda x, y: x > 0)),
    Case("Sign", around, rules=passes(lambda x, y: 0)),
    Case("Floor", around, rules=passes(lambda x, y: 0)),
    Case("Exp", normal(5)),
    Case("Log", positive(2, 3, 5)),
    Case("Sqrt", positive(7)),
    Case("Reciprocal", positive(3, 1)),
    Case("Sigmoid", normal(33)),
    Case("Tanh", normal(0)),
    Case("Tanh", normal()),
    Case("Erf", normal(13), ref=erf),
    Case("Sin", normal(13)),
    Case("Cos", normal(13)),
    Case("Tan", normal(13)),
    Case("Asin", within(-0.9, 0.9, 9)),
    Case("Acos", within(-0.9, 0.9, 9)),
    Case("Atan", normal(9)),
    Case("Sinh", normal(9)),
    Case("Cosh", normal(9)),
    Case("Asinh", normal(9)),
    Case("Acosh", within(1.2, 3, 9)),
    Case("Atanh", within(-0.9, 0.9, 9)),
    graphcore("Square", normal(9), ref=np.square),
    graphcore("Expm1", normal(9), ref=np.expm1),
    graphcore("Log1p", positive(9), ref=np.log1p),
    graphcore("Round", normal(9), ref=np.round, rules=passes(lambda x, y: 0)),
]

arithmetic = [
    Case("Add", normal(3, 5), normal(5)),
    Case("Sub", normal(2, 1, 3), normal(4, 1)),
    Case("Mul", normal(2, 3), normal()),
    Case("Mul", normal(0, 3), normal(3)),
    Case("Div", normal(3, 5), positive(3, 1)),
    Case("Pow", positive(3, 5), normal(5)),
    Case("Pow", normal(7), constant(values(3)), ref=lambda x, y: x ** y),
    Case("Sum", normal(3), normal(2, 1), normal(1)),
    Case("Mean", normal(3), normal(2, 1), normal(2, 3), ref=lambda *x: sum(x) / 3),
    Case("Max", values(1, 2, 3), values(1, 3, 2), values(1),
         rules={i: lambda x, y, dy, i=i: ((x[i] == y[0]) * dy).sum(keepdims=i == 2)
                if i == 2 else (x[i] == y[0]) * dy for i in range(3)}),
    Case("Min", values(1, 2, 3), values([[1, 3, 2]], [[2, 2, 2]])[:, 0],
         rules={0: lambda x, y, dy: ((x[0] == y[0]) * dy).sum(0),
                1: lambda x, y, dy: (x[1] == y[0]) * dy}),
    Case("Mod", 3 * normal(5), positive(5), fmod=1, ref=np.fmod),
    graphcore("Fmod", 3 * normal(3, 5), positive(5), ref=np.fmod),
    graphcore("Remainder", 3 * normal(3, 5), positive(3, 1), ref=np.mod),
    graphcore("IncrementMod", positive(7), increment=1.5, modulus=2.25,
              ref=lambda x: np.mod(x + 1.5, 2.25)),
    graphcore("ScaledAdd", normal(3, 2), normal(3, 2), scale0=0.5, scale1=-2.0,
              ref=lambda a, b: a * 0.5 - b * 2),
    graphcore("ScaledAdd", normal(3, 2), normal(3, 2), normal(), normal(),
              ref=lambda a, b, s, t: a * s + b * t),
    graphcore("Atan2", normal(3, 5), normal(5), ref=np.arctan2),
]



def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def slope(function):
    """Rules of operators whose slope PopART defines where there is no derivative."""
    return {0: lambda x, y, dy: dy * function(x[0])}


far = values(-200, -3, -1, 0, 1, 3, 200)
activations = [
    Case("LeakyRelu", around, alpha=0.25, rules=slope(lambda x: np.where(x < 0, 0.25, 1))),
    Case("PRelu", normal(4, 3), normal(3)),
    Case("PRelu", normal(4, 3), normal(4, 3)),
    Case("PRelu", normal(2, 3, 2, 2), normal(3, 1, 1)),
    Case("PRelu", normal(1, 1, 2, 2), normal(1)),
    Case("PRelu", around, values(0.25), rules={
        0: lambda x, y, dy: dy * np.where(x[0] < 0, 0.25, 1),
        1: lambda x, y, dy: (dy * np.minimum(x[0], 0)).sum(keepdims=True)}),
    Case("Elu", far, alpha=0.5,
         rules=slope(lambda x: np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1))),
    Case("Selu", far, alpha=1.5, gamma=1.25,
         rules=slope(lambda x: 1.25 * np.where(x <= 0, 1.5 * np.exp(np.minimum(x, 0)), 1))),
    Case("Celu", far, alpha=2.0, ref=lambda x: np.maximum(x, 0) + np.minimum(
        0, 2 * np.expm1(x / 2)), rtol=1e-3),
    Case("ThresholdedRelu", around, alpha=0.5, rules=slope(lambda x: x > 0.5)),
    Case("Shrink", around, lambd=0.5, bias=0.25,
         rules=slope(lambda x: 0.5 * (1 + np.sign(np.abs(x) - 0.5)))),
    Case("HardSigmoid", around, alpha=0.25, beta=0.5,
         rules=slope(lambda x: np.where(np.abs(x) < 2, 0.25, 0))),
    Case("HardSwish", values(-4, -3, -2, 0, 1, 3, 4),
         rules=slope(lambda x: np.where(np.abs(x) < 3, (2 * x + 3) / 6, x > 0))),
    Case("Softplus", far, ref=lambda x: np.logaddexp(x, 0)),
    Case("Softsign", far),
    Case("Gelu", far, approximate="tanh", ref=lambda x: 0.5 * x * (1 + np.tanh(
        np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))),
    Case("Gelu", far, ref=lambda x: 0.5 * x * (1 + erf(x * 0.5 ** 0.5))),
    graphcore("Swish", far, ref=lambda x: x / (1 + np.exp(-x))),
    graphcore("Scale", normal(3, 2), scale=0.5, ref=lambda x: x * 0.5),
    Case("Mish", normal(9), ref=lambda x: x * np.tanh(np.logaddexp(x, 0))),
    # An element at a limit has no gradient.
    Case("Clip", around, constant(values(-1)[0]), constant(values(1)[0]),
         rules={0: lambda x, y, dy: dy * (np.abs(y[0]) != 1)}),
    Case("Clip", around, None, constant(values(0.5)[0]),
         ref=lambda x, low, high: np.minimum(x, high),
         rules={0: lambda x, y, dy: dy * (y[0] != 0.5)}),
    Case("Clip", normal(5)),
]

main(functions + arithmetic + activations)
