# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data parallel steps: each replica takes batches of its own.

Gradients are averaged across replicas before the optimizer sees them, so that a step of N
replicas is one of Keras with a batch N times as large. Metrics add up what all replicas have
seen; moving statistics are averaged; each replica draws other random numbers.
"""

import contextlib
from typing import Any, Callable, Iterator, List, Sequence

import jax
import jax.numpy as jnp

AXIS = "ipu_replicas"

# Words of random states that replicas are apart.
_DISTANCE = 0x9E3779B9


def replicated(model: Any, step: Callable, has_metrics: bool) -> Callable:
    """A step of Keras for one of several replicas."""
    def function(state: Any, batch: Any) -> Any:
        fixed, metrics = state[1], state[-1]
        number = jax.lax.axis_index(AXIS).astype(jnp.uint32) * jnp.uint32(_DISTANCE)
        inner = (state[0], _moved(model, fixed, number), *state[2:])
        with _averaged_gradients(getattr(model, "optimizer", None)):
            result, new = step(inner, batch)
        new = list(new)
        new[1] = _merged(model, _moved(model, new[1], -number))
        if has_metrics:
            new[-1] = [_added(a, b) for a, b in zip(metrics, new[-1])]
            result = _logs(model, result, new[-1])
        return result, tuple(new)
    return function


@contextlib.contextmanager
def _averaged_gradients(optimizer: Any) -> Iterator[None]:
    """While it is traced, an optimizer applies the mean of the gradients of all replicas."""
    if optimizer is None:
        yield
        return
    plain = optimizer.stateless_apply

    def apply(variables: Any, gradients: Sequence[Any], trainable: Any) -> Any:
        gradients = [g if g is None else jax.lax.pmean(g, AXIS) for g in gradients]
        return plain(variables, gradients, trainable)
    object.__setattr__(optimizer, "stateless_apply", apply)
    try:
        yield
    finally:
        object.__delattr__(optimizer, "stateless_apply")


def _is_seed(variable: Any) -> bool:
    return variable.path.endswith("seed_generator_state")


def _moved(model: Any, values: Sequence[Any], distance: Any) -> List[Any]:
    """The states of random generators, moved by a distance."""
    return [value.at[0].add(distance) if _is_seed(variable) else value
            for variable, value in zip(model.non_trainable_variables, values)]


def _merged(model: Any, values: Sequence[Any]) -> List[Any]:
    """The mean of statistics that layers keep."""
    return [jax.lax.pmean(value, AXIS)
            if jnp.issubdtype(value.dtype, jnp.floating) and not _is_seed(variable) else value
            for variable, value in zip(model.non_trainable_variables, values)]


def _added(old: Any, new: Any) -> Any:
    """An accumulator with what all replicas have added to it."""
    if not jnp.issubdtype(old.dtype, jnp.number):
        return new
    return old + jax.lax.psum(new - old, AXIS)


def _logs(model: Any, logs: Any, metrics: Sequence[Any]) -> Any:
    """The results of the merged metrics; the mean of other numbers."""
    import keras

    mapping = list(zip(model.metrics_variables, metrics))
    with keras.StatelessScope(state_mapping=mapping):
        found = model.get_metrics_result()
    if not isinstance(logs, dict):
        return jax.tree.map(lambda value: jax.lax.pmean(value, AXIS), logs)
    return {name: found[name] if name in found else jax.lax.pmean(value, AXIS)
            for name, value in logs.items()}
