"""The picture of the architecture shows all rooms, in an order that the imports keep."""

import ast
import re
from pathlib import Path

import pytest
from lxml import etree
from pagemaker.site import DOCS

import doxel
from syntax import find_statements

SOURCE = Path(doxel.__file__).parent
PICTURE = etree.fromstring((DOCS / "architecture.svg").read_bytes())
SVG = "{http://www.w3.org/2000/svg}"
NO_ROOMS = {"__init__", "__main__", "_version", "data", "py"}


def rooms_of_the_code():
    names = {
        path.name.split(".")[0]
        for path in SOURCE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    return names - NO_ROOMS


def rooms_of_the_picture():
    """Each room with its place: from top to bottom, then from left to right."""
    places = {}
    for node in PICTURE.iter(f"{SVG}g"):
        if node.get("data-room"):
            x, y = re.fullmatch(r"translate\(([\d.]+),([\d.]+)\)", node.get("transform")).groups()
            places[node.get("data-room")] = (float(y), float(x))
    return places


def imported(room):
    """The rooms that a room imports, anywhere in its code."""
    path = SOURCE / room
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    modules = set()
    for file in files:
        for node in find_statements(file):
            if isinstance(node, ast.ImportFrom) and node.module == "doxel":
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("doxel."):
                modules.add(node.module.split(".")[1])
    return (modules & rooms_of_the_code()) - {room}


def test_the_picture_shows_exactly_the_rooms_that_there_are():
    assert set(rooms_of_the_picture()) == rooms_of_the_code()


def test_every_room_is_labelled_with_its_name():
    for node in PICTURE.iter(f"{SVG}g"):
        if node.get("data-room"):
            assert node.find(f"{SVG}text").text == node.get("data-room")


@pytest.mark.parametrize("room", sorted(rooms_of_the_code()))
def test_a_room_is_below_the_rooms_that_it_imports(room):
    places = rooms_of_the_picture()
    wrong = [other for other in imported(room) if places[other] >= places[room]]
    assert wrong == [], f"{room} imports {wrong}, which stand below it or to its right in the picture"


def test_no_two_rooms_lie_on_each_other():
    boxes = []
    for node in PICTURE.iter(f"{SVG}g"):
        if node.get("data-room"):
            y, x = rooms_of_the_picture()[node.get("data-room")]
            rect = node.find(f"{SVG}rect")
            boxes.append(
                (node.get("data-room"), x, y, x + float(rect.get("width")), y + float(rect.get("height")))
            )
    for name, left, top, right, bottom in boxes:
        for other, left2, top2, right2, bottom2 in boxes:
            if name < other:
                assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top, (name, other)


@pytest.mark.parametrize("room", sorted(rooms_of_the_code()))
def test_the_page_describes_every_room(room):
    page = (DOCS / "architecture.md").read_text("utf-8")
    assert f"\n| `{room}` | " in page
