# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PopART: builds ONNX models, and runs and trains them on an IPU, its model or the CPU.

A first program:

    import numpy as np
    import popart

    builder = popart.Builder()
    a = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]))
    b = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]))
    o = builder.aiOnnx.add([a, b])
    session = popart.InferenceSession(
        builder.getModelProto(),
        dataFlow=popart.DataFlow(1, {o: popart.AnchorReturnType("All")}),
        deviceInfo=popart.DeviceManager().createCpuDevice())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({a: np.float32([1, 2]), b: np.float32([3, 4])}, anchors))
    print(anchors[o])

docs/popart-python.md says which of PopART's names are there.
"""

from popart_core import *
# Names with an underscore are for tests of programs.
from popart_core import (_throw_application_runtime_error, _throw_popart_error,
                         _throw_popart_internal_error, _throw_popart_runtime_error,
                         _throw_poplar_error, _throw_poplibs_error,
                         _throw_recoverable_runtime_error, _throw_unknown_runtime_error,
                         _throw_unrecoverable_runtime_error)

from popart import texts
from popart.builder import (Builder, CacheType, InputSettings, defaultAiGraphcoreOpset,
                            defaultAiOnnxMlOpset, defaultAiOnnxOpset)
from popart.debug import (DebugInfo, SourceLocation, closePoplarDebugInfo,
                          getUnsupportedOperations, initializePoplarDebugInfo)
from popart.names import *
from popart.numerics import NumericsReport
from popart.options import ReplicatedCollectivesSettings
from popart.session import (DotCheck, InferenceSession, IrSerializationFormat,
                            OutOfMemoryException, PrepareDeviceException, TrainingSession)
from popart.variable_settings import VariableRetrievalMode, VariableSettings

__version__ = versionString()
