# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PopXL program of 4 replicas with variables by group, shards and collectives, in one process or
in the instances of a job; prints a hash of all that it computes."""

import hashlib

import numpy as np
import popdist
import popdist.popart
import popxl
from popdist import collectives
from popxl import ops

ir = popxl.Ir(replication=4)
device = "ipu_hw"
if popdist.isPopdistEnvSet():
    popdist.init()
    ir = popxl.Ir(replication="popdist")
    device = popdist.popart.getDevice()
local, offset = ir.instance_replication_factor, popdist.getReplicaIndexOffset()
assert ir.replication_factor == 4 and local == 4 // popdist.getNumInstances()
random = np.random.default_rng(0)


def numbers(*shape):
    return random.standard_normal(shape).astype(np.float32)


with ir.main_graph, popxl.in_sequence(True):
    pairs = ir.replica_grouping(group_size=2)
    stream = popxl.h2d_stream((4, 3), popxl.float32)
    result = popxl.d2h_stream((4, 5), popxl.float32)
    weights = popxl.variable(numbers(3, 5), name="weights")
    of_pair = popxl.variable(numbers(2, 5), name="of_pair", replica_grouping=pairs)
    of_each = popxl.variable(numbers(5) * 0, name="of_each", retrieval_mode="all_replicas")
    divided, shard = popxl.replica_sharded_variable(numbers(7), name="divided")
    x = ops.host_load(stream)
    y = x @ weights + of_pair
    ops.host_store(result, y)
    total = ops.sum(y, [0])
    ops.add_(of_each, total)
    ops.add_(of_pair, ops.collectives.replicated_all_reduce(total, "add", pairs))
    ops.add_(weights, ops.collectives.replicated_all_reduce(x.T @ y * 0.01, "mean"))
    ops.add_(shard, shard * 0.5)
    whole = ops.collectives.replicated_all_gather(shard)
    gathered = popxl.d2h_stream(whole.shape, popxl.float32)
    ops.host_store(gathered, whole)

data = numbers(4, 4, 3)[offset:offset + local]
with popxl.Session(ir, device) as session:
    for _ in range(2):
        outputs = session.run({stream: data if local > 1 else data[0]})
variables = [weights, of_pair, of_each, divided]
everything = [session.get_tensor_data(variable) for variable in variables]
everything.append(outputs[gathered].reshape(local, -1)[0])
everything.append(collectives.allgather(outputs[result].reshape(local, 4, 5)))
print([a.shape for a in everything])
print(hashlib.sha256(b"".join(a.tobytes() for a in everything)).hexdigest())
