# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that update variables: accumulators, and the parts of optimizers."""

from typing import Any, Dict, Optional, Union

import numpy as np

from popxl import dtypes
from popxl.ops._make import inplace, make, write
from popxl.tensor import Tensor

Number = Optional[Union[float, int, Tensor]]


def _given(**values: Any) -> Dict[str, Tensor]:
    """Those that are tensors."""
    return {name: value for name, value in values.items() if isinstance(value, Tensor)}


def _factor(b, like, value: Any):
    """A number or the value of a scalar tensor, of the type of `like`."""
    if isinstance(value, (int, float, np.number)):
        return b.scalar(float(value), like)
    return b.cast(value, dtypes.from_ir(like.type))


def _computed(t: Tensor) -> Any:
    """The type to compute with: that of `t`, or float32 where that is less exact. 1 - f of an f
    close to 1, the share of one of many steps and the square of a gradient are no halves."""
    return dtypes.float32 if t.dtype == dtypes.float16 else t.dtype


def _accumulate(op_type: str, name: str, t: Tensor, X: Tensor, f: Number, rule: Any) -> Tensor:
    inputs = {"t": t, "X": X, **_given(f=f)}
    kind = _computed(t)

    def build(b, old, x, *factor):
        result = rule(b, b.cast(old, kind), b.cast(x, kind), factor[0] if factor else f)
        return b.cast(result, t.dtype)

    return inplace(op_type, inputs, build, name)


def accumulate_(t: Tensor, X: Tensor, f: Number = None) -> Tensor:
    """t += f * X."""
    def rule(b, old, x, factor):
        return b.add(old, x if factor is None else b.mul(x, _factor(b, old, factor)))

    return _accumulate("Accumulate", "accumulate", t, X, f, rule)


def accumulate_square_(t: Tensor, X: Tensor, f: Number = 1.0) -> Tensor:
    """t += f * X * X."""
    def rule(b, old, x, factor):
        return b.add(old, b.mul(b.mul(x, x), _factor(b, old, factor)))

    return _accumulate("Accumulate", "accumulate_square", t, X, f, rule)


def accumulate_mean_(t: Tensor, X: Tensor, step: Number) -> Tensor:
    """t = step / (step + 1) * t + X / (step + 1)."""
    def rule(b, old, x, number):
        step = _factor(b, old, number)
        next_step = b.add(step, b.scalar(1, old))
        return b.add(b.mul(old, b.div(step, next_step)), b.div(x, next_step))

    return _accumulate("Accumulate", "accumulate_mean", t, X, step, rule)


def accumulate_moving_average_(t: Tensor, X: Tensor, f: Number) -> Tensor:
    """t = f * t + (1 - f) * X."""
    return _accumulate("Accumulate", "accumulate_moving_average", t, X, f, _moving)


def accumulate_moving_average_square_(t: Tensor, X: Tensor, f: Number) -> Tensor:
    """t = f * t + (1 - f) * X * X."""
    return _accumulate("Accumulate", "accumulate_moving_average_square", t, X, f,
                       lambda b, old, x, f: _moving(b, old, b.mul(x, x), f))


def _moving(b, old, x, number):
    f = _factor(b, old, number)
    is_known = isinstance(number, (int, float, np.number))
    rest = _factor(b, old, 1 - float(number)) if is_known else b.sub(b.scalar(1, old), f)
    return b.add(b.mul(old, f), b.mul(x, rest))


def accumulator_scale_(t: Tensor, f: Number) -> Tensor:
    """t *= f."""
    def build(b, old, *factor):
        if not factor and f == 0:
            return b.op("Expand", [b.scalar(0, old), b.ints(old.shape)])
        exact = b.cast(old, _computed(t))
        return b.cast(b.mul(exact, _factor(b, exact, factor[0] if factor else f)), t.dtype)

    return inplace("AccumulatorScale", {"t": t, **_given(f=f)}, build, "accumulator_scale")


def accumulator_zero_(t: Tensor) -> Tensor:
    """t = 0."""
    return accumulator_scale_(t, 0.0)


def sparse_accumulate_(t: Tensor, X: Tensor, indices: Tensor, axis: int = 0, f: Number = None,
                       W: Optional[Tensor] = None) -> Tensor:
    """Adds slices of X to those of t that indices name. `W` is a tensor that t is laid out
    like."""
    inputs = {"t": t, "X": X, "indices": indices, **_given(f=f)}

    def build(b, old, x, places, *factor):
        x = b.cast(x, _computed(t))
        number = factor[0] if factor else f
        if number is not None:
            x = b.mul(x, _factor(b, x, number))
        x = b.cast(x, t.dtype)
        count = int(np.prod(places.shape, dtype=np.int64))
        flat = b.reshape(b.cast(places, dtypes.int32), (count,))
        return b.gc("ScatterReduce", [x, flat, old], axis=int(axis),
                    axis_size=int(old.shape[axis]), reduction="Sum")

    return inplace("PopartSparseAccumulate", inputs, build, "sparse_accumulate")


def copy_var_update_(t: Tensor, X: Tensor) -> Tensor:
    """t = X."""
    return inplace("CopyVarUpdate", {"t": t, "X": X}, lambda b, old, x: b.op("Identity", [x]),
                   "copy_var_update")


# ---- Optimizers -------------------------------------------------------------


def _check_updater(name: str, weight, time_step, weight_decay, beta1, beta2) -> None:
    decays = isinstance(weight_decay, Tensor) or (weight_decay not in (None, 0, 0.0))
    if decays and weight is None:
        raise ValueError("Weight decay requires weight to not be None.")
    if name == "adamax":
        if time_step is None:
            raise ValueError("AdaMax requires time_step to not be None.")
        if beta1 is None:
            raise ValueError("Bias correction requires beta1 to not be None.")
    elif time_step is not None and (beta1 is None or beta2 is None):
        raise ValueError("Bias correction requires both beta1 and beta2 to not be None.")


def _updater(name: str, acc_first_order: Tensor, acc_second_order: Tensor,
             weight: Optional[Tensor], time_step: Optional[Tensor], weight_decay: Number,
             beta1: Number, beta2: Number, epsilon: Number) -> Tensor:
    _check_updater(name, weight, time_step, weight_decay, beta1, beta2)
    inputs = {"acc_first_order": acc_first_order, "acc_second_order": acc_second_order,
              **_given(weight=weight, time_step=time_step, weight_decay=weight_decay, beta1=beta1,
                       beta2=beta2, epsilon=epsilon)}
    written: dict = {}

    def build(b, *values):
        given: Dict[str, Any] = {"weight_decay": weight_decay, "beta1": beta1, "beta2": beta2,
                                 "epsilon": epsilon, **dict(zip(inputs, values))}
        m = b.cast(given["acc_first_order"], dtypes.float32)
        v = b.cast(given["acc_second_order"], dtypes.float32)
        if time_step is not None:
            old = given["time_step"]
            now = b.add(old, b.scalar(1, old))
            written["time_step"] = now
            m = b.div(m, _bias(b, m, given["beta1"], now))
            if name != "adamax":
                v = b.div(v, _bias(b, v, given["beta2"], now))
        size = v if name == "adamax" else b.op("Sqrt", [v])
        step = b.div(m, b.add(size, _factor(b, m, given["epsilon"])))
        if weight is not None and (isinstance(weight_decay, Tensor) or weight_decay):
            w = b.cast(given["weight"], dtypes.float32)
            step = b.add(step, b.mul(w, _factor(b, w, given["weight_decay"])))
        return step

    result = make("AdamUpdater", inputs, build, f"{name}_updater")
    if time_step is not None:
        write(time_step, written["time_step"], "AdamUpdater")
        result._producer.modifies.add(list(inputs).index("time_step"))
    return result


def _bias(b, like, beta: Any, step):
    """1 - beta to the power of the step."""
    power = b.op("Pow", [_factor(b, like, beta), b.cast(step, dtypes.float32)])
    return b.sub(b.scalar(1, like), power)


def adam_updater(acc_first_order: Tensor, acc_second_order: Tensor,
                 weight: Optional[Tensor] = None, time_step: Optional[Tensor] = None,
                 weight_decay: Number = None, beta1: Number = None, beta2: Number = None,
                 epsilon: Number = 1e-07) -> Tensor:
    """The step of Adam: m / (sqrt(v) + epsilon) + weight_decay * weight. With a `time_step`,
    which goes up by one, m and v are corrected for their beginning at 0."""
    return _updater("adam", acc_first_order, acc_second_order, weight, time_step, weight_decay,
                    beta1, beta2, epsilon)


def lamb_updater(acc_first_order: Tensor, acc_second_order: Tensor,
                 weight: Optional[Tensor] = None, time_step: Optional[Tensor] = None,
                 weight_decay: Number = None, beta1: Number = None, beta2: Number = None,
                 epsilon: Number = 1e-07) -> Tensor:
    """The step of LAMB, which is that of Adam; `adam_var_update` scales it."""
    return _updater("lamb", acc_first_order, acc_second_order, weight, time_step, weight_decay,
                    beta1, beta2, epsilon)


def adamax_updater(acc_first_order: Tensor, acc_second_order: Tensor,
                   weight: Optional[Tensor] = None, time_step: Optional[Tensor] = None,
                   weight_decay: Number = None, beta1: Number = None,
                   epsilon: Number = 1e-07) -> Tensor:
    """The step of AdaMax: m / (v + epsilon), with m corrected for its beginning at 0."""
    return _updater("adamax", acc_first_order, acc_second_order, weight, time_step, weight_decay,
                    beta1, None, epsilon)


def adam_var_update(t: Tensor, x: Tensor, r1: Tensor, r2: Tensor, learning_rate: Number = None,
                    max_weight_norm: Number = None) -> Tensor:
    """t -= learning_rate * ratio * x. The ratio is that of the norms of which r1 and r2 are the
    squares, the first one held to `max_weight_norm`; 1 where either is 0."""
    if learning_rate is None:
        learning_rate = 1.0
    inputs = {"t": t, "x": x, "r1": r1, "r2": r2,
              **_given(learning_rate=learning_rate, max_weight_norm=max_weight_norm)}

    def build(b, *values):
        given: Dict[str, Any] = {"learning_rate": learning_rate,
                                 "max_weight_norm": max_weight_norm, **dict(zip(inputs, values))}
        old = given["t"]
        step = b.cast(given["x"], dtypes.float32)
        own, other = (b.op("Sqrt", [b.cast(given[name], dtypes.float32)]) for name in ("r1", "r2"))
        zero, one = b.scalar(0, own), b.scalar(1, own)
        held = own if given["max_weight_norm"] is None else b.op(
            "Min", [own, _factor(b, own, given["max_weight_norm"])])
        isNone = b.op("Equal", [b.mul(held, other), zero])
        safe = b.op("Where", [isNone, one, other])
        ratio = b.op("Where", [isNone, one, b.div(held, safe)])
        rate = b.mul(_factor(b, own, given["learning_rate"]), b.reshape(ratio, ()))
        moved = b.sub(b.cast(old, dtypes.float32), b.mul(step, rate))
        return b.cast(moved, t.dtype)

    return inplace("AdamVarUpdate", inputs, build, "adam_var_update")
