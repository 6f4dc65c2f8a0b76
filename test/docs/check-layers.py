#!/usr/bin/python3
"""Compares the includes of the sources with the layers in docs/architecture.md.

    check-layers.py SOURCE_DIR

A row of the table gives a component's folders, lowest first; `.` are files in none of them.
Says which includes point to a higher folder, and which folders no row names.
"""
import os
import re
import sys

SUFFIXES = (".h", ".hpp", ".cpp", ".c", ".S", ".def")
# Public headers that are not named like the folder in lib that implements them.
IMPLEMENTED = {"populus": "runtime/Embedding", "poplibs_support": "lib/PopLibs/poputil",
               "poplibs_test": "lib/PopLibs/poputil"}


def layers(source):
    """The rows of the table: component -> folders."""
    with open(os.path.join(source, "docs/architecture.md")) as page:
        table = re.search(r"\| component \| layers, lowest first \|\n\|.*\n((?:\|.*\n)+)",
                          page.read())
    rows = (re.findall(r"`([^`]+)`", row) for row in table[1].splitlines())
    return {component: folders for component, *folders in rows}


def sources(source):
    for top in ("include", "lib", "runtime", "tools"):
        for folder, _, names in os.walk(os.path.join(source, top)):
            for name in names:
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), source)


def home(source, path):
    """The path by which a file is in a layer: public headers are with what implements them."""
    parts = path.split("/")
    if parts[0] != "include":
        return path
    if parts[1] in IMPLEMENTED:
        return f"{IMPLEMENTED[parts[1]]}/{parts[-1]}"
    for above in ("lib", "lib/PopLibs"):
        folder = os.path.join(source, above)
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.lower() == parts[1]:
                return f"{above}/{name}/include/{parts[-1]}"
    return f"lib/Poplar/include/{parts[-1]}"


def layer(component, path):
    """The folder of a component in which a file is; None if it is not in the component."""
    inside = path if component == "." else path.removeprefix(component + "/")
    if component != "." and inside == path:
        return None
    parts = inside.split("/")
    return parts[0] if len(parts) > 1 else "."


def includes(source, path, known):
    with open(os.path.join(source, path), errors="replace") as file:
        names = re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', file.read(), re.M)
    for name in names:
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        for candidate in (name, "include/" + name, beside):
            if candidate in known:
                yield candidate
                break


def divided(places):
    """The folders in lib and runtime whose sources are in several folders."""
    inside = {}
    for place in places:
        parts = place.split("/")
        if parts[0] in ("lib", "runtime") and "include" not in parts:
            for depth in range(1, len(parts)):
                inside.setdefault("/".join(parts[:depth]), set()).add(
                    parts[depth] if depth + 1 < len(parts) else ".")
    return {folder for folder, layers in inside.items() if len(layers) > 1}


def problems(source):
    table = layers(source)
    known = set(sources(source))
    homes = {path: home(source, path) for path in known}
    for component in sorted(divided(homes.values()) - set(table)):
        yield f"{component} has folders, and no row in docs/architecture.md"
    for component, folders in table.items():
        found = {layer(component, place) for place in homes.values()} - {None, "include"}
        for folder in sorted(found - set(folders)):
            if folder != "." or component not in (".", "lib"):
                yield f"{component}: {folder} has no layer in docs/architecture.md"
    for path in sorted(known):
        for other in includes(source, path, known):
            for component, folders in table.items():
                lower, upper = (layer(component, homes[p]) for p in (path, other))
                if lower in folders and upper in folders and (folders.index(lower) <
                                                              folders.index(upper)):
                    yield f"{path} includes {other}: {component} has {upper} above {lower}"


source = sys.argv[1]
wrong = list(problems(source))
print("\n".join(wrong) or f"{len(layers(source))} components, no include against the layers")
sys.exit(bool(wrong))
