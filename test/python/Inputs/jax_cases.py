# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases for the primitives of JAX: functions with arguments, by family. Each is compiled and
compared with jax.jit on the CPU; those of float arguments with their gradients, too."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

RNG = np.random.default_rng(1)
CASES = {}


def case(family, name, function, *args, gradient=None, rtol=2e-6, atol=1e-6):
    """Adds a case. A gradient is compared if all arguments are floats."""
    floats = all(np.asarray(a).dtype == np.float32 for a in args) and bool(args)
    CASES.setdefault(family, []).append(
        (name, function, args, floats if gradient is None else gradient, rtol, atol))


def weighted(function, args):
    """The gradient of a weighted sum of the results."""
    def loss(*values):
        leaves = jax.tree.leaves(function(*values))
        return sum((leaf * jnp.cos(jnp.arange(leaf.size, dtype=np.float32)).reshape(leaf.shape)
                    ).sum() for leaf in leaves)
    return jax.grad(loss, argnums=tuple(range(len(args))))


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def positive(*shape):
    return RNG.uniform(0.1, 3, size=shape).astype(np.float32)


def unit(*shape):
    return RNG.uniform(-0.95, 0.95, size=shape).astype(np.float32)


def ints(*shape, low=-9, high=9, dtype=np.int32):
    return RNG.integers(low, high, size=shape).astype(dtype)


def bools(*shape):
    return RNG.integers(0, 2, size=shape).astype(bool)


SPECIAL = np.float32([0.0, -0.0, 1, -1, 2.5, -2.5, 1e-30, 3e38, np.inf, -np.inf, np.nan, 0.5])


# ---- arithmetic -------------------------------------------------------------------

for f in (lax.add, lax.sub, lax.mul, lax.div, lax.max, lax.min, lax.atan2):
    case("arithmetic", f.__name__, f, normal(3, 4), normal(3, 4) + 3)
for f in (lax.neg, lax.abs, lax.floor, lax.ceil, lax.exp, lax.exp2, lax.expm1, lax.logistic,
          lax.tanh, lax.sin, lax.cos, lax.tan, lax.sinh, lax.cosh, lax.asinh, lax.atan,
          lax.sign, lax.square, lax.cbrt, lax.erf):
    case("arithmetic", f.__name__, f, normal(3, 5), rtol=1e-5)
for f in (lax.log, lax.log1p, lax.sqrt, lax.rsqrt):
    case("arithmetic", f.__name__, f, positive(3, 5), rtol=1e-5)
for f in (lax.asin, lax.acos, lax.atanh):
    case("arithmetic", f.__name__, f, unit(3, 5), rtol=1e-5)
case("arithmetic", "acosh", lax.acosh, positive(7) + 1, rtol=1e-5)
case("arithmetic", "pow", lax.pow, positive(3, 4), normal(3, 4), rtol=1e-5)
case("arithmetic", "pow_int", lambda x, y: x ** y, normal(7), ints(7, low=-3, high=4), rtol=1e-5)
case("arithmetic", "power_of_ints", lambda x: x ** 5, ints(9))
for y in (-3, -1, 0, 1, 2, 3, 4, 7):
    case("arithmetic", f"integer_pow_{y}", functools.partial(lax.integer_pow, y=y), normal(9),
         rtol=1e-5)
case("arithmetic", "rem", lax.rem, normal(20) * 5, normal(20))
case("arithmetic", "fmod", jnp.mod, normal(20) * 5, normal(20), atol=1e-5)
case("arithmetic", "floor_divide", jnp.floor_divide, normal(20) * 5, normal(20), gradient=False)
for dtype in (np.int32, np.uint32, np.int8, np.uint8, np.int16, np.uint16):
    low = 0 if np.dtype(dtype).kind == "u" else -90
    a, b = ints(40, low=low, high=100, dtype=dtype), ints(40, low=low, high=100, dtype=dtype)
    b[:3] = 0
    for f in (lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min):
        case("integers", f"{f.__name__}_{np.dtype(dtype).name}", f, a, b)
    for f in (lax.neg, lax.sign, lax.square) + (() if low == 0 else (lax.abs,)):
        case("integers", f"{f.__name__}_{np.dtype(dtype).name}", f, a)
    case("integers", f"floordiv_{np.dtype(dtype).name}", lambda a, b: (a // b, a % b), a,
         np.where(b == 0, 3, b).astype(dtype))
BIG = np.uint32([0, 1, 2, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 12345678, 3000000000])
for f in (lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min, lax.lt, lax.ge):
    case("integers", f"{f.__name__}_big", f, BIG, BIG[::-1].copy())
INTS = np.int32([0, 1, -1, 2**31 - 1, -2**31, -2**31 + 1, 7, -7, 100])
for f in (lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min, lax.lt, lax.ge):
    case("integers", f"{f.__name__}_edge", f, INTS, INTS[::-1].copy())
for f in (lax.neg, lax.abs, lax.sign, lax.floor, lax.ceil, lax.sqrt, lax.exp, lax.tanh,
          lax.logistic, lax.is_finite, lax.square, lax.rsqrt, lax.cbrt, lax.log, lax.log1p,
          lax.expm1, lax.sin, lax.erf, lax.erfc, lax.round):
    case("specials", f.__name__, f, SPECIAL if f is not lax.sin else SPECIAL[:6],
         gradient=False, rtol=1e-5)
for f in (lax.add, lax.mul, lax.div, lax.max, lax.min, lax.pow, lax.eq, lax.lt, lax.ne, lax.ge,
          lax.atan2, lax.nextafter):
    pairs = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
    case("specials", f"{f.__name__}_pairs", f, pairs[0], pairs[1], gradient=False, rtol=1e-5)
case("specials", "round_even", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
     np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6]), gradient=False)
case("specials", "round_away", lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
     np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6]), gradient=False)
case("specials", "reduce_max_nan", lambda x: (x.max(), x.min(), jnp.argmax(x), jnp.argmin(x)),
     SPECIAL, gradient=False)
case("specials", "clamp", lambda x: lax.clamp(-1.0, x, 1.0), SPECIAL, gradient=False)
case("arithmetic", "clamp", lambda x: lax.clamp(-0.5, x, 0.5), normal(4, 4))
case("arithmetic", "clamp_tensor", lax.clamp, normal(9) - 2, normal(9), normal(9) + 2)

# ---- special functions --------------------------------------------------------------

case("special", "erf_inv", lax.erf_inv, unit(40), rtol=2e-5)
case("special", "erfc", lax.erfc, np.linspace(-4, 5, 40).astype(np.float32), rtol=5e-6)
case("special", "lgamma", lax.lgamma, np.linspace(0.05, 20, 40).astype(np.float32), rtol=1e-5,
     atol=2e-5)
case("special", "lgamma_negative", lax.lgamma, -positive(20), rtol=1e-4, atol=2e-5,
     gradient=False)
case("special", "digamma", lax.digamma, np.linspace(0.1, 20, 40).astype(np.float32),
     gradient=False, rtol=2e-5, atol=1e-5)
case("special", "gelu", lambda x: jax.nn.gelu(x, approximate=False), normal(20), rtol=1e-5)
case("special", "gelu_tanh", jax.nn.gelu, normal(20), rtol=1e-5)
case("special", "softplus", jax.nn.softplus, normal(20), rtol=1e-5)
case("special", "silu", jax.nn.silu, normal(20), rtol=1e-5)
case("special", "logsumexp", lambda x: jax.nn.logsumexp(x, -1), normal(4, 7), rtol=1e-5)
case("special", "softmax", lambda x: jax.nn.softmax(x) ** 2, normal(4, 7), rtol=1e-5)
case("special", "logaddexp", jnp.logaddexp, normal(9), normal(9), rtol=1e-5)

# ---- logic and bits -----------------------------------------------------------------

for f in (lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge):
    case("logic", f.__name__, f, ints(30), ints(30))
    case("logic", f.__name__ + "_bool", f, bools(8), bools(8))
for f in (lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor):
    case("logic", f.__name__ + "_bool", f, bools(8), bools(8))
    for dtype in (np.int32, np.uint32, np.int8, np.uint16):
        case("logic", f"{f.__name__}_{np.dtype(dtype).name}", f, ints(8, dtype=dtype),
             ints(8, dtype=dtype))
for dtype in (np.bool_, np.int32, np.uint32, np.int8, np.uint16):
    case("logic", f"not_{np.dtype(dtype).name}", lax.bitwise_not, ints(8).astype(dtype))
for dtype in (np.int32, np.uint32, np.int8, np.uint8, np.uint16):
    x = ints(40, low=-2**31, high=2**31, dtype=np.int64).astype(dtype)
    count = np.arange(40).astype(dtype) % (np.dtype(dtype).itemsize * 8 + 4)
    for f in (lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic):
        case("logic", f"{f.__name__}_{np.dtype(dtype).name}", f, x, count)
    case("logic", f"popcount_{np.dtype(dtype).name}", lax.population_count, x)
    case("logic", f"clz_{np.dtype(dtype).name}", lax.clz, x)
case("logic", "select", lambda c, a, b: lax.select(c, a, b), bools(4, 5), normal(4, 5),
     normal(4, 5), gradient=False)
case("logic", "where", lambda a, b: jnp.where(a > b, a, b * 2), normal(4, 5), normal(4, 5))
case("logic", "select_n", lambda i, a, b, c: lax.select_n(i, a, b, c), ints(9, low=0, high=3),
     normal(9), normal(9), normal(9))
case("logic", "maxbool", lambda a, b: (jnp.maximum(a, b), jnp.minimum(a, b), a + b, a * b),
     bools(9), bools(9))

# ---- conversions ---------------------------------------------------------------------

for old in ("float32", "float16", "int32", "uint32", "int8", "uint8", "bool", "bfloat16"):
    for new in ("float32", "float16", "int32", "uint32", "int8", "uint8", "int16", "uint16",
                "bool", "bfloat16"):
        x = np.linspace(-3.7, 120.4, 23)
        if old in ("uint32", "uint8"):
            x = np.abs(x)
        case("conversions", f"{old}_{new}", lambda v, new=new: v.astype(new),
             np.asarray(jnp.asarray(x.astype(np.float32)).astype(old)), gradient=False)
WIDE = np.float32([0, 1.9, -1.9, 3e9, 2147483520.0, 4294967040.0, -3e9, np.inf, -np.inf, np.nan])
for new in ("int32", "uint32", "int8", "uint8", "bool"):
    case("conversions", f"wide_{new}", lambda v, new=new: v.astype(new), WIDE, gradient=False)
case("conversions", "wide_ints", lambda v: (v.astype(np.int8), v.astype(np.uint16),
                                            v.astype(np.float32)), INTS)
case("conversions", "big_words", lambda v: (v.astype(np.float32), v.astype(np.int32)),
     BIG, rtol=1e-7)
# Beyond its range float16 is clipped on the device, as on the chip.
case("conversions", "to_half", lambda v: v.astype(np.float16),
     np.float32([65504, 65519, -65504, np.nan, 6e-8, 1e-9]), gradient=False)
case("conversions", "bits", lambda v: lax.bitcast_convert_type(v, np.uint32), SPECIAL[:10],
     gradient=False)
case("conversions", "bits_back", lambda v: lax.bitcast_convert_type(v, np.float32),
     ints(9, low=0, high=2**30))
case("conversions", "reduce_precision", lambda v: lax.reduce_precision(v, 8, 7), normal(20),
     gradient=False)
case("conversions", "bfloat16", lambda a, b: (a * b + a).sum(), jnp.bfloat16(normal(9)),
     jnp.bfloat16(normal(9)), gradient=False, rtol=1e-2)

# ---- shapes --------------------------------------------------------------------------

case("shapes", "broadcast", lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (1,)) * 2, normal(3))
case("shapes", "reshape", lambda x: x.reshape(4, 6) ** 2, normal(2, 3, 4))
case("shapes", "transpose", lambda x: x.transpose(2, 0, 1) ** 2, normal(2, 3, 4))
case("shapes", "slice", lambda x: lax.slice(x, (1, 0), (9, 5), (3, 2)) ** 2, normal(10, 6))
case("shapes", "squeeze", lambda x: jnp.squeeze(x, 1) ** 2, normal(3, 1, 2))
case("shapes", "pad", lambda x: lax.pad(x, 1.5, ((1, 2, 0), (0, 3, 2))) ** 2, normal(3, 4))
case("shapes", "pad_negative", lambda x: lax.pad(x, 0.0, ((-1, 2, 1), (2, -3, 2))) ** 2,
     normal(4, 4))
case("shapes", "pad_past", lambda x: lax.pad(x, 1.0, ((-5, 7, 0),)), normal(4))
case("shapes", "concatenate", lambda a, b: jnp.concatenate([a, b, a], 1) ** 2, normal(2, 3),
     normal(2, 1))
case("shapes", "rev", lambda x: x[::-1, ::-1] * jnp.arange(12.0).reshape(3, 4), normal(3, 4))
case("shapes", "iota", lambda: (jnp.arange(7), lax.broadcasted_iota(np.float32, (3, 4), 1)))
case("shapes", "split", lambda x: jnp.split(x, [1, 4], 1), normal(2, 6), gradient=False)
case("shapes", "tile", lambda x: jnp.tile(x, (2, 3)) ** 2, normal(2, 3))
case("shapes", "roll", lambda x: jnp.roll(x, 2, 1) ** 2, normal(2, 5))
case("shapes", "stack", lambda a, b: jnp.stack([a, b], 1) ** 2, normal(2, 3), normal(2, 3))
case("shapes", "eye", lambda x: x + jnp.eye(4), normal(4, 4))
case("shapes", "tril", lambda x: jnp.tril(x) ** 2, normal(4, 4))
case("shapes", "empty", lambda x: (x[:0], x[:0].sum(), x[:0] @ jnp.ones((4, 2))), normal(3, 4),
     gradient=False)

# ---- products ------------------------------------------------------------------------

for subscripts, shapes in (("ij,jk->ik", ((3, 4), (4, 5))), ("bij,bjk->bik", ((2, 3, 4), (2, 4, 5))),
                           ("bhqd,bhkd->bhqk", ((2, 2, 3, 4), (2, 2, 5, 4))),
                           ("ij,ij->", ((3, 4), (3, 4))), ("i,j->ij", ((3,), (4,))),
                           ("abc,cbd->ad", ((2, 3, 4), (4, 3, 5))),
                           ("bji,bjk->kib", ((2, 4, 3), (2, 4, 5))),
                           ("btnh,nhd->btd", ((2, 3, 2, 4), (2, 4, 5)))):
    case("products", subscripts, functools.partial(jnp.einsum, subscripts),
         *(normal(*shape) for shape in shapes), rtol=1e-5, atol=1e-5)
case("products", "matvec", lambda a, b: a @ b, normal(3, 4), normal(4), rtol=1e-5)
case("products", "integers", lambda a, b: a @ b, ints(3, 4), ints(4, 5))
case("products", "uint8", lambda a, b: a @ b, ints(3, 4, dtype=np.uint8),
     ints(4, 5, dtype=np.uint8))
case("products", "half", lambda a, b: a @ b, normal(3, 4).astype(np.float16),
     normal(4, 5).astype(np.float16), rtol=2e-3, atol=2e-3)
case("products", "half_to_float",
     lambda a, b: lax.dot(a, b, preferred_element_type=np.float32),
     normal(3, 4).astype(np.float16), normal(4, 5).astype(np.float16), rtol=1e-5, atol=1e-5)

# ---- convolutions ---------------------------------------------------------------------


def conv(**options):
    return lambda x, w: lax.conv_general_dilated(x, w, **options)


NHWC = ("NHWC", "HWIO", "NHWC")
for name, x, w, options in (
        ("same", (2, 7, 6, 3), (3, 3, 3, 4), dict(window_strides=(1, 1), padding="SAME")),
        ("strided", (2, 7, 6, 3), (3, 2, 3, 4), dict(window_strides=(2, 3), padding="VALID")),
        ("odd", (2, 8, 8, 2), (3, 3, 2, 4), dict(window_strides=(2, 2), padding="SAME")),
        ("depthwise", (2, 6, 6, 4), (3, 3, 1, 8),
         dict(window_strides=(1, 1), padding="SAME", feature_group_count=4)),
        ("depthwise2", (2, 7, 7, 4), (3, 3, 1, 4),
         dict(window_strides=(2, 2), padding="SAME", feature_group_count=4)),
        ("grouped", (2, 6, 6, 4), (3, 3, 2, 6),
         dict(window_strides=(1, 1), padding="VALID", feature_group_count=2)),
        ("dilated", (1, 9, 9, 2), (3, 3, 2, 3),
         dict(window_strides=(1, 1), padding="SAME", rhs_dilation=(2, 3))),
        ("transposed", (1, 4, 4, 2), (3, 3, 2, 3),
         dict(window_strides=(1, 1), padding=((1, 2), (2, 1)), lhs_dilation=(2, 2))),
        ("negative", (1, 6, 6, 2), (2, 2, 2, 3),
         dict(window_strides=(1, 1), padding=((-1, 2), (1, -2)))),
        ("batch_groups", (4, 5, 5, 3), (3, 3, 3, 4),
         dict(window_strides=(1, 1), padding="VALID", batch_group_count=2))):
    case("convolutions", name, conv(dimension_numbers=NHWC, **options), normal(*x), normal(*w),
         rtol=1e-4, atol=1e-4)
case("convolutions", "one", conv(window_strides=(2,), padding="SAME",
                                 dimension_numbers=("NWC", "WIO", "NWC")), normal(2, 9, 3),
     normal(3, 3, 4), rtol=1e-4, atol=1e-4)
case("convolutions", "three", conv(window_strides=(1, 2, 1), padding="SAME",
                                   dimension_numbers=("NCDHW", "OIDHW", "NCDHW")),
     normal(1, 2, 4, 5, 4), normal(3, 2, 2, 3, 2), rtol=1e-4, atol=1e-4)
case("convolutions", "transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"),
     normal(1, 4, 4, 2), normal(3, 3, 2, 3), rtol=1e-4, atol=1e-4)

# ---- reductions -----------------------------------------------------------------------

for f in (jnp.sum, jnp.prod, jnp.max, jnp.min, jnp.mean, jnp.var):
    for axis in (None, 0, (0, 2)):
        case("reductions", f"{f.__name__}_{axis}", functools.partial(f, axis=axis),
             normal(3, 4, 5), rtol=1e-5, atol=1e-5)
for f in (jnp.sum, jnp.prod, jnp.max, jnp.min):
    for dtype in (np.int32, np.uint32, np.int8):
        case("reductions", f"{f.__name__}_{np.dtype(dtype).name}", functools.partial(f, axis=1),
             ints(3, 4, low=0, dtype=dtype))
for f in (jnp.all, jnp.any):
    case("reductions", f.__name__, functools.partial(f, axis=1), bools(5, 3))
case("reductions", "xor", lambda x: lax.reduce(x, False, lax.bitwise_xor, (1,)), bools(5, 3))
for f in (jnp.argmax, jnp.argmin):
    case("reductions", f.__name__, functools.partial(f, axis=1), ints(6, 5, low=0, high=3))
    case("reductions", f.__name__ + "_float", functools.partial(f, axis=0), normal(6, 5),
         gradient=False)
case("reductions", "neg_max", lambda x: x.max(1), -positive(4, 5))
for f in (lax.cumsum, lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp):
    for backwards in (False, True):
        case("reductions", f"{f.__name__}_{backwards}",
             functools.partial(f, axis=1, reverse=backwards), normal(3, 7), rtol=1e-4, atol=1e-5)
case("reductions", "cumsum_int", lambda x: jnp.cumsum(x, 0), ints(5, 2))

# ---- windows --------------------------------------------------------------------------


def pool(x, op, init, window, strides, padding, **options):
    return lax.reduce_window(x, init, op, window, strides, padding, **options)


TIES = np.maximum(normal(2, 7, 6, 3), 0)
for name, window, strides, padding in (("2", (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
                                       ("3", (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
                                       ("overlap", (1, 3, 2, 1), (1, 1, 1, 1), "SAME")):
    case("windows", f"max_{name}", functools.partial(
        pool, op=lax.max, init=-np.inf, window=window, strides=strides, padding=padding), TIES)
    case("windows", f"sum_{name}", functools.partial(
        pool, op=lax.add, init=0.0, window=window, strides=strides, padding=padding), TIES,
        rtol=1e-5)
    case("windows", f"min_{name}", functools.partial(
        pool, op=lax.min, init=np.inf, window=window, strides=strides, padding=padding), TIES)
case("windows", "max_int", functools.partial(
    pool, op=lax.max, init=np.int32(-2**31), window=(2,), strides=(1,), padding="SAME"), ints(7))
case("windows", "dilated", functools.partial(
    pool, op=lax.add, init=0.0, window=(3,), strides=(2,), padding=((2, 1),),
    base_dilation=(2,), window_dilation=(3,)), normal(12))
case("windows", "mul", functools.partial(
    pool, op=lax.mul, init=1.0, window=(2, 2), strides=(1, 1), padding="VALID"), normal(4, 4),
    gradient=False)
case("windows", "hessian", lambda x: jax.jvp(lambda y: pool(
    y, lax.max, -np.inf, (2, 2), (2, 2), "VALID"), (x,), (x * 3,))[1], normal(4, 4))

# ---- indexing -------------------------------------------------------------------------

case("indexing", "dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, i + 1), (2, 3)),
     normal(5, 6), np.int32(2), gradient=False)
case("indexing", "dynamic_slice_beyond", lambda x, i: lax.dynamic_slice(x, (i, -i), (2, 3)),
     normal(5, 6), np.int32(9), gradient=False)
case("indexing", "dynamic_update", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 1)),
     normal(5, 6), normal(2, 3), np.int32(1), gradient=False)
case("indexing", "dynamic_grad", lambda x: jax.grad(lambda v: (lax.dynamic_slice(
    v, (jnp.int32(1), v[0, 0].astype(np.int32)), (2, 2)) ** 2).sum())(x), normal(5, 6),
    gradient=False)
INDEX = np.int32([[3, 0], [1, 4], [2, 2]])
case("indexing", "take", lambda x: jnp.take(x, INDEX, 0) ** 2, normal(5, 4))
case("indexing", "take_axis", lambda x: jnp.take(x, INDEX, 1) ** 2, normal(3, 5, 2))
case("indexing", "take_run_time", lambda x, i: jnp.take(x, i, 1), normal(3, 5), INDEX)
case("indexing", "take_fill", lambda x, i: jnp.take(x, i, 0, mode="fill"), normal(5, 2),
     np.int32([0, 9, -7, 4]))
case("indexing", "take_clip", lambda x, i: jnp.take(x, i, 0, mode="clip"), normal(5, 2),
     np.int32([0, 9, -7, 4]))
case("indexing", "take_ints", lambda x, i: jnp.take(x, i, 0, mode="fill"), ints(5, 2),
     np.int32([0, 9, -7, 4]))
case("indexing", "fancy", lambda x, i: x[i[:, 0], :, i[:, 1]], normal(5, 3, 5), INDEX)
case("indexing", "take_along", lambda x, i: jnp.take_along_axis(x, i, 1), normal(3, 5), INDEX)
case("indexing", "take_along_grad", lambda x, i: jax.grad(lambda v: (jnp.take_along_axis(
    v, i, 1) ** 2).sum())(x), normal(3, 5), INDEX)
case("indexing", "embedding_grad", lambda x, i: jax.grad(lambda v: (v[i] ** 2).sum())(x),
     normal(5, 4), np.int32([1, 1, 3, 0]))
case("indexing", "vmap_slice", lambda x, i: jax.vmap(lambda a, k: lax.dynamic_slice(
    a, (k,), (3,)))(x, i), normal(4, 7), np.int32([0, 2, 4, 9]))
case("indexing", "vmap_update", lambda x, u, i: jax.vmap(lambda a, b, k:
     lax.dynamic_update_slice(a, b, (k,)))(x, u, i), normal(4, 7), normal(4, 2),
     np.int32([0, 2, 4, 9]))
case("indexing", "window_gather", lambda x, i: lax.gather(
    x, i, lax.GatherDimensionNumbers((1, 2), (), (0, 1)), (2, 3)), normal(5, 6), INDEX)
case("indexing", "window_scatter", lambda x, i, u: lax.scatter_add(
    x, i, u, lax.ScatterDimensionNumbers((1, 2), (), (0, 1))), normal(5, 6),
    np.int32([[0, 0], [3, 3], [4, 1]]), normal(3, 2, 3))
case("indexing", "partial_scatter", lambda x, i, u: lax.scatter(
    x, i, u, lax.ScatterDimensionNumbers((1,), (0,), (0,))), normal(5, 6),
    np.int32([[0], [3]]), normal(2, 4))
for method in ("set", "add", "mul", "min", "max"):
    case("indexing", f"at_{method}", lambda x, u, i, m=method: getattr(
        x.at[i], m)(u), normal(6, 3), normal(3, 3), np.int32([0, 5, 2]))
case("indexing", "at_drop", lambda x, u, i: x.at[i].add(u), normal(6, 3), normal(3, 3),
     np.int32([0, 9, 2]))
case("indexing", "at_twice", lambda x, u, i: x.at[i].add(u), normal(6, 3), normal(3, 3),
     np.int32([2, 2, 2]))
case("indexing", "at_cells", lambda x, u, i: x.at[i[:, 0], i[:, 1]].add(u), normal(6, 5),
     normal(3), INDEX)
case("indexing", "at_ints", lambda x, u, i: x.at[i].add(u), ints(6), ints(3),
     np.int32([0, 5, 2]))
case("indexing", "at_bools", lambda x, u, i: x.at[i].set(u), bools(6), bools(3),
     np.int32([0, 5, 2]))
case("indexing", "one_hot", lambda i: jax.nn.one_hot(i, 5), ints(4, low=0, high=5))

# ---- sorting --------------------------------------------------------------------------

case("sorting", "sort", lambda x: jnp.sort(x, 1), normal(4, 9), gradient=False)
case("sorting", "sort_grad", lambda x: jax.grad(lambda v: (jnp.sort(v) * jnp.arange(9.0)).sum())(
    x), normal(9), gradient=False)
case("sorting", "argsort", lambda x: jnp.argsort(x, 0), ints(9, 2, low=0, high=4))
case("sorting", "argsort_down", lambda x: jnp.argsort(x, descending=True), ints(9, high=0))
case("sorting", "specials", jnp.sort, SPECIAL, gradient=False)
case("sorting", "argspecials", jnp.argsort, SPECIAL, gradient=False)
case("sorting", "uints", jnp.sort, BIG[::-1].copy())
case("sorting", "two_keys", lambda a, b, c: lax.sort((a, b, c), num_keys=2),
     ints(12, low=0, high=3), ints(12, low=0, high=3), normal(12))
case("sorting", "top_k", lambda x: lax.top_k(x, 3), normal(4, 9), gradient=False)
case("sorting", "top_k_ties", lambda x: lax.top_k(x, 4), ints(4, 9, low=0, high=3))
case("sorting", "searchsorted", lambda a, b: jnp.searchsorted(a, b), np.sort(normal(9)),
     normal(5), gradient=False)
case("sorting", "median", lambda x: jnp.median(x, 0), normal(5, 3), gradient=False)

# ---- control --------------------------------------------------------------------------

case("control", "fori", lambda x: lax.fori_loop(0, 5, lambda i, v: v * 1.1 + i, x), normal(4),
     gradient=False, rtol=1e-5)
case("control", "fori_grad", lambda x: lax.fori_loop(0, 5, lambda i, v: jnp.sin(v) * 1.5, x),
     normal(4), rtol=1e-5, atol=1e-5)
case("while", "while", lambda x: lax.while_loop(lambda s: s[0].sum() < 50, lambda s: (
    s[0] * 1.5, s[1] + 1), (x, 0)), positive(4), gradient=False, rtol=1e-5)
case("while", "while_none", lambda x: lax.while_loop(lambda v: v.sum() > 1e9, lambda v: v * 2,
                                                       x), positive(4), gradient=False)
case("control", "scan", lambda x, ys: lax.scan(lambda c, y: (jnp.tanh(c + y), c * y), x, ys),
     normal(4), normal(5, 4), gradient=False, rtol=1e-5)
case("control", "scan_grad", lambda x, ys: lax.scan(lambda c, y: (jnp.tanh(c + y), c * y), x,
                                                    ys)[1], normal(4), normal(5, 4), rtol=1e-5,
     atol=1e-5)
case("control", "scan_reverse", lambda x, ys: lax.scan(
    lambda c, y: (c * 0.5 + y, c), x, ys, reverse=True), normal(4), normal(5, 4),
    gradient=False, rtol=1e-5)
case("control", "scan_empty", lambda x: lax.scan(lambda c, y: (c, c), x, None, length=0),
     normal(2), gradient=False)
case("control", "swap", lambda a, b: lax.fori_loop(0, 3, lambda i, s: (s[1], s[0]), (a, b)),
     normal(4), normal(4), gradient=False)
case("control", "cond", lambda x, c: lax.cond(c, lambda v: v * 2, lambda v: -v, x), normal(4),
     np.bool_(True))
case("control", "cond_grad", lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x), normal(4),
     rtol=1e-5)
case("control", "switch", lambda i, x: [lax.switch(k, [jnp.sin, jnp.cos, jnp.tanh], x)
                                        for k in (i, i + 1, i + 2, i - 5)], np.int32(0),
     normal(4), rtol=1e-5)
case("control", "remat", jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))), normal(4), rtol=1e-5)
case("control", "map", lambda x: lax.map(lambda v: v * v.sum(), x), normal(3, 4), rtol=1e-5)
case("control", "associative", lambda x: lax.associative_scan(jnp.add, x), normal(9), rtol=1e-5,
     atol=1e-5)


@jax.custom_vjp
def clipped(x):
    return x * 2


clipped.defvjp(lambda x: (x * 2, x), lambda x, g: (jnp.clip(g, -1, 1) * x,))
case("control", "custom_vjp", lambda x: clipped(x) * 3, normal(4))

# ---- random ---------------------------------------------------------------------------

KEY = np.uint32([0x12345678, 0x9ABCDEF0])
for name, f in (("bits", lambda k: jax.random.bits(k, (7,))),
                ("bits16", lambda k: jax.random.bits(k, (7,), np.uint16)),
                ("bits8", lambda k: jax.random.bits(k, (5,), np.uint8)),
                ("split", lambda k: jax.random.split(k, 3)),
                ("fold_in", lambda k: jax.random.fold_in(k, 17)),
                ("uniform", lambda k: jax.random.uniform(k, (3, 5), minval=-1, maxval=2)),
                ("bernoulli", lambda k: jax.random.bernoulli(k, 0.3, (40,))),
                ("randint", lambda k: jax.random.randint(k, (9,), -5, 7)),
                ("permutation", lambda k: jax.random.permutation(k, 12)),
                ("categorical", lambda k: jax.random.categorical(k, jnp.zeros((4, 6)))),
                ("keys", lambda k: jax.random.key_data(jax.random.split(
                    jax.random.wrap_key_data(k), 2))),
                ("vmap", lambda k: jax.vmap(lambda q: jax.random.uniform(q, (2,)))(
                    jax.random.split(k, 3)))):
    case("random", name, f, KEY, rtol=1e-6)
case("random", "seed", lambda s: jax.random.uniform(jax.random.key(s), (3,)), np.int32(7))
case("random", "normal", lambda k: jax.random.normal(k, (50,)), KEY, rtol=2e-5)
case("random", "truncated", lambda k: jax.random.truncated_normal(k, -2, 2, (50,)), KEY,
     rtol=1e-4, atol=1e-5)
