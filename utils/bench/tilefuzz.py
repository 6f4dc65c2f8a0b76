# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the generators of random tile programs share (fuzz-codegen, fuzz-vectors).

A program is compiled for the host (the reference) and by popc at -O0 to -O3 and -Os,
run with ipu-run --tile, and the outputs are compared. A program that differs is kept
with everything that was made of it, and the exit status is 1.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

# Limits of the host's processor time, at -O0, and of tile cycles. Processor time does not depend on
# the load of the host. A program that stays below the first and exceeds the second on a tile must
# be endless there.
HOST_SECONDS = 1
MAX_CYCLES = 200_000_000_000
LEVELS = "0123s"
NOT_A_RESULT = {3: "not supported", 4: "too large for a tile"}


class Skipped(Exception):
    """The program cannot serve as a test."""


def command(arguments, folder=None):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=600,
                          cwd=folder)


def reference(source, folder, build):
    program = folder / "host"
    built = command([*build, source, "-lm", "-o", program])
    if built.returncode != 0:
        raise Skipped("the host's compiler failed: " + built.stderr[:500])
    ran = command(["sh", "-c", f'ulimit -c 0; ulimit -S -t {HOST_SECONDS}; exec "$0"', program])
    if ran.returncode == -signal.SIGXCPU:
        raise Skipped("takes too long")
    if ran.returncode != 0:
        raise Skipped(f"host status {ran.returncode}")
    return ran.stdout


def difference(printed, expected):
    """The first line that differs."""
    pairs = zip(printed.splitlines(), expected.splitlines())
    for number, (ours, theirs) in enumerate(pairs, 1):
        if ours != theirs:
            return f"line {number}: prints {ours}, expected {theirs}"
    return "prints more or fewer lines than expected"


def run_on_tile(source, folder, level, build, expected):
    """What is wrong, or nothing."""
    name = folder / f"tile-O{level}"
    built = command(["popc", "--target=ipu2", f"-O{level}", *build, "-c", source,
                     "-o", f"{name}.o"])
    if built.returncode != 0:
        return f"-O{level}: popc, status {built.returncode}: {built.stderr[:300]}"
    ran = command(["ipu-run", "--tile", f"--max-cycles={MAX_CYCLES}", f"{name}.o"])
    if ran.returncode in NOT_A_RESULT:
        raise Skipped(f"-O{level}: {NOT_A_RESULT[ran.returncode]}")
    if ran.returncode != 0:
        return f"-O{level}: ipu-run, status {ran.returncode}: {ran.stderr[:300]}"
    if ran.stdout != expected:
        return f"-O{level}: {difference(ran.stdout, expected)}"
    return ""


def test(seed, options, work, write_program, host_build, tile_build):
    folder = work / str(seed)
    folder.mkdir()
    try:
        source = write_program(seed, folder, options)
        expected = reference(source, folder, [options.host_compiler, *host_build])
        levels = [LEVELS[seed % len(LEVELS)]] if options.one_level else LEVELS
        wrong = [w for level in levels
                 if (w := run_on_tile(source, folder, level, tile_build, expected))]
    except Skipped as reason:
        shutil.rmtree(folder)
        return "skipped", str(reason)
    if wrong:
        return "wrong", "\n  ".join([f"kept in {folder}", *wrong])
    shutil.rmtree(folder)
    return "right", ""


def main(description, write_program, host_build, tile_build, host_compiler, needs=(),
         epilog=None):
    """Runs the command line of a generator: write_program(seed, folder, options) writes
    a source and returns its path; the builds are the compilers' options."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0],
                                     epilog=epilog)
    parser.add_argument("count", type=int, help="number of programs")
    parser.add_argument("seed", type=int, nargs="?", default=1, help="of the first program")
    parser.add_argument("--build", type=pathlib.Path, help="build tree (default: PATH)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--one-level", action="store_true",
                        help="one level of optimization for each program, in turn")
    parser.add_argument("--host-compiler", default=host_compiler)
    arguments, rest = sys.argv[1:], []
    if "--" in arguments:
        place = arguments.index("--")
        arguments, rest = arguments[:place], arguments[place + 1:]
    options = parser.parse_args(arguments)
    options.rest = rest
    if options.build:
        os.environ["PATH"] = f"{options.build}/bin:{os.environ['PATH']}"
    for tool in (*needs, "popc", "ipu-run", options.host_compiler):
        if not shutil.which(tool):
            parser.error(f"{tool} is not found; see utils/packages.txt and --build")

    work = pathlib.Path(tempfile.mkdtemp(prefix=pathlib.Path(sys.argv[0]).name + "-"))
    sums = {"right": 0, "wrong": 0, "skipped": 0}
    seeds = range(options.seed, options.seed + options.count)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verdicts = pool.map(lambda s: test(s, options, work, write_program, host_build,
                                           tile_build), seeds)
        for seed, (verdict, text) in zip(seeds, verdicts):
            sums[verdict] += 1
            if text:
                print(f"seed {seed}: {verdict}: {text}", flush=True)
    if not sums["wrong"]:
        shutil.rmtree(work)
    print(", ".join(f"{number} {verdict}" for verdict, number in sums.items()))
    return 1 if sums["wrong"] else 0
