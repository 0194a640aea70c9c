"""The server in a process of its own, for tests that kill it."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from contextlib import contextmanager


class Served:
    """A running ``doxel assess serve``."""

    def __init__(self, *arguments, descriptors=None):
        command = [sys.executable, "-m", "doxel", "assess", "serve", "--port", "0", *map(str, arguments)]
        if descriptors is not None:
            command = ["prlimit", f"--nofile={descriptors}:{descriptors}", *command]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self.address = ""
        for line in self.process.stderr:
            self.lines.append(line.rstrip())
            if match := re.search(r"serving on (http://\S+)", line):
                self.address = match.group(1)
                break
        # later output must be read, or the server would block on a full pipe
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def kill(self):
        self.process.kill()  # SIGKILL: nothing can be tidied up
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(300)


@contextmanager
def served(*arguments, descriptors=None):
    """Yield a running server, and stop it at the end; ``descriptors`` is its number of open files."""
    server = Served(*arguments, descriptors=descriptors)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
        server.process.stderr.close()
