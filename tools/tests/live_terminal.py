# SPDX-License-Identifier: MIT
"""live_terminal.py KEY COMMAND...: runs it on a terminal of its own, presses KEY when it has taken
the other screen, and fails unless it gives that back and ends with status 0."""

import os
import pty
import sys

ENTER, LEAVE = b"\033[?1049h", b"\033[?1049l"

child, terminal = pty.fork()
if not child:
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[2], sys.argv[2:])
seen, pressed = b"", False
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:  # nobody has it open
        break
    if not more:
        break
    seen += more
    if ENTER in seen and not pressed:
        os.write(terminal, sys.argv[1].encode("latin-1").decode("unicode_escape").encode())
        pressed = True
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(f"status {status}, {seen[-200:]!r}")
sys.exit(status != 0 or LEAVE not in seen)
