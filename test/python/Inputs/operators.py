#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of a Builder, built, run and differentiated through Python, beside PyTorch.

    operators.py [--device cpu|model] [NAME...]

A case is a row of CASES: how the Builder makes the operator of its inputs, what PyTorch
computes, and the inputs. Results and, where PyTorch has them, gradients of all inputs of
floats are compared. Training follows the usual form of operator tests: the mean of the result
is the loss, the weights change by ConstSGD(0.01), and PyTorch starts from the gradient of the
result that the session returns.
"""

import argparse
import sys

import numpy as np
import popart
import torch
import torch.nn.functional as F


def floats(*shape, low=-2.0, high=2.0, seed=7):
    random = np.random.RandomState(seed + sum(shape))
    return random.uniform(low, high, shape).astype(np.float32)


def ints(*shape, high=4, seed=3):
    return np.random.RandomState(seed).randint(0, high, shape).astype(np.int32)


X = floats(3, 4)
P = floats(3, 4, low=0.2, high=2.0)
Y = floats(4, seed=11)
UNIT = floats(3, 4, low=-0.9, high=0.9)
IMAGE = floats(2, 4, 6, 6)
BOOLS = np.array([[True, False], [True, True]])

CASES = {}


def case(name, build, reference, *inputs, opset=10, gradient=True, atol=1e-6, rtol=1e-5):
    CASES[name] = (build, reference, inputs, opset, gradient, atol, rtol)


def onnx(name, reference, *inputs, attributes=None, method=None, **options):
    """An operator of ONNX that takes all inputs."""
    attributes = attributes or {}
    case(name, lambda b, ids: getattr(b.aiOnnx, method or name)(ids, **attributes), reference,
         *inputs, **options)


def graphcore(name, reference, *inputs, attributes=None, **options):
    attributes = attributes or {}
    case(name, lambda b, ids: getattr(b.aiGraphcore, name)(ids, **attributes), reference,
         *inputs, **options)


# ---- Elementwise ----
for _name, _function in {"abs": torch.abs, "exp": torch.exp, "neg": torch.neg, "relu": torch.relu,
                         "sigmoid": torch.sigmoid, "sin": torch.sin, "cos": torch.cos,
                         "sinh": torch.sinh, "cosh": torch.cosh, "tanh": torch.tanh,
                         "erf": torch.erf, "identity": lambda x: x.clone(),
                         "softplus": F.softplus, "softsign": F.softsign,
                         "elu": F.elu, "selu": F.selu, "leakyrelu": F.leaky_relu,
                         "ceil": torch.ceil, "floor": torch.floor, "sign": torch.sign,
                         "asinh": torch.asinh, "atan": torch.atan}.items():
    onnx(_name, _function, X)
for _name, _function in {"log": torch.log, "sqrt": torch.sqrt, "reciprocal": torch.reciprocal,
                         "acosh": lambda x: torch.acosh(x)}.items():
    onnx(_name, _function, P + (1 if _name == "acosh" else 0))
for _name, _function in {"asin": torch.asin, "acos": torch.acos, "atanh": torch.atanh,
                         "tan": torch.tan}.items():
    onnx(_name, _function, UNIT, atol=1e-5)
for _name, _function in {"add": torch.add, "sub": torch.sub, "mul": torch.mul}.items():
    onnx(_name, _function, X, Y)
onnx("div", torch.div, X, P)
onnx("pow", torch.pow, P, Y)
onnx("max", torch.maximum, X, Y)
onnx("min", torch.minimum, X, Y)
onnx("sum", lambda a, b, c: a + b + c, X, Y, P)
onnx("mean", lambda a, b, c: (a + b + c) / 3, X, Y, P)
onnx("clip", lambda x: torch.clip(x, -1.0, 0.5), X, attributes={"min": -1.0, "max": 0.5})
onnx("shrink", lambda x: F.softshrink(x, 0.5) + torch.sign(x) * 0.5 * (x.abs() > 0.5), X)
onnx("hardsigmoid", lambda x: torch.clip(0.2 * x + 0.5, 0, 1), X)
onnx("thresholdedrelu", lambda x: x * (x > 1.0), X)
onnx("prelu", lambda x, s: torch.where(x >= 0, x, x * s), X, Y, gradient=False)
onnx("round", torch.round, X, opset=11)
onnx("mod", lambda a, b: torch.fmod(a, b), X, P, attributes={"fmod": 1}, gradient=False)

# ---- Comparisons and logic ----
for _name, _function in {"less": torch.lt, "greater": torch.gt, "equal": torch.eq}.items():
    onnx(_name, _function, X, Y, opset=11, gradient=False)
for _name, _function in {"logical_and": torch.logical_and, "logical_or": torch.logical_or,
                         "logical_xor": torch.logical_xor}.items():
    onnx(_name, _function, BOOLS, BOOLS.T.copy(), gradient=False)
onnx("logical_not", torch.logical_not, BOOLS, gradient=False)
onnx("isnan", torch.isnan, np.float32([1, np.nan, np.inf]), gradient=False)
onnx("isinf", torch.isinf, np.float32([1, np.nan, -np.inf]), gradient=False)
case("where", lambda b, ids: b.aiOnnx.where(ids), torch.where,
     np.array([[True, False, True, False]] * 3), X, P)

# ---- Products ----
onnx("matmul", torch.matmul, floats(3, 4), floats(4, 5))
case("matmul_batched", lambda b, ids: b.aiOnnx.matmul(ids), torch.matmul, floats(2, 3, 4),
     floats(4, 5))
case("matmul_vector", lambda b, ids: b.aiOnnx.matmul(ids), torch.matmul, floats(3, 4), floats(4))
onnx("gemm", lambda a, b, c: 0.5 * a.T @ b.T + 2 * c, floats(4, 3), floats(5, 4), floats(5),
     attributes={"alpha": 0.5, "beta": 2.0, "transA": 1, "transB": 1})
onnx("conv", lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1), IMAGE, floats(6, 4, 3, 3),
     floats(6), attributes={"dilations": [1, 1], "pads": [1, 1, 1, 1], "strides": [2, 2]},
     atol=2e-5)
case("conv_grouped", lambda b, ids: b.aiOnnx.conv(ids, group=2, pads=[0, 0, 0, 0]),
     lambda x, w: F.conv2d(x, w, groups=2), IMAGE, floats(6, 2, 3, 3), atol=2e-5)
case("conv_1d", lambda b, ids: b.aiOnnx.conv(ids, dilations=[2]),
     lambda x, w: F.conv1d(x, w, dilation=2), floats(2, 3, 9), floats(4, 3, 3), atol=2e-5)
onnx("convtranspose", lambda x, w: F.conv_transpose2d(x, w, stride=2), IMAGE,
     floats(4, 3, 2, 2), attributes={"strides": [2, 2]}, atol=2e-5)

# ---- Pools and normalisations ----
case("maxpool", lambda b, ids: b.aiOnnx.maxpool(ids, num_outputs=1, kernel_shape=[2, 2],
                                                strides=[2, 2])[0],
     lambda x: F.max_pool2d(x, 2), IMAGE)
onnx("averagepool", lambda x: F.avg_pool2d(x, 3, stride=1), IMAGE,
     attributes={"kernel_shape": [3, 3], "strides": [1, 1]})
onnx("globalaveragepool", lambda x: x.mean((2, 3), keepdim=True), IMAGE)
onnx("globalmaxpool", lambda x: F.max_pool2d(x, 6), IMAGE)
onnx("instancenormalization", lambda x, s, b: F.instance_norm(x, weight=s, bias=b), IMAGE,
     floats(4, low=0.5), floats(4), atol=1e-4, rtol=1e-3)
onnx("lrn", lambda x: F.local_response_norm(x, 3), IMAGE, attributes={"size": 3})
case("groupnormalization",
     lambda b, ids: b.aiGraphcore.groupnormalization(ids, num_groups=2)[0],
     lambda x, s, b: F.group_norm(x, 2, s, b), IMAGE, floats(4, low=0.5), floats(4), atol=1e-4,
     rtol=1e-3)
case("batchnormalization",
     lambda b, ids: b.aiOnnx.batchnormalization(ids, num_outputs=1)[0],
     lambda x, s, b, m, v: F.batch_norm(x, m, v, s, b), IMAGE, floats(4, low=0.5), floats(4),
     floats(4, seed=1), floats(4, low=0.5, seed=2), gradient=False, atol=1e-5)

# ---- Softmax ----
onnx("softmax", lambda x: F.softmax(x, 1), X)
onnx("logsoftmax", lambda x: F.log_softmax(x, 1), X)

# ---- Reductions ----
for _name, _function in {
        "reducesum": lambda x: x.sum(1), "reducemean": lambda x: x.mean(1),
        "reducemax": lambda x: x.max(1).values, "reducemin": lambda x: x.min(1).values,
        "reduceprod": lambda x: x.prod(1), "reducel1": lambda x: x.abs().sum(1),
        "reducel2": lambda x: x.norm(dim=1), "reducesumsquare": lambda x: (x * x).sum(1),
        "reducelogsumexp": lambda x: x.logsumexp(1)}.items():
    onnx(_name, _function, X, attributes={"axes": [1], "keepdims": 0})
onnx("reducelogsum", lambda x: x.sum().log().reshape(1, 1), P)
onnx("cumsum", lambda x, a: x.cumsum(1), X, np.int32(1), opset=11)
onnx("argmax", lambda x: x.argmax(1), X, attributes={"axis": 1, "keepdims": 0}, gradient=False)
onnx("argmin", lambda x: x.argmin(0, keepdim=True), X, gradient=False)
case("reducemedian", lambda b, ids: b.aiGraphcore.reducemedian(ids, axes=[1], keepdims=0)[0],
     lambda x: x.median(1).values, floats(3, 5))

# ---- Shapes ----
onnx("transpose", lambda x: x.permute(2, 0, 1), floats(2, 3, 4), attributes={"perm": [2, 0, 1]})
onnx("concat", lambda a, b: torch.cat([a, b], 1), X, P, attributes={"axis": 1})
case("split", lambda b, ids: b.aiOnnx.split(ids, num_outputs=2, axis=1, split=[1, 3])[1],
     lambda x: x[:, 1:], X)
onnx("flatten", lambda x: x.reshape(2, 12), floats(2, 3, 4))
onnx("squeeze", lambda x: x.squeeze(1), floats(3, 1, 4), attributes={"axes": [1]})
onnx("unsqueeze", lambda x: x.unsqueeze(0), X, attributes={"axes": [0]})
case("reshape", lambda b, ids: b.reshape_const(b.aiOnnx, ids, [2, -1]),
     lambda x: x.reshape(2, 6), X)
case("expand", lambda b, ids: b.aiOnnx.expand([ids[0], b.aiOnnx.constant(np.int64([2, 3, 4]))]),
     lambda x: x.expand(2, 3, 4), X)
case("tile", lambda b, ids: b.aiOnnx.tile([ids[0], b.aiOnnx.constant(np.int64([2, 1]))]),
     lambda x: x.repeat(2, 1), X)
case("slice", lambda b, ids: b.aiOnnx.slice([ids[0]] + [b.aiOnnx.constant(np.int32(v))
                                                        for v in ([1, 0], [3, 2], [0, 1])]),
     lambda x: x[1:3, 0:2], X)
case("pad_2", lambda b, ids: b.aiOnnx.pad(ids, pads=[0, 1, 1, 2], value=3.0),
     lambda x: F.pad(x, (1, 2, 0, 1), value=3.0), X)
case("pad_11", lambda b, ids: b.aiOnnx.pad(
    [ids[0], b.aiOnnx.constant(np.int64([0, 1, 1, 2])), b.aiOnnx.constant(np.float32(3))]),
     lambda x: F.pad(x, (1, 2, 0, 1), value=3.0), X, opset=11)
onnx("depthtospace", lambda x: F.pixel_shuffle(x, 2), IMAGE,
     attributes={"blocksize": 2, "mode": "CRD"}, opset=11)
onnx("spacetodepth", lambda x: x.reshape(2, 4, 3, 2, 3, 2).permute(0, 3, 5, 1, 2, 4).reshape(
    2, 16, 3, 3), IMAGE, attributes={"blocksize": 2})
case("resize", lambda b, ids: b.aiOnnx.resize(
    [ids[0], b.aiOnnx.constant(np.float32([1, 1, 2, 2]))]),
     lambda x: F.interpolate(x, scale_factor=2), IMAGE)

# ---- Indices ----
onnx("gather", lambda x, i: x[i.long()], X, ints(2, 2, high=3))
case("gather_axis", lambda b, ids: b.aiOnnx.gather(ids, axis=1, debugPrefix="My-Gather"),
     lambda x, i: x[:, i.long()], X, ints(5))
onnx("scatter", lambda x, i, u: x.scatter(0, i.long(), u), X,
     np.int32([[0, 1, 2, 0], [1, 2, 0, 1]]), floats(2, 4))
case("topk", lambda b, ids: b.aiOnnx.topk([ids[0], b.aiOnnx.constant(np.int64([2]))], axis=1)[0],
     lambda x: x.topk(2, dim=1).values, X)
case("onehot", lambda b, ids: b.aiOnnx.onehot(
    [ids[0], b.aiOnnx.constant(np.int32(4)), b.aiOnnx.constant(np.float32([0, 1]))]),
     lambda i: F.one_hot(i.long(), 4).float(), ints(5), gradient=False)
onnx("cast", lambda x: x.int(), X, attributes={"to": "INT32"}, gradient=False)
case("cast_half", lambda b, ids: b.aiOnnx.cast(
    [b.aiOnnx.cast(ids, "FLOAT16")], "FLOAT"), lambda x: x.half().float(), X, atol=1e-3)

# ---- Recurrent ----
case("lstm", lambda b, ids: b.aiOnnx.lstm(ids, num_outputs=3, clip=None)[0], None,
     floats(5, 2, 3), floats(1, 16, 3), floats(1, 16, 4), gradient=False)
case("gru", lambda b, ids: b.aiOnnx.gru(ids, num_outputs=2, linear_before_reset=1)[0], None, floats(5, 2, 3),
     floats(1, 12, 3), floats(1, 12, 4), gradient=False)

# ---- Graphcore's own ----
graphcore("gelu", lambda x: F.gelu(x, approximate="tanh"), X, atol=1e-5)
graphcore("geluerf", F.gelu, X, atol=1e-5)
graphcore("swish", F.silu, X)
graphcore("scale", lambda x: x * 1.5, X, attributes={"scale": 1.5})
graphcore("expm1", torch.expm1, X)
graphcore("log1p", torch.log1p, P)
graphcore("atan2", torch.atan2, X, Y)
graphcore("fmod", torch.fmod, X, P, gradient=False)
graphcore("remainder", torch.remainder, X, P, gradient=False)
graphcore("round", torch.round, X)
graphcore("reverse", lambda x: x.flip(1), X, attributes={"dimensions": [1]})
graphcore("subsample", lambda x: x[::2, ::3], X, attributes={"strides": [2, 3]})
graphcore("detach", lambda x: x.detach(), X, gradient=False)
graphcore("scaledadd", lambda x, y: 0.5 * x + 2 * y, X, P,
          attributes={"scale0": 0.5, "scale1": 2.0}, gradient=False)
case("scaledadd_tensors", lambda b, ids: b.aiGraphcore.scaledadd(ids),
     lambda x, y, s, t: s * x + t * y, X, P, np.float32(0.5), np.float32(2), gradient=False)
graphcore("bitwiseand", torch.bitwise_and, ints(4, high=99), ints(4, high=99, seed=5),
          gradient=False)
graphcore("bitwisenot", torch.bitwise_not, ints(4, high=99), gradient=False)
graphcore("scatterreduce", lambda x, i: torch.zeros(5).scatter_add(0, i.long(), x), floats(4),
          np.int32([1, 3, 1, 0]), attributes={"axis_size": 5, "axis": 0})
graphcore("dynamicslice", lambda x, i: x[1:3], X, np.uint32([1]),
          attributes={"axes": [0], "sizes": [2]})
graphcore("identityloss", lambda x: x.mean(), X)
graphcore("l1loss", lambda x: 0.5 * x.abs().sum(), X,
          attributes={"lambda": 0.5, "reduction": popart.ReductionType.Sum})
graphcore("nllloss", lambda p, l: F.nll_loss(p.log(), l.long()), floats(3, 4, low=0.1, high=1),
          np.int32([0, 3, 1]))


# ---- Running ----

def make_device(kind):
    manager = popart.DeviceManager()
    if kind == "cpu":
        return manager.createCpuDevice()
    return manager.createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 4})


def build(make, inputs, opset):
    builder = popart.Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
    constants = [value.ndim == 0 for value in inputs]
    ids = [builder.aiOnnx.constant(value) if is_constant
           else builder.addInputTensor(popart.TensorInfo(value))
           for value, is_constant in zip(inputs, constants)]
    result = make(builder, ids)
    builder.addOutputTensor(result)
    feeds = {i: v for i, v, c in zip(ids, inputs, constants) if not c}
    return builder, ids, feeds, result


def run(session, feeds):
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(feeds, anchors))
    return anchors


def infer(builder, feeds, result, device):
    session = popart.InferenceSession(
        builder.getModelProto(), popart.DataFlow(1, {result: popart.AnchorReturnType("All")}),
        device, patterns=popart.Patterns(popart.PatternsLevel.Minimal))
    return run(session, feeds)[result]


def train(builder, feeds, result, wanted, device):
    """The gradients of the inputs `wanted`, and that of the result, which they start from."""
    loss = builder.aiGraphcore.identityloss([result])
    prefix = popart.reservedGradientPrefix()
    anchors = [prefix + name for name in wanted + [result]]
    session = popart.TrainingSession(
        builder.getModelProto(), popart.DataFlow(1, anchors), loss=loss,
        optimizer=popart.ConstSGD(0.01), deviceInfo=device,
        patterns=popart.Patterns(popart.PatternsLevel.Minimal).enableRuntimeAsserts(False))
    values = run(session, feeds)
    return [values[a] for a in anchors[:-1]], values[anchors[-1]]


def differs(found, wanted, what, atol, rtol):
    wanted = np.asarray(wanted)
    if found.shape != wanted.shape:
        return f"{what} has the shape {found.shape}, not {wanted.shape}"
    if not np.allclose(found, wanted, atol=atol, rtol=rtol, equal_nan=True):
        return f"{what} differs by {np.abs(found.astype(np.float64) - wanted).max():.3g}"
    return None


def recurrent_reference(name, x, w, r):
    """What PyTorch's layers compute, whose gates are in another order than ONNX's."""
    hidden = r.shape[2]
    layer = (torch.nn.LSTM if name == "lstm" else torch.nn.GRU)(x.shape[2], hidden, bias=False)
    order = [0, 2, 3, 1] if name == "lstm" else [1, 0, 2]

    def reordered(weights):
        gates = np.split(weights[0], len(order))
        return torch.tensor(np.concatenate([gates[i] for i in order]))

    with torch.no_grad():
        layer.weight_ih_l0.copy_(reordered(w))
        layer.weight_hh_l0.copy_(reordered(r))
        return layer(torch.tensor(x))[0].unsqueeze(1).numpy()


def check(name, device):
    make, reference, inputs, opset, has_gradient, atol, rtol = CASES[name]
    builder, ids, feeds, result = build(make, inputs, opset)
    found = infer(builder, feeds, result, device)
    if reference is None:
        return differs(found, recurrent_reference(name, *inputs), "the result", atol, rtol)
    # PyTorch has no unsigned integers of 32 bits.
    tensors = [torch.tensor(v.astype(np.int64) if v.dtype == np.uint32 else v,
                            requires_grad=has_gradient and v.dtype == np.float32)
               for v in inputs]
    expected = reference(*tensors)
    problem = differs(found, expected.detach().numpy(), "the result", atol, rtol)
    if problem or not has_gradient:
        return problem
    wanted = [i for i, v in zip(ids, inputs) if v.dtype == np.float32]
    gradients, start = train(builder, feeds, result, wanted, device)
    expected.backward(torch.tensor(start).reshape(expected.shape))
    for i, gradient in zip(wanted, gradients):
        tensor = tensors[ids.index(i)]
        known = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
        problem = problem or differs(gradient, known.numpy(), f"the gradient of {i}", atol, rtol)
    return problem


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu", choices=("cpu", "model"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    failed = []
    for name in options.names or CASES:
        try:
            problem = check(name, make_device(options.device))
        except Exception as error:  # a case that stops must not stop the others
            problem = f"{type(error).__name__}: {error}"
        if problem:
            failed.append(name)
            print(f"{name}: {problem}", file=sys.stderr)
    count = len(options.names or CASES)
    print(f"{count - len(failed)} of {count} operators agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
