# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine that a program is compiled for."""

from typing import Any, Dict

_KINDS = {"cpu": ("cpu", "cpu"), "ipu_model": ("ipu2", "ipu-model"), "ipu_hw": ("ipu2", "ipu")}


def machine(device: Any, ipus: int = 1) -> Dict[str, Any]:
    """The compiler's arguments for "cpu", "ipu_model", "ipu_hw" (the emulator), or a device of
    `popart.DeviceManager`. Raises ValueError for another name, and for a device with fewer IPUs
    than the program needs."""
    if isinstance(device, str):
        if device not in _KINDS:
            raise ValueError(f"Unknown device {device!r}; there are "
                             f"{', '.join(map(repr, _KINDS))}.")
        target, kind = _KINDS[device]
        return {"target": target, "device": kind, "num_ipus": ipus,
                "tiles_per_ipu": 0}
    name = str(device.type).rpartition(".")[2]
    kind = {"Cpu": "cpu", "IpuModel": "ipu-model"}.get(name, "ipu")
    if kind != "cpu" and device.numIpus < ipus:
        raise ValueError(f"The program needs {ipus} IPUs, and the device has {device.numIpus}.")
    return {"target": "cpu" if kind == "cpu" else (device.version or "ipu2"), "device": kind,
            "num_ipus": max(ipus, device.numIpus),
            "tiles_per_ipu": 0 if kind == "cpu" else device.tilesPerIPU}
