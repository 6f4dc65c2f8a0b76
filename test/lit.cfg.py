# Configures lit for the shell tests: all test files under test/, with the built tools
# on PATH and our target loaded into LLVM's stock tools.
import glob
import importlib.util
import os
import platform
import shutil
import subprocess
import sysconfig

import lit.formats

config.name = "Populus"
config.suffixes = [".test", ".ll", ".s", ".S", ".cpp", ".c", ".mir"]
config.excludes = ["unit", "Inputs", "models", "lit.cfg.py"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.join(config.populus_source_dir, "test")
config.test_exec_root = os.path.join(config.populus_build_dir, "test")

build = config.populus_build_dir
path = [os.path.join(build, "bin"), config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
# The Python packages of the build; PyTorch is a reference where it is installed.
config.environment["PYTHONPATH"] = os.path.join(build, "python")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.available_features.add(platform.machine())
if importlib.util.find_spec("torch"):
    config.available_features.add("torch")
# The distribution's Python has venv, with pip for new environments.
if importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip"):
    config.available_features.add("venv")
# Jobs of several processes; the build has the fabric's library if it has found Open MPI.
if shutil.which("mpirun") and os.path.exists(os.path.join(build, "lib", "libpopulus-mpi.so")):
    config.available_features.add("openmpi")
    for variable in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        config.environment[variable] = "1"
    # Hosts of jobs, which need root's rights to be made.
    if shutil.which("ip") and os.geteuid() == 0 and \
            subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0:
        config.available_features.add("netns")
if importlib.util.find_spec("mpi4py"):
    config.available_features.add("mpi4py")
mypy = os.path.join(build, "onnx-python", "bin", "mypy")
if os.path.exists(mypy):
    config.available_features.add("mypy")
    config.environment["MYPYPATH"] = os.path.join(build, "python")
# A Python with NumPy 2, which is not the distribution's.
onnx_python = os.path.join(build, "onnx-python")
if glob.glob(os.path.join(onnx_python, "lib", "python3*", "site-packages", "numpy-2.*")):
    config.available_features.add("numpy2")
# A Python with JAX and Keras: POPULUS_JAX_PYTHON, or the one that utils/jax-python makes.
jax_python = os.environ.get("POPULUS_JAX_PYTHON",
                            os.path.join(build, "jax-python", "bin", "python"))
if os.path.exists(jax_python):
    config.available_features.add("jax")
    config.environment["KERAS_BACKEND"] = "jax"
# A Python with PyTorch 2, which is not the distribution's: that of POPULUS_TORCH_PYTHON, or of a
# virtual environment in the build tree.
torch_python = os.environ.get("POPULUS_TORCH_PYTHON", os.path.join(
    build, "torch-python", "bin", "python"))
if os.path.exists(torch_python):
    config.available_features.add("torch2")
# So that the suite can be run with one engine.
if "POPULUS_ENGINE" in os.environ:
    config.environment["POPULUS_ENGINE"] = os.environ["POPULUS_ENGINE"]

triple = "ipu-unknown-unknown-elf"
target = os.path.join(build, "lib", "libpopulus_ipu_target.so")
config.substitutions += [
    ("%{source}", config.populus_source_dir),
    ("%{build}", build),
    ("%{include}", os.path.join(build, "include")),
    ("%{lib}", os.path.join(build, "lib")),
    ("%{cxx}", config.host_cxx),
    ("%{python}", "/usr/bin/python3"),
    ("%{python-headers}", sysconfig.get_paths()["include"]),  # of the Python that runs lit
    ("%{mypy}", mypy),
    ("%{jax}", jax_python),
    ("%{jax-bin}", os.path.dirname(jax_python)),
    ("%{torch2}", torch_python),
    ("%{numpy2}", os.path.join(onnx_python, "bin", "python")),
    ("%{inputs}", os.path.join(config.test_source_root, "Inputs")),
    ("%{llc}", f"llc -load={target} -mtriple={triple} -verify-machineinstrs"),
    ("%{llvm-mc}", f"env LD_PRELOAD={target} llvm-mc -triple={triple}"),
    ("%{llvm-objdump}", f"env LD_PRELOAD={target} llvm-objdump"),
]

# Verify the lowering in every test that compiles a graph.
config.environment["POPULUS_VERIFY_LOWERING"] = "1"

# Code that tests translate is kept in the build tree.
config.environment["POPULUS_TRANSLATION_CACHE"] = os.path.join(
    config.populus_build_dir, "translation-cache")

# So are the headers that tests' codelets begin with.
config.environment["POPULUS_HEADER_CACHE"] = os.path.join(
    config.populus_build_dir, "header-cache")

# So are the codelets that libraries write.
config.environment["POPULUS_CODELET_CACHE"] = os.path.join(
    config.populus_build_dir, "codelet-cache")
