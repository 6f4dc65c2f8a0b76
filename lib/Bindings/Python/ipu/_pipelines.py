# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of Keras's models (`populus.jax.pipeline`). In training, the stages add gradients to
the accumulators of the optimizer, which updates the weights behind each group of batches, as it
does at the last of them without a pipeline."""

import contextlib
import importlib
import types
import warnings
from typing import Any, Callable, Iterator, List

import jax
import jax.numpy as jnp

from ipu import _devices, _stages
from ipu.config import system


def stages(model: Any) -> int:
    """The stages of a model, or 1 if it has no pipeline."""
    return _stages.count(model) if getattr(model, "_is_pipelined", False) else 1


def ipus(model: Any) -> int:
    """The IPUs of a replica: one for each stage, or one for all of them, with a warning."""
    count = stages(model)
    if count == 1:
        if getattr(model, "_is_pipelined", False):
            _warn("the model has no second stage")
        return 1
    if system().num_ipus < count:
        _warn(f"there are {count} stages, and {system().num_ipus} IPUs are selected")
        return 1
    if system().num_ipus > count:
        _warn("there are several replicas")
        return 1
    if hasattr(model.optimizer, "inner_optimizer") or getattr(model.optimizer, "use_ema", False):
        _warn("a loss scale or an average of weights changes after each batch")
        return 1
    return count


def _warn(why: str) -> None:
    warnings.warn(f"Stages of a pipeline run on one IPU, one after the other: {why}. Results are "
                  "the same.", stacklevel=4)


def accumulated(model: Any) -> int:
    """The batches of a pipelined training step; 1 without a pipeline."""
    wanted = getattr(model, "_ipu_accumulation", None)
    return wanted[0] if wanted and ipus(model) > 1 else 1


def check(batches: int, group: int) -> None:
    """Raises ValueError where a run ends within a group."""
    if batches % group:
        raise ValueError(f"A run has {batches} batches, and the pipeline takes {group} at a time: "
                         "let the number of steps of an epoch be a multiple, and the batch size "
                         "divide the number of samples.")


def program(step: Callable, group: int, model: Any) -> Callable:
    """A function of state and batches for the steps of a model with a pipeline."""
    import populus.jax

    count = ipus(model)
    device, options = _devices.target(count)

    def micro(state: Any, batch: Any) -> Any:
        result, new = step(state, batch)
        return jax.tree.map(lambda a, b: jnp.asarray(a, b.dtype), new, state), result
    update = None
    if group > 1:
        micro, update = _accumulating(model), _updating(model)
    run = populus.jax.pipeline(micro, update, micro_batches=group, ipus=count, device=device,
                               **options)

    def steps(state: Any, batches: Any) -> Any:
        check(jax.tree.leaves(batches)[0].shape[0], group)
        new, rows = run(state, batches)
        return rows, new
    return steps


# ---- Training ---------------------------------------------------------------------


def _accumulating(model: Any) -> Callable:
    """A training step that adds gradients to the accumulators of the optimizer."""
    def micro(state: Any, batch: Any) -> Any:
        with _caught(model.optimizer) as gradients:
            logs, new = model.train_step(state, batch)
        if len(gradients) != 1:
            raise ValueError("train_step of a pipelined model has to update weights by one call "
                             "of optimizer.stateless_apply.")
        new = [*new]
        new[2] = list(state[2])
        for place, gradient in zip(_accumulators(model.optimizer), gradients[0]):
            if gradient is not None:
                new[2][place] = state[2][place] + gradient
        new = jax.tree.map(lambda a, b: jnp.asarray(a, b.dtype), new, [*map(list, state)])
        return jax.tree.unflatten(jax.tree.structure(state), jax.tree.leaves(new)), logs
    return micro


def _updating(model: Any) -> Callable:
    """The update of the last batch of a group, of which the others have been counted."""
    def update(state: Any) -> Any:
        trainable, fixed, variables, metrics = state
        optimizer, variables = model.optimizer, list(variables)
        place = _place(optimizer, optimizer._iterations)
        variables[place] = variables[place] + (optimizer.gradient_accumulation_steps - 1)
        zeros = [jnp.zeros_like(value) for value in trainable]
        with _after_the_last_batch(optimizer):
            trainable, variables = optimizer.stateless_apply(variables, zeros, trainable)
        new = trainable, fixed, variables, metrics
        return jax.tree.unflatten(jax.tree.structure(state), jax.tree.leaves(new))
    return update


def _place(optimizer: Any, variable: Any) -> int:
    return next(i for i, v in enumerate(optimizer.variables) if v is variable)


def _accumulators(optimizer: Any) -> List[int]:
    return [_place(optimizer, v) for v in optimizer._accumulated_gradients]


@contextlib.contextmanager
def _caught(optimizer: Any) -> Iterator[List[Any]]:
    """While it is traced, an optimizer passes its gradients to the list, and updates nothing."""
    found: List[Any] = []

    def apply(variables: Any, gradients: Any, trainable: Any) -> Any:
        found.append(gradients)
        return trainable, variables
    held = optimizer.__dict__.get("stateless_apply")
    object.__setattr__(optimizer, "stateless_apply", apply)
    try:
        yield found
    finally:
        if held is None:
            object.__delattr__(optimizer, "stateless_apply")
        else:
            object.__setattr__(optimizer, "stateless_apply", held)


@contextlib.contextmanager
def _after_the_last_batch(optimizer: Any) -> Iterator[None]:
    """While it is traced, an optimizer that accumulates does not ask for the number of the
    batch: branches would join the IPUs of all weights."""
    name = next(c.__module__ for c in type(optimizer).__mro__ if c.__name__ == "JaxOptimizer")
    module = importlib.import_module(name)
    held = module.jax
    module.jax = types.SimpleNamespace(lax=types.SimpleNamespace(
        cond=lambda is_last, yes, no: yes()))
    try:
        yield
    finally:
        module.jax = held
