# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a model in 4 replicas, in one process or in the instances of a job; prints bits of losses
and weights, and the cycles."""

import sys

import numpy as np
import popart
import popdist
import popdist.popart
from popdist import collectives

REPLICAS, STEPS = 4, 3
local, offset = REPLICAS, 0
options = popart.SessionOptions()
options.enableReplicatedGraphs, options.replicatedGraphCount = True, REPLICAS
if popdist.isPopdistEnvSet():
    popdist.init()
    popdist.popart.configureSessionOptions(options)
    local, offset = popdist.getNumLocalReplicas(), popdist.getReplicaIndexOffset()
if "sharded" in sys.argv:
    settings = options.optimizerStateTensorLocationSettings
    settings.minElementsForReplicatedTensorSharding = 2
    settings.location.replicatedTensorSharding = popart.ReplicatedTensorSharding.On

random = np.random.default_rng(1)
images = random.standard_normal((STEPS, REPLICAS, 4, 8)).astype(np.float32)
labels = random.integers(0, 3, (STEPS, REPLICAS, 4)).astype(np.int32)
start = random.standard_normal((8, 3)).astype(np.float32)
if "broadcast" in sys.argv and popdist.getInstanceIndex() != 0:
    start[:] = 5

builder = popart.Builder()
image = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 8]))
label = builder.addInputTensor(popart.TensorInfo("INT32", [4]))
weights = builder.addInitializedInputTensor(start, "weights")
seen = (builder.aiOnnx.dropout([image], 1, 0.3)[0] if "random" in sys.argv else image)
loss = builder.aiGraphcore.nllloss(
    [builder.aiOnnx.softmax([builder.aiOnnx.matmul([seen, weights])]), label])

device = popart.DeviceManager().createIpuModelDevice({"numIPUs": local, "tilesPerIPU": 16})
session = popart.TrainingSession(
    builder.getModelProto(), popart.DataFlow(1, {loss: popart.AnchorReturnType("All")}), loss,
    popart.SGD({"defaultLearningRate": (0.1, False), "defaultMomentum": (0.9, False)}),
    userOptions=options, deviceInfo=device)
session.prepareDevice()
session.broadcastWeights()
session.weightsFromHost()
session.setRandomSeed(3)
anchors = session.initAnchorArrays()
losses = []
for step in range(STEPS):
    mine = slice(offset, offset + local)
    session.run(popart.PyStepIO({image: np.ascontiguousarray(images[step, mine]),
                                 label: np.ascontiguousarray(labels[step, mine])}, anchors))
    losses.append(collectives.allgather(np.atleast_1d(anchors[loss])))
session.weightsToHost()
trained = {"weights": np.empty((8, 3), np.float32)}
session.readWeights(popart.PyWeightsIO(trained))
print("losses", np.array(losses).tobytes().hex())
print("weights", trained["weights"].tobytes().hex())
print("cycles", session.getReport().execution.totalCycles.total)
