# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device that options ask for.

The emulated IPU, unless options or variables of the environment ask for the IPU Model, which is
faster, and estimates cycles; or for the host's CPU.
"""

import os
from typing import Any, Dict, Optional

from .._logging import logger
from ..enums import ConnectionType
from ..errors import Error, translated

_VERSIONS = ("ipu1", "ipu2", "ipu21")
_TRUE = ("1", "true", "on", "yes")
_FALSE = ("", "0", "false", "off", "no")


def flag(name: str) -> bool:
    """A variable of the environment that is 0 or 1."""
    text = os.environ.get(name, "").lower()
    if text not in _TRUE + _FALSE:
        raise Error(f"The environment variable {name} must be 0 or 1, not {text!r}.")
    return text in _TRUE


def usesIpuModel(use_model: Optional[bool]) -> bool:
    """Returns true for the IPU Model, by an option, or by the environment without it."""
    if use_model is not None:
        return use_model
    return flag("POPTORCH_IPU_MODEL") or flag("POPTORCH_SMALL_IPU_MODEL")


def usesHost() -> bool:
    """Returns true if the environment asks for the host's CPU, the quickest device, which has no
    IPUs: POPULUS_POPTORCH_DEVICE is cpu."""
    given = os.environ.get("POPULUS_POPTORCH_DEVICE", "")
    if given not in ("", "cpu"):
        raise Error(f"The environment variable POPULUS_POPTORCH_DEVICE must be cpu or nothing, "
                    f"not {given!r}.")
    return given == "cpu"


def _modelOptions(num_ipus: int) -> Dict[str, Any]:
    options: Dict[str, Any] = {"numIPUs": num_ipus}
    version = os.environ.get("POPTORCH_IPU_MODEL_VERSION")
    if flag("POPTORCH_SMALL_IPU_MODEL") and not flag("POPTORCH_IPU_MODEL"):
        options["tilesPerIPU"] = 4
    elif version is None:
        options["tilesPerIPU"] = 1472
    if version is not None:
        if version not in _VERSIONS and not version.startswith("ipu:"):
            raise Error(f"Unknown POPTORCH_IPU_MODEL_VERSION {version!r}: versions are "
                        f"{', '.join(_VERSIONS)}.")
        options["ipuVersion"] = version
        options.setdefault("tilesPerIPU", 1216 if version == "ipu1" else 1472)
    return options


def roundedIpus(num_ipus: int, auto_round: bool) -> int:
    """The number of IPUs that a device can have: a power of two."""
    rounded = 1 << (num_ipus - 1).bit_length()
    if rounded == num_ipus:
        return num_ipus
    if not auto_round:
        raise Error(f"The model uses {num_ipus} IPUs, but devices have a power of two of them: "
                    f"options.autoRoundNumIPUs(True) takes one of {rounded}.")
    logger.info("The model uses %d IPUs of a device of %d.", num_ipus, rounded)
    return rounded


def makeDevice(options: Any, num_ipus: int) -> Any:
    """A popart.DeviceInfo of so many IPUs, replicas included."""
    import popart

    manager = popart.DeviceManager()
    with translated():
        if usesHost():
            return manager.createCpuDevice()
        if options.usesIpuModel():
            return manager.createIpuModelDevice(_modelOptions(num_ipus))
        count = roundedIpus(num_ipus, options.auto_round_num_ipus)
        if options.connection_type == ConnectionType.Never:
            return manager.createOfflineIPUDevice(
                {"numIPUs": count, "ipuVersion": f"ipu{options.ipu_version or 2}"})
        pattern = getattr(popart.SyncPattern, options.sync_pattern.name)
        connection = getattr(popart.DeviceConnectionType, options.connection_type.name)
        if options.ipu_id is not None:
            return manager.acquireDeviceById(options.ipu_id, pattern, connection)
        return manager.acquireAvailableDevice(count, 0, pattern, connection)


def ipuHardwareIsAvailable(num_ipus: int = 1) -> bool:
    """Returns true if there is a device that is not emulated: never."""
    assert isinstance(num_ipus, int) and num_ipus > 0, (
        f"num_ipus must be a number greater than 0, not {num_ipus!r}")
    return False


def ipuHardwareVersion() -> int:
    """The version of the IPUs of this machine: 0, for there are none."""
    return 0
