# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More cases for the primitives of JAX, beside those of jax_cases: rare primitives, modes, empty
arrays, numbers at the ends of their ranges, and all distributions of jax.random."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax_cases import BIG, INTS, KEY, SPECIAL, bools, case, ints, normal, positive

# ---- special functions ------------------------------------------------------------------

A, X = (np.float32(v).ravel() for v in np.meshgrid(
    [0.1, 0.5, 1, 2.5, 7, 30], [0.01, 0.4, 1, 3, 12, 45]))
for f in (lax.igamma, lax.igammac):
    case("rare", f.__name__, f, A, X, rtol=2e-5, atol=2e-6)
    case("rare", f"{f.__name__}_edges", f, np.float32([0, 0, 1, -1, 1, np.nan, np.inf, 2]),
         np.float32([0, 1, 0, 1, -1, 1, 1, np.inf]), gradient=False)
case("rare", "betainc", lax.betainc, A, X[::-1].copy(), np.float32(np.linspace(0, 1, 36)),
     gradient=False, rtol=5e-5, atol=5e-6)
case("rare", "betainc_grad", lambda x: lax.betainc(jnp.float32(2.5), jnp.float32(1.5), x),
     np.float32(np.linspace(0.05, 0.95, 9)), rtol=2e-5, atol=2e-6)
for f in (jax.scipy.special.i0e, jax.scipy.special.i1e):
    case("rare", f.__name__, f, np.float32([-30, -8, -3, -0.5, 0, 0.2, 1, 4, 7.9, 8.1, 50]),
         rtol=1e-5, atol=2e-6)
case("rare", "zeta", lax.zeta, np.float32([1.1, 1.5, 2, 3, 7, 20]),
     np.float32([0.3, 1, 2.5, 9, 40, 1]), gradient=False, rtol=1e-5)
for n in range(4):
    case("rare", f"polygamma_{n}", functools.partial(jax.scipy.special.polygamma, n),
         np.float32([0.3, 0.9, 1.5, 3, 8, 20]), rtol=3e-5, atol=1e-5)
case("rare", "digamma_grad", lax.digamma, np.float32([0.2, 0.7, 1, 2.5, 9, 30]), rtol=2e-5,
     atol=1e-5)
case("rare", "erf_inv_edges", lax.erf_inv, np.float32([-1, -0.99999, 0, 0.999, 1, np.nan]),
     gradient=False, rtol=1e-4)
case("rare", "lgamma_edges", lax.lgamma, np.float32([0, -1, -2, 1, 2, np.inf, np.nan, 1e-20]),
     gradient=False, rtol=1e-5, atol=1e-6)

# ---- primitives that few functions use -----------------------------------------------------

case("rare", "total_order", lambda x, y: [
    p.bind(x, y) for p in (lax.eq_to_p, lax.lt_to_p, lax.le_to_p)], SPECIAL[:10],
     SPECIAL[9::-1].copy(), gradient=False)
case("rare", "mulhi", lambda a, b: lax.mulhi(a, b), INTS, INTS[::-1].copy())
case("rare", "mulhi_words", lambda a, b: lax.mulhi(a, b), BIG, BIG[::-1].copy())
case("rare", "barrier", lambda x, y: lax.optimization_barrier((x * 2, y))[0] * y, normal(3),
     normal(3))
case("rare", "reduce_two", lambda x, i: lax.reduce(
    (x, i), (np.float32(-np.inf), np.int32(-1)),
    lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (1,)),
     normal(3, 5), ints(3, 5))
case("rare", "reduce_own", lambda x: lax.reduce(
    x, np.float32(1), lambda a, b: a * 0.5 + b * 0.5, ()), normal(3))
for f in (lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor):
    start = -1 if f is lax.bitwise_and else 0
    case("rare", f"reduce_{f.__name__}", lambda x, f=f, s=start: lax.reduce(
        x, np.int32(s), f, (0,)),
         ints(7, 3, low=-2**31, high=2**31, dtype=np.int64).astype(np.int32))
case("rare", "window_two", lambda x, i: lax.reduce_window(
    (x, i), (np.float32(-np.inf), np.int32(-1)),
    lambda a, b: (jnp.maximum(a[0], b[0]), jnp.where(a[0] >= b[0], a[1], b[1])), (2, 2), (1, 2),
    "SAME"), normal(4, 5), ints(4, 5))
case("rare", "window_bools", lambda x: lax.reduce_window(x, False, lax.bitwise_or, (3,), (1,),
                                                         "SAME"), bools(9))
case("rare", "top_k_none", lambda x: lax.top_k(x, 0), normal(2, 4), gradient=False)
case("rare", "top_k_grad", lambda x: lax.top_k(x, 3)[0], normal(2, 7))
case("rare", "approx", lambda x: (lax.approx_max_k(x, 3), lax.approx_min_k(x, 2)), normal(4, 9),
     gradient=False)
case("rare", "precision", lambda x: [lax.reduce_precision(x, e, m) for e, m in (
    (8, 23), (8, 10), (5, 10), (8, 7), (4, 3), (5, 2), (2, 1), (8, 0))],
     np.concatenate([SPECIAL, normal(30) * 100, normal(20) * 1e-5]), gradient=False)
case("rare", "exponents", lambda x: jnp.frexp(x), np.concatenate([SPECIAL[:7], normal(9) * 1e4]),
     gradient=False)
case("rare", "ldexp", lambda x, e: jnp.ldexp(x, e), normal(9), ints(9, low=-20, high=20))
case("rare", "next", jnp.nextafter, np.float32([0, -0.0, 1, -1, 1e-45, 3.4028235e38, np.inf]),
     np.float32([1, -1, np.inf, -np.inf, 0, np.inf, 0]), gradient=False)
case("rare", "ragged", lambda x, w, n: lax.ragged_dot(x, w, n), normal(7, 3), normal(4, 3, 5),
     np.int32([2, 0, 4, 1]), rtol=1e-5, atol=1e-6)
case("rare", "ragged_grad", lambda x, w, n: jax.grad(lambda x, w: (lax.ragged_dot(x, w, n) ** 2
     ).sum(), (0, 1))(x, w), normal(7, 3), normal(4, 3, 5), np.int32([2, 0, 4, 1]), rtol=1e-4,
     atol=1e-5)
case("rare", "linear_solve", lambda b: lax.custom_linear_solve(
    lambda v: 2 * v, b, lambda _, v: v / 2, symmetric=True), normal(4))
case("rare", "keys_by_index", lambda k, i: jax.vmap(lambda key: jax.random.uniform(key, (2,)))(
    jax.random.split(jax.random.wrap_key_data(k), 5)[i]), KEY, np.int32([3, 0, 4]))
case("rare", "generator", lambda k: jax.random.bits(jax.random.clone(jax.random.wrap_key_data(k)),
                                                    (3,)), KEY)
case("rare", "platform", lambda x: lax.platform_dependent(
    x, cpu=lambda v: v * 2, default=lambda v: v * 3), normal(3))
case("rare", "checkpoint_name", lambda x: checkpoint_name(jnp.sin(x), "s"),
     normal(3), rtol=1e-5)
case("rare", "policy", jax.checkpoint(
    lambda x: jnp.cos(checkpoint_name(jnp.sin(x), "s")),
    policy=jax.checkpoint_policies.save_only_these_names("s")), normal(3), rtol=1e-5)


@jax.custom_batching.custom_vmap
def doubled(x):
    return x * 2


doubled.def_vmap(lambda size, batched, x: (x * 3, batched[0]))
case("rare", "custom_vmap", lambda x: (doubled(x), jax.vmap(doubled)(x)), normal(3),
     gradient=False)


@jax.custom_jvp
def logistic(x):
    return 1 / (1 + jnp.exp(-x))


logistic.defjvp(lambda x, t: (logistic(x[0]), logistic(x[0]) * (1 - logistic(x[0])) * t[0]))
case("rare", "custom_jvp", logistic, normal(5), rtol=1e-5)
case("rare", "linearised", lambda x, v: jax.linearize(jnp.sin, x)[1](v), normal(3), normal(3),
     rtol=1e-5)
case("rare", "hessian", jax.hessian(lambda x: (jnp.tanh(x) ** 3).sum()), normal(3), rtol=1e-4,
     atol=1e-5)
case("rare", "jacobians", lambda x: (jax.jacfwd(jnp.cumprod)(x), jax.jacrev(jnp.cumprod)(x)),
     positive(4), rtol=1e-4, atol=1e-5)

# ---- modes of gathers and scatters --------------------------------------------------------

PLACES = np.int32([0, 5, 6, -1, -7, 2, 2**31 - 1, -2**31])
for mode in ("clip", "fill", "promise_in_bounds"):
    inside = np.int32([0, 5, 3, 2]) if mode == "promise_in_bounds" else PLACES
    case("modes", f"take_{mode}", lambda x, i, m=mode: x.at[i].get(mode=m), normal(6, 3), inside)
    case("modes", f"take_grad_{mode}", lambda x, i, m=mode: jax.grad(lambda v: jnp.nansum(
        v.at[i].get(mode=m) ** 2))(x), normal(6, 3), inside)
    for method in ("set", "add", "mul", "min", "max", "subtract", "divide", "power"):
        apart = inside[:6] if mode != "clip" else np.int32([0, 7, 3])
        case("modes", f"{method}_{mode}", lambda x, u, i, n=method, m=mode: getattr(
            x.at[i], n)(u, mode=m), positive(6, 2), positive(len(apart), 2), apart, rtol=1e-5)
        if method in ("set", "add", "mul", "subtract"):
            case("modes", f"{method}_grad_{mode}", lambda x, u, i, n=method, m=mode: jax.grad(
                lambda a, b: (getattr(a.at[i], n)(b, mode=m, unique_indices=True) ** 2).sum(),
                (0, 1))(x, u), positive(6, 2), positive(3, 2), apart[:3], rtol=1e-5)
case("modes", "fill_value", lambda x, i: x.at[i].get(mode="fill", fill_value=7.5), normal(6),
     PLACES)
case("modes", "fill_ints", lambda x, i: x.at[i].get(mode="fill"), ints(6), PLACES)
case("modes", "fill_words", lambda x, i: x.at[i].get(mode="fill"), BIG, np.uint32([0, 99, 2**31]))
case("modes", "fill_bools", lambda x, i: x.at[i].get(mode="fill"), bools(6), PLACES)
case("modes", "apply", lambda x, i: x.at[i].apply(jnp.sin), normal(6, 2), np.int32([1, 1, 4]),
     rtol=1e-5)
for dtype in (np.int8, np.uint8, np.uint32, np.int16):
    case("modes", f"index_{np.dtype(dtype).name}", lambda x, i: x[i], normal(120, 2),
         np.array([0, 119, 100, 3], dtype))
WINDOWS = np.int32([[0, 0], [3, 4], [4, 2], [-1, 1]])
for mode in (lax.GatherScatterMode.CLIP, lax.GatherScatterMode.FILL_OR_DROP):
    case("modes", f"windows_{mode.name}", lambda x, i, m=mode: lax.gather(
        x, i, lax.GatherDimensionNumbers((1, 2), (), (0, 1)), (2, 3), mode=m), normal(5, 6),
         WINDOWS)
    case("modes", f"put_windows_{mode.name}", lambda x, i, u, m=mode: lax.scatter_add(
        x, i, u, lax.ScatterDimensionNumbers((1, 2), (), (0, 1)), mode=m), normal(5, 6), WINDOWS,
        normal(4, 2, 3), rtol=1e-5)
for start in (-3, 0, 2, 4, 100):
    case("modes", f"slice_at_{start}", lambda x, i: (
        lax.dynamic_slice(x, (i,), (3,)), lax.dynamic_update_slice(x, x[:3] * 2, (i,)),
        lax.dynamic_index_in_dim(x, i), x[i]), normal(5), np.int32(start), gradient=False)

# ---- products and convolutions ----------------------------------------------------------------

for dtype, wide in ((np.int8, np.int32), (np.uint8, np.uint32), (np.int16, np.int32),
                    (np.float16, np.float32)):
    a = ints(3, 9, low=0, high=120).astype(dtype)
    case("forms", f"dot_{np.dtype(dtype).name}", lambda a, b, w=wide: (lax.dot_general(
        a, b, (((1,), (0,)), ((), ())), preferred_element_type=w),), a, a.T.copy())
case("forms", "dot_overflow", lambda a, b: lax.dot(a, b), INTS.reshape(3, 3), INTS.reshape(3, 3))
case("forms", "dot_bfloat16", lambda a, b: lax.dot(
    a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), preferred_element_type=np.float32),
     normal(3, 8), normal(8, 2), rtol=1e-5, atol=1e-6)
for name, x, w, options in (
        ("batch_and_spread", (4, 5, 4, 2), (3, 2, 2, 4), dict(
            window_strides=(1, 1), padding=((2, 1), (0, 1)), lhs_dilation=(2, 1),
            batch_group_count=2)),
        ("groups_and_spread", (2, 5, 4, 4), (3, 2, 2, 6), dict(
            window_strides=(2, 1), padding=((1, 1), (2, 0)), lhs_dilation=(3, 2),
            rhs_dilation=(1, 2), feature_group_count=2)),
        ("negative_and_spread", (1, 6, 6, 2), (2, 2, 2, 3), dict(
            window_strides=(1, 2), padding=((-2, 1), (0, -1)), lhs_dilation=(2, 2))),
        ("beyond", (1, 2, 2, 2), (3, 3, 2, 2), dict(
            window_strides=(1, 1), padding=((0, 0), (1, 1)))),
        ("reversed", (1, 6, 6, 2), (3, 3, 2, 3), dict(
            window_strides=(3, 3), padding=((5, 5), (4, 0))))):
    case("forms", f"conv_{name}", lambda x, w, o=options: lax.conv_general_dilated(
        x, w, dimension_numbers=("NHWC", "HWIO", "NHWC"), **o), normal(*x), normal(*w),
         rtol=1e-4, atol=1e-4)
case("forms", "conv_wide", lambda x, w: lax.conv_general_dilated(
    x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"),
    preferred_element_type=np.float32), normal(1, 6, 2).astype(np.float16),
     normal(3, 2, 3).astype(np.float16), rtol=1e-3, atol=1e-3)

# ---- empty arrays ------------------------------------------------------------------------

NONE = np.zeros((0, 3), np.float32)
for name, f in (
        ("sums", lambda x: (x.sum(0), x.sum(1), x.prod(0), jnp.all(x > 0, 0), jnp.any(x > 0, 0))),
        ("extremes", lambda x: (x.max(1), jnp.max(x, 0, initial=-1.0), jnp.argmax(x, 1))),
        ("running", lambda x: (jnp.cumsum(x, 0), jnp.cumsum(x, 1), jnp.cumprod(x, 1),
                               lax.cummax(x, 0), lax.cumlogsumexp(x, 1))),
        ("sorted", lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1), lax.top_k(x, 2))),
        ("products", lambda x: (x @ jnp.ones((3, 2)), x.T @ x, jnp.einsum("ij,kj->ik", x, x))),
        ("shapes", lambda x: (jnp.pad(x, 1), x[:, ::-1], jnp.concatenate([x, jnp.ones((2, 3))]),
                              jnp.tile(x, (2, 2)), jnp.roll(x, 1, 0), jnp.transpose(x),
                              x.reshape(3, 0), jnp.repeat(x, 2, 1), jnp.stack([x, x]))),
        ("indices", lambda x: (x[:, jnp.array([0, 2])], jnp.ones((4, 3))[jnp.zeros((0,), int)],
                               jnp.ones((4, 3)).at[jnp.zeros((0,), int)].set(x),
                               jnp.take_along_axis(x, jnp.zeros((0, 1), int), 1))),
        ("windows", lambda x: (lax.reduce_window(x, 0.0, lax.add, (1, 2), (1, 1), "VALID"),
                               lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), "SAME"))),
        ("loops", lambda x: (lax.scan(lambda c, r: (c + r.sum(), r * 2), 0.0, x),
                             lax.map(jnp.sin, x), jax.vmap(jnp.sin)(x),
                             lax.fori_loop(0, 0, lambda i, v: v + 1, x))),
        ("choices", lambda x: (jnp.where(x > 0, x, -x), jnp.clip(x, 0, 1),
                               lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x))),
        ("softmax", lambda x: (jax.nn.softmax(x), jax.nn.logsumexp(x, 1), jax.nn.one_hot(
            jnp.zeros((0,), int), 4))),
        ("norms", lambda x: (jnp.linalg.norm(x, axis=1), (x - x.mean(1, keepdims=True)))),
        ("converted", lambda x: (x.astype(np.int32), x.astype(bool), lax.bitcast_convert_type(
            x, np.int32))),
        ("convolved", lambda x: lax.conv_general_dilated(
            x[:, None], jnp.ones((2, 1, 2)), (1,), "VALID")),
        ("segments", lambda x: jax.ops.segment_sum(x, jnp.zeros((0,), int), 3))):
    case("empties", name, f, NONE, gradient=False)
case("empties", "gradients", lambda x: (jnp.sin(x) @ jnp.ones((3, 2))).sum() + jnp.cumsum(x).sum(),
     NONE)
case("empties", "random", lambda k: (jax.random.normal(k, (0, 3)), jax.random.randint(
    k, (0,), 0, 5), jax.random.permutation(k, 0)), KEY)

# ---- ends of ranges -----------------------------------------------------------------------

NANS = np.float32([[1, np.nan, -2], [np.inf, -np.inf, 0], [-0.0, 0.0, -0.0], [1e38, 1e38, -1e38]])
for name, f in (
        ("sums", lambda x: (x.sum(1), x.prod(1), x.mean(1), jnp.cumsum(x, 1), jnp.cumprod(x, 1))),
        ("extremes", lambda x: (x.max(1), x.min(1), jnp.argmax(x, 1), jnp.argmin(x, 1),
                                lax.cummax(x, 1), lax.cummin(x, 1))),
        ("nans", lambda x: (jnp.nansum(x, 1), jnp.nanmax(x, 1), jnp.nanargmax(x, 1))),
        ("sorted", lambda x: (jnp.sort(x, 1), jnp.argsort(x, 1), lax.top_k(x, 2))),
        ("windows", lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 1), "VALID"),
                               lax.reduce_window(x, jnp.inf, lax.min, (1, 2), (1, 1), "VALID"))),
        ("softmax", lambda x: (jax.nn.softmax(x, 1), jax.nn.logsumexp(x, 1),
                               lax.cumlogsumexp(x, 1))),
        ("choices", lambda x: (jnp.where(x > 0, x, 0.0), jnp.clip(x, -1, 1), jnp.nan_to_num(x),
                               jax.nn.relu(x), jnp.isnan(x), jnp.isinf(x), jnp.signbit(x))),
        ("infinite_rows", lambda x: (jax.nn.softmax(jnp.full((2, 3), -jnp.inf) + 0 * x[2:3], 1),
                                     jnp.logaddexp(x, -jnp.inf))),
        ("matrix", lambda x: x @ x.T),
        ("powers", lambda x: (x ** 2, x ** -1, x ** 0.5, jnp.hypot(x, x), jnp.exp2(x),
                              jnp.copysign(2.0, x), jnp.fmod(x, 2.0), jnp.remainder(x, -2.0)))):
    case("ends", name, f, NANS, gradient=False, rtol=1e-5)
case("ends", "gradients", jax.grad(lambda x: (jax.nn.relu(x) + jnp.abs(x) + jnp.maximum(x, 0.0)
                                              + jnp.clip(x, -1.0, 1.0) + jnp.sign(x)).sum()),
     np.float32([0, -0.0, 1, -1, 2]), gradient=False)
for dtype in (np.int32, np.uint32, np.int8, np.uint8, np.int16, np.uint16):
    info = np.iinfo(dtype)
    edge = np.array([info.min, info.max, 0, 1, info.max // 2, info.min + 1, 3, 100], dtype)
    a, b = (v.ravel().copy() for v in np.meshgrid(edge, edge))
    case("ends", f"pairs_{np.dtype(dtype).name}", lambda a, b: (
        a + b, a - b, a * b, lax.div(a, b), lax.rem(a, b), lax.max(a, b), a < b, a & b, a | b,
        a ^ b, lax.shift_left(a, b), lax.shift_right_logical(a, b),
        lax.shift_right_arithmetic(a, b)), a, b)
    case("ends", f"ints_{np.dtype(dtype).name}", lambda a: (
        -a, jnp.abs(a), jnp.sign(a), ~a, lax.clz(a), lax.population_count(a), a.sum(), a.prod(),
        jnp.cumsum(a), a.max(), jnp.argmax(a), jnp.sort(a), a.astype(np.float32),
        lax.integer_pow(a, 3), a // dtype(3), a % dtype(3)), edge)
case("ends", "float_to_ints", lambda x: [x.astype(t) for t in (
    np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, bool)],
     np.float32([-129, -128.9, 127.9, 128, 255.5, 256, 65535.9, 1e10, -1e10, -0.5, 0.5, np.nan]),
     gradient=False)

# ---- distributions ------------------------------------------------------------------------

R = jax.random
for name, f in (
        ("ball", lambda k: R.ball(k, 3, shape=(4,))), ("beta", lambda k: R.beta(k, 2.0, 3.0, (9,))),
        ("binomial", lambda k: R.binomial(k, 10, 0.3, (9,))),
        ("cauchy", lambda k: R.cauchy(k, (9,))),
        ("chisquare", lambda k: R.chisquare(k, 4.0, shape=(9,))),
        ("choice", lambda k: R.choice(k, 9, (5,), replace=False)),
        ("choice_weights", lambda k: R.choice(k, 4, (9,), p=jnp.array([0.1, 0.2, 0.3, 0.4]))),
        ("dirichlet", lambda k: R.dirichlet(k, jnp.array([1.0, 2.0, 3.0]), (3,))),
        ("maxwells", lambda k: R.double_sided_maxwell(k, 0.5, 2.0, (9,))),
        ("exponential", lambda k: R.exponential(k, (9,))), ("f", lambda k: R.f(k, 3.0, 4.0, (9,))),
        ("gamma", lambda k: R.gamma(k, 2.5, (9,))),
        ("gamma_small", lambda k: R.gamma(k, jnp.array([0.1, 0.5, 1.0, 9.0]))),
        ("generalized", lambda k: R.generalized_normal(k, 1.5, (9,))),
        ("geometric", lambda k: R.geometric(k, 0.3, (9,))), ("gumbel", lambda k: R.gumbel(k, (9,))),
        ("laplace", lambda k: R.laplace(k, (9,))), ("loggamma", lambda k: R.loggamma(k, 0.5, (9,))),
        ("logistic", lambda k: R.logistic(k, (9,))),
        ("lognormal", lambda k: R.lognormal(k, 0.5, (9,))),
        ("maxwell", lambda k: R.maxwell(k, (9,))),
        ("multinomial", lambda k: R.multinomial(k, 12.0, jnp.array([0.2, 0.3, 0.5]))),
        ("multivariate", lambda k: R.multivariate_normal(
            k, jnp.zeros(2), jnp.array([[2.0, 0.5], [0.5, 1.0]]), (4,))),
        ("orthogonal", lambda k: abs(R.orthogonal(k, 3))),
        ("pareto", lambda k: R.pareto(k, 2.0, (9,))),
        ("poisson", lambda k: R.poisson(k, 3.0, (9,))),
        ("poisson_large", lambda k: R.poisson(k, 50.0, (9,))),
        ("rademacher", lambda k: R.rademacher(k, (9,))),
        ("rayleigh", lambda k: R.rayleigh(k, 1.5, (9,))), ("t", lambda k: R.t(k, 3.0, (9,))),
        ("triangular", lambda k: R.triangular(k, 0.0, 0.3, 1.0, (9,))),
        ("wald", lambda k: R.wald(k, 1.5, (9,))),
        ("weibull", lambda k: R.weibull_min(k, 1.5, 2.0, (9,))),
        ("half", lambda k: R.normal(k, (9,), np.float16)),
        ("bfloat16", lambda k: R.uniform(k, (9,), jnp.bfloat16))):
    case("distributions", name, f, KEY, rtol=2e-4, atol=2e-5)
case("distributions", "gamma_grad", lambda a: R.gamma(R.wrap_key_data(jnp.array(KEY)), a, (4,)),
     positive(4), rtol=1e-3, atol=1e-4)
