#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the manual page of a tool, and the files by which bash and zsh complete its
# options, from what the tool's --help prints. So there is one text about an option.
#
#   manual.py TOOL DIRECTORY     TOOL is a path; files go to DIRECTORY/man, ...
#
# A help text is prose, and entries: a line that begins with two blanks and an option,
# whose description follows after two blanks or more, there or in the lines below. Names of
# one option are divided by commas; popc puts options that belong together in one entry,
# divided by blanks. Words in capitals after a name are what the option takes;
# `a|b` says that it is a or b.

import os
import re
import subprocess
import sys

# `=` and `[=` begin a value as well.
NAME = re.compile(r"(?:--?|@)[A-Za-z#][\w#.+-]*")
CHOICES = re.compile(r"(?: |\[=)([a-z0-9-]+(?:\|[a-z0-9-]+)+)(?:\]| |$)")


class Entry:
    def __init__(self, heading, description):
        self.heading, self.description = heading, description

    def names(self):
        """Those that a shell can complete: `-W...` stands for many."""
        names = []
        for word in self.heading.split():
            if not word.startswith("-"):
                break
            names += [name for name in NAME.findall(word) if not name.endswith("...")]
        return names

    def choices(self):
        found = CHOICES.search(self.heading)
        return found[1].split("|") if found else []

    def takes_value(self):
        return re.search(r"[= ][A-Z]", self.heading) is not None


class Help:
    """The prose and the entries of a text, in order."""

    def __init__(self, text):
        self.usage, self.items = "", []
        entry = None
        for line in text.splitlines():
            start = re.match(r"^  ([-@\w]\S*.*?)(?:   *(\S.*))?$", line)
            if line.startswith("Usage:"):
                self.usage = line[len("Usage:"):].strip()
            elif re.match(r"^ {8,}\S", line) and entry:
                entry.description = (entry.description + " " + line.strip()).strip()
            elif start:
                entry = Entry(start[1], start[2] or "")
                self.items.append(entry)
            else:
                entry = None
                self.items.append(line)

    def entries(self):
        return [item for item in self.items if isinstance(item, Entry)]

    def first_sentence(self):
        prose = " ".join(item for item in self.items if isinstance(item, str)).strip()
        return re.split(r"(?<=[.:;])\s", prose)[0].rstrip(".:;")


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def manual(tool, help_text, version):
    lines = [f'.TH {tool.upper()} 1 "" "{version}" "Populus"', ".SH NAME",
             f"{tool} \\- {escaped(help_text.first_sentence())}", ".SH SYNOPSIS",
             f".B {escaped(help_text.usage)}", ".SH DESCRIPTION"]
    items = help_text.items
    for i, item in enumerate(items):
        if isinstance(item, Entry):
            lines += [".TP", f".B {escaped(item.heading)}", escaped(item.description)]
        elif not item.strip():
            lines.append(".PP")
        elif i + 1 < len(items) and isinstance(items[i + 1], Entry):
            lines.append(f".SS {escaped(item.rstrip(':'))}")
        else:
            lines.append(escaped(item.strip()))
    return "\n".join(lines) + "\n"


def bash_completion(tool, help_text):
    function = "_populus_" + tool.replace("-", "_")
    names = " ".join(name for entry in help_text.entries() for name in entry.names())
    cases = "".join(
        f"  {'|'.join(entry.names())}) words='{' '.join(entry.choices())}' ;;\n"
        for entry in help_text.entries() if entry.names() and entry.choices())
    return f"""# Completion of {tool} for bash, made from its --help.
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} words=
  # bash takes --option=value for three words.
  [[ $word == = ]] && word=
  [[ $option == = ]] && option=${{COMP_WORDS[COMP_CWORD - 2]}}
  case $option in
{cases}  esac
  [[ -z $words && $word == -* ]] && words='{names}'
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F {function} {tool}
"""


def zsh_completion(tool, help_text):
    def quoted(text):
        return re.sub(r"([\[\]:'])", r"\\\1", text.replace("'", "’"))

    specs = []
    for entry in help_text.entries():
        value = ":value:(" + " ".join(entry.choices()) + ")" if entry.choices() else \
            ":value:_files" if entry.takes_value() else ""
        for name in entry.names():
            equals = "=" if name.startswith("--") and value else ""
            specs.append(f"  '*{name}{equals}[{quoted(entry.description)}]{value}' \\\n")
    return (f"#compdef {tool}\n# Made from the --help of {tool}.\n_arguments \\\n" +
            "".join(specs) + "  '*:file:_files'\n")


def main():
    path, directory = sys.argv[1:]
    tool = os.path.basename(path)

    def output(option):
        return subprocess.run([path, option], check=True, stdout=subprocess.PIPE,
                              text=True).stdout

    help_text = Help(output("--help"))
    version = output("--version").splitlines()[0]
    for name, text in (
            (f"man/man1/{tool}.1", manual(tool, help_text, version)),
            (f"bash-completion/completions/{tool}", bash_completion(tool, help_text)),
            (f"zsh/site-functions/_{tool}", zsh_completion(tool, help_text))):
        file = os.path.join(directory, name)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w") as stream:
            stream.write(text)


main()
