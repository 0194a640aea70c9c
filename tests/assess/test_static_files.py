"""The folder of static files: its digest, and the graph of its modules."""

from importlib.resources import files
from pathlib import Path

import pytest

from doxel.assess.web.static_files import StaticFolder

STATIC = Path(str(files("doxel.assess"))) / "static"
PAGES = {"judge/judging_page.js", "compare/compare_page.js", "help/help_page.js", "work/leftovers.js"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "core").mkdir()
    (tmp_path / "page.js").write_text(
        "import {\n  a, b,\n} from './core/one.js';\nimport { c } from './core/two.js';\n"
    )
    (tmp_path / "core" / "one.js").write_text(
        "import { c } from './two.js';\n// import { d } from './no.js';\n"
    )
    (tmp_path / "core" / "two.js").write_text("export const c = 1;\n")
    (tmp_path / "notes.txt").write_text("not for pages")
    return tmp_path


def test_modules_are_listed_nearest_first(folder):
    found = StaticFolder.read(folder)
    assert found.names == {"page.js", "core/one.js", "core/two.js"}
    assert found.imports == {
        "page.js": ("core/one.js", "core/two.js"),
        "core/one.js": ("core/two.js",),
        "core/two.js": (),
    }


def test_the_digest_depends_on_names_and_contents_alone(folder):
    digests = [StaticFolder.read(folder).digest]
    (folder / "notes.txt").write_text("changed")
    assert StaticFolder.read(folder).digest == digests[0]
    (folder / "core" / "two.js").write_text("export const c = 2;\n")
    digests.append(StaticFolder.read(folder).digest)
    (folder / "core" / "two.js").rename(folder / "core" / "three.js")
    (folder / "core" / "one.js").write_text("")
    (folder / "page.js").write_text("")
    digests.append(StaticFolder.read(folder).digest)
    assert len(set(digests)) == 3


def test_no_module_imports_itself():
    imports = StaticFolder.read(STATIC).imports
    assert [name for name in imports if any(name in imports[other] for other in imports[name])] == []


def test_every_module_is_part_of_a_page():
    imports = StaticFolder.read(STATIC).imports
    reached = PAGES.union(*(imports[page] for page in PAGES))
    assert set(imports) - reached == {"keywords/keyword_worker.js"}  # a worker, started by its address
