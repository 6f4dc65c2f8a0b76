#!/usr/bin/python3
"""Says which files and pages a documentation page names that do not exist.

    check-paths.py SOURCE_DIR PAGE.md...

Names in backquotes that begin with a folder of the tree are looked for there, links
beside the page; pictures are those that utils/docs-pictures draws.
"""
import os
import re
import subprocess
import sys

FOLDERS = "cmake|docs|include|lib|runtime|test|tools|utils"


def missing(source, page):
    with open(page) as file:
        text = re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S)
    for name in re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", text):
        # Built files are not in the sources.
        if not name.startswith("lib/populus/") and not os.path.exists(
                os.path.join(source, name)):
            yield name
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if link not in pictures and not os.path.exists(
                os.path.join(os.path.dirname(page), link)):
            yield link


source, *pages = sys.argv[1:]
drawn = subprocess.run([os.path.join(source, "utils/docs-pictures"), "--list"],
                       capture_output=True, text=True, check=True)
pictures = {f"pictures/{name}" for name in drawn.stdout.split()}
wrong = [f"{page}: there is no {name}" for page in pages for name in missing(source, page)]
print("\n".join(wrong) or f"{len(pages)} pages, nothing missing")
sys.exit(bool(wrong))
