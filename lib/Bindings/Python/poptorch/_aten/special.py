# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions: gamma and its kin, errors of the normal distribution, Bessel functions.

Each is a formula (formula.py) with its slope, the formula of its derivative. Polynomials stand for
smooth parts: a function that grows or falls without end is first divided by its leading term, and
an unbounded interval is mapped to a bounded one, as in i0e(x) sqrt(x) = p(8 / x) for x > 8. Degrees
are the least by which a polynomial is as near as float32 tells apart.
"""

import math

import numpy as np
import torch

from .elementwise import as_float
from .formula import (Term, chebyshev, cos, emitted, erf, exp, log, log1p, polynomial, rounded, sin,
                      sqrt, where, with_sign_of)
from .table import lowering, refuse

_PI = math.pi
_INFINITY = math.inf


def _register(names, formula, slope):
    @lowering(*(f"aten.{name}.default" for name in names.split()),
              *(f"prims.{name.replace('special_', '')}.default" for name in names.split()))
    def lower(e, x):
        return emitted(e, as_float(e, x), formula, slope)


# ---- Gamma ------------------------------------------------------------------------------

def _from_integer(x):
    """The distance from the nearest integer, of which periodic functions are computed."""
    return x - rounded(x)


def _lgamma_near(t):
    return torch.lgamma(t) / ((t - 1) * (t - 2))


def lgamma(x):
    """Between its roots at 1 and 2 a polynomial, above 8 Stirling's series; of x < 1/2 by
    gamma(x) gamma(1 - x) = pi / sin(pi x)."""
    is_low = x < 0.5
    size = where(is_low, 1 - x, x)
    near = (size - 1) * (size - 2) * chebyshev(_lgamma_near, size, 0.5, 3.0, 22)
    middle = chebyshev(torch.lgamma, size, 3.0, 8.0, 14)
    inverse = 1 / size
    series = polynomial((1 / 12, -1 / 360, 1 / 1260), inverse * inverse) * inverse
    far = (size - 0.5) * (log(size) - 1) + (series + (0.5 * math.log(2 * _PI) - 0.5))
    found = where(size < 3, near, where(size < 8, middle, far))
    reflected = math.log(_PI) - log(abs(sin(_from_integer(x) * _PI))) - found
    return where(abs(x).equals(_INFINITY), _INFINITY, where(is_low, reflected, found))


def digamma(x):
    """Above 8 an asymptotic series, to which a recurrence leads; of x < 0 by reflection."""
    size = where(x < 0, 1 - x, x)
    is_small = size < 8
    steps = 1 / size
    for k in range(1, 8):
        steps = steps + 1 / (size + k)
    big = where(is_small, size + 8, size)
    inverse = 1 / big
    square = inverse * inverse
    series = polynomial((1 / 12, -1 / 120, 1 / 252), square) * square
    found = log(big) - inverse * 0.5 - series - where(is_small, steps, 0)
    rest = _from_integer(x)
    angle = rest * _PI
    reflected = found - _PI * (cos(angle) / sin(angle))
    reflected = where(rest.equals(0), math.nan, reflected)
    return where(x < 0, reflected, found)


# The terms B[2k] / (2k)! of the sum of Euler and Maclaurin.
_EULER_MACLAURIN = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160)
_SUMMED = 9


def _hurwitz(s, q):
    """The sum of (q + k)^-s over all k >= 0, for q > 0; s is a Term or a number."""
    total = q ** -s
    for k in range(1, _SUMMED):
        total = total + (q + k) ** -s
    first = q + _SUMMED
    power = first ** -s
    total = total + power * first / (s - 1) + power * 0.5
    factor = power * s / first
    for k, coefficient in enumerate(_EULER_MACLAURIN):
        total = total + factor * coefficient
        factor = factor * (s + 2 * k + 1) * (s + 2 * k + 2) / (first * first)
    return where(q.equals(_INFINITY), 0, total)


def polygamma(n, x):
    """The derivative of digamma of the order n > 0. Of x < 0 by that of its reflection,
    pi cot(pi x), which is a polynomial of the cotangent: cot' = -(1 + cot^2)."""
    is_low = x <= 0
    size = where(is_low, 1 - x, x)
    found = math.exp(math.lgamma(n + 1)) * _hurwitz(float(n + 1), size)
    cotangent = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(n):
        cotangent = cotangent.deriv() * np.polynomial.Polynomial([-1.0, 0.0, -1.0]) * _PI
    rest = _from_integer(x)
    angle = rest * _PI
    reflection = polynomial([float(c) * _PI for c in cotangent.coef], cos(angle) / sin(angle))
    # found is (-1)^(n+1) psi_n(1 - x), so (-1)^n psi_n(1 - x) is -found.
    reflected = -found - reflection
    sign = 1.0 if n % 2 else -1.0
    reflected = where(rest.equals(0), sign * _INFINITY, reflected)
    return where(is_low, reflected, found if n % 2 else -found)


_register("lgamma special_gammaln", lgamma, lambda x, _: digamma(x))
_register("digamma special_digamma special_psi", digamma, lambda x, _: polygamma(1, x))


@lowering("aten.polygamma.default", "aten.special_polygamma.default")
def lower_polygamma(e, n, x):
    if n == 0:
        return emitted(e, as_float(e, x), digamma, lambda x, _: polygamma(1, x))
    return emitted(e, as_float(e, x), lambda x: polygamma(n, x), lambda x, _: polygamma(n + 1, x))


@lowering("aten.special_zeta.default", "aten.special_zeta.other_scalar",
          "aten.special_zeta.self_scalar", "prims.zeta.default")
def zeta(e, s, q):
    """Hurwitz's zeta function, for s > 1 and q > 0; it has no derivative by s in torch."""
    s, q = (e.as_value(x, torch.float32) for x in (s, q))
    order = Term(e, e.detach(s))

    def formula(q):
        found = where(q < 0, math.nan, _hurwitz(order, q))
        found = where(_from_integer(q.limited(-1e30, 0.5)).equals(0), _INFINITY, found)
        return where(order > 1, found, where(order.equals(1), _INFINITY, order * math.nan))

    shape = tuple(e.out.shape)
    q = e.expand(q, shape)
    return emitted(e, q, formula, lambda q, _: -order * _hurwitz(order + 1, q))


# ---- Errors -----------------------------------------------------------------------------

def _exp_of_square(x, sign):
    """exp(sign x^2): the square is split, for an error in it is one relative to the result."""
    size = abs(x).limited(0, 32)
    head = rounded(size * 32) * (1 / 32)
    return exp(head * head * sign) * exp((size - head) * (size + head) * sign)


def _erfcx_mapped(t):
    x = 3.75 * (1 + t) / (1 - t)
    return (1 + 2 * x) * torch.special.erfcx(x)


def _erfcx_above(size):
    """erfcx of numbers that are not negative."""
    t = 1 - 7.5 / (size + 3.75)
    return chebyshev(_erfcx_mapped, t, -1.0, 1.0, 18) / (size * 2 + 1)


def erfcx(x):
    above = _erfcx_above(abs(x))
    return where(x < 0, _exp_of_square(x, 1) * 2 - above, above)


def erfc(x):
    """1 - erf would lose the small results of large numbers."""
    return where(x < 0.5, 1 - erf(x), _exp_of_square(x, -1) * _erfcx_above(abs(x)))


def ndtr(x):
    return erfc(x * -math.sqrt(0.5)) * 0.5


def log_ndtr(x):
    below = log(_erfcx_above(abs(x) * math.sqrt(0.5)) * 0.5) - x * x * 0.5
    return where(x < -1, below, log1p(erfc(x * math.sqrt(0.5)) * -0.5))


def _erfcx_slope(x, y):
    return 2 * x * y - 2 / math.sqrt(_PI)


def _erfc_slope(x, _):
    return _exp_of_square(x, -1) * (-2 / math.sqrt(_PI))


def _ndtr_slope(x, _):
    return _exp_of_square(x * math.sqrt(0.5), -1) * (1 / math.sqrt(2 * _PI))


def _log_ndtr_slope(x, y):
    """The density over the distribution."""
    return math.sqrt(2 / _PI) / erfcx(x * -math.sqrt(0.5))


_register("erfc special_erfc", erfc, _erfc_slope)
_register("special_erfcx", erfcx, _erfcx_slope)
_register("special_ndtr", ndtr, _ndtr_slope)
_register("special_log_ndtr", log_ndtr, _log_ndtr_slope)


def _over_argument(w):
    """erfinv(y) / y for w = -log(1 - y^2)."""
    y = (-torch.expm1(-w)).sqrt()
    return -torch.special.ndtri(torch.exp(-w) / (2 * (1 + y))) / (math.sqrt(2) * y)


def _over_argument_of_root(r):
    return _over_argument(r * r)


def _quantile(y, w):
    """erfinv(y), given -log(1 - y^2)."""
    near = chebyshev(_over_argument, w, 0.0, 5.0, 10)
    far = chebyshev(_over_argument_of_root, sqrt(w.limited(0, 110)), math.sqrt(5.0), 10.4, 16)
    return y * where(w < 5, near, far)


def erfinv(y):
    size = abs(y)
    found = _quantile(y, -log((1 - size) * (1 + size)))
    found = where(size.equals(1), with_sign_of(y, size * _INFINITY), found)
    return where(size > 1, math.nan, found)


def ndtri(p):
    found = _quantile(2 * p - 1, -(log(p * 4) + log1p(-p))) * math.sqrt(2)
    found = where(p.equals(0), -_INFINITY, where(p.equals(1), _INFINITY, found))
    return where(p < 0, math.nan, where(p > 1, math.nan, found))


_register("erfinv special_erfinv special_erf_inv", erfinv,
          lambda _, y: _exp_of_square(y, 1) * (math.sqrt(_PI) / 2))
_register("special_ndtri", ndtri,
          lambda _, y: _exp_of_square(y * math.sqrt(0.5), 1) * math.sqrt(2 * _PI))


# ---- Modified Bessel functions ----------------------------------------------------------

def _i0e_far(u):
    return torch.special.i0e(8 / u) * (8 / u).sqrt()


def _i1e_far(u):
    return torch.special.i1e(8 / u) * (8 / u).sqrt()


def _i1e_over_argument(t):
    return torch.special.i1e(t) / t


def _first_kind(near, far, size):
    """A function that falls as x^-1/2: above 8 a polynomial of 8 / x."""
    return where(size < 8, near, chebyshev(far, 8 / size, 0.0, 1.0, 8) / sqrt(size))


def i0e(x):
    size = abs(x)
    return _first_kind(chebyshev(torch.special.i0e, size, 0.0, 8.0, 20), _i0e_far, size)


def i1e(x):
    size = abs(x)
    near = size * chebyshev(_i1e_over_argument, size, 0.0, 8.0, 20)
    return with_sign_of(x, _first_kind(near, _i1e_far, size))


def _times_exp(x, scaled):
    """scaled exp |x|, by halves of it, which overflow later."""
    half = exp(abs(x) * 0.5)
    return half * scaled * half


def i0(x):
    return where(abs(x).equals(_INFINITY), _INFINITY, _times_exp(x, i0e(x)))


def i1(x):
    return where(abs(x).equals(_INFINITY), x, _times_exp(x, i1e(x)))


def _over(value, x):
    """value / x, of a function whose slope at 0 is 1/2."""
    return where(x.equals(0), 0.5, value / x)


_register("i0 special_i0 special_modified_bessel_i0 special_bessel_i0", i0, lambda x, _: i1(x))
_register("special_i1 special_modified_bessel_i1 special_bessel_i1", i1,
          lambda x, y: i0(x) - _over(y, x))
_register("special_i0e special_bessel_i0e", i0e, lambda x, y: i1e(x) - with_sign_of(x, y))
_register("special_i1e special_bessel_i1e", i1e,
          lambda x, y: i0e(x) - with_sign_of(x, y) - _over(y, x))


def _k0_near(square):
    x = square.sqrt()
    k0, i0_ = torch.special.modified_bessel_k0(x), torch.special.i0(x)
    return k0 + (x / 2).log() * i0_


def _k1_near(square):
    x = square.sqrt()
    k1, i1_ = torch.special.modified_bessel_k1(x), torch.special.i1(x)
    return x * (k1 - (x / 2).log() * i1_)


def _k0_far(u):
    return torch.special.scaled_modified_bessel_k0(2 / u) * (2 / u).sqrt()


def _k1_far(u):
    return torch.special.scaled_modified_bessel_k1(2 / u) * (2 / u).sqrt()


def _second_kind(x, order, is_scaled):
    """K0 and K1, up to 2 beside a logarithm."""
    small = x.limited(1e-38, 2)
    square = small * small
    if order == 0:
        near = chebyshev(_k0_near, square, 0.0, 4.0, 7) - log(small * 0.5) * i0(small)
    else:
        near = log(small * 0.5) * i1(small) + chebyshev(_k1_near, square, 0.0, 4.0, 7) / small
    far = chebyshev((_k0_far, _k1_far)[order], 2 / x, 0.0, 1.0, 12) / sqrt(x)
    near, far = (near * exp(small), far) if is_scaled else (near, far * exp(-x))
    found = where(x.equals(0), _INFINITY, where(x < 2, near, far))
    return where(x < 0, math.nan, found)


for _order in (0, 1):
    _register(f"special_modified_bessel_k{_order}",
              lambda x, order=_order: _second_kind(x, order, False), None)
    _register(f"special_scaled_modified_bessel_k{_order}",
              lambda x, order=_order: _second_kind(x, order, True), None)


# ---- Bessel functions -------------------------------------------------------------------

_TABLES = ((torch.special.bessel_j0, torch.special.bessel_y0),
           (torch.special.bessel_j1, torch.special.bessel_y1))


def _waves(order, u):
    """J and Y above 8 are waves: with c, s = cos, sin of x - pi/4 - order pi/2 they are
    sqrt(2 / (pi x)) (P c - Q s) and (P s + Q c). P and Q, functions of u = (8 / x)^2."""
    x = 8 / u.sqrt()
    j, y = (function(x) * (x * (_PI / 2)).sqrt() for function in _TABLES[order])
    angle = x - _PI / 4 - order * _PI / 2
    return j * angle.cos() + y * angle.sin(), (y * angle.cos() - j * angle.sin()) * x


def _derive_waves():
    for order in (0, 1):
        for part in (0, 1):
            yield lambda u, order=order, part=part: _waves(order, u)[part]


_WAVES = list(_derive_waves())


def _far(x, order, is_second):
    u = 8 / x
    p = chebyshev(_WAVES[2 * order], u * u, 0.0, 1.0, 5)
    q = chebyshev(_WAVES[2 * order + 1], u * u, 0.0, 1.0, 5) / x
    # cos and sin of x - pi/4 without the rounding of the difference, times sqrt(2).
    c, s = cos(x) + sin(x), sin(x) - cos(x)
    c, s = (s, -c) if order else (c, s)
    wave = p * s + q * c if is_second else p * c - q * s
    return where(x.equals(_INFINITY), 0, wave * (1 / math.sqrt(_PI)) / sqrt(x))


def _j0_near(square):
    return torch.special.bessel_j0(square.sqrt())


def _j1_near(square):
    x = square.sqrt()
    return torch.special.bessel_j1(x) / x


def _y0_near(square):
    x = square.sqrt()
    return torch.special.bessel_y0(x) - 2 / _PI * x.log() * torch.special.bessel_j0(x)


def _y1_near(square):
    x = square.sqrt()
    j1_, y1_ = torch.special.bessel_j1(x), torch.special.bessel_y1(x)
    return (y1_ - 2 / _PI * (x.log() * j1_ - 1 / x)) / x


def j0(x):
    size = abs(x)
    square = size.limited(0, 8)
    near = chebyshev(_j0_near, square * square, 0.0, 64.0, 14)
    return where(size < 8, near, _far(size, 0, False))


def j1(x):
    size = abs(x)
    small = size.limited(0, 8)
    near = small * chebyshev(_j1_near, small * small, 0.0, 64.0, 13)
    return with_sign_of(x, where(size < 8, near, _far(size, 1, False)))


def y0(x):
    small = x.limited(1e-38, 8)
    near = chebyshev(_y0_near, small * small, 0.0, 64.0, 15) + log(small) * j0(small) * (2 / _PI)
    found = where(x < 8, near, _far(x, 0, True))
    return where(x < 0, math.nan, where(x.equals(0), -_INFINITY, found))


def y1(x):
    small = x.limited(1e-38, 8)
    near = (small * chebyshev(_y1_near, small * small, 0.0, 64.0, 14)
            + (log(small) * j1(small) - 1 / small) * (2 / _PI))
    found = where(x < 8, near, _far(x, 1, True))
    return where(x < 0, math.nan, where(x.equals(0), -_INFINITY, found))


for _name, _formula in (("j0", j0), ("j1", j1), ("y0", y0), ("y1", y1)):
    _register(f"special_bessel_{_name}", _formula, None)


def spherical_j0(x):
    square = x * x
    near = polynomial((1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880), square)
    far = where(abs(x).equals(_INFINITY), 0, sin(x) / x)
    return where(abs(x) < 0.5, near, far)


_register("special_spherical_bessel_j0", spherical_j0, None)


# ---- Orthogonal polynomials -------------------------------------------------------------

# The polynomial of degree 1, and the one of degree n + 1 by those of degrees n and n - 1.
_RECURRENCES = {
    "chebyshev_polynomial_t": (lambda x: x, lambda n, x, p, q: 2 * x * p - q),
    "chebyshev_polynomial_u": (lambda x: 2 * x, lambda n, x, p, q: 2 * x * p - q),
    "chebyshev_polynomial_v": (lambda x: 2 * x - 1, lambda n, x, p, q: 2 * x * p - q),
    "chebyshev_polynomial_w": (lambda x: 2 * x + 1, lambda n, x, p, q: 2 * x * p - q),
    "hermite_polynomial_h": (lambda x: 2 * x, lambda n, x, p, q: 2 * x * p - q * (2.0 * n)),
    "hermite_polynomial_he": (lambda x: x, lambda n, x, p, q: x * p - q * float(n)),
    "laguerre_polynomial_l": (lambda x: 1 - x, lambda n, x, p, q: (
        (2 * n + 1 - x) * p - q * float(n)) * (1 / (n + 1))),
    "legendre_polynomial_p": (lambda x: x, lambda n, x, p, q: (
        x * p * (2.0 * n + 1) - q * float(n)) * (1 / (n + 1))),
}
_LARGEST_DEGREE = 64


def _polynomials(recurrence, degree, x):
    """Those of all degrees up to one."""
    first, step = recurrence
    found = [0 * x + 1, first(x)]
    for n in range(1, degree):
        found.append(step(n, x, found[-1], found[-2]))
    return found[:degree + 1]


def _register_polynomial(name, recurrence, shifted):
    full = f"special_{'shifted_' if shifted else ''}{name}"

    @lowering(f"aten.{full}.default", f"aten.{full}.n_scalar", f"aten.{full}.x_scalar")
    def lower(e, x, n):
        degrees = n if isinstance(n, (int, float)) else e.constant_of(n)
        if degrees is None:
            refuse("the degree has to be a number or a constant")
        degrees = np.asarray(degrees)
        largest = int(degrees.max(initial=0))
        if largest > _LARGEST_DEGREE:
            refuse(f"degrees are {_LARGEST_DEGREE} at most")
        x = e.expand(e.as_value(x, torch.float32), tuple(e.out.shape))

        def formula(x):
            found = _polynomials(recurrence, largest, 2 * x - 1 if shifted else x)
            if degrees.ndim == 0:
                return found[int(degrees)] if degrees >= 0 else 0 * x
            total = 0 * x
            for degree, value in enumerate(found):
                total = where(e.constant(degrees.astype(np.int64) == degree), value, total)
            return total

        return emitted(e, x, formula)


for _name, _recurrence in _RECURRENCES.items():
    for _shifted in (False, True) if _name.startswith("chebyshev") else (False,):
        _register_polynomial(_name, _recurrence, _shifted)


@lowering("aten.sinc.default", "aten.special_sinc.default")
def sinc(e, x):
    """sin(pi x) / (pi x). At 0, where it is 1, torch's own decomposition has no gradient."""
    x = as_float(e, x)
    is_zero = e.compare("Equal", x, e.constant(0, x.dtype))
    angle = e.scaled(e.where(is_zero, e.constant(1, x.dtype), x), _PI)
    return e.where(is_zero, e.constant(1, x.dtype), e.div(e.op("Sin", [angle]), angle))
