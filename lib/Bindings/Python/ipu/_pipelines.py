# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines of Keras's models. A training step takes a group of batches: the stages accumulate
gradients and work on different batches at the same time (`populus.jax.pipeline`), then the
optimizer updates the weights, as it does after the last of the batches without a pipeline."""

import contextlib
import importlib
import types
import warnings
from typing import Any, Callable, Iterator, List, Tuple

import jax
import jax.numpy as jnp

from ipu import _stages
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


def scan_of(model: Any) -> Callable:
    """The scan over the batches of evaluation and prediction."""
    import populus.jax

    return populus.jax.pipeline if stages(model) > 1 else jax.lax.scan


def check(batches: int, replicas: int, group: int) -> None:
    """Raises ValueError where a run ends within a group."""
    if batches // replicas % group:
        raise ValueError(f"A run has {batches} batches, and the pipeline takes {group} at a time "
                         f"in each of {replicas} replicas: let the number of steps of an epoch be "
                         "a multiple, and the batch size divide the number of samples.")


def training_step(model: Any) -> Callable:
    """A step that takes a group of batches."""
    import populus.jax

    def step(state: Any, batches: Any) -> Any:
        trainable, fixed, optimizer, metrics = state

        def micro(carried: Any, batch: Any) -> Any:
            sums, fixed, metrics = carried
            with _caught(model.optimizer) as gradients:
                logs, new = model.train_step((trainable, fixed, optimizer, metrics), batch)
            if len(gradients) != 1:
                raise ValueError("train_step of a pipelined model has to update weights by one "
                                 "call of optimizer.stateless_apply.")
            sums = [a if g is None else a + g for a, g in zip(sums, gradients[0])]
            return _alike((sums, new[1], new[3]), carried), logs

        start = [jnp.zeros_like(value) for value in trainable], fixed, metrics
        (sums, fixed, metrics), logs = populus.jax.pipeline(micro, start, batches)
        count = jax.tree.leaves(batches)[0].shape[0]
        trainable, optimizer = _updated(model.optimizer, count, sums, trainable, optimizer)
        return jax.tree.map(lambda rows: rows[-1], logs), (trainable, fixed, optimizer, metrics)
    return step


def _alike(new: Any, old: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.asarray(a, b.dtype), new, old)


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


def _updated(optimizer: Any, count: int, sums: Any, trainable: Any, variables: Any
             ) -> Tuple[Any, Any]:
    """The update after the last of so many batches, of which the others have been counted."""
    place = next(i for i, v in enumerate(optimizer.variables) if v is optimizer._iterations)
    variables = list(variables)
    variables[place] = variables[place] + (count - 1)
    with _after_the_last_batch(optimizer):
        return optimizer.stateless_apply(variables, sums, trainable)


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
