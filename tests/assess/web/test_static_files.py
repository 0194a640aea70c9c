"""Static files: their digest, the graph of their modules, and how they are served."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from assess.plain_pages import tree
from doxel.assess.web.static_files import StaticFolder, list_imports, make_static_address

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
    # variables in rules are tokens, or set by a rule or a script
    scripts = "".join(path.read_text() for path in STATIC.rglob("*.js"))
    defined = set(re.findall(r"(--[\w-]+)", tokens + scripts))
    defined |= {name for text in sheets.values() for name in re.findall(r"(--[\w-]+):", text)}
    used = {name for text in sheets.values() for name in re.findall(r"var\((--[\w-]+)", text)}
    assert used - defined == set()
    # light and dark have the same colours
    light, dark = (set(re.findall(r"(--[\w-]+):", part)) for part in tokens.split("@media")[:2])
    assert light == dark


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def test_only_static_files_of_the_package_are_served(site):
    visitor = site.visitor()
    kinds = {
        "style.css": "text/css; charset=utf-8",
        "view/styles.json": "application/json",
        "judge/judging_page.js": "text/javascript; charset=utf-8",
        "icon.svg": "image/svg+xml",
    }
    for name, kind in kinds.items():
        answer = visitor.get(make_static_address(name))
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
        assert answer.content == files("doxel.assess").joinpath("static", name).read_bytes()
    for base in ("/static/", "/static/0123456789abcdef/", make_static_address("")):
        for name in (
            "",
            "nothing.css",
            "view",
            "view/",
            "view/nothing.js",
            "..%2Fapp.py",
            "%2e%2e/app.py",
            "view/../../app.py",
            "style.css%00",
            "../templates/judge.html",
            "view%5Cstyles.json",
            "x" * 5000,
        ):
            assert visitor.get(base + name).status_code == 404, base + name


def test_a_file_of_this_version_may_be_kept_for_ever(site):
    visitor = site.visitor()
    address = make_static_address("style.css")
    answer = visitor.get(address)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    etag = answer.headers["etag"]
    for header, status in [(etag, 304), (f'"x", W/{etag}', 304), ('"x"', 200)]:  # proxies make them weak
        again = visitor.get(address, headers={"if-none-match": header})
        assert (again.status_code, again.content) == (status, b"" if status == 304 else answer.content)
    assert again.headers["cache-control"] == answer.headers["cache-control"]
    assert visitor.get(make_static_address("nothing.css")).headers["cache-control"] == "no-store"
    assert visitor.http.post(address).status_code == 405


def test_an_address_without_the_digest_of_this_version_leads_to_it(site):
    visitor = site.visitor()
    for base in ("/static/", "/static/0123456789abcdef/"):
        answer = visitor.get(f"{base}judge/judging_page.js")
        assert answer.status_code == 307
        assert answer.headers["location"] == make_static_address("judge/judging_page.js")
        assert answer.headers["cache-control"] == "no-store"


def test_pages_load_all_modules_at_once(enter):
    """Every module that the script imports, directly or not, has a link; all files that pages name exist."""
    anna = enter("anna")
    for path, script in (
        ("/assignments/1/documents/apples", "judge/judging_page.js"),
        ("/", "work/leftovers.js"),
        ("/help", "help/help_page.js"),
    ):
        page = tree(anna.get(path))
        links = [link.get("href") for link in page.iterfind(".//link[@rel='modulepreload']")]
        assert make_static_address(script) in [node.get("src") for node in page.iterfind(".//script")]
        assert set(list_imports(script)) <= set(links)
        assert len(links) == len(set(links))
        named = [*links, *(link.get("href") for link in page.iterfind(".//link[@rel='stylesheet']"))]
        assert {anna.get(address).status_code for address in named} == {200}
