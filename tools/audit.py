"""``make audit``: known vulnerabilities of the pinned dependencies, found by pip-audit.

pip-audit is installed into a temporary environment, because its own dependencies are not doxel's.  The exit
status is 1 if a dependency has a vulnerability, and 2 if nothing could be checked.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

__all__ = ["audit", "main"]

CONSTRAINTS = Path(__file__).resolve().parents[1] / "constraints.txt"
_UNREACHABLE = (
    *("No matching distribution", "Could not find a version", "ConnectionError", "Connection refused"),
    *(
        "Max retries exceeded",
        "Temporary failure in name resolution",
        "ServiceError",
        "timed out",
        "ProxyError",
    ),
)


def run(command: Sequence[str | Path]) -> tuple[int, str]:
    """Run a program; return its status and its output."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def audit(folder: Path) -> tuple[int, str]:
    """Check the pinned dependencies with a pip-audit in a folder; return exit status and message."""
    venv.create(folder, with_pip=True)
    status, output = run(
        [
            folder / "bin" / "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--retries",
            "1",
            "pip-audit",
        ]
    )
    if status:
        return 2, _explain("pip-audit cannot be installed", output)
    status, output = run(
        [folder / "bin" / "pip-audit", "--requirement", CONSTRAINTS, "--no-deps", "--disable-pip"]
    )
    if any(sign in output for sign in _UNREACHABLE):
        return 2, _explain("pip-audit cannot check the dependencies", output)
    unknown = output.count("could not be audited")
    if unknown:  # an index may not offer this service, and pip-audit reports no error then
        problem = f"{unknown} of {_count_pins()} dependencies could not be checked"
        return (1 if status else 2), f"{problem}: the index does not list their vulnerabilities"
    return (1 if status else 0), output.strip()


def _count_pins() -> int:
    return sum("==" in line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines())


def _explain(problem: str, output: str) -> str:
    last = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "no message")
    is_unreachable = any(sign in output for sign in _UNREACHABLE)
    reason = (
        "no package index can be reached; nothing was checked" if is_unreachable else "nothing was checked"
    )
    return f"{problem}: {reason} ({last[:200]})"


def main() -> int:
    """Print the outcome, and return the exit status."""
    with tempfile.TemporaryDirectory(prefix="doxel-audit-") as folder:
        status, message = audit(Path(folder))
    print(message)
    return status


if __name__ == "__main__":
    sys.exit(main())
