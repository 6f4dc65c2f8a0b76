# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random modules of PopIR, as text and as what they compute.

A module has variables, graphs that call each other, loops, branches, arguments by
reference and updates of variables between reads. Each operator is written and
computed in NumPy at once, in double.
"""
import numpy as np

SHAPES = [(), (4,), (2, 4), (3, 2, 4), (5,), (4, 4)]
UNARY = {"Tanh-13": np.tanh, "Neg-13": np.negative, "Sigmoid-13": lambda x: 1 / (1 + np.exp(-x)),
         "Sin-7": np.sin, "Relu-14": lambda x: np.maximum(x, 0), "Abs-13": np.abs}
BINARY = {"Add-14": np.add, "Sub-14": np.subtract, "Mul-14": np.multiply, "Max-13": np.maximum}
DEEPEST = 3


def type_of(shape):
    return "float " + ("x".join(map(str, shape)) or "scalar")


def literal(values):
    return "[" + ", ".join(repr(float(x)) for x in np.ravel(values)) + "]"


class Memory:
    """What a value names: an array, or memory whose contents change."""

    def __init__(self, array):
        self.array = np.array(array, np.float64)


class Body:
    """A graph while it is made: its lines, and a program that computes it."""

    def __init__(self, module, name, shapes, depth, written=()):
        self.module, self.name, self.depth = module, name, depth
        self.random = module.random
        self.lines, self.steps = [], []
        self.arguments = [(f"x{i}", shape) for i, shape in enumerate(shapes)]
        # Values that operators may read, and those that they may write, too.
        self.shapes = dict(self.arguments)
        self.memories = {f"x{i}": shapes[i] for i in written}
        self.written = set()
        self.counter = 0

    def new(self, shape):
        self.counter += 1
        name = f"v{self.counter}"
        self.shapes[name] = shape
        return name

    def add(self, text, step):
        self.lines.append(text)
        self.steps.append(step)

    def pick(self, shape=None, memory=True):
        names = [n for n, s in self.shapes.items() if (shape is None or s == shape)
                 and (memory or n not in self.memories)]
        if not names:
            return self.constant(shape)
        # Recent values are read more often.
        return names[max(len(names) - 1 - int(self.random.exponential(4)), 0)]

    def constant(self, shape=None):
        shape = self.module.shape() if shape is None else shape
        value = np.round(self.random.uniform(-1, 1, shape), 2)
        name = self.new(shape)
        self.add(f"%{name}: {type_of(shape)} = constant {literal(value)}",
                 lambda env: env.__setitem__(name, Memory(value)))
        return name

    def result(self, text, shape, function, *operands):
        """An operator of one result."""
        name = self.new(shape)
        self.add(f"%{name}: {type_of(shape)} = {text}",
                 lambda env: env.__setitem__(
                     name, Memory(function(*(env[o].array for o in operands)))))
        return name

    # ---- Operators ------------------------------------------------------------

    def unary(self):
        x = self.pick()
        op = self.random.choice(sorted(UNARY))
        self.result(f"{op}(%{x}) {{}}", self.shapes[x], UNARY[op], x)

    def binary(self):
        a = self.pick()
        b = a if self.random.integers(6) == 0 else self.pick()
        try:
            shape = np.broadcast_shapes(self.shapes[a], self.shapes[b])
        except ValueError:
            return
        op = self.random.choice(sorted(BINARY))
        self.result(f"{op}(%{a}, %{b}) {{}}", shape, BINARY[op], a, b)

    def product(self):
        a = self.pick((2, 4) if self.random.integers(2) else (4, 4))
        b = self.pick((4, 4))
        self.result(f"Tanh-13(%{self.matmul(a, b)}) {{}}", self.shapes[a], np.tanh,
                    f"v{self.counter}")

    def matmul(self, a, b):
        return self.result(f"MatMul-13(%{a}, %{b}) {{}}", self.shapes[a], np.matmul, a, b)

    def reduction(self):
        x = self.pick(memory=False)
        shape = self.shapes[x]
        if not shape:
            return
        axis = int(self.random.integers(len(shape)))
        self.counter += 1
        axes = f"a{self.counter}"
        self.add(f"%{axes}: int64 1 = constant [{axis}]", lambda env: None)
        self.result(f"ReduceMean-18(%{x}, %{axes}) {{keepdims=0}}",
                    shape[:axis] + shape[axis + 1:], lambda v: np.mean(v, axis), x)

    def view(self):
        x = self.pick(memory=False)
        order = [int(i) for i in self.random.permutation(len(self.shapes[x]))]
        if len(order) < 2:
            return
        shape = tuple(self.shapes[x][i] for i in order)
        self.result(f"Transpose-13(%{x}) {{perm={order}}}", shape,
                    lambda v: np.transpose(v, order), x)

    def write(self):
        if not self.memories:
            return
        memory = str(self.random.choice(sorted(self.memories)))
        value = self.pick(self.memories[memory])
        kept = self.result(f"Tanh-13(%{value}) {{}}", self.memories[memory], np.tanh, value)
        source = kept if self.random.integers(2) else self.result(
            f"Add-14(%{memory}, %{kept}) {{}}", self.memories[memory], np.add, memory, kept)
        self.written.add(memory)

        def step(env):
            env[memory].array = env[source].array.copy()

        self.add(f"ai.graphcore.CopyVarUpdate-1(%{memory}, %{source}) {{}}", step)

    # ---- Calls ----------------------------------------------------------------

    def operands(self, body):
        """Values for the arguments of a graph; memory for those that it writes, each
        at most once."""
        names, free = [], dict(self.memories)
        for i, (_, shape) in enumerate(body.arguments):
            fitting = [n for n, s in free.items() if s == shape]
            if f"x{i}" in body.written and fitting:
                names.append(fitting[0])
                del free[fitting[0]]
            else:
                names.append(None)
        return [n or self.pick_apart(shape, names) for n, (_, shape)
                in zip(names, body.arguments)]

    def pick_apart(self, shape, taken):
        """A value that is not memory which the same call writes."""
        name = self.pick(shape)
        return self.constant(shape) if name in taken else name

    def modified(self, body, names):
        """Operands that are passed by reference."""
        result = [i for i, (x, _) in enumerate(body.arguments)
                  if x in body.written and names[i] in self.memories
                  and names.count(names[i]) == 1]
        self.written.update(names[i] for i in result)
        return result

    @staticmethod
    def run(body, values, references):
        env = {x: v if i in references else Memory(v.array)
               for i, ((x, _), v) in enumerate(zip(body.arguments, values))}
        for step in body.steps:
            step(env)
        return [env[name].array for name in body.results]

    def results_of(self, shapes):
        names = [self.new(shape) for shape in shapes]
        text = ", ".join(f"%{n}: {type_of(s)}" for n, s in zip(names, shapes))
        return names, text

    def call(self):
        body = self.module.graph(self.depth + 1)
        operands = self.operands(body)
        by_reference = self.modified(body, operands)
        names, text = self.results_of([body.shapes[n] for n in body.results])

        def step(env):
            values = self.run(body, [env[n] for n in operands], by_reference)
            env.update((n, Memory(v)) for n, v in zip(names, values))

        attribute = f"modified={by_reference}" if by_reference else ""
        self.add(f"{text} = ai.graphcore.Call-1 @{body.name}"
                 f"({', '.join('%' + n for n in operands)}) {{{attribute}}}", step)

    def branch(self):
        bodies = self.module.pair(self.depth + 1)
        x = self.pick(())
        condition = f"c{self.counter}"
        self.counter += 1
        zero = self.constant(())
        self.add(f"%{condition}: bool scalar = Greater-13(%{x}, %{zero}) {{}}",
                 lambda env: env.__setitem__(condition, bool(
                     np.float32(env[x].array) > np.float32(env[zero].array))))
        sides = [self.operands(body) for body in bodies]
        names, text = self.results_of([bodies[0].shapes[n] for n in bodies[0].results])

        def step(env):
            side = 0 if env[condition] else 1
            values = self.run(bodies[side], [env[n] for n in sides[side]], [])
            env.update((n, Memory(v)) for n, v in zip(names, values))

        operands = ", ".join("%" + n for n in [condition] + sides[0] + sides[1])
        self.add(f"{text} = ai.graphcore.If-1 @{bodies[0].name} @{bodies[1].name}"
                 f"({operands}) {{then_inputs={len(sides[0])}}}", step)

    def loop(self):
        body, carried, collected = self.module.loop_body(self.depth + 1)
        count = int(self.random.integers(collected, 5))
        operands = self.operands(body)
        by_reference = self.modified(body, operands)
        names, text = self.results_of(
            [body.shapes[n] for n in body.results[:carried]]
            + [(count, *body.shapes[n]) for n in body.results[carried:]])
        def step(env):
            # The next iteration finds the values that the graph left in its
            # memory.
            values = [env[n] if i in by_reference else Memory(env[n].array)
                      for i, n in enumerate(operands)]
            rows = [[] for _ in range(collected)]
            for _ in range(count):
                results = self.run(body, values, range(carried, len(values)))
                values[:carried] = [Memory(v) for v in results[:carried]]
                for row, value in zip(rows, results[carried:]):
                    row.append(value)
            env.update((n, v) for n, v in zip(names, values))
            env.update((n, Memory(np.array(row))) for n, row in zip(names[carried:], rows))

        inputs = ", ".join("%" + n for n in operands)
        attribute = f", modified={[2 + i for i in by_reference]}" if by_reference else ""
        self.add(f"{text} = ai.graphcore.Loop-1 @{body.name}(_, _, {inputs}) "
                 f"{{carried={carried}, trip_count={count}{attribute}}}", step)

    def grow(self, steps):
        kinds = [self.unary, self.unary, self.binary, self.binary, self.binary, self.product,
                 self.reduction, self.view, self.write]
        if self.depth < DEEPEST:
            kinds += [self.call, self.branch, self.loop]
        for _ in range(steps):
            kinds[self.random.integers(len(kinds))]()

    def returns(self, shapes):
        self.results = []
        for shape in shapes:
            x = self.pick(shape)
            # Results are values of their own, not what memory holds at the end.
            self.results.append(self.result(f"Tanh-13(%{x}) {{}}", shape, np.tanh, x))

    def text(self, first=""):
        signature = ", ".join([first] * bool(first)
                              + [f"%{x}: {type_of(s)}" for x, s in self.arguments])
        inside = self.lines + [f"return r{i} = %{n}: {type_of(self.shapes[n])}"
                               for i, n in enumerate(self.results)]
        return f"graph {self.name}({signature}) {{\n  " + "\n  ".join(inside) + "\n}\n"


class Module:
    """The module of a seed: `text`, and `step`, which computes a batch."""

    def __init__(self, seed, size=14):
        self.random = np.random.default_rng(seed)
        self.texts, self.bodies = [], []
        shapes = [self.shape() for _ in range(3)]
        self.variables = {f"w{i}": np.round(self.random.uniform(-1, 1, self.shape()), 2)
                          for i in range(2)}
        self.main = Body(self, "main", shapes, 0)
        for name, value in self.variables.items():
            self.main.lines.append(f"%{name}: {type_of(value.shape)} = variable @{name}")
            self.main.shapes[name] = value.shape
            self.main.memories[name] = value.shape
        self.main.grow(size)
        self.main.returns([self.main.shapes[self.main.pick()] for _ in range(3)])
        # Final values of the variables.
        for name, value in self.variables.items():
            self.main.results.append(
                self.main.result(f"Neg-13(%{name}) {{}}", value.shape, np.negative, name))
        self.inputs = {x: self.random.uniform(-1, 1, (2, *s)).astype(np.float32)
                       for x, s in self.main.arguments}
        variables = "".join(
            f"variable @{name}: {type_of(v.shape)} = {literal(v)}\n"
            for name, v in self.variables.items())
        self.text = variables + "".join(self.texts) + self.main.text() + "program step = @main\n"

    def shape(self):
        return SHAPES[self.random.integers(len(SHAPES))]

    def finish(self, body, first=""):
        self.texts.append(body.text(first))
        return body

    def made(self, depth, shapes, results, steps, written=()):
        body = Body(self, f"g{len(self.bodies)}", shapes, depth, written)
        self.bodies.append(body)
        body.grow(steps)
        body.returns(results)
        return body

    def steps(self):
        return int(self.random.integers(1, 6))

    def graph(self, depth):
        done = [b for b in self.bodies if getattr(b, "callable", None) == depth]
        if done and self.random.integers(2):
            return done[self.random.integers(len(done))]
        shapes = [self.shape() for _ in range(self.random.integers(1, 4))]
        written = [i for i in range(len(shapes)) if self.random.integers(2)]
        body = self.made(depth, shapes, [self.shape()] * int(self.random.integers(1, 3)),
                         self.steps(), written)
        body.callable = depth
        return self.finish(body)

    def pair(self, depth):
        results = [self.shape() for _ in range(self.random.integers(1, 3))]
        return [self.finish(self.made(
            depth, [self.shape() for _ in range(self.random.integers(0, 3))], results,
            self.steps())) for _ in range(2)]

    def loop_body(self, depth):
        shapes = [self.shape() for _ in range(self.random.integers(1, 4))]
        carried = int(self.random.integers(1, len(shapes) + 1))
        collected = int(self.random.integers(0, 2))
        written = [i for i in range(carried, len(shapes)) if self.random.integers(2)]
        body = self.made(depth, shapes, shapes[:carried] + [self.shape()] * collected,
                         self.steps(), written)
        return self.finish(body, "%number: int32 scalar"), carried, collected

    def run(self):
        """The results of two batches, by name, in float32."""
        memories = {name: Memory(value) for name, value in self.variables.items()}
        results = {}
        for batch in range(2):
            env = dict(memories)
            env.update((x, Memory(v[batch])) for x, v in self.inputs.items())
            for step in self.main.steps:
                step(env)
            for i, name in enumerate(self.main.results):
                results.setdefault(f"r{i}", []).append(env[name].array)
        return {name: np.array(v, np.float32) for name, v in results.items()}
