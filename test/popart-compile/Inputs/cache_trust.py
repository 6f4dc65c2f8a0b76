# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cache_trust.py MODEL FOLDER BUILD: what is in the folder of a cache, and who may have put it there."""

import json
import os
import shutil
import subprocess
import sys

model, folder, build = sys.argv[1:]
cache = f"{folder}/cache"
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)


def compile(*arguments, tool="popart-compile", **environment):
    """Whether the executable comes from the cache, and what the log says."""
    command = [tool, model, "--tiles", "8", "--cache-dir", cache, "--time=json", "-o",
               f"{folder}/out.ipux", *arguments]
    result = subprocess.run(command, capture_output=True, text=True,
                            env={**os.environ, "POPART_LOG_LEVEL": "WARN", **environment})
    assert result.returncode == 0, result.stderr
    return "compile" not in json.loads(result.stdout), result.stderr


def check(isFromCache, words="", *arguments, **environment):
    found, log = compile(*arguments, **environment)
    assert found == isFromCache, (found, log)
    assert words in log, log


def entries():
    return sorted(os.path.join(cache, name) for name in os.listdir(cache))


check(False)
check(True)
assert os.stat(cache).st_mode & 0o777 == 0o700
(first,) = entries()
assert os.stat(first).st_mode & 0o777 == 0o600

# An entry under another one's name: it holds the executable of other options.
check(False, "", "--batches-per-step", "2")
(second,) = set(entries()) - {first}
good = open(first, "rb").read()
shutil.copyfile(second, first)
check(False, "damaged")
check(True)
assert open(first, "rb").read() == good
# A byte of the line, and of the executable.
for place in (3, 30, 60, len(good) // 2, len(good) - 1):
    with open(first, "wb") as file:
        file.write(good[:place] + bytes([good[place] ^ 1]) + good[place + 1:])
    check(False, "damaged")
    check(True)

# Entries and folders that others may write to are not used, be it the entry or the folder.
os.chmod(first, 0o620)
check(False, "others may have written it")
check(True)
for mode in (0o720, 0o702):
    os.chmod(cache, mode)
    check(False, "no cache")
os.chmod(cache, 0o755)
check(True)
if os.geteuid() == 0:
    os.chown(first, 12345, -1)
    check(False, "others may have written it")
    check(True)
    os.chown(cache, 12345, -1)
    check(False, "no cache")
    os.chown(cache, 0, -1)
    check(True)
# A link leads to what others may change.
os.rename(first, f"{folder}/moved")
os.symlink(f"{folder}/moved", first)
check(False)
os.remove(first)
os.mkfifo(first)
check(False)
check(True)

# Each variable of the environment that engines and targets take options from.
for name, value in {
    "POPLAR_ENGINE_OPTIONS": '{"target.workerStackSizeInBytes":"1024"}',
    "POPLAR_RUNTIME_OPTIONS": '{"target.workerStackSizeInBytes":"2048"}',
    "POPLAR_TARGET_OPTIONS": '{"gatewayMode":"true"}',
}.items():
    check(False, **{name: value})
    check(True, **{name: value})
check(True)
# Options that do not change the executable, and one that asks for a file beside it.
check(True, POPLAR_ENGINE_OPTIONS='{"opt.maxCompilationThreads":"1"}')
places = f"{folder}/places.json"
for _ in range(2):
    check(False, POPLAR_ENGINE_OPTIONS=json.dumps({"debug.loweredVarDumpFile": places}))
    os.remove(places)
# A tile map takes a compilation, too.
check(False, POPART_TENSOR_TILE_MAP=f"{folder}/map.json")
os.remove(f"{folder}/map.json")
check(True)

# The codelets of the installation: another archive of the same size and time.
tree = f"{folder}/tree"
os.makedirs(f"{tree}/bin")
shutil.copy(f"{build}/bin/popart-compile", f"{tree}/bin")
os.makedirs(f"{tree}/lib")
for name in os.listdir(f"{build}/lib"):
    if ".so" in name:
        shutil.copy2(f"{build}/lib/{name}", f"{tree}/lib")
shutil.copytree(f"{build}/lib/populus", f"{tree}/lib/populus")
tool = f"{tree}/bin/popart-compile"
assert not compile(tool=tool)[0]
for archive in ("codelets/popops.gp", "device.gp"):
    path = f"{tree}/lib/populus/{archive}"
    assert compile(tool=tool)[0]
    status = os.stat(path)
    with open(path, "rb+") as file:
        head = file.read(4096)
        place = head.index(b"0", 16)  # a digit of the first member's header: its date
        file.seek(place)
        file.write(b"1")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert os.path.getsize(path) == status.st_size
    assert not compile(tool=tool)[0], archive
print("all as expected")
