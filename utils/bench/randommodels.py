# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ONNX networks with shapes that divide badly.

A network is a chain of blocks as image models and transformers have them, each of
which takes the last tensor, or one before it, and most of which keep values near
one. What is drawn depends on the seed alone.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS = [1, 2, 3, 5, 7, 8, 12, 16, 17, 24, 31, 32, 33, 48, 63, 64, 80, 96]
FIELDS = [1, 2, 3, 5, 7, 8, 11, 13, 14, 16, 19, 24, 28, 31, 32]


class Network:
    def __init__(self, seed, is_small):
        self.random = np.random.RandomState(seed)
        self.channels = CHANNELS[:9] if is_small else CHANNELS
        self.fields = FIELDS[:8] if is_small else FIELDS
        self.length = self.random.randint(3, 9 if is_small else 15)
        self.nodes, self.constants, self.shapes = [], [], {}
        shape = (self.pick([1, 1, 1, 2, 3]), self.pick(self.channels),
                 self.pick(self.fields), self.pick(self.fields))
        self.shapes["x"] = shape
        self.images, self.input = ["x"], shape

    def pick(self, choices):
        return choices[self.random.randint(len(choices))]

    def chance(self, share):
        return self.random.random_sample() < share

    # ---- Nodes ---------------------------------------------------------------

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, shape, deviation, mean=0.0):
        """Some are all equal, as layer scales are when they are new."""
        if self.chance(0.2):
            return self.constant(np.full(shape, mean + deviation, np.float32))
        array = mean + deviation * self.random.standard_normal(shape)
        return self.constant(array.astype(np.float32))

    def node(self, kind, inputs, shape, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        self.shapes[name] = tuple(int(extent) for extent in shape)
        return name

    def shape(self, name):
        return self.shapes[name]

    # ---- Blocks: each takes an image and returns one ---------------------------

    def convolution(self, x):
        n, c, h, w = self.shape(x)
        groups = self.pick([1, 1, 1, c, *(g for g in (2, 3, 4) if c % g == 0)])
        out = groups * max(1, self.pick(self.channels) // groups)
        if groups == c and self.chance(0.7):
            out = c
        sizes = [self.pick([1, 1, 2, 3, 3, 5, 7]) for _ in "hw"]
        dilations = [self.pick([1, 1, 1, 2]) for _ in "hw"]
        strides = [self.pick([1, 1, 1, 2, 3]) for _ in "hw"]
        reach = [(s - 1) * d for s, d in zip(sizes, dilations)]
        pads = [r // 2 for r in reach] + [r - r // 2 for r in reach]
        if self.chance(0.2):
            pads = [p + 1 for p in pads]
        field = [(f + pads[i] + pads[i + 2] - reach[i] - 1) // strides[i] + 1
                 for i, f in enumerate((h, w))]
        fan = c // groups * sizes[0] * sizes[1]
        inputs = [x, self.weights((out, c // groups, *sizes), fan**-0.5)]
        if self.chance(0.6):
            inputs.append(self.weights((out,), 0.3))
        return self.node("Conv", inputs, (n, out, *field), group=groups,
                         kernel_shape=sizes, dilations=dilations,
                         strides=strides, pads=pads)

    def transposed(self, x):
        n, c, h, w = self.shape(x)
        if h * w > 256:
            return self.convolution(x)
        out, size, stride = self.pick(self.channels), self.pick([2, 3]), 2
        field = [(f - 1) * stride + size for f in (h, w)]
        inputs = [x, self.weights((c, out, size, size), (c * size) ** -0.5)]
        return self.node("ConvTranspose", inputs, (n, out, *field),
                         kernel_shape=[size] * 2, strides=[stride] * 2)

    def batch_norm(self, x):
        c = self.shape(x)[1]
        variance = np.abs(1 + 0.3 * self.random.standard_normal(c)) + 0.1
        inputs = [x, self.weights((c,), 0.3, 1.0), self.weights((c,), 0.3),
                  self.weights((c,), 0.3),
                  self.constant(variance.astype(np.float32))]
        return self.node("BatchNormalization", inputs, self.shape(x))

    def instance_norm(self, x):
        n, c, h, w = self.shape(x)
        if h * w < 4:
            return self.activation(x)
        inputs = [x, self.weights((c,), 0.3, 1.0), self.weights((c,), 0.3)]
        return self.node("InstanceNormalization", inputs, self.shape(x),
                         epsilon=1e-3)

    def activation(self, x):
        kind = self.pick(["Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu",
                          "HardSigmoid", "Softplus"])
        return self.node(kind, [x], self.shape(x))

    def gelu(self, x):
        shape = self.shape(x)
        scaled = self.node("Mul", [x, self.constant(np.float32(0.5**0.5))],
                           shape)
        erf = self.node("Erf", [scaled], shape)
        plus = self.node("Add", [erf, self.constant(np.float32(1))], shape)
        product = self.node("Mul", [x, plus], shape)
        return self.node("Mul", [product, self.constant(np.float32(0.5))],
                         shape)

    def pool(self, x):
        n, c, h, w = self.shape(x)
        if self.chance(0.15):
            return self.node("GlobalAveragePool", [x], (n, c, 1, 1))
        size, stride = self.pick([2, 3]), self.pick([1, 2])
        field = [(f + 2 * (size // 2) - size) // stride + 1 for f in (h, w)]
        return self.node(self.pick(["MaxPool", "AveragePool"]), [x],
                         (n, c, *field), kernel_shape=[size] * 2,
                         strides=[stride] * 2, pads=[size // 2] * 4)

    def concatenation(self, x):
        n, c, h, w = self.shape(x)
        others = [t for t in self.images
                  if (s := self.shape(t))[0] == n and s[2:] == (h, w)]
        parts = [x] + [self.pick(others)
                       for _ in range(self.random.randint(1, 4))]
        if self.chance(0.5):
            parts.append(self.convolution_of(x, self.pick(self.channels)))
        total = sum(self.shape(part)[1] for part in parts)
        if total > 200:
            return self.activation(x)
        return self.node("Concat", parts, (n, total, h, w), axis=1)

    def convolution_of(self, x, out):
        n, c, h, w = self.shape(x)
        inputs = [x, self.weights((out, c, 1, 1), c**-0.5)]
        return self.node("Conv", inputs, (n, out, h, w), kernel_shape=[1, 1])

    def residual(self, x):
        c = self.shape(x)[1]
        branch = self.pick([self.activation, self.batch_norm, self.gelu])(x)
        branch = self.convolution_of(branch, c)
        if self.chance(0.5):
            branch = self.scale(branch)
        return self.node("Add", [x, branch], self.shape(x))

    def scale(self, x):
        c = self.shape(x)[1]
        return self.node("Mul", [x, self.weights((c, 1, 1), 0.5)],
                         self.shape(x))

    def squeeze(self, x):
        n, c, h, w = self.shape(x)
        mean = self.node("GlobalAveragePool", [x], (n, c, 1, 1))
        gate = self.node("Sigmoid", [self.convolution_of(mean, c)],
                         (n, c, 1, 1))
        return self.node("Mul", [x, gate], self.shape(x))

    def shuffle(self, x):
        n, c, h, w = self.shape(x)
        groups = self.pick([g for g in (2, 3, 4, c) if c % g == 0])
        split = (n, groups, c // groups, h, w)
        y = self.node("Reshape", [x, self.constant(np.int64(split))], split)
        turned = (n, c // groups, groups, h, w)
        y = self.node("Transpose", [y], turned, perm=[0, 2, 1, 3, 4])
        return self.node("Reshape", [y, self.constant(np.int64((n, c, h, w)))],
                         (n, c, h, w))

    def slice(self, x):
        n, c, h, w = self.shape(x)
        axis = self.pick([1, 2, 3])
        extent = self.shape(x)[axis]
        begin = self.random.randint(0, extent)
        end = self.random.randint(begin + 1, extent + 1)
        shape = list(self.shape(x))
        shape[axis] = end - begin
        inputs = [x] + [self.constant(np.int64([v])) for v in (begin, end, axis)]
        return self.node("Slice", inputs, shape)

    def pad(self, x):
        n, c, h, w = self.shape(x)
        pads = [0, 0] + [self.pick([0, 1, 2]) for _ in "hw"]
        pads += [0, 0] + [self.pick([0, 1, 3]) for _ in "hw"]
        shape = (n, c, h + pads[2] + pads[6], w + pads[3] + pads[7])
        return self.node("Pad", [x, self.constant(np.int64(pads))], shape)

    def resize(self, x):
        n, c, h, w = self.shape(x)
        if h * w > 256:
            return self.pool(x)
        inputs = [x, "", self.constant(np.float32([1, 1, 2, 2]))]
        return self.node("Resize", inputs, (n, c, 2 * h, 2 * w),
                         mode="nearest", nearest_mode="floor",
                         coordinate_transformation_mode="asymmetric")

    def channels_last(self, x):
        """A layer norm and two products, as ConvNeXt has them."""
        n, c, h, w = self.shape(x)
        last = (n, h, w, c)
        y = self.node("Transpose", [x], last, perm=[0, 2, 3, 1])
        y = self.layer_norm(y, c)
        wide = c * self.pick([1, 2, 4])
        y = self.product(y, c, wide)
        y = self.gelu(y) if self.chance(0.5) else self.activation(y)
        y = self.product(y, wide, c)
        y = self.node("Transpose", [y], (n, c, h, w), perm=[0, 3, 1, 2])
        return self.node("Add", [x, self.scale(y)], (n, c, h, w))

    def layer_norm(self, x, c):
        shape = self.shape(x)
        thin = (*shape[:-1], 1)
        mean = self.node("ReduceMean", [x], thin, axes=[-1], keepdims=1)
        centred = self.node("Sub", [x, mean], shape)
        square = self.node("Mul", [centred, centred], shape)
        variance = self.node("ReduceMean", [square], thin, axes=[-1],
                             keepdims=1)
        plus = self.node("Add", [variance, self.constant(np.float32(1e-2))],
                         thin)
        y = self.node("Div", [centred, self.node("Sqrt", [plus], thin)], shape)
        y = self.node("Mul", [y, self.weights((c,), 0.3, 1.0)], shape)
        return self.node("Add", [y, self.weights((c,), 0.3)], shape)

    def product(self, x, inside, out):
        shape = (*self.shape(x)[:-1], out)
        y = self.node("MatMul", [x, self.weights((inside, out), inside**-0.5)],
                      shape)
        return self.node("Add", [y, self.weights((out,), 0.3)], shape)

    def attention(self, x):
        n, c, h, w = self.shape(x)
        if h * w > 400:
            return self.channels_last(x)
        heads = self.pick([k for k in (1, 2, 3, 4) if c % k == 0])
        tokens = h * w
        flat = (n, c, tokens)
        y = self.node("Reshape", [x, self.constant(np.int64(flat))], flat)
        y = self.node("Transpose", [y], (n, tokens, c), perm=[0, 2, 1])
        split = (n, tokens, heads, c // heads)
        parts = []
        for order in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]):
            part = self.product(y, c, c)
            part = self.node("Reshape", [part, self.constant(np.int64(split))],
                             split)
            parts.append(self.node("Transpose", [part],
                                   [split[i] for i in order], perm=order))
        scores = (n, heads, tokens, tokens)
        s = self.node("MatMul", parts[:2], scores)
        s = self.node("Mul", [s, self.constant(
            np.float32((c // heads) ** -0.5))], scores)
        s = self.node("Softmax", [s], scores, axis=-1)
        y = self.node("MatMul", [s, parts[2]], (n, heads, tokens, c // heads))
        y = self.node("Transpose", [y], split, perm=[0, 2, 1, 3])
        y = self.node("Reshape", [y, self.constant(np.int64((n, tokens, c)))],
                      (n, tokens, c))
        y = self.node("Transpose", [y], flat, perm=[0, 2, 1])
        y = self.node("Reshape", [y, self.constant(np.int64((n, c, h, w)))],
                      (n, c, h, w))
        return self.node("Add", [x, y], (n, c, h, w))

    # ---- The whole ---------------------------------------------------------------

    def build(self):
        blocks = [self.convolution] * 5 + [
            self.transposed, self.batch_norm, self.batch_norm,
            self.instance_norm, self.activation, self.activation, self.gelu,
            self.pool, self.concatenation, self.concatenation, self.residual,
            self.residual, self.scale, self.squeeze, self.shuffle, self.slice,
            self.pad, self.resize, self.channels_last, self.channels_last,
            self.attention]
        for _ in range(self.length):
            x = self.images[-1] if self.chance(0.8) else self.pick(self.images)
            self.images.append(self.pick(blocks)(x))
        return self

    def model(self):
        value = lambda name: helper.make_tensor_value_info(
            name, TensorProto.FLOAT, self.shape(name))
        graph = helper.make_graph(self.nodes, "random", [value("x")],
                                  [value(self.images[-1])],
                                  initializer=self.constants)
        return helper.make_model(graph, ir_version=7, opset_imports=[
            helper.make_opsetid("", 14)])

    def anchors(self, share):
        """Names of tensors to look at beside the result."""
        names = [node.output[0] for node in self.nodes
                 if node.output[0] != self.images[-1]]
        return [name for name in names if self.chance(share)]
