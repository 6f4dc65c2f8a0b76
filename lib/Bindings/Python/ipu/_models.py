# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of Keras on the device.

Keras's trainer for JAX has one pure function of state and data for each of fit, evaluate and
predict. Models of a strategy compile that function with `populus.jax`; the state is donated, so
weights stay on the device from step to step. With `steps_per_execution=N` a program scans over N
batches.
"""

import contextlib
import functools
import warnings
from typing import Any, Callable, Iterator, List

import jax
import numpy as np

from ipu import _devices, ipu_strategy
from ipu.config import system
from ipu.gradient_accumulation import GradientAccumulationReductionMethod as Reduction

_installed = False


def compiled(function: Callable, **options: Any) -> Any:
    """A function of JAX for the configured device."""
    import populus.jax

    device, more = _devices.target()
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
    _adopt_in(keras.Model, "__init__")
    _adopt_in(keras.Model, "compile")
    keras.Model.set_gradient_accumulation_options = set_gradient_accumulation_options
    keras.Model.set_pipelining_options = set_pipelining_options
    keras.Model.get_pipeline_stage_assignment = _no_assignment
    keras.Model.set_pipeline_stage_assignment = _no_assignment


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
        return result
    setattr(owner, name, method)


def _is_ours(model: Any) -> bool:
    if ipu_strategy.current() is not None:
        object.__setattr__(model, "_is_on_ipu", True)
    if not getattr(model, "_is_on_ipu", False):
        return False
    if model.run_eagerly:
        raise ValueError("run_eagerly=True: a model cannot run eagerly on an IPU; compile it "
                         "outside of the strategy's scope.")
    ipus = system().num_ipus
    if ipus > 1 and not getattr(model, "_is_pipelined", False):
        raise NotImplementedError(f"{ipus} IPUs are selected, and the model has no pipeline: "
                                  "replication is not there. Set auto_select_ipus = 1.")
    return True


# ---- Steps ------------------------------------------------------------------------


def _make_train_function(model: Any, force: bool) -> None:
    if model.train_function is None or force:
        _check_accumulation(model)
        model.train_function = _execution(model, model.train_step, _last)


def _make_test_function(model: Any, force: bool) -> None:
    if model.test_function is None or force:
        model.test_function = _execution(model, model.test_step, _last)


def _make_predict_function(model: Any, force: bool) -> None:
    def step(state: Any, data: Any) -> Any:
        outputs, more = model.predict_step(state, data)
        return outputs, (state[0], more)

    if model.predict_function is None or force:
        model.predict_function = _execution(model, step, _joined)


def _last(results: Any) -> Any:
    """Metrics after the last step."""
    return jax.tree.map(lambda rows: rows[-1], results)


def _joined(results: Any) -> Any:
    """The outputs of all steps as one batch."""
    return jax.tree.map(lambda rows: rows.reshape((-1,) + rows.shape[2:]), results)


def _execution(model: Any, step: Callable, merge: Callable) -> Callable:
    """A function of state and iterator that runs `steps_per_execution` steps in one program."""
    def steps(state: Any, batches: Any) -> Any:
        def body(carried: Any, batch: Any) -> Any:
            result, new = step(carried, batch)
            return _alike(new, carried), result
        state, results = jax.lax.scan(body, state, batches)
        return merge(results), state

    count = model.steps_per_execution
    run = compiled(step if count == 1 else steps, donate_argnums=0)
    size: List[int] = []

    def execute(state: Any, iterator: Iterator) -> Any:
        batches = _take(iterator, count)
        _check_batches(batches, count, size)
        data = batches[0] if count == 1 else jax.tree.map(lambda *b: np.stack(b), *batches)
        return run(state, data)
    return execute


def _alike(new: Any, old: Any) -> Any:
    """State of the types that it had, as a scan needs it."""
    return jax.tree.map(lambda a, b: jax.numpy.asarray(a, b.dtype), new, old)


def _take(iterator: Iterator, count: int) -> List[Any]:
    """The next batches, as arrays; at least one."""
    batches = [next(iterator)]
    while len(batches) < count:
        try:
            batches.append(next(iterator))
        except StopIteration:
            break
    return [jax.tree.map(np.asarray, batch) for batch in batches]


def _check_batches(batches: List[Any], count: int, size: List[int]) -> None:
    """Programs have fixed shapes: all batches are of one size, and there are enough."""
    sizes = [jax.tree.leaves(batch)[0].shape[0] for batch in batches]
    size[:] = size or sizes[:1]
    odd = [n for n in sizes if n != size[0]]
    if odd:
        del size[:]
        raise ValueError(f"A batch has {odd[0]} samples, and those before it {sizes[0]}. A "
                         "program on an IPU has fixed shapes: let the batch size divide the "
                         "number of samples, or drop the last batch (drop_remainder=True of "
                         "tf.data's batch, drop_last of a DataLoader, x[:n] of an array).")
    if len(batches) != count:
        raise ValueError(f"An epoch ends with {len(batches)} steps, and steps_per_execution is "
                         f"{count}: it has to divide the number of steps of an epoch.")


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
    """Stages run one after the other on one IPU: results are those of a pipeline, which is
    gradient accumulation."""
    _warn_about_stages()
    object.__setattr__(self, "_is_pipelined", True)
    method = options.get("gradient_accumulation_reduction_method", Reduction.SUM)
    set_gradient_accumulation_options(self, gradient_accumulation_steps_per_replica,
                                      options.get("experimental_normalize_gradients"), method)


@contextlib.contextmanager
def PipelineStage(stage: int) -> Iterator[None]:
    """Layers of a stage of a pipeline; see `set_pipelining_options`."""
    _warn_about_stages()
    yield


def _warn_about_stages() -> None:
    warnings.warn("Stages of a pipeline run on one IPU, one after the other; results are the "
                  "same.", stacklevel=3)


def _no_assignment(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("Assigning layers to stages of a pipeline is not there; stages "
                              "run on one IPU. Leave the call out.")
