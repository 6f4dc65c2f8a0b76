"""Writes a model with its test data, for tests that compute what to expect with NumPy."""
import os

import numpy as np
import onnx
from onnx import helper, numpy_helper


def _write(folder, kind, values):
    for i, (name, value) in enumerate(values.items()):
        tensor = numpy_helper.from_array(np.asarray(value), name)
        with open(os.path.join(folder, f"{kind}_{i}.pb"), "wb") as file:
            file.write(tensor.SerializeToString())


def _infos(values):
    return [helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype)
        if hasattr(helper, "np_dtype_to_tensor_dtype")
        else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[np.asarray(value).dtype],
        np.asarray(value).shape) for name, value in values.items()]


def save(folder, nodes, inputs, outputs, constants, opsets):
    """FOLDER/model.onnx, and input_N.pb and output_N.pb beside it; all values are arrays by
    their names, `opsets` versions by their domains."""
    os.makedirs(folder)
    graph = helper.make_graph(nodes, os.path.basename(folder), _infos(inputs), _infos(outputs),
                              [numpy_helper.from_array(np.asarray(value), name)
                               for name, value in constants.items()])
    model = helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid(domain, version) for domain, version in opsets.items()])
    onnx.save(model, os.path.join(folder, "model.onnx"))
    _write(folder, "input", inputs)
    _write(folder, "output", outputs)
