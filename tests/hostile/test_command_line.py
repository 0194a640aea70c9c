"""Every command with random wrong options exits with 0, 1 or 2, and never with a traceback."""

import random

import pytest

from documents.commands import doxel
from fuzz import seeds
from fuzz.mutations import NASTY
from fuzz.targets import fruit

# words that options accept, so that more than the first check is reached
WORDS = (
    *("MAiP", "nxCG@5", "iP@0.1", "inex2009-focused", "gen", "strict", "2006", "jsonl", "trec", "inex-xml"),
    *("1", "0", "-1", "1.5", "100", "none", "a", "1,2", "target=strict", "SCAS", "json", "table", "html"),
    *("characters:5", "sentences", "//p[about(., x)]", "/article[1]", "apples", "ep/gr", "a.svg", "5:1", "@"),
)
# no paths on this machine, such as the root folder, which would be ingested
STRANGE = tuple(word for word in NASTY if not word.startswith(("/", ".")))
COMMANDS = {
    "ingest": "ingest {doc} -o {out}",
    "collection": "collection {c} apples /article[1]/sec[1]",
    "check": "check -c {c} -t {t} -a {a} {r}",
    "evaluate": "evaluate -a {a} -c {c} -m MAiP {r}",
    "evaluate structure": "evaluate -a {a} -c {c} -t {t} --structure SCAS -m nxCG@5 {r}",
    "compare": "compare -a {a} -c {c} -m MAiP --resamples 100 {r} {p}",
    "recallbase": "recallbase -a {a} -c {c} --ideal --topic 1",
    "topics": "topics {t} -c {c}",
    "nexi": "nexi //sec[about(.,x)]",
    "simulate": "simulate -c {c} -a {a} --system perfect -o {out} --limit 5",
    "pool": "pool -c {c} --depth 5 --documents 2 -o {out} {r}",
    "pool statistics": "pool -c {c} --depth 5 --statistics -a {a} -m MAiP {r} {p}",
    "chunks": "chunks -c {c} -a {a} --cutoff 3 --recall 0.5 characters:20:5",
    "convert": "convert {r} {out} --to jsonl -c {c} --lossy",
    "convert topics": "convert {t} {out} --to inex2009 --from topics:tsv",
    "measures": "measures nxCG",
    "evalj": "evalj -config {e} -a {a} -c {c} -o {out} {r}",
    "campaign": "campaign init {out} --name x",
}


@pytest.fixture
def places(tmp_path):
    """Files of all kinds, new for each test: a command with wrong options may overwrite its inputs."""
    folder = tmp_path / "files"
    folder.mkdir()
    contents = {
        "t": seeds.TOPICS["topics.tsv"],
        "a": seeds.ASSESSMENTS["inex.qrels"],
        "r": seeds.RUNS["fol.run"],
        "p": seeds.RUNS["paths.run"].replace(" a /", " p /"),
        "e": seeds.EVALJ["focused.prop"],
        "doc": seeds.SOURCES["plums.txt"],
    }
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in contents} | {"c": fruit() / "fruit.doxel"}


def wrong(arguments, places, chance):
    """Replace, remove or add arguments."""
    changed = list(arguments)
    for _ in range(chance.choice((1, 1, 2))):
        at = chance.randrange(1, len(changed)) if len(changed) > 1 else 0
        new = chance.choice(
            (chance.choice(STRANGE), chance.choice(WORDS), str(chance.choice(list(places.values()))))
        )
        way = chance.randrange(4)
        if way == 0 and len(changed) > 1:
            del changed[at]
        elif way == 1:
            changed.insert(at, new)
        else:
            changed[at] = new
    return [argument.replace("\0", "") for argument in changed]  # a shell cannot pass null characters


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_with_wrong_options_exits_with_a_status(name, places, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chance = random.Random(name)
    whole = [word.format(out=tmp_path / "out", **places) for word in COMMANDS[name].split()]
    assert doxel(*whole).status in {0, 1}
    for _ in range(10):
        arguments = wrong(whole, places, chance)
        outcome = doxel(*arguments)
        assert outcome.status in {0, 1, 2}, arguments
        assert outcome.status == 0 or outcome.err, arguments
        assert "Traceback" not in outcome.err, arguments
