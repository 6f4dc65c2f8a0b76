# Plays the runtime for the vertices of axpy.cpp.
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])


class Span(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_void_p), ("count", ctypes.c_size_t)]


def floats(*values):
    return (ctypes.c_float * len(values))(*values)


def span(array):
    return Span(ctypes.addressof(array), len(array))


def run(name, state):
    entry = library["__runCodelet_" + name]
    entry.restype = ctypes.c_bool
    return f"{name} returned {entry(ctypes.byref(state))}"


class Axpy(ctypes.Structure):
    _fields_ = [("x", Span), ("y", ctypes.c_void_p), ("a", ctypes.c_float)]


x, y = floats(1, 2, 3), floats(1, 2, 3)
state = Axpy(span(x), ctypes.addressof(y), 10)
print(f"{run('Axpy', state)}: {list(y)}")


class Sums(ctypes.Structure):
    _fields_ = [("in_", Span), ("out", Span)]


rows = [floats(1, 2, -3), floats(4, 5)]
regions = (Span * 2)(*[span(row) for row in rows])
out = floats(0, 0)
state = Sums(span(regions), span(out))
print(f"{run('Sums', state)}: {list(out)}")

print(run("Fails", ctypes.c_int(0)))
