"""Batch serialisation: the same values as without, and less memory on the tiles."""

import json
import unittest

import numpy as np
import popart

Method = popart.BatchSerializationMethod
Context = popart.BatchSerializationTransformContext
Schedule = popart.BatchSerializationBatchSchedule
All = popart.AnchorReturnType("All")


def device(ipus=1, tiles=32, emulated=False):
    if emulated:
        return popart.DeviceManager().acquireAvailableDevice(ipus, tiles)
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": tiles})


def slices(factor, method=Method.UnrollDynamic, **others):
    """A function that sets the options."""
    def change(options):
        settings = options.batchSerializationSettings
        settings.factor, settings.method = factor, method
        if method == Method.Loop:
            settings.transformContext = Context.Bwd
        for name, value in others.items():
            setattr(settings, name, value)
    return change


class Model:
    """A builder with its inputs; `x` and `labels` have a batch in front."""

    def __init__(self, shape, classes=5, dtype="FLOAT"):
        self.b, self.rng, self.shape = popart.Builder(), np.random.RandomState(1), shape
        self.o, self.dtype, self.classes = self.b.aiOnnx, dtype, classes
        self.weights = {}
        self.x = self.b.addInputTensor(popart.TensorInfo(dtype, shape), "x")
        self.labels = self.b.addInputTensor(popart.TensorInfo("INT32", shape[:1]), "labels")

    def weight(self, *shape, scale=0.3):
        kind = np.float16 if self.dtype == "FLOAT16" else np.float32
        value = (self.rng.normal(size=shape) * scale).astype(kind)
        name = f"w{len(self.weights)}"
        self.weights[name] = np.empty_like(value)
        return self.b.addInitializedInputTensor(value, name)

    def finish(self, logits, reduction=popart.ReductionType.Mean, **more):
        self.out = self.o.softmax([logits], 1)
        self.loss = self.b.aiGraphcore.nllloss([self.out, self.labels], reduction, **more)
        return self

    def run(self, change=None, train=True, steps=2, where=None, **options):
        """Anchors of all steps, and the weights behind them."""
        opts = popart.SessionOptions()
        if change:
            change(opts)
        for name, value in options.items():
            setattr(opts, name, value)
        batches = 4 if opts.enablePipelining else 1
        where = where or popart.DeviceManager().createCpuDevice()
        flow = popart.DataFlow(batches, [self.loss, self.out])
        if train:
            session = popart.TrainingSession(
                self.b.getModelProto(), flow, self.loss,
                popart.Adam({"defaultLearningRate": (0.01, False)}), where, userOptions=opts)
        else:
            session = popart.InferenceSession(self.b.getModelProto(), flow, where,
                                              userOptions=opts)
        session.prepareDevice()
        session.weightsFromHost()
        anchors, rng, results = session.initAnchorArrays(), np.random.RandomState(2), []
        lead = [n for n in (batches, opts.accumulationFactor) if n > 1]
        for _ in range(steps):
            kind = np.float16 if self.dtype == "FLOAT16" else np.float32
            x = rng.normal(size=[*lead, *self.shape]).astype(kind)
            if self.dtype == "INT32":
                x = rng.randint(0, 7, size=[*lead, *self.shape]).astype(np.int32)
            labels = rng.randint(0, self.classes, size=[*lead, self.shape[0]])
            session.run(popart.PyStepIO({"x": x, "labels": labels.astype(np.int32)}, anchors))
            results += [anchors[self.loss].copy(), anchors[self.out].copy()]
        if train:
            session.weightsToHost()
            session.readWeights(popart.PyWeightsIO(self.weights))
            results += [w.copy() for w in self.weights.values()]
        return results, session


def convolutions(batch=8, norm=None, dropout=False):
    m = Model([batch, 3, 8, 8])
    o, b = m.o, m.b
    y = o.conv([m.x, m.weight(4, 3, 3, 3), m.weight(4)], pads=[1, 1, 1, 1])
    if norm == "batch":
        statistics = [b.addInitializedInputTensor(np.zeros(4, np.float32), "mean"),
                      b.addInitializedInputTensor(np.ones(4, np.float32), "var")]
        y = o.batchnormalization([y, m.weight(4), m.weight(4), *statistics], 5)[0]
    if norm == "group":
        y = b.aiGraphcore.groupnormalization([y, m.weight(4), m.weight(4)], 2)[0]
    y = o.relu([y])
    if dropout:
        y = o.dropout([y], 1, 0.5)[0]
    y = o.maxpool([o.add([y, o.sigmoid([y])])], 1, [2, 2], strides=[2, 2])[0]
    y = o.averagepool([y], [2, 2])
    y = o.gemm([o.flatten([y]), m.weight(36, 5), m.weight(5)])
    return m.finish(y)


def transformer(batch=4, length=6, width=8):
    """An embedding, attention of two heads, a perceptron, and their norms."""
    m = Model([batch, length], dtype="INT32")
    m.dtype = "FLOAT"
    o, b = m.o, m.b
    x = o.gather([m.weight(7, width), m.x], 0)

    def norm(x):
        rows = b.reshape_const(o, [x], [batch * length, width])
        rows = b.aiGraphcore.groupnormalization([rows, m.weight(width), m.weight(width)], 1)[0]
        return b.reshape_const(o, [rows], [batch, length, width])

    def heads(x, order):
        split = b.reshape_const(o, [o.matmul([x, m.weight(width, width)])],
                                [batch, length, 2, width // 2])
        return o.transpose([split], order)

    y = norm(x)
    scores = o.matmul([heads(y, [0, 2, 1, 3]), heads(y, [0, 2, 3, 1])])
    mixed = o.matmul([o.softmax([scores], 3), heads(y, [0, 2, 1, 3])])
    joined = b.reshape_const(o, [o.transpose([mixed], [0, 2, 1, 3])], [batch, length, width])
    x = o.add([x, joined])
    y = o.matmul([b.aiGraphcore.gelu([o.matmul([norm(x), m.weight(width, 16)])]),
                  m.weight(16, width)])
    x = o.reducemean([o.add([x, y])], [1], 0)
    m.dtype = "INT32"
    return m.finish(o.matmul([x, m.weight(width, 5)]))


class Values(unittest.TestCase):
    def same(self, model, changes, tolerance=1e-6, **options):
        wanted, _ = model.run(**options)
        for change in changes:
            found, _ = model.run(change, **options)
            for a, b in zip(wanted, found, strict=True):
                scale = max(np.abs(a).max(), 1e-3)
                np.testing.assert_allclose(b, a, rtol=0, atol=tolerance * scale)

    Both = [slices(2), slices(4, Method.UnrollStatic), slices(4, Method.Loop)]

    def test_convolutions(self):
        self.same(convolutions(), self.Both)
        self.same(convolutions(), self.Both, train=False)

    def test_uneven(self):
        self.same(convolutions(7), [slices(2), slices(3), slices(7)])

    def test_norms(self):
        """A norm over the whole batch ends a group of slices; others do not."""
        self.same(convolutions(norm="group"), self.Both)
        self.same(convolutions(norm="batch"), self.Both, train=False)

    def test_dropout(self):
        """The numbers that are drawn are those of the whole batch."""
        self.same(convolutions(dropout=True), self.Both)

    def test_transformer(self):
        self.same(transformer(), self.Both)
        self.same(transformer(), self.Both, train=False)

    def test_losses(self):
        for reduction in ("Sum", "Mean"):
            m = Model([8, 6])
            y = m.o.matmul([m.x, m.weight(6, 5)])
            m.finish(y, getattr(popart.ReductionType, reduction))
            self.same(m, self.Both)
            m.finish(y, getattr(popart.ReductionType, reduction), ignoreIndex=2)
            self.same(m, self.Both)

    def test_accumulation(self):
        self.same(convolutions(), self.Both, enableGradientAccumulation=True, accumulationFactor=2)

    def test_recomputation(self):
        self.same(convolutions(), self.Both, autoRecomputation=popart.RecomputationType.Standard)

    def test_half(self):
        """Sums of slices are float32."""
        m = Model([8, 6], dtype="FLOAT16")
        self.same(m.finish(m.o.matmul([m.x, m.weight(6, 5)])), self.Both, 2e-3)

    def test_emulated(self):
        where = {"where": device(tiles=4, emulated=True)}
        m = Model([8, 6])
        m.finish(m.o.matmul([m.o.relu([m.o.matmul([m.x, m.weight(6, 8)])]), m.weight(8, 5)]))
        self.same(m, self.Both, **where)


class Places(unittest.TestCase):
    """Several IPUs: slices are put together where the place changes, or not."""

    def model(self):
        m = Model([4, 6])
        with m.b.virtualGraph(0), m.b.pipelineStage(0):
            y = m.o.tanh([m.o.matmul([m.x, m.weight(6, 8)])])
        with m.b.virtualGraph(1), m.b.pipelineStage(1):
            y = m.o.matmul([y, m.weight(8, 5)])
            m.finish(y)
        return m

    def test_places(self):
        for pipelined in (False, True):
            options = {"virtualGraphMode": popart.VirtualGraphMode.Manual,
                       "enablePipelining": pipelined}
            wanted, _ = self.model().run(where=device(2, 4), **options)
            for joins in (True, False):
                for method in (Method.UnrollStatic, Method.Loop)[:1 + joins]:
                    change = slices(2, method, concatOnVirtualGraphChange=joins,
                                    concatOnPipelineStageChange=joins)
                    found, _ = self.model().run(change, where=device(2, 4), **options)
                    for a, b in zip(wanted, found, strict=True):
                        np.testing.assert_allclose(b, a, rtol=1e-6, atol=1e-6)

    def test_overlap(self):
        """Without joins an IPU works on a slice while the next one works on the last."""
        cycles = []
        for joins in (True, False):
            m = Model([64, 64])
            for ipu in (0, 1):
                with m.b.virtualGraph(ipu):
                    y = m.x if ipu == 0 else y
                    for _ in range(4):
                        y = m.o.matmul([y, m.weight(64, 64)])
            with m.b.virtualGraph(1):
                m.finish(m.o.matmul([y, m.weight(64, 5)]))
            _, session = m.run(slices(4, Method.UnrollStatic, concatOnVirtualGraphChange=joins),
                               train=False, where=device(2, 4), virtualGraphMode=
                               popart.VirtualGraphMode.Manual,
                               instrumentWithHardwareCycleCounter=True)
            cycles.append(session.getCycleCount())
        self.assertLess(cycles[1], 0.8 * cycles[0])


def tile_bytes(session):
    return sum(json.loads(session.getGraphReport())["memory"]["byTile"]["total"])


class Memory(unittest.TestCase):
    def model(self):
        m = Model([1024, 64])
        y = m.x
        for _ in range(4):
            y = m.o.tanh([m.o.matmul([y, m.weight(64, 64, scale=0.1)])])
        return m.finish(m.o.matmul([y, m.weight(64, 5)]))

    def test_memory(self):
        """Activations of a slice are live, of forward and backward pass, and weights of all."""
        for train in (False, True):
            sizes = []
            for change in (None, slices(8), slices(8, Method.Loop)):
                _, session = self.model().run(change, train=train, steps=1,
                                              where=device(tiles=8))
                sizes.append(tile_bytes(session))
            self.assertLess(sizes[1], sizes[0])
            self.assertLess(sizes[2], sizes[0])


class Refusals(unittest.TestCase):
    def refused(self, text, change, batch=8):
        with self.assertRaisesRegex(popart.popart_exception, text):
            convolutions(batch).run(change)

    def test_refusals(self):
        self.refused("factor is -1, and has to be 0 or more", slices(-1))
        self.refused("factor is 9, and no input has a batch of as many", slices(9))
        self.refused("Loop needs slices of the same size: a batch of 7 cannot be divided by the "
                     "factor 2", slices(2, Method.Loop), 7)
        self.refused("Loop requires BatchSerializationTransformContext::Bwd",
                     slices(2, Method.Loop, transformContext=Context.Fwd))
        self.refused("OverlapOnIo is not supported",
                     slices(2, batchSchedule=Schedule.OverlapOnIo))
        self.refused("Loop requires concatOnVirtualGraphChange",
                     slices(2, Method.Loop, concatOnVirtualGraphChange=False))


if __name__ == "__main__":
    unittest.main()
