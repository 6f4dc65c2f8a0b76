#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program for several processes, run by itself."""

import numpy as np
import popart
import popdist
import popdist.popart
import popxl
from popxl import ops

assert not popdist.isPopdistEnvSet() and not popdist.isBackendInitialized()
popdist.init()
assert popdist.isBackendInitialized()
print(popdist.getInstanceIndex(), "of", popdist.getNumInstances(), end=", ")
print("replicas", popdist.getNumTotalReplicas(), popdist.getNumLocalReplicas())
first = popdist.execute_on_instances({0}, lambda x: x * 2, np.float32([1]))
print("ran", first, "elsewhere", popdist.execute_on_instances({1}, print))

options = popart.SessionOptions()
popdist.popart.configureSessionOptions(options)
assert options.globalReplicationFactor == 1 and not options.enableReplicatedGraphs
device = popdist.popart.getDevice(2, popart.DeviceConnectionType.OnDemand)
print("devices", popdist.popart.getDevice().numIpus, device.numIpus)

ir = popxl.Ir(replication="popdist")
with ir.main_graph:
    stream = popxl.d2h_stream((2,), popxl.float32)
    ops.host_store(stream, popxl.variable([1.0, 2.0]) * 2 + 1)
with popxl.Session(ir, "cpu") as session:
    print("result", session.run()[stream])
popdist.finalizeBackend()
