"""pseudo-terminal.py <command> …: runs a command with a terminal of its own as its standard input and error.

Standard output of the command is ours, what it writes to the terminal goes to our standard error, what we are given on
standard input is typed there. Ends with the command's exit code.
"""
import os
import pty
import select
import sys

stdout = os.dup(1)
pid, terminal = pty.fork()
if pid == 0:
    os.dup2(stdout, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
os.close(stdout)
sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if terminal in ready:
        try:
            shown = os.read(terminal, 4096)
        except OSError:
            break
        if not shown:
            break
        os.write(2, shown)
    if 0 in ready:
        typed = os.read(0, 4096)
        if typed:
            os.write(terminal, typed)
        else:
            sources = [terminal]
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
