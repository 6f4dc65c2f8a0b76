"""The operators of ai.onnx.ml against ONNX's reference evaluator, and where that has no
transformation or aggregate, against their definitions in NumPy."""
import math
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from harness import Case, Samples, check

samples = Samples(5)
normal = samples.normal


def case(op, *inputs, **more):
    return Case(op, *inputs, domain="ai.onnx.ml", halves=more.pop("halves", False), **more)


def tensor(values, kind=np.float32):
    return numpy_helper.from_array(np.asarray(values, kind))


def softmax_of_others(scores):
    powers = np.where(np.abs(scores) > 1e-7, np.exp(scores - scores.max(1, keepdims=True)),
                      scores * np.exp(-scores.max(1, keepdims=True)))
    return powers / powers.sum(1, keepdims=True)


def probit(p):
    def one(p):
        x = 2 * p - 1
        log = math.log((1 - x) * (1 + x))
        half = 2 / (math.pi * 0.147) + log / 2
        return 1.41421356 * math.copysign(math.sqrt(math.sqrt(half * half - log / 0.147) - half),
                                          x)
    return np.vectorize(one)(p)


TRANSFORMS = {
    "NONE": lambda x: x,
    "LOGISTIC": lambda x: 1 / (1 + np.exp(-x)),
    "SOFTMAX": lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True),
    "SOFTMAX_ZERO": softmax_of_others,
    "PROBIT": probit,
}


def floats(values):
    return [float(v) for v in np.asarray(values).ravel()]


x = normal(6, 4)
gaps = x.copy()
gaps[1, 2] = gaps[3, 0] = np.nan
whole = samples.integers(-3, 4, 5, 3, kind=np.int64)

features = [
    case("Scaler", x, offset=floats(normal(4)), scale=floats(normal(4))),
    case("Scaler", x, offset=[0.5], scale=[2.0]),
    case("Scaler", whole, offset=[1.0, 2.0, 3.0], scale=[2.0, 3.0, 0.5],
         ref=lambda v: ((v - [1, 2, 3]) * [2, 3, 0.5]).astype(np.float32)),
    *[case("Normalizer", np.vstack([x, 0 * x[:1]]), norm=norm) for norm in ("MAX", "L1", "L2")],
    case("Imputer", gaps, imputed_value_floats=floats(normal(4)),
         replaced_value_float=float("nan")),
    case("Imputer", np.round(x), imputed_value_floats=[7.5], replaced_value_float=1.0),
    case("Imputer", whole, imputed_value_int64s=[8, 9, 10], replaced_value_int64=2),
    case("Binarizer", x, threshold=0.25),
    case("ArrayFeatureExtractor", x, np.array([3, 0, 3])),
    case("ArrayFeatureExtractor", x[0], np.array([[2, 1]])),
    case("FeatureVectorizer", x, x[:, :2], x[:, 0], inputdimensions=[3, 3, 1]),
    case("OneHotEncoder", whole, cats_int64s=[2, -1, 0]),
    case("OneHotEncoder", x[0].round(), cats_int64s=[0, 1], zeros=1),
    case("LabelEncoder", whole, keys_int64s=[2, -1, 0], values_int64s=[7, 8, 9],
         default_int64=-5),
    case("LabelEncoder", whole, keys_int64s=[2, -1, 0], values_floats=[7.5, 8, 9],
         default_float=0.25),
    case("LabelEncoder", x.round(), keys_floats=[0.0, 1.0], values_int64s=[5, 6]),
]

new_features = [
    case("LabelEncoder", whole, keys_tensor=tensor([1, 2], np.int64),
         values_tensor=tensor([10, 20], np.int32), default_tensor=tensor([-3], np.int32),
         ref=lambda v: np.where(v == 1, 10, np.where(v == 2, 20, -3)).astype(np.int32)),
    case("LabelEncoder", gaps, keys_tensor=tensor([np.nan, 9]), values_tensor=tensor([1, 2]),
         default_tensor=tensor([0]),
         ref=lambda v: np.isnan(v).astype(np.float32)),
]


def of_one_row(weights, shift, labels, transform):
    """As ONNX Runtime has it where two classes have one row of coefficients."""
    def ref(v):
        score = v.astype(np.float64) @ weights[0] + shift[0]
        both = (TRANSFORMS["LOGISTIC"](np.stack([-score, score], 1)) if transform == "LOGISTIC"
                else np.stack([1 - score, score], 1))
        return np.where(score > 0, labels[1], labels[0]), both.astype(np.float32)
    return ref


def linear(classes, labels, transform, inputs=x):
    weights, shift = normal(classes, 4), normal(classes)
    if transform == "PROBIT":
        weights, shift = weights * 0.05, shift * 0.05 + 0.5
    ref = of_one_row(weights, shift, labels, transform) if classes == 1 else None
    return case("LinearClassifier", inputs, results=2, ref=ref, coefficients=floats(weights),
                intercepts=floats(shift), classlabels_ints=labels, post_transform=transform,
                rtol=1e-4, atol=1e-5)


linears = [
    *[linear(3, [5, 3, 8], transform) for transform in TRANSFORMS],
    linear(2, [0, 1], "LOGISTIC"), linear(1, [3, 4], "LOGISTIC"), linear(1, [3, 4], "NONE"),
    linear(1, [3, 4], "SOFTMAX"),
    linear(3, [0, 1, 2], "SOFTMAX", samples.integers(-3, 4, 5, 4, kind=np.int64)),
    case("LinearRegressor", x, coefficients=floats(normal(2, 4)), intercepts=[0.5, -2.0],
         targets=2),
    case("LinearRegressor", x, coefficients=floats(normal(4)), intercepts=[1.0]),
    *[case("LinearRegressor", x, coefficients=[0.03, 0.01, -0.02, 0.04], intercepts=[0.45],
           post_transform=name, atol=1e-5,
           ref=lambda v, f=f: f(v.astype(np.float64) @ [[0.03], [0.01], [-0.02], [0.04]] + 0.45)
           .astype(np.float32))
      for name, f in TRANSFORMS.items()],
]


class Trees:
    """Random trees, and what they say about a row."""

    def __init__(self, trees, depth, targets, modes, features=4, positive=False):
        self.random = np.random.default_rng(trees + 10 * depth)
        self.lists = {key: [] for key in (
            "treeids", "nodeids", "featureids", "modes", "values", "truenodeids",
            "falsenodeids", "missing_value_tracks_true")}
        self.weights = []  # tree, node, target, weight
        self.modes, self.features, self.targets = modes, features, targets
        self.positive = positive
        self.roots = [self.grow(tree, depth) for tree in range(trees)]

    def grow(self, tree, depth):
        self.next_node = 0
        return self.add(tree, depth, True)

    def add(self, tree, depth, is_root=False):
        place = len(self.lists["treeids"])
        number = self.next_node
        self.next_node += 1
        is_leaf = depth == 0 or (not is_root and self.random.random() < 0.2)
        row = {"treeids": tree, "nodeids": number,
               "featureids": 0 if is_leaf else int(self.random.integers(self.features)),
               "modes": "LEAF" if is_leaf else str(self.random.choice(self.modes)),
               "values": float(np.float32(round(self.random.normal(), 1))),
               "truenodeids": 0, "falsenodeids": 0,
               "missing_value_tracks_true": int(self.random.integers(2))}
        for key, value in row.items():
            self.lists[key].append(value)
        if is_leaf:
            for target in self.targets:
                weight = float(np.float32(self.random.normal()))
                self.weights.append((tree, number, target,
                                     abs(weight) / 8 if self.positive else weight))
        else:
            for key in ("truenodeids", "falsenodeids"):
                self.lists[key][place] = self.next_node
                self.add(tree, depth - 1)
        return place

    def attributes(self, kind):
        result = {f"nodes_{key}": values for key, values in self.lists.items()}
        for i, key in enumerate(("treeids", "nodeids", "ids", "weights")):
            result[f"{kind}_{key}"] = [weight[i] for weight in self.weights]
        return result

    def leaf(self, row, place):
        mode = self.lists["modes"][place]
        if mode == "LEAF":
            return self.lists["nodeids"][place]
        value, limit = row[self.lists["featureids"][place]], self.lists["values"][place]
        holds = {"BRANCH_LEQ": value <= limit, "BRANCH_LT": value < limit,
                 "BRANCH_GTE": value >= limit, "BRANCH_GT": value > limit,
                 "BRANCH_EQ": value == limit, "BRANCH_NEQ": value != limit}[mode]
        if np.isnan(value) and self.lists["missing_value_tracks_true"][place]:
            holds = True
        tree = self.lists["treeids"][place]
        number = self.lists["truenodeids" if holds else "falsenodeids"][place]
        return self.leaf(row, self.roots[tree] + number)

    def leaves(self, rows):
        """For each row and target, the weights of the leaves that it reaches."""
        result = []
        for row in rows:
            reached = {(tree, self.leaf(row, root)) for tree, root in enumerate(self.roots)}
            result.append([[w for tree, node, t, w in self.weights
                            if t == target and (tree, node) in reached]
                           for target in self.targets])
        return np.array(result)


ALL_MODES = [f"BRANCH_{m}" for m in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ")]
rows = normal(9, 4).round(1)
missing = rows.copy()
missing[2, 1] = missing[5, 3] = missing[7, 0] = np.nan


def regressor(trees, aggregate, transform, inputs=rows, base=None):
    def ref(v):
        leaves = trees.leaves(v)
        scores = {"SUM": np.sum, "AVERAGE": np.mean, "MIN": np.min, "MAX": np.max}[aggregate](
            leaves, axis=2)
        return TRANSFORMS[transform](scores + (base or 0)).astype(np.float32)
    more = {"base_values": base} if base else {}
    return case("TreeEnsembleRegressor", inputs, ref=ref, n_targets=max(trees.targets) + 1,
                aggregate_function=aggregate, post_transform=transform,
                **trees.attributes("target"), **more)


def classifier(trees, labels, transform, base=None, ref=None):
    def scores(v):
        result = trees.leaves(v).sum(2) + (base or 0)
        return (np.array(labels)[result.argmax(1)],
                TRANSFORMS[transform](result).astype(np.float32))
    more = {"base_values": base} if base else {}
    return case("TreeEnsembleClassifier", rows, ref=ref or scores, results=2,
                classlabels_int64s=labels, post_transform=transform,
                **trees.attributes("class"), **more)


def of_one_class(trees, labels, transform="NONE"):
    """As ONNX Runtime has it where the weights are for one of two classes."""
    target = trees.targets[0]

    def ref(v):
        score = trees.leaves(v)[:, 0].sum(1)
        positive = min(w for *_, w in trees.weights) >= 0
        label = np.where(score > (0.5 if positive else 0), labels[1], labels[0])
        if target == 1:
            return label, TRANSFORMS[transform](np.stack([0 * score, score], 1)).astype(np.float32)
        both = (TRANSFORMS["LOGISTIC"](np.stack([-score, score], 1)) if transform == "LOGISTIC"
                else np.stack([1 - score if positive else -score, score], 1))
        return label, both.astype(np.float32)
    return ref


leq = ["BRANCH_LEQ"]
forest = Trees(5, 4, [0, 1, 2], leq)
trees = [
    *[regressor(forest, aggregate, "NONE") for aggregate in ("SUM", "AVERAGE", "MIN", "MAX")],
    *[regressor(forest, "SUM", transform) for transform in ("LOGISTIC", "SOFTMAX",
                                                            "SOFTMAX_ZERO")],
    regressor(Trees(6, 5, [0], ALL_MODES), "SUM", "NONE", missing, [2.5]),
    regressor(Trees(1, 1, [0], ["BRANCH_GT"]), "AVERAGE", "NONE"),
    regressor(Trees(3, 0, [0, 1], leq), "SUM", "NONE", base=[1.0, -1.0]),
    *[classifier(forest, [4, 2, 9], transform) for transform in ("NONE", "LOGISTIC", "SOFTMAX")],
    classifier(forest, [0, 1, 2], "NONE", [5.0, 0.0, -5.0]),
    classifier(Trees(4, 3, [0, 1], leq, positive=True), [0, 1], "NONE"),
]
for positive in (False, True):
    for transform in ("NONE", "LOGISTIC", "SOFTMAX"):
        for target in (0, 1):
            one = Trees(7, 4, [target], leq, positive=positive)
            trees.append(classifier(one, [3, 5], transform,
                                    ref=of_one_class(one, [3, 5], transform)))

# Two trees of version 5: the first asks for members of sets.
newest = [case(
    "TreeEnsemble", np.array([[1.2, 3.4], [-0.12, 1.66], [4.14, 1.77], [9, np.nan]], np.float32),
    nodes_splits=tensor([3.14, 1.2, 4.2]), nodes_featureids=[0, 0, 1],
    nodes_modes=tensor([0, 6, 6], np.uint8), nodes_truenodeids=[1, 0, 1],
    nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[2, 2, 3], nodes_falseleafs=[0, 1, 1],
    nodes_missing_value_tracks_true=[0, 0, 1], leaf_targetids=[0, 1, 0, 1],
    leaf_weights=tensor([5.23, 12.12, -12.23, 7.21]), tree_roots=[0, 2], n_targets=2,
    membership_values=tensor([1.2, 3.7, 8, 9, np.nan, 12, 1.77, np.nan]),
    aggregate_function=aggregate,
    # Each row: its leaves of the first and of the second tree.
    ref=lambda v, f=f: np.array([[f([5.23]), f([7.21])], [f([-12.23]), f([7.21])],
                                 [f([]), f([12.12, 12.12])], [f([]), f([12.12, 12.12])]],
                                np.float32))
    for aggregate, f in ((1, sum), (0, lambda w: sum(w) / 2), (2, lambda w: min(w, default=0)))]

vectors = normal(3, 4)
supports = [
    *[case("SVMRegressor", x, n_supports=3, coefficients=floats(normal(3)), rho=[0.5],
           support_vectors=floats(vectors), kernel_type=kernel, kernel_params=[0.4, 0.3, 3.0],
           rtol=1e-4, atol=1e-5) for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID")],
    case("SVMRegressor", x, coefficients=floats(normal(4)), rho=[-0.25], kernel_type="LINEAR"),
    case("SVMRegressor", x, n_supports=3, coefficients=[0.5, -0.3, -0.2], rho=[0.01],
         support_vectors=floats(vectors), kernel_type="RBF", kernel_params=[0.4, 0.0, 3.0],
         one_class=1),
]



def kernel_of(kernel, v, known):
    products = v @ known.T
    return {"LINEAR": lambda: products, "POLY": lambda: (0.4 * products + 0.3) ** 2,
            "SIGMOID": lambda: np.tanh(0.4 * products + 0.3),
            "RBF": lambda: np.exp(-0.4 * ((v[:, None] - known[None]) ** 2).sum(2))}[kernel]()


def coupled(r):
    """The probabilities of classes from those of pairs, r[i, j] of i against j, as libsvm."""
    classes = len(r)
    q = np.diag((r ** 2).sum(0)) - r * r.T
    p = np.full(classes, 1 / classes)
    for _ in range(100):
        if abs(q @ p - p @ q @ p).max() < 0.005 / classes:
            break
        for t in range(classes):
            step = (p @ q @ p - q[t] @ p) / q[t, t]
            p[t] += step
            p /= 1 + step
    return p


def classified(v, counts, labels, kernel, known, factors, shift, sigmoids, transform):
    """What SVMClassifier says, by its definition, and where that is open as ONNX Runtime."""
    values = kernel_of(kernel, v.astype(np.float64), known.astype(np.float64))
    ends = np.cumsum([0, *counts])
    classes = len(counts)
    votes, sums, pairs = np.zeros((len(v), classes)), [], []
    for i in range(classes):
        for j in range(i + 1, classes):
            of_i, of_j = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
            sums.append(values[:, of_i] @ factors[j - 1, of_i] + values[:, of_j] @ factors[i, of_j]
                        + shift[len(sums)])
            votes[:, i] += sums[-1] > 0
            votes[:, j] += sums[-1] <= 0
            pairs.append((i, j))
    sums = np.stack(sums, 1)
    if sigmoids:
        r = np.zeros((len(v), classes, classes))
        for k, (i, j) in enumerate(pairs):
            first = 1 / (1 + np.exp(sigmoids[0][k] * sums[:, k] + sigmoids[1][k]))
            r[:, i, j] = np.clip(first, 1e-7, 1 - 1e-7)
            r[:, j, i] = 1 - r[:, i, j]
        sums = np.stack([coupled(one) for one in r])
    elif classes == 2:
        sums = np.hstack([1 - sums if transform == "SOFTMAX" else -sums, sums])
    if transform != "SOFTMAX" or classes > 2 or sigmoids:
        sums = TRANSFORMS[transform](sums)
    return np.array(labels)[votes.argmax(1)], sums.astype(np.float32)


def classifier(classes, kernel, isProbability=False, transform="NONE", inputs=x):
    counts, labels = [2, 3, 1, 2][:classes], [7, 3, 5, 11][:classes]
    total, pairs = sum(counts), classes * (classes - 1) // 2
    known, factors = normal(total, 4), normal(classes - 1, total)
    shift, more, sigmoids = normal(pairs) * np.float32(0.3), {}, None
    if isProbability:
        sigmoids = -abs(normal(pairs)), normal(pairs) / 4
        more = dict(prob_a=floats(sigmoids[0]), prob_b=floats(sigmoids[1]))
    return case("SVMClassifier", inputs, results=2,
                ref=lambda v: classified(v, counts, labels, kernel, known, factors, shift,
                                         sigmoids, transform),
                coefficients=floats(factors), rho=floats(shift), support_vectors=floats(known),
                vectors_per_class=counts, classlabels_ints=labels, kernel_type=kernel,
                kernel_params=[0.4, 0.3, 2.0], post_transform=transform, rtol=1e-4, atol=1e-5,
                **more)


lines = normal(3, 4)
supports += [
    *[classifier(3, kernel) for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID")],
    classifier(2, "RBF"), classifier(2, "RBF", transform="LOGISTIC"),
    classifier(2, "RBF", transform="SOFTMAX"), classifier(4, "RBF", transform="LOGISTIC"),
    classifier(2, "RBF", True), classifier(3, "RBF", True), classifier(4, "LINEAR", True),
    classifier(3, "POLY", True, "SOFTMAX"), classifier(3, "RBF", True, inputs=normal(40, 4) * 3),
    case("SVMClassifier", x, results=2, coefficients=floats(lines), rho=[0.25],
         classlabels_ints=[4, 2, 9], kernel_type="LINEAR", kernel_params=[0.0, 0, 0],
         ref=lambda v: (np.array([4, 2, 9])[(v @ lines.T).argmax(1)], v @ lines.T + 0.25),
         rtol=1e-4, atol=1e-5),
]

if sys.argv[2:] == ["maps"]:
    # A classifier as scikit-learn's converter makes it, with maps as results.
    maps = helper.make_sequence_type_proto(helper.make_map_type_proto(
        TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, None)))
    graph = helper.make_graph(
        [helper.make_node("LinearClassifier", ["x"], ["label", "p"], domain="ai.onnx.ml",
                          coefficients=[1.0, -1, 2, 0.5], intercepts=[0.25, -1],
                          classlabels_ints=[0, 1], post_transform="SOFTMAX"),
         helper.make_node("ZipMap", ["p"], ["map"], domain="ai.onnx.ml",
                          classlabels_int64s=[0, 1])], "maps",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("label", TensorProto.INT64, [1]),
         helper.make_value_info("map", maps)])
    os.makedirs(sys.argv[1])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                      helper.make_opsetid("ai.onnx.ml", 1)]),
              f"{sys.argv[1]}/model.onnx")
    np.save(f"{sys.argv[1]}/x.npy", np.float32([[0.5, 1]]))
    sys.exit(0)

if sys.argv[2:] == ["readers"]:
    # libonnx has no rule for the types of an SVMClassifier's results, which Neg wants to know.
    graph = helper.make_graph(
        [helper.make_node("SVMClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml",
                          coefficients=[1.0, -1.0], support_vectors=[1.0, 2, 0.5, 0], rho=[0.25],
                          vectors_per_class=[1, 1], classlabels_ints=[0, 1],
                          kernel_type="LINEAR", kernel_params=[0.0, 0, 0]),
         helper.make_node("Neg", ["scores"], ["y"])], "readers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])])
    os.makedirs(sys.argv[1])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                      helper.make_opsetid("ai.onnx.ml", 1)]),
              f"{sys.argv[1]}/model.onnx")
    np.save(f"{sys.argv[1]}/x.npy", np.float32([[0.5, 1]]))
    sys.exit(0)

raise SystemExit(check(features, opset=17, ml=3, name="features") +
                 check(new_features, opset=21, ml=4, name="new_features") +
                 check(linears, opset=17, ml=3, name="linear") +
                 check(supports, opset=17, ml=3, name="supports") +
                 check(trees, opset=17, ml=3, name="trees") +
                 check(newest, opset=21, ml=5, name="newest") != 0)
