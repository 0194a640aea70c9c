"""The folder of static files: its digest, and the graph of its modules."""

import re
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
    static = StaticFolder.read(folder)
    assert set(static.contents) == {"page.js", "core/one.js", "core/two.js"}
    assert static.imports == {
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


def test_one_style_sheet_defines_the_colours_of_all_pages():
    sheets = {path.relative_to(STATIC).as_posix(): path.read_text() for path in STATIC.rglob("*.css")}
    tokens = sheets.pop("tokens.css")
    assert [name for name, text in sheets.items() if ":root" in text or "prefers-color-scheme" in text] == []
    hexadecimal = re.compile(r"#[0-9a-f]{3,8}\b(?![^{]*\{)")
    assert {name: colours for name, text in sheets.items() if (colours := hexadecimal.findall(text))} == {}
    assert '@import url("tokens.css");' in sheets["style.css"]
    # what rules use is a token, or set by a rule or a script
    scripts = "".join(path.read_text() for path in STATIC.rglob("*.js"))
    defined = set(re.findall(r"(--[\w-]+)", tokens + scripts))
    defined |= {name for text in sheets.values() for name in re.findall(r"(--[\w-]+):", text)}
    used = {name for text in sheets.values() for name in re.findall(r"var\((--[\w-]+)", text)}
    assert used - defined == set()
    # light and dark have the same colours
    light, dark = (set(re.findall(r"(--[\w-]+):", part)) for part in tokens.split("@media")[:2])
    assert light == dark
