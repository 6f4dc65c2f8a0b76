# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of Keras on the device.

Keras's trainer for JAX has one pure function of state and data for each of fit, evaluate and
predict. Models of a strategy compile that function with `populus.jax`; the state is donated, so
weights stay on the device from step to step. With `steps_per_execution=N` a program scans over N
batches, which replicas share.
"""

import functools
import sys
from typing import Any, Callable, Iterator, List

import jax
import numpy as np

from ipu import _batches, _devices, _pipelines, _replicas, _stages, ipu_strategy
from ipu.config import system
from ipu.gradient_accumulation import GradientAccumulationReductionMethod as Reduction

_installed = False


def compiled(function: Callable, **options: Any) -> Any:
    """A function of JAX for the configured device."""
    import populus.jax

    device, more = _devices.target(options.get("replicas", 1))
    return populus.jax.compile(function, device=device, **options, **more)


# ---- Hooks ------------------------------------------------------------------------


def install() -> None:
    """Makes Keras's models ask for the strategy. Raises RuntimeError for another backend."""
    global _installed
    import keras

    backend = keras.backend.backend()
    if backend != "jax":
        raise RuntimeError(
            f"Keras has the backend {backend!r}, and IPUs need 'jax'. Set KERAS_BACKEND=jax in "
            "the environment, or os.environ['KERAS_BACKEND'] = 'jax' before the first import "
            "of keras.")
    if _installed:
        return
    _installed = True
    trainer = next(c for c in keras.Model.__mro__ if c.__name__ == "JAXTrainer")
    _hook(trainer, "make_train_function", _make_train_function)
    _hook(trainer, "make_test_function", _make_test_function)
    _hook(trainer, "make_predict_function", _make_predict_function)
    _stages.install(keras.Operation, keras.Layer)
    _adopt_in(keras.Model, "__init__")
    _adopt_in(keras.Model, "compile")
    for name, steps in (("fit", "steps_per_epoch"), ("evaluate", "steps"), ("predict", "steps")):
        _take_data_sets(trainer, name, steps)
    keras.Model.set_gradient_accumulation_options = set_gradient_accumulation_options
    keras.Model.set_pipelining_options = set_pipelining_options
    keras.Model.get_pipeline_stage_assignment = _stages.get_assignment
    keras.Model.set_pipeline_stage_assignment = _stages.set_assignment
    keras.Model.reset_pipeline_stage_assignment = _stages.reset_assignment
    keras.Model.print_pipeline_stage_assignment_summary = _stages.print_assignment
    # Programs write keras.ipu.PipelineStage, too.
    keras.ipu = sys.modules["ipu"]


def _hook(trainer: type, name: str, make: Callable) -> None:
    original = getattr(trainer, name)

    @functools.wraps(original)
    def method(self: Any, force: bool = False) -> Any:
        if not _is_ours(self):
            return original(self, force)
        return make(self, force)
    setattr(trainer, name, method)


def _adopt_in(model: type, name: str) -> None:
    """Models on which a method is called inside a scope belong to the strategy."""
    owner = next(c for c in model.__mro__ if name in c.__dict__)
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if ipu_strategy.current() is not None:
            object.__setattr__(self, "_is_on_ipu", True)
        result = original(self, *args, **kwargs)
        if name == "compile":
            _accumulate(self)
        else:
            _stages.adopt(self)
        return result
    setattr(owner, name, method)


def _take_data_sets(trainer: type, name: str, steps: str) -> None:
    """Lets a method of models of a strategy take data sets that Keras does not know."""
    original = getattr(trainer, name)

    @functools.wraps(original)
    def method(self: Any, x: Any = None, *args: Any, **kwargs: Any) -> Any:
        if _is_ours(self):
            x = _batches.known(x, kwargs.get(steps))
            if "validation_data" in kwargs:
                kwargs["validation_data"] = _batches.known(kwargs["validation_data"],
                                                           kwargs.get("validation_steps"))
        return original(self, x, *args, **kwargs)
    setattr(trainer, name, method)


def _is_ours(model: Any) -> bool:
    if ipu_strategy.current() is not None:
        object.__setattr__(model, "_is_on_ipu", True)
    if not getattr(model, "_is_on_ipu", False):
        return False
    if model.run_eagerly:
        raise ValueError("run_eagerly=True: a model cannot run eagerly on an IPU; compile it "
                         "outside of the strategy's scope.")
    return True


def _replicas_of(model: Any) -> int:
    """One replica for each IPU, or for as many IPUs as a pipeline has stages. Raises ValueError
    where that does not come out even."""
    ipus = system().num_ipus
    stages = _pipelines.stages(model)
    if ipus > stages and ipus % stages:
        raise ValueError(f"{ipus} IPUs are selected, and the pipeline has {stages} stages: the "
                         "number of IPUs has to be a multiple of that.")
    return max(1, ipus // stages)


# ---- Steps ------------------------------------------------------------------------


def _make_train_function(model: Any, force: bool) -> None:
    if model.train_function is None or force:
        _check_accumulation(model)
        model.train_function = _execution(model, model.train_step, _Logs,
                                          _pipelines.accumulated(model))


def _make_test_function(model: Any, force: bool) -> None:
    if model.test_function is None or force:
        model.test_function = _execution(model, model.test_step, _Logs)


def _make_predict_function(model: Any, force: bool) -> None:
    def step(state: Any, data: Any) -> Any:
        outputs, more = model.predict_step(state, data)
        return outputs, (state[0], more)

    if model.predict_function is None or force:
        model.predict_function = _execution(model, step, _Outputs)


class _Logs:
    """Results of training and evaluation: metrics after the last step."""

    has_metrics = True

    @staticmethod
    def of_steps(rows: Any) -> Any:
        return jax.tree.map(lambda row: row[-1], rows)

    @staticmethod
    def of_replicas(rows: Any) -> Any:
        return jax.tree.map(lambda row: row[0], rows)

    @staticmethod
    def of_runs(results: List[Any]) -> Any:
        return results[-1]


class _Outputs:
    """Results of prediction: the outputs of all steps as one batch."""

    has_metrics = False

    @staticmethod
    def of_steps(rows: Any) -> Any:
        return rows

    @staticmethod
    def of_replicas(rows: Any) -> Any:
        return jax.tree.map(lambda row: np.swapaxes(np.asarray(row), 0, 1).reshape(
            -1, *row.shape[2:]), rows)

    @staticmethod
    def of_runs(results: List[Any]) -> Any:
        return jax.tree.map(lambda *parts: np.concatenate(
            [np.asarray(part).reshape(-1, *part.shape[2:]) for part in parts]), *results)


def _execution(model: Any, step: Callable, results: Any, group: int = 1) -> Callable:
    """A function of state and iterator that runs `steps_per_execution` steps in one program, or
    in one for each shape that batches have. A pipeline takes a group of batches at a time."""
    count, replicas = model.steps_per_execution, _replicas_of(model)
    if count % replicas:
        raise ValueError(f"steps_per_execution ({count}) has to be a multiple of the number of "
                         f"replicas ({replicas}), which share the batches.")
    options = {"donate_argnums": 0}
    if replicas > 1:
        step = _replicas.replicated(model, step, results.has_metrics)
        options.update(replicas=replicas, axis_name=_replicas.AXIS)
    if _pipelines.ipus(model) > 1:
        run = _pipelined(_pipelines.program(step, group, model), results.of_steps)
    else:
        run = compiled(_scanned(step, results.of_steps), **options)
    odd = _batches.OddBatches()

    def execute(state: Any, iterator: Iterator) -> Any:
        found = []
        for batches in _batches.runs(_batches.take(iterator, count), replicas):
            odd.note(batches)
            result, state = run(state, _batches.stacked(batches, replicas))
            found.append(results.of_replicas(result) if replicas > 1 else result)
        return results.of_runs(found), state
    return execute


def _pipelined(steps: Callable, of_steps: Callable) -> Callable:
    def run(state: Any, batches: Any) -> Any:
        rows, new = steps(state, batches)
        return of_steps(rows), new
    return run


def _scanned(step: Callable, of_steps: Callable) -> Callable:
    """A function that takes a step for each batch. One batch needs no loop."""
    def steps(state: Any, batches: Any) -> Any:
        def body(carried: Any, batch: Any) -> Any:
            result, new = step(carried, batch)
            return _alike(new, carried), result

        if jax.tree.leaves(batches)[0].shape[0] == 1:
            state, result = body(state, jax.tree.map(lambda rows: rows[0], batches))
            rows = jax.tree.map(lambda value: jax.numpy.asarray(value)[None], result)
        else:
            state, rows = jax.lax.scan(body, state, batches)
        return of_steps(rows), state
    return steps


def _alike(new: Any, old: Any) -> Any:
    """State of the types that it had, as a scan needs it."""
    return jax.tree.map(lambda a, b: jax.numpy.asarray(a, b.dtype), new, old)


# ---- Accumulation and pipelines ----------------------------------------------------


def set_gradient_accumulation_options(
        self: Any, gradient_accumulation_steps_per_replica: Any = None,
        experimental_normalize_gradients: Any = None,
        gradient_accumulation_reduction_method: Any = Reduction.SUM, **options: Any) -> None:
    """Updates weights once for so many steps, with the sum or the mean of their gradients. Call
    it before the first training."""
    steps = gradient_accumulation_steps_per_replica
    if steps is None or steps == 1:
        return object.__setattr__(self, "_ipu_accumulation", None)
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ValueError("gradient_accumulation_steps_per_replica has to be a positive integer, "
                         f"not {steps!r}.")
    method = Reduction.parse(gradient_accumulation_reduction_method)
    if experimental_normalize_gradients:
        method = Reduction.MEAN
    object.__setattr__(self, "_ipu_accumulation", (steps, method))
    _accumulate(self)


def _check_accumulation(model: Any) -> None:
    wanted = getattr(model, "_ipu_accumulation", None)
    if wanted and model.steps_per_execution % wanted[0]:
        raise ValueError(f"steps_per_execution ({model.steps_per_execution}) has to be a "
                         f"multiple of gradient_accumulation_steps_per_replica ({wanted[0]}).")


def _accumulate(model: Any) -> None:
    """Lets the optimizer of a compiled model accumulate, which Keras does by the mean."""
    wanted = getattr(model, "_ipu_accumulation", None)
    optimizer = getattr(model, "optimizer", None)
    if wanted is None or optimizer is None or (
            getattr(optimizer, "_ipu_accumulation", None) == wanted):
        return
    steps, method = wanted
    if optimizer.built:
        raise RuntimeError("The optimizer was used before gradient accumulation was set; compile "
                           "the model again.")
    optimizer.gradient_accumulation_steps = steps
    if method is Reduction.SUM:
        scale = optimizer.scale_loss
        object.__setattr__(optimizer, "scale_loss", lambda loss: scale(loss) * steps)
    object.__setattr__(optimizer, "_ipu_accumulation", wanted)


def set_pipelining_options(self: Any, gradient_accumulation_steps_per_replica: Any = None,
                           **options: Any) -> None:
    """Stages work at the same time, each on an IPU of its own and on a batch of its own; weights
    are updated once for so many batches."""
    object.__setattr__(self, "_is_pipelined", True)
    method = options.get("gradient_accumulation_reduction_method", Reduction.SUM)
    set_gradient_accumulation_options(self, gradient_accumulation_steps_per_replica,
                                      options.get("experimental_normalize_gradients"), method)
