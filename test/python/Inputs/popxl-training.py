# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network with a convolution, dropout and momentum, trained by a loop on the device: the losses
on each device named on the command line, which have to agree, and to fall."""

import sys

import numpy as np
import popxl
import popxl.ops as ops
import popxl.transforms as transforms

BATCH, STEPS = 8, 5


class Conv(popxl.Module):
    def build(self, x, channels):
        self.w = popxl.graph_input((channels, x.shape[1], 3, 3), x.dtype, "w")
        return ops.max_pool(ops.relu(ops.conv(x, self.w, padding=(1, 1, 1, 1))), (2, 2), (2, 2))


class Linear(popxl.Module):
    def build(self, x, features):
        self.w = popxl.graph_input((x.shape[-1], features), x.dtype, "w")
        self.b = popxl.graph_input((features,), x.dtype, "b")
        return x @ self.w + self.b


class Net(popxl.Module):
    def build(self, x, seed):
        h = Conv().build(x, 4)
        h = ops.gelu(Linear().build(h.reshape((h.shape[0], -1)), 16))
        return Linear().build(ops.dropout(h, seed, 0.1), 3)


def make(shape):
    """The Ir, its streams, and the seed."""
    rng = np.random.default_rng(1)
    ir = popxl.Ir()
    ir.num_host_transfers = STEPS
    with ir.main_graph, popxl.in_sequence():
        x_stream = popxl.h2d_stream(shape, popxl.float32, "x")
        label_stream = popxl.h2d_stream((BATCH,), popxl.int32, "labels")
        loss_stream = popxl.d2h_stream((), popxl.float32, "loss")
        seed = popxl.variable(popxl.create_seeds(3), name="seed")
        forward = ir.create_graph(Net(), popxl.TensorSpec(shape, popxl.float32), seed)
        backward = transforms.autodiff(forward, grads_required=forward.inputs[2:])
        weights = [popxl.variable(rng.standard_normal(t.shape) * 0.2, t.dtype, t.name)
                   for t in forward.inputs[2:]]
        momentum = [popxl.variable(np.zeros(t.shape), t.dtype, "m") for t in weights]

        step = ir.create_empty_graph("step")
        with step:
            s = popxl.graph_input((2,), popxl.uint32, "seed", by_ref=True)
            w, m = ([popxl.graph_input(t.shape, t.dtype, t.name, by_ref=True) for t in ts]
                    for ts in (weights, momentum))
            now, following = ops.split_random_seed(s)
            ops.var_updates.copy_var_update_(s, following)
            call = ops.call_with_info(forward, ops.host_load(x_stream), now,
                                      inputs_dict=dict(zip(forward.inputs[2:], w)))
            probabilities = ops.softmax(call.outputs[0], -1)
            loss, dlogits = ops.nll_loss_with_softmax_grad(probabilities,
                                                           ops.host_load(label_stream))
            ops.host_store(loss_stream, loss)
            gradients = ops.call(backward.graph, dlogits, inputs_dict=backward.inputs_dict(call))
            for weight, mean, gradient in zip(w, m, gradients):
                ops.var_updates.accumulate_moving_average_(mean, gradient, 0.5)
                ops.scaled_add_(weight, mean, b=-0.2)
        ops.repeat(step, STEPS, seed, *weights, *momentum)
    return ir, x_stream, label_stream, loss_stream, seed


def train(device, runs):
    rng = np.random.default_rng(0)
    data = rng.standard_normal((STEPS, BATCH, 1, 8, 8)).astype(np.float32)
    labels = (data.mean((2, 3, 4)) * 6).round().clip(-1, 1).astype(np.int32) + 1
    ir, x, y, loss, seed = make(data.shape[1:])
    with popxl.Session(ir, device) as session:
        losses = np.concatenate([session.run({x: data, y: labels})[loss] for _ in range(runs)])
    return losses, session.get_tensor_data(seed)


devices = sys.argv[1:]
results = {device: train(device, 10) for device in devices}
first, first_seed = results[devices[0]]
print("begins at", round(float(first[0]), 1), "ends below 0.5:", bool(first[-STEPS:].mean() < 0.5))
for device, (losses, seed) in results.items():
    print(device, "agrees:", np.allclose(losses, first, rtol=2e-3, atol=1e-4),
          np.array_equal(seed, first_seed))
