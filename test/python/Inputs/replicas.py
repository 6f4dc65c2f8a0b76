# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions of PopART with several replicas, beside one replica with the larger batch and beside
NumPy."""
import tempfile
import unittest

import numpy as np
import popart

TILES = 4
INPUTS, HIDDEN, BATCH = 5, 6, 2


def device(ipus):
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": TILES})


def options_for(replicas, **given):
    options = popart.SessionOptions()
    options.enableReplicatedGraphs = replicas > 1
    options.replicatedGraphCount = replicas
    for name, value in given.items():
        setattr(options, name, value)
    return options


def weights(seed=3):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(np.float32)
            for shape in ((INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, 1))]


def network(batch, reduction):
    b = popart.Builder()
    x = b.addInputTensor(popart.TensorInfo("FLOAT", [batch, INPUTS]), "x")
    w = [b.addInitializedInputTensor(value, f"w{i}") for i, value in enumerate(weights())]
    h = b.aiOnnx.tanh([b.aiOnnx.add([b.aiOnnx.matmul([x, w[0]]), w[1]])])
    loss = b.aiGraphcore.identityloss([b.aiOnnx.matmul([h, w[2]])], reduction=reduction)
    return b, loss


def train(replicas, batch, data, optimizer, reduction=popart.ReductionType.Sum, accumulation=1,
          steps=2, states=(), **given):
    """The weights and states, and the losses of all micro-batches of the last step."""
    b, loss = network(batch, reduction)
    options = options_for(replicas, accumulationFactor=accumulation,
                          enableGradientAccumulation=accumulation > 1, **given)
    batches = data.size // (replicas * accumulation * batch * INPUTS)
    session = popart.TrainingSession(
        b.getModelProto(), popart.DataFlow(batches, {loss: popart.AnchorReturnType("All")}), loss,
        optimizer, device(replicas), userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    for _ in range(steps):
        session.run(popart.PyStepIO({"x": data}, anchors))
    session.weightsToHost()
    session.weightsFromHost()
    session.weightsToHost()
    result = {f"w{i}": np.empty_like(w) for i, w in enumerate(weights())}
    result.update({state: np.zeros_like(result[state.split("___")[1]]) for state in states})
    session.readWeights(popart.PyWeightsIO(result))
    return result, anchors[loss]


OPTIMIZERS = {
    "sgd": popart.SGD({"defaultLearningRate": (0.05, False), "defaultWeightDecay": (0.1, True)}),
    "momentum": popart.SGD({"defaultLearningRate": (0.05, False), "defaultMomentum": (0.7, True),
                            "defaultWeightDecay": (0.1, True), "lossScaling": (8.0, True)}),
    "nesterov": popart.SGD({"defaultLearningRate": (0.05, False), "defaultMomentum": (0.7, True),
                            "nesterov": (True, True)}),
    "separate": popart.SGD({"defaultLearningRate": (0.05, False), "defaultMomentum": (0.7, True)},
                           accumulatorAndMomentum=popart.SGDAccumulatorAndMomentum.Separate),
    "adam": popart.Adam({"defaultLearningRate": (0.05, False)}),
    "lamb": popart.Adam({"defaultLearningRate": (0.05, False), "defaultWeightDecay": (0.1, True)},
                        mode=popart.AdamMode.Lamb),
    "rmsprop": popart.Adaptive({"defaultLearningRate": (0.01, False)}),
}


def steps_of(count, seed=1):
    return np.random.default_rng(seed).standard_normal(
        (count * 8 * BATCH, INPUTS)).astype(np.float32)


class DataParallel(unittest.TestCase):
    def check(self, name, replicas, **given):
        data = steps_of(1)
        reduction = given.pop("reduction", popart.ReductionType.Sum)
        accumulation = given.get("accumulation", 1)
        mean = {} if reduction == popart.ReductionType.Sum else {
            "accumulationAndReplicationReductionType": popart.ReductionType.Mean}
        one, _ = train(1, BATCH * replicas * accumulation, data, OPTIMIZERS[name], reduction)
        many, _ = train(replicas, BATCH, data, OPTIMIZERS[name], reduction, **mean, **given)
        for weight, value in one.items():
            # Relative to the largest element: another order of sums loses digits of small ones.
            np.testing.assert_allclose(many[weight], value, rtol=0,
                                       atol=1e-6 * np.abs(value).max(),
                                       err_msg=f"{name} {weight}")
        self.assertGreater(np.abs(many["w0"] - weights()[0]).max(), 1e-3)

    def test_sums(self):
        for name in OPTIMIZERS:
            with self.subTest(name):
                self.check(name, 2)

    def test_accumulated(self):
        for name in ("sgd", "momentum", "nesterov", "adam"):
            with self.subTest(name):
                self.check(name, 2, accumulation=2)

    def test_means(self):
        for strategy in (popart.MeanReductionStrategy.Post, popart.MeanReductionStrategy.Running):
            for name, accumulation in (("sgd", 1), ("momentum", 2), ("adam", 2)):
                with self.subTest(name, strategy=strategy):
                    self.check(name, 2, reduction=popart.ReductionType.Mean,
                               accumulation=accumulation,
                               meanAccumulationAndReplicationReductionStrategy=strategy)

    def test_four(self):
        self.check("sgd", 4)

    def test_sharded_state(self):
        """The same bits, and state that the host sees as a whole."""
        location = popart.TensorLocation(popart.TensorStorage.OnChip,
                                         popart.ReplicatedTensorSharding.On)
        data = steps_of(1)
        for name, accumulation in (("sgd", 1), ("momentum", 2), ("separate", 2), ("adam", 1),
                                   ("adam", 2), ("lamb", 1), ("rmsprop", 1)):
            with self.subTest(name, accumulation=accumulation):
                states = [f"Accl1___w{i}" for i in range(3)] if name == "adam" else []
                whole, _ = train(2, BATCH, data, OPTIMIZERS[name], accumulation=accumulation,
                                 states=states)
                shards, _ = train(2, BATCH, data, OPTIMIZERS[name], accumulation=accumulation,
                                  states=states, optimizerStateTensorLocationSettings=(
                                      popart.TensorLocationSettings(location, 0, 4)))
                for weight, value in whole.items():
                    np.testing.assert_array_equal(shards[weight], value, weight)

    def test_losses_have_a_dimension_of_replicas(self):
        data = steps_of(1)
        _, one = train(1, BATCH, data, popart.SGD({"defaultLearningRate": (0.0, False)}), steps=1)
        _, many = train(2, BATCH, data, popart.SGD({"defaultLearningRate": (0.0, False)}),
                        steps=1, accumulation=2)
        self.assertEqual(many.shape, (2, 2, 2))
        np.testing.assert_array_equal(many.ravel(), one.ravel())


def infer(build, inputs, replicas, batches=1, anchor="All", **given):
    """The results, of a model of inputs of the shapes of one replica."""
    b = popart.Builder()
    results = build(b)
    session = popart.InferenceSession(
        b.getModelProto(), popart.DataFlow(batches, results, popart.AnchorReturnType(anchor)),
        device(replicas), userOptions=options_for(replicas, **given))
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(inputs, anchors))
    return [anchors[r] for r in results], session


ROWS = np.arange(24, dtype=np.float32).reshape(4, 6) - 7
SQUARES = ROWS * ROWS


def collective(op, x=ROWS):
    (result,), _ = infer(lambda b: [op(b, b.addInputTensor("FLOAT", [6], "x"))],
                         {"x": x}, len(x))
    return result


class Collectives(unittest.TestCase):
    def test_all_reduce(self):
        ops = {"Add": ROWS.sum(0), "Mean": ROWS.mean(0), "Max": ROWS.max(0), "Min": ROWS.min(0),
               "Mul": ROWS.prod(0), "SquareAdd": SQUARES.sum(0)}
        for name, wanted in ops.items():
            operator = getattr(popart.CollectiveOperator, name)
            got = collective(lambda b, x: b.aiGraphcore.replicatedallreduce([x], operator))
            np.testing.assert_allclose(got, np.tile(wanted, (4, 1)), rtol=1e-6, err_msg=name)

    def test_groups(self):
        two = {"Consecutive": [[0, 1], [2, 3]], "Orthogonal": [[0, 2], [1, 3]],
               "None": [[0], [1], [2], [3]]}
        for name, groups in two.items():
            group = popart.CommGroup(getattr(popart.CommGroupType, name), 2)
            got = collective(lambda b, x: b.aiGraphcore.replicatedallreduce(
                [x], commGroup=group))
            for members in groups:
                for replica in members:
                    np.testing.assert_array_equal(got[replica], ROWS[members].sum(0), name)

    def test_group_of_a_context(self):
        def build(b, x):
            with b.commGroup(popart.CommGroupType.Consecutive, 2):
                return b.aiGraphcore.replicatedallreduce([x])
        got = collective(build)
        np.testing.assert_array_equal(got[:2], np.tile(ROWS[:2].sum(0), (2, 1)))

    def test_reduce_scatter(self):
        got = collective(lambda b, x: b.aiGraphcore.replicatedreducescatter([x]))
        np.testing.assert_array_equal(got, np.pad(ROWS.sum(0), (0, 2)).reshape(4, 2))

    def test_all_gather(self):
        got = collective(lambda b, x: b.aiGraphcore.replicatedallgather([x]))
        np.testing.assert_array_equal(got, np.tile(ROWS.ravel(), (4, 1)))

    def test_scatter_and_gather(self):
        x = ROWS[:, :4].copy()
        (got,), _ = infer(lambda b: [b.aiGraphcore.replicatedallgather(
            [b.aiGraphcore.replicatedreducescatter([b.addInputTensor("FLOAT", [4], "x")])])],
            {"x": x}, 4)
        np.testing.assert_array_equal(got, np.tile(x.sum(0), (4, 1)))

    def test_groups_that_do_not_divide(self):
        group = popart.CommGroup(popart.CommGroupType.Consecutive, 3)
        with self.assertRaisesRegex(popart.popart_exception, "groups of 3 replicas"):
            collective(lambda b, x: b.aiGraphcore.replicatedallreduce([x], commGroup=group))


class Gradients(unittest.TestCase):
    """Of sum(f(x w) c), by w: x and c differ from replica to replica."""

    def gradient(self, op, parts):
        rng = np.random.default_rng(4)
        x = rng.integers(-4, 5, (2, 4)).astype(np.float32)
        c = rng.integers(-4, 5, (2, parts)).astype(np.float32)
        b = popart.Builder()
        w = b.addInitializedInputTensor(np.ones(4, np.float32), "w")
        names = [b.addInputTensor("FLOAT", [n], name) for n, name in ((4, "x"), (parts, "c"))]
        y = b.aiOnnx.mul([op(b, b.aiOnnx.mul([names[0], w])), names[1]])
        loss = b.aiGraphcore.identityloss([y], reduction=popart.ReductionType.Sum)
        gradient = "Gradient___w"
        session = popart.TrainingSession(
            b.getModelProto(), popart.DataFlow(1, [gradient]), loss,
            popart.SGD({"defaultLearningRate": (0.0, False)}), device(2),
            userOptions=options_for(2))
        session.prepareDevice()
        session.weightsFromHost()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({"x": x, "c": c}, anchors))
        return anchors[gradient], x, c

    def test_all_reduce(self):
        for name, share in (("Add", 1), ("Mean", 0.5)):
            got, x, c = self.gradient(lambda b, y: b.aiGraphcore.replicatedallreduce(
                [y], getattr(popart.CollectiveOperator, name)), 4)
            np.testing.assert_array_equal(got, x * c.sum(0) * share)

    def test_all_gather(self):
        got, x, c = self.gradient(lambda b, y: b.aiGraphcore.replicatedallgather([y]), 8)
        np.testing.assert_array_equal(got, x * c.sum(0).reshape(2, 4))

    def test_reduce_scatter(self):
        got, x, c = self.gradient(lambda b, y: b.aiGraphcore.replicatedreducescatter([y]), 2)
        np.testing.assert_array_equal(got, x * c.ravel())

    def test_others_have_none(self):
        with self.assertRaisesRegex(popart.popart_exception, "has no gradient"):
            self.gradient(lambda b, y: b.aiGraphcore.replicatedallreduce(
                [y], popart.CollectiveOperator.Max), 4)


class Streams(unittest.TestCase):
    def test_anchors(self):
        """Inputs and results of [batches, replicas, ...]."""
        data = np.arange(4 * 2 * 3, dtype=np.float32).reshape(4, 2, 3)

        def build(b):
            return [b.aiOnnx.add([b.addInputTensor("FLOAT", [3], "x")] * 2)]
        wanted = {"All": 2 * data, "Final": 2 * data[-1], "Sum": 2 * data.sum(0)}
        for kind, value in wanted.items():
            (got,), session = infer(build, {"x": data}, 2, 4, kind)
            self.assertEqual(got.shape, value.shape)
            np.testing.assert_array_equal(got, value, kind)
            self.assertEqual(session.replicationFactor, 2)

    def test_broadcast(self):
        data = np.arange(6, dtype=np.float32).reshape(2, 3)
        settings = popart.InputSettings(popart.ReplicatedStreamMode.Broadcast)

        def build(b):
            x = b.addInputTensor(popart.TensorInfo("FLOAT", [3]), settings, "x")
            return [b.aiOnnx.add([x, x])]
        (got,), _ = infer(build, {"x": data}, 2, 2)
        np.testing.assert_array_equal(got, 2 * np.stack([data, data], axis=1))

    def test_too_little_data(self):
        def build(b):
            return [b.aiOnnx.add([b.addInputTensor("FLOAT", [3], "x")] * 2)]
        with self.assertRaisesRegex(popart.popart_exception, "Expected 6, but received 3"):
            infer(build, {"x": np.zeros(3, np.float32)}, 2)

    def test_replicas_drop_different_elements(self):
        def build(b):
            x = b.addInputTensor("FLOAT", [64], "x")
            return [b.aiOnnx.randomuniformlike([x])]
        (got,), _ = infer(build, {"x": np.zeros((2, 64), np.float32)}, 2)
        self.assertGreater(np.count_nonzero(got[0] != got[1]), 50)


class GroupedWeights(unittest.TestCase):
    def run_with(self, settings, value, replicas=4, **given):
        def build(b):
            x = b.addInputTensor("FLOAT", [2], "x")
            w = b.addInitializedInputTensor(value, "w", settings)
            return [b.aiOnnx.add([x, w])]
        return infer(build, {"x": np.zeros((replicas, 2), np.float32)}, replicas, **given)

    def test_values_of_groups(self):
        value = np.float32([[1, 2], [3, 4]])
        for name, rows in (("Consecutive", [0, 0, 1, 1]), ("Orthogonal", [0, 1, 0, 1])):
            settings = popart.VariableSettings(
                popart.CommGroup(getattr(popart.CommGroupType, name), 2))
            (got,), session = self.run_with(settings, value, constantWeights=False)
            np.testing.assert_array_equal(got, value[rows], name)
            session.weightsToHost()
            back = np.zeros_like(value)
            session.readWeights(popart.PyWeightsIO({"w": back}))
            np.testing.assert_array_equal(back, value)

    def test_stride(self):
        value = np.float32([[1, 2], [3, 4]])
        settings = popart.VariableSettings(2, 2, popart.VariableRetrievalMode.OnePerGroup)
        (got,), _ = self.run_with(settings, value)
        np.testing.assert_array_equal(got, value[[0, 1, 0, 1]])

    def test_all_come_back(self):
        value = np.float32([[1, 2], [3, 4]])
        settings = popart.VariableSettings(
            popart.CommGroup(popart.CommGroupType.Consecutive, 2),
            popart.VariableRetrievalMode.AllReplicas)
        _, session = self.run_with(settings, value, constantWeights=False)
        session.weightsToHost()
        back = np.zeros((4, 2), np.float32)
        session.readWeights(popart.PyWeightsIO({"w": back}))
        np.testing.assert_array_equal(back, value[[0, 0, 1, 1]])

    def test_refusals(self):
        three = popart.VariableSettings(popart.CommGroup(popart.CommGroupType.Consecutive, 3))
        with self.assertRaisesRegex(popart.popart_exception, "the weight 'w'.*groups of 3"):
            self.run_with(three, np.zeros((2, 2), np.float32))
        two = popart.VariableSettings(popart.CommGroup(popart.CommGroupType.Consecutive, 2))
        with self.assertRaisesRegex(popart.popart_exception, "a value for each in front"):
            self.run_with(two, np.zeros((3, 2), np.float32))
        reduced = popart.VariableSettings(popart.VariableRetrievalMode.AllReduceReplicas)
        with self.assertRaisesRegex(popart.popart_exception, "AllReduceReplicas"):
            self.run_with(reduced, np.zeros(2, np.float32))


class Machines(unittest.TestCase):
    def build(self, b):
        return [b.aiOnnx.add([b.addInputTensor("FLOAT", [3], "x")] * 2)]

    def session(self, machine, options, build=None):
        b = popart.Builder()
        results = (build or self.build)(b)
        return popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, results), machine,
                                       userOptions=options)

    def test_too_few_ipus(self):
        for machine in (device(1), device(3), popart.DeviceManager().createCpuDevice()):
            with self.assertRaisesRegex(popart.popart_exception,
                                        "must be divisible by the replication factor"):
                self.session(machine, options_for(2))

    def test_two_ipus_each(self):
        """A virtual graph of two IPUs in each of two replicas."""
        data = np.arange(6, dtype=np.float32).reshape(2, 3)
        b = popart.Builder()
        x = b.addInputTensor("FLOAT", [3], "x")
        with b.virtualGraph(0):
            y = b.aiOnnx.add([x, x])
        with b.virtualGraph(1):
            z = b.aiOnnx.mul([y, y])
        options = options_for(2, virtualGraphMode=popart.VirtualGraphMode.Manual)
        session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [z]), device(4),
                                          userOptions=options)
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({"x": data}, anchors))
        np.testing.assert_array_equal(anchors[z], 4 * data * data)
        self.assertIn("IPUs per Replica: 2", " ".join(session.getSummaryReport().split()))

    def test_count_without_replication(self):
        options = popart.SessionOptions()
        options.replicatedGraphCount = 2
        with self.assertRaisesRegex(popart.popart_exception, "enableReplicatedGraphs is false"):
            self.session(device(2), options)

    def test_other_processes(self):
        def options(**others):
            return options_for(2, enableDistributedReplicatedGraphs=True, **others)

        for factor, offset in ((3, 0), (1, 0), (4, 1), (4, 4), (4, -2)):
            with self.assertRaisesRegex(popart.popart_exception, "equally many"):
                self.session(device(2), options(globalReplicationFactor=factor,
                                                globalReplicaOffset=offset))
        with self.assertRaisesRegex(popart.popart_exception, "enableDistributedReplicatedGraphs"):
            self.session(device(2), options_for(2, globalReplicationFactor=4))
        # The others are not there, or this build cannot reach them.
        session = self.session(device(2), options(globalReplicationFactor=4))
        with self.assertRaisesRegex(Exception, "poprun starts instances|no libpopulus-mpi.so"):
            session.prepareDevice()

    def test_embedded_factor(self):
        def build(b):
            b.embedReplicationFactor(4)
            return self.build(b)
        with self.assertRaisesRegex(popart.popart_exception, "embedReplicationFactor"):
            self.session(device(2), options_for(2), build)

    def test_summary_and_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            data = np.ones((2, 3), np.float32)
            for _ in range(2):
                (got,), session = infer(self.build, {"x": data}, 2, enableEngineCaching=True,
                                        cachePath=folder)
                np.testing.assert_array_equal(got, 2 * data)
            text = " ".join(session.getSummaryReport().split())
            self.assertIn("Number of Replicas: 2", text)
            self.assertIn("IPUs per Replica: 1", text)


class Branches(unittest.TestCase):
    """An operator `If` whose condition differs between replicas."""

    def run_on(self, data):
        replicas = len(data)
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [4]), "x")
        axis = b.aiOnnx.reducesum([x], axes=[0], keepdims=False)
        condition = b.aiOnnx.greater([axis, b.aiOnnx.constant(np.float32(0))])
        yes, no = b.createSubgraphBuilder(), b.createSubgraphBuilder()
        for branch, op in ((yes, "exp"), (no, "sigmoid")):
            branch.addInputTensorFromParentGraph(x)
            branch.addOutputTensor(getattr(branch.aiOnnx, op)([x]))
        y, = b.aiOnnx.logical_if([condition], 1, no, yes)
        session = popart.InferenceSession(
            b.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}),
            device(replicas), userOptions=options_for(replicas))
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({x: data if replicas > 1 else data[0]}, anchors))
        return anchors[y]

    def test_if(self):
        data = np.float32([[1, 2, -1, 3], [-5, 1, 2, 1]])
        got = self.run_on(data)
        np.testing.assert_allclose(got[0], np.exp(data[0]), rtol=1e-6)
        np.testing.assert_allclose(got[1], 1 / (1 + np.exp(-data[1])), rtol=1e-6)
        for r in range(2):
            np.testing.assert_array_equal(got[r], self.run_on(data[r:r + 1]))


if __name__ == "__main__":
    unittest.main()
