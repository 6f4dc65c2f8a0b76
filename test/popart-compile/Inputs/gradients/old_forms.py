"""Gradients of forms of operators in old opsets: attributes that are inputs today."""
import numpy as np

from harness import Case, Samples, main

samples = Samples(4)
normal = samples.normal
random = samples.random


def softmax(x):
    """Over all dimensions but the first."""
    e = np.exp(x)
    return e / e.sum(tuple(range(1, x.ndim)), keepdims=True)


cases = [
    # An attribute lines the second operand up with dimensions in the middle.
    Case("Add", normal(2, 3, 4, 5), normal(3, 4), broadcast=1, axis=1,
         ref=lambda a, b: a + b[:, :, None]),
    Case("Mul", normal(2, 3, 3), normal(3), broadcast=1, axis=1, ref=lambda a, b: a * b[:, None]),
    Case("Div", normal(3, 3), normal(3) + 3, broadcast=1, axis=0, ref=lambda a, b: a / b[:, None]),
    Case("Clip", np.arange(-2, 3, dtype=np.float32), min=-1.0, max=1.0,
         ref=lambda x: x, rules={0: lambda x, y, dy: dy * (np.abs(x[0]) < 1)}),
    Case("Pad", normal(2, 3), pads=[1, 0, 2, -1], value=3.0,
         ref=lambda x: np.pad(x[:, :2], ((1, 2), (0, 0)))),
    Case("ReduceProd", normal(3, 4), axes=[1], ref=lambda x: x.prod(1, keepdims=True)),
    Case("ReduceMean", normal(3, 4), axes=[0], ref=lambda x: x.mean(0, keepdims=True)),
    Case("TopK", random.permutation(15).reshape(3, 5).astype(np.float32), axis=0, k=2, results=2,
         used=[0], ref=lambda x: (-np.sort(-x, 0)[:2], None)),
    Case("Softmax", normal(2, 3, 4), axis=1, ref=softmax),
    Case("LogSoftmax", normal(2, 3, 4), axis=1, ref=lambda x: np.log(softmax(x))),
    Case("InstanceNormalization", normal(2, 3, 4), normal(3), normal(3), epsilon=0.5,
         ref=lambda x, s, b: (x - x.mean(2, keepdims=True)) / np.sqrt(
             x.var(2, keepdims=True) + 0.5) * s[:, None] + b[:, None]),
]

main(cases, opset=6)
