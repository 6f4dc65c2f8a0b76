#!/usr/bin/python3
"""Runs what a documentation page shows, as it is printed there.

    run-doc.py PAGE.md BUILD_DIR [FOLDER]

Fenced blocks are taken in order, in an empty working directory: `cpp`, `c`, `python`, `make`,
`cmake` and `asm` blocks whose first line is a comment naming a file are written to it;
`sh` blocks are run one after the other in one shell that starts with no environment. The
shell reads enable.sh of the build tree first, unless the page does that itself: the tree
is in `build` of the working directory then, as it is in a clone. A block after the comment
`<!-- not run: reason -->` is left out. A `text` block right after an `sh` block is what
that prints, on both of its outputs together: each of its lines has to come, in this order;
`...` stands for anything within a line, and a line `...` for any lines. The first failing
command ends the run. Programs of FOLDER come first, such as another `python`.
"""
import os
import re
import subprocess
import sys

BLOCK = re.compile(
    r"(?P<skip><!-- not run:[^>]*-->\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.M | re.S
)
FILE_NAME = re.compile(r"^(?://|#) (\S+\.\w+)$")
ENABLE = ". build/enable.sh\n"
# The only variables of a login that are kept: the locations of the user's files.
ENVIRONMENT = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}


def script_of(page, text):
    """The page as one script, and what its blocks print, by their lines in the page."""
    script, outputs = [], {}
    if not any(b["kind"] == "sh" and not b["skip"] and ENABLE in b["body"]
               for b in BLOCK.finditer(text)):
        script.append(ENABLE)
    last_line, last_end = None, None
    for block in BLOCK.finditer(text):
        if block["skip"]:
            continue
        kind, body = block["kind"], block["body"]
        if kind in ("c", "cpp", "make", "cmake", "asm", "python"):
            name = FILE_NAME.match(body.split("\n", 1)[0])
            if name:
                script.append(f"cat > {name[1]} <<'END_OF_BLOCK'\n{body}END_OF_BLOCK\n")
        elif kind == "sh":
            last_line, last_end = text.count("\n", 0, block.start("body")) + 1, block.end()
            script.append(f"echo '== {page}:{last_line}'\n{body}")
        elif kind == "text" and last_end and not text[last_end:block.start()].strip():
            outputs[last_line] = body
    return "".join(script), outputs, last_line is not None


def check_output(page, line, shown, printed):
    """Whether the lines of `shown` are in `printed`, in order."""
    lines = printed.splitlines()
    place = 0
    for wanted in shown.splitlines():
        if wanted == "...":
            continue
        form = re.compile(".*".join(re.escape(part) for part in wanted.split("...")) + r"\s*$")
        while place != len(lines) and not form.match(lines[place]):
            place += 1
        if place == len(lines):
            sys.exit(f"{page}:{line}: this was not printed, or not in this place: {wanted}")
        place += 1


def main():
    page, build, *folders = sys.argv[1:]
    if folders:
        ENVIRONMENT["PATH"] = os.pathsep.join([*folders, os.defpath])
    with open(page) as file:
        script, outputs, has_blocks = script_of(page, file.read())
    if not has_blocks:
        sys.exit(f"{page}: no block was run")
    if not os.path.lexists("build"):
        os.symlink(build, "build")
    run = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-c", script],
        env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout, flush=True)
    if run.returncode:
        sys.exit(f"{page}: a command failed")
    parts = re.split(r"^== .*:(\d+)$\n", run.stdout, flags=re.M)
    for line, printed in zip(parts[1::2], parts[2::2]):
        check_output(page, line, outputs.get(int(line), ""), printed)


if __name__ == "__main__":
    main()
