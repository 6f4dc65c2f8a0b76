# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of TensorFlow for the IPU that are not there, with what to write instead."""

_FIT = ("a loop of TensorFlow has no counterpart in JAX. Train with model.fit, where "
        "steps_per_execution=N runs N steps on the device, or compile a step with "
        "populus.jax.compile and jax.lax.scan")
_LAYERS = "use a layer of keras.layers or a function of keras.ops"
_INSTEAD = {
    "loops": _FIT, "ipu_compiler": _FIT, "ipu_infeed_queue": _FIT, "ipu_outfeed_queue": _FIT,
    "ipu_estimator": _FIT, "ipu_pipeline_estimator": _FIT, "scopes": _FIT,
    "ipu_session_run_hooks": _FIT, "application_compile_op": _FIT,
    "custom_ops": "operators of C++ are those of PopART (docs/custom-operators.md)",
    "horovod": "several hosts are poprun's (docs/poprun.md), with PopART or PopTorch",
    "popdist_strategy": "several hosts are poprun's (docs/poprun.md), with PopART or PopTorch",
    "embedding_ops": _LAYERS, "normalization_ops": _LAYERS, "rnn_ops": _LAYERS, "nn_ops": _LAYERS,
    "rand_ops": _LAYERS, "image_ops": _LAYERS, "slicing_ops": _LAYERS, "layers": _LAYERS,
    "optimizers": "use an optimizer of keras.optimizers; replicas average gradients by themselves",
    "cross_replica_optimizer": "replicas average gradients by themselves",
    "cross_replica_ops": "use jax.lax.psum with populus.jax.compile(replicas=N)",
    "keras": "import keras, and ipu beside it",
    "serving": "export with Keras, or keep model.save's file",
    "IPUInfeedQueue": _FIT, "IPUOutfeedQueue": _FIT,
}


def error(path: str) -> Exception:
    """The exception for a name that is not there. `from ipu import loops` shows the reason of a
    NotImplementedError, and hides that of an AttributeError."""
    why = _INSTEAD.get(path.rpartition(".")[2])
    if why:
        return NotImplementedError(f"{path} is not supported: {why}.")
    return AttributeError(f"{path} does not exist.")
