# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device that programs run on, and the flags of TF_POPLAR_FLAGS.

    --use_ipu_model                 the IPU Model
    --device=cpu|ipu_model|ipu_hw   one of the three; cpu is the default, ipu_hw the emulator
    --executable_cache_path=FOLDER  keeps compiled programs

Other flags of the original are accepted with a warning that they have no effect.
"""

import os
import shlex
import warnings
from typing import Any, Dict, Tuple

from ipu.config import system

_KINDS = ("cpu", "ipu_model", "ipu_hw")
_warned: set = set()


def flags() -> Dict[str, str]:
    """The flags of the environment, by name."""
    found = {}
    for word in shlex.split(os.environ.get("TF_POPLAR_FLAGS", "")):
        name, _, value = word.lstrip("-").partition("=")
        if name not in ("use_ipu_model", "device", "executable_cache_path"):
            if name not in _warned:
                _warned.add(name)
                warnings.warn(f"TF_POPLAR_FLAGS: --{name} has no effect.", stacklevel=3)
            continue
        found[name] = value
    return found


def target(replicas: int = 1) -> Tuple[Any, Dict[str, Any]]:
    """The device, with an IPU for each replica, and the options for `populus.jax.compile`."""
    given, options = flags(), dict(system().options)
    if "executable_cache_path" in given:
        options["cache_directory"] = given["executable_cache_path"]
    kind = given.get("device") or ("ipu_model" if "use_ipu_model" in given else "cpu")
    if kind not in _KINDS:
        raise ValueError(f"TF_POPLAR_FLAGS: --device={kind}; there are {', '.join(_KINDS)}.")
    tiles, version = system().model_options
    if kind == "ipu_model" and (tiles or version != "ipu2"):
        import popart

        wanted = {"ipuVersion": version, "numIPUs": replicas,
                  **({"tilesPerIPU": tiles} if tiles else {})}
        return popart.DeviceManager().createIpuModelDevice(wanted), options
    return kind, options
