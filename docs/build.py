"""``make docs``: refresh the commands, studies and audits, and build the site in docs/build/html."""  # noqa: INP001

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from pagemaker import audits, examples, notebooks, site, studies


def main() -> int:
    """Build the site; with ``--examples``, first refresh the outputs that the pages show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=site.DOCS / "build", metavar="DIR")
    parser.add_argument(
        "--examples", action="store_true", help="run all examples and write their output into the pages"
    )
    options = parser.parse_args()
    site.write_reference()
    studies.write_studies(real=options.examples)
    audits.write_audit_page()
    if options.examples:
        pages = examples.refresh([site.ROOT / "README.md", *site.sources().values()])
        with tempfile.TemporaryDirectory() as folder:
            pages += notebooks.refresh(Path(folder))
        sys.stdout.write("".join(f"{path.relative_to(site.ROOT)}: outputs refreshed\n" for path in pages))
    html = site.build(options.output)
    sys.stdout.write(f"{html / 'index.html'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
