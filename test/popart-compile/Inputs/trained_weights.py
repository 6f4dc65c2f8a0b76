"""Which initializers of a model are trained: models as PyTorch's two exporters write them,
one step each, and what has moved.

    python trained_weights.py FOLDER
"""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = sys.argv[1]
random = np.random.default_rng(3)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


def number(value, *shape):
    return np.full(shape, value, np.float32)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


# PyTorch's older exporter: parameters have their names, but those that it turned round for a
# product have none; constants are called after what reads or made them.
OLDER = dict(
    nodes=[
        node("Conv", ["x", "net.0.weight", "net.0.bias"], ["c"], pads=[1, 1, 1, 1]),
        node("PRelu", ["c", "onnx::PRelu_31"], ["p"]),
        node("Div", ["p", "/net/1/Constant_output_0"], ["d"]),
        node("BatchNormalization", ["d", "norm.weight", "norm.bias", "norm.running_mean",
                                    "norm.running_var"], ["n", "mean", "var"], training_mode=1),
        node("Flatten", ["n"], ["f"]),
        node("MatMul", ["f", "onnx::MatMul_52"], ["m"]),
        node("Add", ["head.bias", "m"], ["b"]),
        node("Add", ["b", "onnx::Add_61"], ["masked"]),
        node("Mul", ["masked", "215"], ["y"])],
    x=normal(2, 3, 4, 4), y=[2, 5],
    trained={"net.0.weight": normal(2, 3, 3, 3), "net.0.bias": normal(2),
             "onnx::PRelu_31": number(0.25, 2, 1, 1), "norm.weight": normal(2),
             "norm.bias": normal(2), "onnx::MatMul_52": normal(32, 5), "head.bias": normal(5)},
    constants={"/net/1/Constant_output_0": number(1.4142135), "onnx::Add_61": normal(2, 5),
               "215": number(0.5)},
    moved={"norm.running_mean": normal(2), "norm.running_var": number(1, 2)})

# The newer one: parameters have their names; constants are numbered, or called after the
# operator whose result they are.
NEWER = dict(
    nodes=[
        node("Gather", ["tokens.weight", "ids"], ["t"]),
        node("Add", ["t", "places"], ["e"]),
        node("LayerNormalization", ["e", "norm.weight", "norm.bias"], ["n"]),
        node("Mul", ["n", "layer.scale"], ["s"]),
        node("Add", ["s", "mul_3"], ["masked"]),
        node("Div", ["masked", "val_4"], ["d"]),
        node("Erf", ["d"], ["erf"]),
        node("Add", ["erf", "val_5"], ["one"]),
        node("Mul", ["masked", "one"], ["g"]),
        node("Mul", ["g", "scalar_tensor_default"], ["gelu"]),
        node("Transpose", ["head.weight"], ["turned"], perm=[1, 0]),
        node("MatMul", ["gelu", "turned"], ["h"]),
        node("Add", ["h", "lifted_tensor_0"], ["l"]),
        node("Mul", ["l", "x"], ["z"]),
        node("Mul", ["z", "logit_scale"], ["y"])],
    x=normal(4, 3), y=[4, 3], ids=np.array([1, 0, 2, 2]),
    trained={"tokens.weight": normal(3, 6), "places": normal(4, 6), "norm.weight": normal(6),
             "norm.bias": normal(6), "layer.scale": normal(6), "head.weight": normal(3, 6)},
    constants={"mul_3": normal(4, 6), "val_4": number(1.4142135), "val_5": number(1, 1),
               "scalar_tensor_default": number(0.5), "lifted_tensor_0": normal(4, 3),
               "logit_scale": number(2)},
    moved={})


def write(name, form):
    """The model, and the files of its inputs as options of ipu-run."""
    initial = {**form["trained"], **form["constants"], **form["moved"]}
    tensors = [numpy_helper.from_array(value, key) for key, value in initial.items()]
    if "ids" in form:
        tensors.append(numpy_helper.from_array(form["ids"], "ids"))
    graph = helper.make_graph(
        form["nodes"], name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, form["x"].shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, form["y"])], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, f"{FOLDER}/{name}.onnx")
    np.save(f"{FOLDER}/{name}-x.npy", form["x"])
    np.save(f"{FOLDER}/{name}-l.npy", np.zeros(form["y"], np.float32))
    return initial


def moved(name, initial, *options):
    """What differs after one step, and what popart-compile said."""
    path = f"{FOLDER}/{name}"
    said = subprocess.run(
        ["popart-compile", f"{path}.onnx", "-o", f"{path}.ipux", "--target", "cpu", "--loss",
         "mse:y,labels,reduction=sum", "--optimizer", "sgd:lr=0.01", *options],
        check=True, stderr=subprocess.PIPE, text=True).stderr
    subprocess.run(["ipu-run", f"{path}.ipux", "--allow-native", "--steps", "1", "--input",
                    f"x={path}-x.npy", "--input", f"labels={path}-l.npy", "--save-weights",
                    f"{path}-after.onnx"], check=True, stdout=subprocess.DEVNULL)
    after = {t.name: numpy_helper.to_array(t)
             for t in onnx.load(f"{path}-after.onnx").graph.initializer}
    return {key for key, value in initial.items() if not np.array_equal(after[key], value)}, said


def expect(what, found, wanted):
    found, wanted = set(found), set(wanted)
    assert found == wanted, f"{what}: moved besides {found - wanted}, not {wanted - found}"


os.makedirs(FOLDER)
for name, form in ("older", OLDER), ("newer", NEWER):
    initial = write(name, form)
    own = {*form["trained"], *form["moved"]}
    found, said = moved(name, initial)
    expect(name, found, own)
    told = said.split("note: trained: ")[1]
    trained, constants = told.split("; constants, not trained: ")
    assert f"({len(form['trained'])})" in trained or all(key in trained
                                                         for key in form["trained"]), told
    assert all(key in constants for key in form["constants"]), told
    print(f"{name}: {len(form['trained'])} weights, {len(form['constants'])} constants")

initial = write("newer", NEWER)
trained = set(NEWER["trained"])
expect("--train", moved("newer", initial, "--train", "logit_scale", "--train", "val_?")[0],
       trained | {"logit_scale", "val_4", "val_5"})
expect("--freeze", moved("newer", initial, "--freeze", "norm.*", "--freeze", "places")[0],
       trained - {"norm.weight", "norm.bias", "places"})
expect("both", moved("newer", initial, "--train", "*", "--freeze", "*.weight")[0],
       {key for key in initial if not key.endswith(".weight")})
print("patterns overrule that")
