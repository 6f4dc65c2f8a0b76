# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is Python about a Builder: contexts, arguments of several kinds, opsets by domain.

The class is that of C++ (Builder.cpp); this module adds methods to it, so that a Builder
that C++ returns has them, too.
"""

import contextlib
import enum
import functools

import numpy as np
import popart_core
from popart.variable_settings import VariableSettings
from popart_core import _BuilderCore as Builder

defaultAiOnnxOpset = 10
defaultAiOnnxMlOpset = 1
defaultAiGraphcoreOpset = 1

_VIRTUAL_GRAPH = "__ipu_number"
_PIPELINE_STAGE = "__pipeline_stage"
_EXECUTION_PHASE = "__execution_phase"
_RECOMPUTE = "__recompute_output_in_backward_pass"
_SCHEDULE_PRIORITY = "__schedule_priority"


def _ids(ids):
    """One name, or several, as a set."""
    return {ids} if isinstance(ids, str) else set(ids)


# ---- Construction -----------------------------------------------------------

_initialize = Builder.__init__


def _init(self, modelProtoOrFilename=None, opsets=None, builderCore=None):
    """A new model, or one to go on with: the path of an ONNX file, or its bytes.

    opsets: versions by domain, such as {"ai.onnx": 11}.
    """
    if builderCore is not None:
        raise popart_core.popart_exception(
            "Builder: builderCore is not supported; a Builder is its own core")
    if modelProtoOrFilename is None:
        _initialize(self)
    else:
        _initialize(self, modelProtoOrFilename)
    known = {"ai.onnx", "ai.onnx.ml", "ai.graphcore"}
    for domain in opsets or {}:
        if domain not in known:
            raise popart_core.popart_exception(
                f"Builder: there are no operators of the domain '{domain}'; "
                f"there are those of {', '.join(sorted(known))}")
    self._opsets = dict(opsets or {})


Builder.__init__ = _init

_create_subgraph = Builder.createSubgraphBuilder


def _create_subgraph_builder(self):
    """A Builder for a graph inside this one, such as the body of a loop."""
    inner = _create_subgraph(self)
    inner._opsets = self._opsets
    return inner


Builder.createSubgraphBuilder = _create_subgraph_builder


# ---- Operators --------------------------------------------------------------

def _with_debug_prefix(method):
    """The method, whose last argument may also be called debugPrefix."""

    @functools.wraps(method)
    def call(self, *args, debugPrefix=None, **kwargs):
        if debugPrefix is not None:
            kwargs["debugContext"] = debugPrefix
        return method(self, *args, **kwargs)

    return call


_OPSETS = {name: getattr(popart_core, name)
           for name in dir(popart_core) if name.startswith("Ai")}
for _opset in _OPSETS.values():
    for _name, _method in list(vars(_opset).items()):
        if not _name.startswith("_"):
            setattr(_opset, _name, _with_debug_prefix(_method))


_init_tensor = popart_core.AiGraphcoreOpset1.init


@functools.wraps(_init_tensor)
def _init_with_axis(self, shape, data_type, init_type=popart_core.InitType.Zero, *args,
                    batch_axis=None, **kwargs):
    if args and isinstance(args[0], int):  # the axis of the batch, without effect
        args = args[1:]
    return _init_tensor(self, shape, data_type, init_type, *args, **kwargs)


popart_core.AiGraphcoreOpset1.init = _init_with_axis


# ---- Collectives: operators, groups and names in any order -------------------

def _collective(name, has_operator):
    core = getattr(popart_core.AiGraphcoreOpset1, name)

    @functools.wraps(core)
    def add(self, args, *options, collectiveOperator=None, commGroup=None, debugContext="",
            debugPrefix=None):
        for option in options:
            if isinstance(option, (str, popart_core.DebugContext)):
                debugContext = option
            elif option is None or isinstance(option, popart_core.CommGroup):
                commGroup = option or commGroup
            else:
                collectiveOperator = option
        given = [_operator_of(collectiveOperator)] if has_operator else []
        return core(self, args, *given, commGroup or popart_core.CommGroup(),
                    debugPrefix if debugPrefix is not None else debugContext)

    return add


def _operator_of(operator):
    """That of popart, of popxl, or of the name."""
    if operator is None:
        return popart_core.CollectiveOperator.Add
    name = getattr(operator, "name", operator)
    known = popart_core.CollectiveOperator.__members__
    if name not in known:
        raise popart_core.popart_exception(
            f"there is no collective operator {name}; there are {', '.join(known)}")
    return known[name]


for _name, _has_operator in (("replicatedallreduce", True), ("replicatedreducescatter", True),
                             ("replicatedallgather", False)):
    setattr(popart_core.AiGraphcoreOpset1, _name, _collective(_name, _has_operator))

_constant = popart_core.AiOnnxOpset11.constant


@functools.wraps(_constant)
def _constant_11(self, value, is_value_sparse=False, debugContext="", debugPrefix=None):
    if isinstance(is_value_sparse, (str, popart_core.DebugContext)):
        debugContext, is_value_sparse = is_value_sparse, False
    if is_value_sparse:
        raise popart_core.popart_exception("constant: sparse values are not supported")
    return _constant(self, value, debugPrefix if debugPrefix is not None else debugContext)


popart_core.AiOnnxOpset11.constant = _constant_11


class AiOnnxMlOpset1:
    """The domain ai.onnx.ml, which has no operators."""

    def __init__(self, builder):
        self._builder = builder


_MAKE_ONNX = {version: getattr(Builder, f"aiOnnxOpset{version}") for version in range(6, 12)}


def _ai_onnx_opset(version):
    def get(self):
        # A Builder without a version takes this one for `aiOnnx` from now on.
        self._opsets.setdefault("ai.onnx", version)
        return _MAKE_ONNX[version](self)

    return property(get, doc=f"The operators of the opset {version} of ONNX.")


def _ai_onnx(self):
    """The operators of ONNX: of the opset that the Builder was made with, else of the first one
    that was asked for by its number, else of 10."""
    version = self._opsets.get("ai.onnx", defaultAiOnnxOpset)
    if version not in _MAKE_ONNX:
        raise popart_core.popart_exception(
            f"Builder: there is no opset {version} of ai.onnx; there are 6 to 11")
    return _MAKE_ONNX[version](self)


_make_graphcore = Builder.aiGraphcoreOpset1
for _version in _MAKE_ONNX:
    setattr(Builder, f"aiOnnxOpset{_version}", _ai_onnx_opset(_version))
Builder.aiGraphcoreOpset1 = property(lambda self: _make_graphcore(self),
                                     doc="The operators of Graphcore's domain.")
Builder.aiOnnx = property(_ai_onnx)
Builder.aiGraphcore = Builder.aiGraphcoreOpset1
Builder.aiOnnxMlOpset1 = property(AiOnnxMlOpset1)
Builder.aiOnnxMl = Builder.aiOnnxMlOpset1


def _custom_op(self, opName, opVersion, domain, inputs, attributes=None, numOutputs=1,
               name="", debugContext=""):
    """Any operator; returns the names of its results. Attributes are integers, floats, strings,
    lists of one of these, and builders of subgraphs."""
    identifier = popart_core.OperatorIdentifier(domain, opName, opVersion)
    return self._customOp(identifier, opVersion, inputs, numOutputs, attributes or {},
                          debugContext or name)


Builder.customOp = _custom_op


def _reshape_const(self, aiOnnx, args, shape, debugContext="", debugPrefix=None):
    """A reshape to a shape that is known; the numbers may be floats that are integers."""
    extents = [int(extent) for extent in shape]
    if any(extent != given for extent, given in zip(extents, shape)):
        raise popart_core.popart_exception(f"reshape_const: {list(shape)} is no shape")
    constant = aiOnnx.constant(np.array(extents, np.int64))
    return aiOnnx.reshape([args[0], constant],
                          debugPrefix if debugPrefix is not None else debugContext)


Builder.reshape_const = _reshape_const


# ---- Inputs -----------------------------------------------------------------

_add_input = Builder.addInputTensor
_add_weight = Builder.addInitializedInputTensor


def _add_input_tensor(self, *args, debugContext="", debugPrefix=None, **kwargs):
    """An input that the host gives for every batch: a TensorInfo, or a type and a shape; then
    maybe InputSettings, and a name. Returns the name that it has got."""
    args = list(args)
    names = [a for a in args[1:] if isinstance(a, popart_core.DebugContext)]
    if len(args) > 1 and isinstance(args[-1], str) and (
            len(args) > 2 or isinstance(args[0], popart_core.TensorInfo)):
        names = [args.pop()]
    settings = [a for a in args if isinstance(a, InputSettings)]
    settings += [a for a in [kwargs.pop("settings", None)] if a is not None]
    args = [a for a in args if not isinstance(a, (popart_core.DebugContext, InputSettings))]
    info = kwargs.pop("tensorInfo", None)
    if "dataType" in kwargs:
        args.append(kwargs.pop("dataType"))
    if "shape" in kwargs:
        args.append(kwargs.pop("shape"))
    if kwargs:
        raise TypeError(f"addInputTensor has no argument {', '.join(kwargs)}")
    if info is None:
        info = args[0] if len(args) == 1 and isinstance(
            args[0], popart_core.TensorInfo) else popart_core.TensorInfo(*args)
    debug = names[0] if names else (debugPrefix if debugPrefix is not None else debugContext)
    name = _add_input(self, info, debug)
    for setting in settings:
        self._setReplicatedStreamMode(name, setting.replicatedStreamMode())
        self._setExchange(name, setting.tileSet(), setting.exchangeStrategy())
    return name


def _add_initialized_input_tensor(self, initVal, debugContext="", variableSettings=None,
                                  debugPrefix=None):
    """A weight with the values of an array; returns its name."""
    if isinstance(debugContext, VariableSettings):
        debugContext, variableSettings = variableSettings or "", debugContext
    debug = debugPrefix if debugPrefix is not None else debugContext
    if variableSettings is None:
        return _add_weight(self, initVal, debug)
    return self._addGroupedWeight(initVal, *variableSettings._parts(), debug)


Builder.addInputTensor = _add_input_tensor
Builder.addInitializedInputTensor = _add_initialized_input_tensor


class InputSettings:
    """How an input comes from the host: to each replica its own data, or the same to all; through
    which tiles; and whether that overlaps with computation."""

    def __init__(self, *args):
        self._values = list(args)

    def _of(self, kind, default):
        return next((v for v in self._values if isinstance(v, kind)), default)

    def tileSet(self):
        return self._of(popart_core.TileSet, popart_core.TileSet.Compute)

    def exchangeStrategy(self):
        return self._of(popart_core.ExchangeStrategy, popart_core.ExchangeStrategy.JustInTime)

    def replicatedStreamMode(self):
        return self._of(popart_core.ReplicatedStreamMode,
                        popart_core.ReplicatedStreamMode.Replicate)


# ---- Attributes of nodes ----------------------------------------------------

def _attribute_reader(name):
    core = getattr(Builder, "_" + name)

    def read(self, attributeName, nodeOutputNames):
        return core(self, attributeName, _ids(nodeOutputNames))

    read.__name__ = name
    return read


for _name in ("nodeHasAttribute", "getInt64NodeAttribute", "getInt64VectorNodeAttribute",
              "getFloatNodeAttribute", "getFloatVectorNodeAttribute", "getStringNodeAttribute",
              "getStringVectorNodeAttribute", "removeNodeAttribute"):
    setattr(Builder, _name, _attribute_reader(_name))


def _add_node_attribute(self, attributeName, attributeValue, nodeOutputNames):
    self._addNodeAttribute(attributeName, attributeValue, _ids(nodeOutputNames))


def _get_all_node_attribute_names(self, nodeOutputNames):
    return self._getAllNodeAttributeNames(_ids(nodeOutputNames))


Builder.addNodeAttribute = _add_node_attribute
Builder.getAllNodeAttributeNames = _get_all_node_attribute_names
Builder.hasAttribute = Builder._hasAttribute
Builder.getAttribute = Builder._getAttribute


@contextlib.contextmanager
def _attribute_context(builder, name, value):
    """All nodes that are made inside have the attribute."""
    outer = builder._getAttribute(name) if builder._hasAttribute(name) else None
    builder._setAttribute(name, value)
    try:
        yield
    finally:
        if outer is None:
            builder._clearAttribute(name)
        else:
            builder._setAttribute(name, outer)


def _placement(attribute, doc):
    """A method that gives nodes an attribute: method(ids, n), or `with method(n):`."""

    def place(self, *args, **kwargs):
        args += tuple(kwargs.values())
        if len(args) == 1:
            return _attribute_context(self, attribute, int(args[0]))
        return self._addNodeAttribute(attribute, int(args[1]), _ids(args[0]))

    place.__doc__ = doc
    return place


def _getter(attribute):
    """Of nodes, or of the context that is open."""

    def get(self, nodeOutputNames=None):
        if nodeOutputNames is None:
            return self._getAttribute(attribute)
        return self._getInt64NodeAttribute(attribute, _ids(nodeOutputNames))

    return get


def _tester(attribute):
    def has(self, nodeOutputNames=None):
        if nodeOutputNames is None:
            return self._hasAttribute(attribute)
        return self._nodeHasAttribute(attribute, _ids(nodeOutputNames))

    return has


Builder.virtualGraph = _placement(
    _VIRTUAL_GRAPH, "On which IPU nodes are: virtualGraph(ids, n), or a context for new nodes.")
Builder.getVirtualGraph = _getter(_VIRTUAL_GRAPH)
Builder.hasVirtualGraph = _tester(_VIRTUAL_GRAPH)
Builder.pipelineStage = _placement(
    _PIPELINE_STAGE, "In which stage of a pipeline nodes are: pipelineStage(ids, n), or a "
    "context for new nodes.")
Builder.getPipelineStage = _getter(_PIPELINE_STAGE)
Builder.hasPipelineStage = _tester(_PIPELINE_STAGE)
Builder.executionPhase = _placement(
    _EXECUTION_PHASE, "In which phase nodes are: executionPhase(ids, n), or a context for new "
    "nodes.")
Builder.getExecutionPhase = _getter(_EXECUTION_PHASE)
Builder.hasExecutionPhase = _tester(_EXECUTION_PHASE)
Builder.pingPongPhase = Builder.executionPhase
Builder.getPingPongPhase = Builder.getExecutionPhase
Builder.hasPingPongPhase = Builder.hasExecutionPhase


def _recompute(self, *args, **kwargs):
    """Whether results are computed again for the backward pass: recomputeOutput(ids, value), or
    a context for new nodes. Results are the same."""
    args += tuple(kwargs.values())
    Kind = popart_core.RecomputeType
    if not args or isinstance(args[0], (Kind, bool, int)):
        return _attribute_context(self, _RECOMPUTE, int(args[0] if args else Kind.Recompute))
    value = args[1] if len(args) > 1 else Kind.Recompute
    return self._recomputeOutput(_ids(args[0]), Kind(int(value)))


def _get_recompute(self, nodeOutputNames=None):
    if nodeOutputNames is None:
        return self._getAttribute(_RECOMPUTE)
    return self._getRecomputeOutput(_ids(nodeOutputNames))


Builder.recomputeOutput = _recompute
Builder.recomputeOutputInBackwardPass = _recompute
Builder.getRecomputeOutputInBackwardPass = _get_recompute
Builder.hasRecomputeOutputInBackwardPass = _tester(_RECOMPUTE)


def _schedule_priority(self, value):
    """A context; without effect."""
    return _attribute_context(self, _SCHEDULE_PRIORITY, float(value))


def _outline_attributes(self, attributes):
    """A context whose nodes are only outlined with nodes of the same attributes."""
    return _attribute_context(self, "__outline", [str(part) for item in attributes.items()
                                                  for part in item])


@contextlib.contextmanager
def _comm_group(self, type=0, size=0):
    """A context that says which replicas are a group for the collectives in it."""
    with _attribute_context(self, "__comm_group_type", int(type)):
        with _attribute_context(self, "__comm_group_size", int(size)):
            yield


def _output_tensor_location(self, *args):
    """Where results are kept; without effect: outputTensorLocation(ids, location), or a
    context."""
    if len(args) == 1:
        return contextlib.nullcontext()
    return None


class CacheType(enum.IntEnum):
    """Where a result is kept, as PopART 1 has it; without effect."""
    Undefined = 0
    Uncached = 1
    Cached = 2


def _cache_output(self, nodeOutputNames, value=CacheType.Cached):
    """Where results are kept, as PopART 1 has it; without effect: tensors are on the chip."""
    self._addNodeAttribute("__cache_output", int(value), _ids(nodeOutputNames))


Builder.cacheOutput = _cache_output
Builder.schedulePriority = _schedule_priority
Builder.outlineAttributes = _outline_attributes
Builder.commGroup = _comm_group
Builder.outputTensorLocation = _output_tensor_location


def _exclude_patterns(self, nodeOutputName, patternNames):
    self._excludePatterns(_ids(nodeOutputName), list(patternNames))


def _set_serialize_matmul(self, nodeOutputNames, mode, factor, keep_precision=False):
    """How a product is split into parts; without effect on its result."""
    self._setSerializeMatMul(_ids(nodeOutputNames), mode, factor, keep_precision)


def _set_available_memory_proportion(self, nodeOutputName, availableMemoryProportion):
    self._setAvailableMemoryProportion(_ids(nodeOutputName), availableMemoryProportion)


Builder.excludePatterns = _exclude_patterns
Builder.setSerializeMatMul = _set_serialize_matmul
Builder.setAvailableMemoryProportion = _set_available_memory_proportion


@contextlib.contextmanager
def _name_scope(self, name):
    """Names of nodes and tensors that are made inside begin with `name/`."""
    self._pushNameScope(name)
    try:
        yield
    finally:
        self._popNameScope()


Builder.nameScope = _name_scope
