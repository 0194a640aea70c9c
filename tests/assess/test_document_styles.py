"""Document styles: the bundled file, files that add to it, and invalid files."""

import json
import re
from importlib.resources import files

import pytest

from assess.processes import served
from doxel.assess.document_styles import LOOKS, load_bundled_styles, read_styles
from doxel.errors import InputError


def write(folder, data):
    path = folder / "styles.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_the_bundled_styles_cover_every_documented_collection():
    tags = load_bundled_styles().tags
    collections = {
        "handbook": ("article", "title", "section", "hcell", "list", "item", "note", "code", "table", "row"),
        "JATS": ("article", "front", "article-title", "abstract", "sec", "p", "fig", "xref", "ref", "td"),
        "INEX IEEE": ("fm", "bdy", "bm", "atl", "au", "st", "ss1", "ip1", "p1", "it", "fgc", "tf", "bib"),
        "INEX Wikipedia": ("name", "body", "collectionlink", "emph3", "normallist", "figure", "caption"),
        "HTML": ("h1", "h6", "ul", "ol", "li", "blockquote", "pre", "strong", "sup", "th", "dl", "dd"),
    }
    assert {name: [tag for tag in wanted if tag not in tags] for name, wanted in collections.items()} == {
        name: [] for name in collections
    }
    assert set(tags.values()) <= set(LOOKS)


def test_the_page_shows_every_look_and_no_other():
    view = files("doxel.assess").joinpath("static", "view")
    looks = re.findall(
        r"^  '?([a-z-]+)'?: (?:block|inline)\(", view.joinpath("document_render.js").read_text(), re.MULTILINE
    )
    assert sorted(["automatic", *looks]) == sorted(LOOKS)
    styled = set(re.findall(r"\.look-([a-z-]+)", view.joinpath("view.css").read_text()))
    assert styled <= set(LOOKS)


def test_the_documentation_names_every_look(pytestconfig):
    text = (pytestconfig.rootpath / "docs" / "assess.md").read_text(encoding="utf-8")
    listed = re.search(r"The looks\s+are\s+(.*?)[.;]", text, re.DOTALL).group(1)
    assert re.split(r",\s+|\s+and\s+", listed.strip()) == list(LOOKS)


def test_a_styles_file_adds_and_replaces_entries(tmp_path):
    own = {"Recipe": "section", "p": "quotation", "recipe/Name": "title"}
    styles = read_styles(write(tmp_path, {"tags": own, "default": "block"}))
    assert styles.tags["recipe/name"] == "title"
    assert (styles.tags["recipe"], styles.tags["p"], styles.default) == ("section", "quotation", "block")
    assert styles.tags["sec"] == "section"
    assert load_bundled_styles().tags["p"] == "paragraph"
    assert read_styles(None) == load_bundled_styles()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "line 1"),
        ('{"tags":\n{"p"}}', "line 2"),
        ([], 'an object with "tags" and "default"'),
        ({"tag": {}}, 'an object with "tags" and "default", found tag'),
        ({"tags": ["p"]}, "looks by tag"),
        ({"tags": {"p": "url(x)"}}, "tag p: wanted one of automatic, .* found 'url"),
        ({"tags": {"p": 1}}, "tag p: wanted one of automatic"),
        ({"default": "none"}, "default: wanted one of automatic"),
        ("[" * 100_000, "JSON"),
        ("9" * 5000, "JSON"),
        ('{"tags": {"\\ud800": "item"}}', "JSON"),
    ],
)
def test_an_invalid_styles_file_is_refused_with_a_sentence(tmp_path, data, message):
    path = write(tmp_path, data)
    with pytest.raises(InputError, match=message) as refused:
        read_styles(path)
    assert "styles.json" in str(refused.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.json"):
        read_styles(tmp_path / "nothing.json")


def test_the_server_sends_styles_to_signed_in_users(tmp_path, library, site):
    assert site.visitor("anna").get("/api/styles").json() == load_bundled_styles().as_json()
    assert site.visitor().get("/api/styles").status_code == 401
    bad = write(tmp_path, {"tags": {"p": "loud"}})
    folder = library.collection.folder
    with served("-c", folder, "--database", tmp_path / "a.sqlite", "--styles", bad) as server:
        assert server.process.wait(30) == 2
        assert "wanted one of automatic" in " ".join(server.lines)


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()
