# SPDX-License-Identifier: GPL-2.0
"""Tables of docs/performance.md, for the programs here that write them anew."""

import os
import re
import sys

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/performance.md")


def line(cells):
    """A table's line; an empty cell is one blank"""
    return ("| " + " | ".join(cells) + " |").replace("|  |", "| |").replace("|  |", "| |")


def read():
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def write(page):
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)


def replace_table(page, name, lines):
    """Between "<!-- NAME -->" and "<!-- end -->" """
    page, found = re.subn("(<!-- %s -->\n).*?(<!-- end -->)" % name,
                          lambda m: m[1] + "\n".join(lines) + "\n" + m[2], page, flags=re.S)
    if not found:
        sys.exit("no place for the table '%s' in %s" % (name, PAGE))
    return page
