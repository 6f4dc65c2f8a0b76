# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mathematical functions of floats and doubles over their whole range.

The arguments are drawn from all exponents and both signs, with denormals, the largest
numbers, and the neighbours of the places where a function is hard to compute: multiples of
pi / 2 for the trigonometric ones, 1 for logarithms, halves for roundings, equal operands.
What the function gives for a finite argument is compared with mpmath, in units of the last
place of the exact result; what it gives for zeros, infinities and NaN with the host's
library, signs of zeros included. No result may be further away than docs/device-maths.md
says in its table of whole ranges.
"""

import ctypes
import ctypes.util
import math
import pathlib
import random
import re
import struct
import sys

import mpmath

mpmath.mp.prec = 200
HOST = ctypes.CDLL(ctypes.util.find_library("m"))


class Format:
    """Binary floating-point numbers, and their bits as integers."""

    def __init__(self, name, suffix, digits, code, integer):
        self.name, self.suffix, self.digits = name, suffix, digits
        self.code, self.integer = code, integer
        self.bits = 8 * struct.calcsize(code)
        self.top = 2 ** (self.bits - digits - 1)  # the exponent of what is infinite
        self.least = 2 - self.top
        self.sign = 1 << (self.bits - 1)
        self.infinity = (2 * self.top - 1) << (digits - 1)

    def bits_of(self, x):
        """Of the number that is nearest to a finite one of Python's, and infinity beyond."""
        try:
            return struct.unpack(self.integer, struct.pack(self.code, x))[0]
        except OverflowError:
            return self.infinity | (self.sign if x < 0 else 0)

    def value_of(self, bits):
        return struct.unpack(self.code, struct.pack(self.integer, bits % 2**self.bits))[0]

    def nearest(self, x):
        """The bits of what is nearest to a number of mpmath's."""
        x = mpmath.mpf(x)
        sign = self.sign if x < 0 else 0
        x = abs(x)
        if x == 0 or x >= mpmath.mpf(2) ** self.top:
            return sign | (0 if x == 0 else self.infinity)
        unit = mpmath.mpf(2) ** (max(self.exponent(x), self.least) - self.digits + 1)
        value = mpmath.nint(x / unit) * unit  # ties go to even ones
        return sign | (self.infinity if value >= mpmath.mpf(2) ** self.top
                       else self.bits_of(float(value)))

    @staticmethod
    def exponent(x):
        return int(mpmath.floor(mpmath.log(abs(x), 2)))

    def neighbours(self, x, count=2):
        """The numbers around one that need not be of the format."""
        middle = self.nearest(x)
        return [self.value_of(middle + k) for k in range(-count, count + 1)
                if (middle + k) & (self.sign - 1) < self.infinity]


FLOAT = Format("float", "f", 24, "<f", "<I")
DOUBLE = Format("double", "", 53, "<d", "<Q")


class Draw(random.Random):
    """Pseudo-random numbers for a format."""

    def __init__(self, form, seed):
        super().__init__(seed)
        self.form = form


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan]


def over_exponents(rng, each=2):
    """Numbers of all exponents (of doubles each seventh) and both signs."""
    form, values = rng.form, []
    fraction = form.digits - 1
    for exponent in range(0, 2 * form.top - 1, 1 if form is FLOAT else 7):
        for sign in (0, form.sign):
            for _ in range(each):
                values.append(form.value_of(sign | exponent << fraction
                                            | rng.getrandbits(fraction)))
    smallest = 1 << fraction
    for bits in (1, 2, 3, smallest // 2, smallest - 1, smallest, smallest + 1,
                 form.infinity - 1, form.infinity - 2):
        values += [form.value_of(bits), -form.value_of(bits)]
    return [x for x in values if x != 0]


def moderate(rng, limit, count=300):
    return [rng.uniform(-limit, limit) for _ in range(count)]


def near_quarters(rng):
    """Numbers next to multiples of pi / 2, of all sizes: some floats that are known to be
    very near, and pseudo-random ones."""
    form = rng.form
    values = [-9094240.0, 16367173 * 2.0**72, 12451841 * 2.0**60, 8367252.0, 1.6e7]
    for exponent in range(0, form.top, 1 if form is FLOAT else 9):
        for _ in range(3):
            number = int(mpmath.mpf(rng.uniform(1, 2)) * mpmath.mpf(2) ** exponent)
            values += form.neighbours(max(number, 1) * mpmath.pi / 2, 0)
    for number in range(1, 60):
        values += form.neighbours(number * mpmath.pi / 4, 1)
    return values + [-x for x in values]


def near(*points):
    return lambda rng: [y for x in points for s in (x, -x) for y in rng.form.neighbours(s, 3)]


def halves(rng):
    values = []
    for exponent in range(rng.form.digits + 1):
        n = rng.getrandbits(exponent + 1)
        values += [n + 0.5, -n - 0.5, n + 0.0] + rng.form.neighbours(n + 0.5, 1)
    return values


def spread(limit, *points):
    return lambda rng: moderate(rng, limit) + near(*points)(rng)


def round_half_away(x):
    return mpmath.sign(x) * mpmath.floor(abs(x) + mpmath.mpf(0.5))


def exactly(function):
    """With the digits that multiples of pi / 2 near the largest doubles need."""
    def result(x):
        with mpmath.workprec(1400):
            return function(x)
    return result


def growing(function):
    """Of what overflows or vanishes a number that does, too."""
    return lambda x: function(max(min(x, mpmath.mpf(5000)), mpmath.mpf(-5000)))


UNARY = {
    "sqrt": (mpmath.sqrt, near(1)),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), near(1, 8)),
    "exp": (growing(mpmath.exp), spread(110, 88.72284, 103.97208, 87.33655)),
    "exp2": (growing(lambda x: mpmath.mpf(2) ** x), spread(160, 128, 149, 150, 126)),
    "expm1": (growing(mpmath.expm1), spread(90, 88.72284, 17.3287, 0.34657, 1.0397)),
    "log": (mpmath.log, near(1, 2, 0.5, 1.41421)),
    "log2": (lambda x: mpmath.log(x, 2), near(1, 2, 0.5, 1.41421)),
    "log10": (mpmath.log10, near(1, 10, 0.1)),
    "log1p": (mpmath.log1p, lambda rng: near(1, 0.41421, 0.29289)(rng) + moderate(rng, 1)),
    "sin": (exactly(mpmath.sin), near_quarters),
    "cos": (exactly(mpmath.cos), near_quarters),
    "tan": (exactly(mpmath.tan), near_quarters),
    "asin": (mpmath.asin, spread(1, 1, 0.5)),
    "acos": (mpmath.acos, spread(1, 1, 0.5)),
    "atan": (mpmath.atan, spread(3, 0.4375, 0.6875, 1.1875, 2.4375)),
    "sinh": (growing(mpmath.sinh), spread(90, 22, 88.72284, 89.41599, 1)),
    "cosh": (growing(mpmath.cosh), spread(90, 22, 88.72284, 89.41599, 0.34657)),
    "tanh": (mpmath.tanh, spread(10, 1, 22)),
    "asinh": (mpmath.asinh, spread(4, 2, 2.0**28)),
    "acosh": (mpmath.acosh, lambda rng: near(1, 2, 2.0**28)(rng) + moderate(rng, 4)),
    "atanh": (mpmath.atanh, spread(1, 1, 0.5)),
    "erf": (mpmath.erf, spread(8, 0.84375, 1.25, 2.857143, 6)),
    "erfc": (growing(mpmath.erfc), spread(12, 0.84375, 1.25, 2.857143, 6, 9.2, 10.05)),
    "tgamma": (growing(mpmath.gamma), spread(45, 35.0401, 1, 2, 10, 41.5)),
    "lgamma": (lambda x: mpmath.log(abs(mpmath.gamma(x))) if abs(x) < 1e6
               else mpmath.loggamma(x).real, spread(50, 1, 2, 8)),
    "floor": (mpmath.floor, halves),
    "ceil": (mpmath.ceil, halves),
    "trunc": (lambda x: mpmath.sign(x) * mpmath.floor(abs(x)), halves),
    "round": (round_half_away, halves),
    "rint": (mpmath.nint, halves),
    "nearbyint": (mpmath.nint, halves),
    "fabs": (abs, near(1)),
    "logb": (lambda x: mpmath.mpf(math.frexp(x)[1] - 1), near(1, 2)),
}


def fmod(x, y):
    with mpmath.workprec(4500):
        return mpmath.sign(x) * (abs(x) % abs(y))


def remainder(x, y):
    with mpmath.workprec(4500):
        return x - y * mpmath.nint(x / y)


def power(x, y):
    return mpmath.mpf(x) ** y


def pairs(values):
    """Each with the next, and all with some that are near or equal."""
    def draw(rng):
        some = values(rng)
        result = [(x, some[(7 * i + 3) % len(some)]) for i, x in enumerate(some)]
        for x in some[::5]:
            result += [(x, x), (x, -x), (x, rng.form.value_of(rng.form.bits_of(x) ^ 1))]
        return result
    return draw


def exponents_apart(rng):
    """Operands of all exponents whose quotient is moderate or not."""
    result = []
    for x in over_exponents(rng, 1):
        apart = mpmath.ldexp(mpmath.mpf(rng.uniform(1, 2)), rng.randrange(-30, 30)) * x
        result.append((x, rng.form.value_of(rng.form.nearest(apart))))
    return [(x, y) for x, y in result if math.isfinite(y) and y != 0]


def powers(rng):
    result = []
    for x in over_exponents(rng, 1):
        wanted = rng.uniform(1.15 * rng.form.least, 1.01 * rng.form.top)
        log = math.log2(abs(x)) or 1
        y = rng.form.value_of(rng.form.nearest(wanted / log))
        result += [(abs(x), y), (x, float(round(y)))]
    for x in near(1)(rng):
        result += [(abs(x), y) for y in (1e9, -1e9, 3.0, 1e7, -12345678.0)]
    return [(x, y) for x, y in result if math.isfinite(y) and y != 0]


BINARY = {
    "pow": (power, powers),
    "atan2": (mpmath.atan2, exponents_apart),
    "hypot": (mpmath.hypot, exponents_apart),
    "fmod": (fmod, exponents_apart),
    "remainder": (remainder, exponents_apart),
    "fdim": (lambda x, y: max(x - y, mpmath.mpf(0)), exponents_apart),
    "fmax": (max, exponents_apart),
    "fmin": (min, exponents_apart),
    "copysign": (lambda x, y: abs(x) if y > 0 else -abs(x), exponents_apart),
    "nextafter": (None, exponents_apart),
}


def following(form, x, y):
    """The number next to x on the way to y; -0 and 0 count as one."""
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if x == y:
        return y
    if x == 0:
        return math.copysign(form.value_of(1), y)
    return form.value_of(form.bits_of(x) + (1 if (y > x) == (x > 0) else -1))


def scalings(rng):
    result = []
    for x in over_exponents(rng, 1) + SPECIAL:
        exponent = math.frexp(x)[1] if math.isfinite(x) else 0
        denormal = rng.randrange(-rng.form.digits - 3, 3) + rng.form.least
        result += [(x, rng.randrange(2 * rng.form.least, 2 * rng.form.top)),
                   (x, denormal - exponent),
                   (x, rng.choice([2**31 - 1, -2**31, 60000, -60000]))]
    # Half a unit of the last place of a denormal, and what lies next to it.
    lowest = rng.form.least - rng.form.digits
    for x in rng.form.neighbours(1, 1) + rng.form.neighbours(1.5, 1):
        result += [(s * x, n) for s in (1, -1) for n in range(lowest - 1, rng.form.least + 3)]
    return result


def scaled(x, n):
    return mpmath.ldexp(x, max(min(n, 5000), -5000))


SCALING = {"ldexp": (scaled, scalings), "scalbn": (scaled, scalings)}


def host(name, *arguments):
    """The host's result in double precision."""
    function = getattr(HOST, name)
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_int if isinstance(x, int) else ctypes.c_double
                         for x in arguments]
    return function(*arguments)


def expected(form, name, arguments):
    """The exact result, or a number that it has to be to the bit (NaN: any)."""
    if name == "nextafter":
        return following(form, *arguments)
    numbers = [x for x in arguments if isinstance(x, float)]
    if any(x == 0 or not math.isfinite(x) for x in numbers):
        value = host(name, *arguments)
        # A finite result of special arguments, like atan(inf), is rounded.
        return value if value == 0 or not math.isfinite(value) else mpmath.mpf(value)
    try:
        value = reference(name)(*(x if isinstance(x, int) else mpmath.mpf(x)
                                  for x in arguments))
    except (ValueError, ZeroDivisionError):
        return host(name, *arguments)
    if isinstance(value, mpmath.mpc):
        return math.nan
    if value == 0 or not mpmath.isfinite(value):
        return host(name, *arguments)
    return value


def error(form, exact, bits, least_size=0):
    """How far a result is from the exact one, in units of the last place of that, or of a
    size where it is smaller."""
    got = form.value_of(bits)
    if isinstance(exact, float):
        if math.isnan(exact):
            return 0 if math.isnan(got) else math.inf
        return 0 if form.bits_of(exact) == bits else math.inf
    if not math.isfinite(got):
        return 0 if form.nearest(exact) == bits else math.inf
    if got == 0 and bits // form.sign != (exact < 0):
        return math.inf
    exponent = form.exponent(max(abs(exact), least_size))
    if exponent >= form.top:  # it has to be infinite
        return math.inf
    unit = mpmath.mpf(2) ** (max(exponent, form.least) - form.digits + 1)
    return float(abs(mpmath.mpf(got) - exact) / unit)


def arguments(form, name):
    """All that a function is computed for, as tuples."""
    def rounded(x):
        return form.value_of(form.bits_of(x))

    rng = Draw(form, f"{name} {form.name}")
    if name in UNARY:
        return [(rounded(x),) for x in over_exponents(rng) + UNARY[name][1](rng) + SPECIAL]
    if name in SCALING:
        return [(rounded(x), n) for x, n in SCALING[name][1](rng)]
    result = BINARY[name][1](rng) + pairs(lambda r: over_exponents(r, 1)[::3])(rng)
    some = SPECIAL + [1.0, -1.0, 2.5, -3.0, 1e38, -1e-40, 0.5]
    # The C standard leaves open which zero is larger.
    result += [(x, y) for x in some for y in some
               if not (x == y == 0 and name in ("fmax", "fmin"))]
    return [(rounded(x), rounded(y)) for x, y in result]


def reference(name):
    return {**UNARY, **BINARY, **SCALING}[name][0]


NAMES = [*UNARY, *BINARY, *SCALING]

TILE = r"""
#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef NUMBER number;
typedef BITS bits;

static number value(bits x) { return __builtin_bit_cast(number, x); }

static number result(bits function, number x, number y, int n) {
  switch (function) {
CASES  }
  return NAN;
}

int main(void) {
  bits in[3];
  while (fread(in, sizeof(in), 1, stdin) == 1) {
    const number y = result(in[0], value(in[1]), value(in[2]), (int)in[2]);
    printf("%llx\n", (unsigned long long)__builtin_bit_cast(bits, y));
  }
}
"""


def tile_source(form):
    """A program that reads (function, argument, argument) and prints the bits of results."""
    cases = ""
    for number, name in enumerate(NAMES):
        given = "x, n" if name in SCALING else "x, y" if name in BINARY else "x"
        cases += f"  case {number}: return {name}{form.suffix}({given});\n"
    return (TILE.replace("NUMBER", form.name).replace("BITS", f"uint{form.bits}_t")
            .replace("CASES", cases))


def tile_input(form):
    words = []
    for number, name in enumerate(NAMES):
        for given in arguments(form, name):
            second = given[1] if len(given) == 2 else 0
            words += [number, form.bits_of(given[0]), second % 2**32
                      if isinstance(second, int) else form.bits_of(second)]
    return b"".join(struct.pack(form.integer, word) for word in words)


def bounds(page, form):
    """Units of the last place by function, of the table of whole ranges."""
    text = page.split("## The whole range", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([0-9.]+) \| ([0-9.]+) \|$", text,
                      re.MULTILINE)
    return {name: float(double if form is DOUBLE else single)
            for names, single, double in rows for name in re.findall(r"\w+", names)}


def check(form, results, limits):
    """Prints each function's largest error, and what is further away than it may be."""
    results = iter(results.split())
    for name in NAMES:
        worst = (0.0, "")
        for given in arguments(form, name):
            bits = int(next(results), 16)
            exact = expected(form, name, given)
            # Next to its zeros lgamma of negative numbers is a difference.
            away = error(form, exact, bits, int(name == "lgamma" and given[0] < 0))
            if away > worst[0]:
                worst = (away, f"WRONG of {given}: {form.value_of(bits)!r} for "
                               f"{mpmath.nstr(exact, 18)}")
        print(f"{name}{form.suffix}: {worst[0]:.2f}",
              "" if worst[0] <= limits.get(name, 0) + 0.005 else worst[1])


def main():
    form = {"float": FLOAT, "double": DOUBLE}[sys.argv[2]]
    if sys.argv[1] == "source":
        print(tile_source(form))
    elif sys.argv[1] == "input":
        sys.stdout.buffer.write(tile_input(form))
    else:
        check(form, pathlib.Path(sys.argv[3]).read_text(),
              bounds(pathlib.Path(sys.argv[4]).read_text(), form))


if __name__ == "__main__":
    main()
