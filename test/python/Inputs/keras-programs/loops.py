# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program in the style of public ones with queues and a loop of its own: those are refused by
name. The same loop as a function of JAX runs on the device."""

import jax
import keras
import numpy as np

import ipu


def refused(text, action):
    try:
        action()
    except NotImplementedError as error:
        assert text in str(error), error
        return
    raise AssertionError(f"no error: {text}")


def imports():
    from ipu import loops
    loops.repeat(3, None)


refused("ipu.loops is not supported", imports)
refused("steps_per_execution", lambda: ipu.ipu_infeed_queue.IPUInfeedQueue([]))
refused("ipu.ipu_outfeed_queue", lambda: ipu.ipu_outfeed_queue.IPUOutfeedQueue())
refused("ipu.ops.custom_ops", lambda: ipu.ops.custom_ops.precompiled_user_op)
assert not hasattr(ipu, "lops")

keras.utils.set_random_seed(2)
rng = np.random.default_rng(0)
xs = rng.normal(size=(8, 16, 4)).astype(np.float32)
ys = xs.sum(-1, keepdims=True)
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.build(model.trainable_variables)

    def loss(trainable, x, y):
        prediction, _ = model.stateless_call(trainable, [], x)
        return keras.ops.mean(keras.losses.mean_squared_error(y, prediction))

    def training_loop(trainable, state, xs, ys):
        def step(carried, batch):
            trainable, state = carried
            value, gradients = jax.value_and_grad(loss)(trainable, *batch)
            return optimizer.stateless_apply(state, gradients, trainable), value
        return jax.lax.scan(step, (trainable, state), (xs, ys))

    arguments = ([v.value for v in model.trainable_variables],
                 [v.value for v in optimizer.variables], xs, ys)
    (trained, _), losses = strategy.run(training_loop, args=arguments)
_, expected = training_loop(*arguments)
np.testing.assert_allclose(losses, expected, rtol=1e-4, atol=1e-6)
print("loops:", "learned" if losses[-1] < 0.2 * losses[0] else losses)
