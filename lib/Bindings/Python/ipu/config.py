# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`IPUConfig`: the options of the system, as a tree of attributes with checked types.

    config = IPUConfig()
    config.auto_select_ipus = 1
    config.floating_point_behaviour.esr = True
    config.configure_ipu_system()
"""

import difflib
import enum
from typing import Any, Dict, List, Optional, Tuple, Union


class DeviceConnectionType(enum.Enum):
    """When a program takes its device. There is no difference here."""

    ALWAYS = 0
    ON_DEMAND = 1
    PRE_COMPILE = 2
    NEVER = 3


class SchedulingAlgorithm(enum.Enum):
    """The order of operators, which PopART decides."""

    CHOOSE_BEST = 0
    CLUSTERING = 1
    POST_ORDER = 2
    LOOK_AHEAD = 3
    SHORTEST_PATH = 4


class SelectionOrder(enum.Enum):
    """Which IPUs are stages of a pipeline. There is no difference here."""

    AUTO = 0
    ZIGZAG = 1
    SNAKE = 2
    HOOF = 3


class StochasticRoundingBehaviour(enum.Enum):
    """Where float16 is rounded stochastically."""

    OFF = 0
    ON = 1
    REPLICA_IDENTICAL_ONLY = 2

    @classmethod
    def from_bool(cls, value: bool) -> "StochasticRoundingBehaviour":
        return cls.ON if value else cls.OFF


class _Option:
    """An attribute: its type, its default, and whether it has an effect."""

    def __init__(self, types: Any, default: Any, effect: bool = False) -> None:
        self.types = types if isinstance(types, tuple) else (types,)
        self.default = default
        self.effect = effect

    def check(self, path: str, value: Any) -> Any:
        if isinstance(value, bool) and bool not in self.types:
            fits = False
        else:
            fits = isinstance(value, self.types) or value is None and self.default is None
        if not fits:
            names = " or ".join(t.__name__ for t in self.types)
            raise TypeError(f"Trying to set IPUConfig.{path} to {value!r}, of type "
                            f"{type(value).__name__}, but it is of type {names}.")
        return value


class _Group:
    """A node of the tree: options, and groups of them."""

    def __init__(self, path: str, options: Dict[str, Any]) -> None:
        object.__setattr__(self, "_path", path)
        object.__setattr__(self, "_options", options)
        values = {name: (_Group(f"{path}{name}.", option) if isinstance(option, dict)
                         else option.default) for name, option in options.items()}
        object.__setattr__(self, "_values", values)

    def _unknown(self, name: str) -> AttributeError:
        near = difflib.get_close_matches(name, self._options, 1) or _elsewhere(name)
        hint = f" Did you mean {self._path if near[0] in self._options else ''}{near[0]}?" \
            if near else ""
        return AttributeError(f"IPUConfig.{self._path}{name} does not exist.{hint}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._values:
            raise self._unknown(name)
        value = self._values[name]
        return dict(value) if isinstance(value, dict) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._options:
            raise self._unknown(name)
        option = self._options[name]
        if isinstance(option, dict):
            raise TypeError(f"IPUConfig.{self._path}{name} is a group of options; set one of "
                            f"{', '.join(option)}.")
        self._values[name] = option.check(self._path + name, value)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._options]

    def _items(self) -> Dict[str, Any]:
        found: Dict[str, Any] = {}
        for name, value in self._values.items():
            found.update(value._items() if isinstance(value, _Group)
                         else {self._path + name: value})
        return found

    def __repr__(self) -> str:
        return "\n".join(f"{path} = {value!r}" for path, value in self._items().items())


def _flag() -> _Option:
    return _Option(bool, False)


_TREE = {
    "auto_select_ipus": _Option((int, list, tuple), [], effect=True),
    "select_ipus": _Option((int, list, tuple), [], effect=True),
    "selection_order": _Option(SelectionOrder, SelectionOrder.AUTO),
    "allow_recompute": _flag(),
    "serialization_output_folder": _Option(str, ""),
    "compilation_poplar_options": _Option(dict, {}, effect=True),
    "gcl_poplar_options": _Option(dict, {}),
    "convolutions": {"poplar_options": _Option(dict, {}, effect=True)},
    "matmuls": {"poplar_options": _Option(dict, {}, effect=True),
                "clear_pass_type": _flag()},
    "pooling": {"poplar_options": _Option(dict, {})},
    "slices": {"poplar_options": _Option(dict, {})},
    "device_connection": {
        "type": _Option(DeviceConnectionType, DeviceConnectionType.ALWAYS),
        "version": _Option(str, ""),
        "enable_remote_buffers": _flag(),
    },
    "floating_point_behaviour": {
        "inv": _Option(bool, False, effect=True), "div0": _Option(bool, False, effect=True),
        "oflo": _Option(bool, False, effect=True), "nanoo": _Option(bool, False, effect=True),
        "esr": _Option((StochasticRoundingBehaviour, bool), StochasticRoundingBehaviour.OFF,
                       effect=True),
        "set_all": _Option(bool, False, effect=True),
    },
    "scheduling": {
        "algorithm": _Option(SchedulingAlgorithm, SchedulingAlgorithm.CHOOSE_BEST),
        "maximum_scheduler_lookahead_depth": _Option(int, 5),
        "maximum_scheduler_search_space_size": _Option(int, 64),
    },
    "io_tiles": {
        "num_io_tiles": _Option(int, 0), "place_ops_on_io_tiles": _flag(),
        "available_memory_proportion": _Option(float, 0.9),
    },
    "ipu_model": {
        "compile_ipu_code": _Option(bool, True), "tiles_per_ipu": _Option(int, 0, effect=True),
        "version": _Option(str, "ipu2", effect=True),
    },
    "norms": {
        "use_stable_statistics": _flag(),
        "experimental": {"distributed_batch_norm_replica_group_size": _Option(int, 1)},
    },
    "optimizations": {
        "combine_embedding_lookups": _flag(), "combine_matmuls": _flag(),
        "enable_graph_outlining": _Option(bool, True),
        "maximum_cross_replica_sum_buffer_size": _Option(int, 0),
        "maximum_inter_ipu_copies_buffer_size": _Option(int, 0),
        "maximum_reduce_many_buffer_size": _Option(int, 0),
        "maximum_reduce_scatter_buffer_size": _Option(int, 0),
        "maximum_send_recv_cluster_size": _Option(int, 0),
        "merge_infeed_io_copies": _Option(bool, True),
        "minimum_remote_tensor_size": _Option(int, 128),
        "prefetch_data_streams": _Option(bool, True),
        "math": {"fast": _flag(), "dot_strength": _Option(bool, True)},
    },
    "multi_replica_distribution": {
        "process_count": _Option(int, 0), "process_index": _Option(int, 0),
    },
    "experimental": {
        "always_rearrange_copies_on_the_host": _flag(),
        "enable_prng_stability": _flag(), "enable_remote_buffer_embedding": _flag(),
    },
}


def _paths(tree: Dict[str, Any], path: str = "") -> List[str]:
    found = []
    for name, option in tree.items():
        found += _paths(option, f"{path}{name}.") if isinstance(option, dict) else [path + name]
    return found


def _elsewhere(name: str) -> List[str]:
    """The whole path of an option of that name in another group."""
    last = {path.rpartition(".")[2]: path for path in _paths(_TREE)}
    return [last[n] for n in difflib.get_close_matches(name, last, 1)]


class IPUConfig(_Group):
    """The options of the system. Unknown names are an AttributeError with a suggestion, values
    of a wrong type a TypeError. The system has what was set when `configure_ipu_system` was
    called."""

    def __init__(self) -> None:
        super().__init__("", _TREE)

    def configure_ipu_system(self, device: str = "cpu") -> None:
        """Makes these options those of programs that are compiled from now on."""
        global _configured
        _configured = _System(self._items())

    def to_dict(self) -> Dict[str, Any]:
        """All options by their paths."""
        return dict(self._items())

    def from_dict(self, values: Dict[str, Any]) -> None:
        """Sets options by their paths."""
        for path, value in values.items():
            group: Any = self
            *groups, name = path.split(".")
            for part in groups:
                group = getattr(group, part)
            setattr(group, name, value)

    def get_attribute_metadata(self, path: str) -> Dict[str, Any]:
        """The types and the default of an option, and whether it has an effect here."""
        node: Any = _TREE
        for part in path.split("."):
            if part not in node:
                raise ValueError(f"IPUConfig.{path} does not exist.")
            node = node[part]
        return {"types": node.types, "default": node.default, "has_effect": node.effect}


class _System:
    """The options that programs are compiled with."""

    def __init__(self, values: Dict[str, Any]) -> None:
        self._values = values
        self.num_ipus = _count(values["auto_select_ipus"], values["select_ipus"])

    @property
    def options(self) -> Dict[str, Any]:
        """As `populus.jax.compile` takes them."""
        v = self._values
        engine = {key: str(value) for key, value in v["compilation_poplar_options"].items()}
        checks = ("inv", "div0", "oflo", "nanoo", "set_all")
        if any(v[f"floating_point_behaviour.{name}"] for name in checks):
            engine["debug.floatPointOpException"] = "true"
        rounding = v["floating_point_behaviour.esr"]
        esr = rounding if isinstance(rounding, bool) else (
            rounding is not StochasticRoundingBehaviour.OFF)
        return {"engine_options": engine,
                "convolution_options": v["convolutions.poplar_options"],
                "matmul_options": v["matmuls.poplar_options"],
                "stochastic_rounding": esr or v["floating_point_behaviour.set_all"]}

    @property
    def model_options(self) -> Tuple[int, str]:
        """Tiles and version of an IPU Model."""
        return self._values["ipu_model.tiles_per_ipu"], self._values["ipu_model.version"]


def _count(auto: Union[int, List[int]], selected: Union[int, List[int]]) -> int:
    """How many IPUs a program may use."""
    if isinstance(auto, int):
        return auto
    if isinstance(selected, int):
        return 1
    return max([1, *auto]) if auto else max(1, len(selected))


_configured: Optional[_System] = None


def system() -> _System:
    """What was configured, or the defaults."""
    return _configured or _System(IPUConfig()._items())


def reset_ipu_configuration() -> None:
    """Forgets what was configured."""
    global _configured
    _configured = None
