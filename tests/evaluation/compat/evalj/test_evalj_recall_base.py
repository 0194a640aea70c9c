"""The cached full recall base of ``doxel evalj``: written if absent, else read or rejected."""

import io
import shutil
import zipfile
from dataclasses import replace

import polars as pl
import pytest

from documents.commands import doxel, is_sentence
from doxel.errors import InputError
from doxel.evaluation.compat.evalj.evalj_recall_base import read_expanded, write_expanded

CONFIG = """\
TASK: {task}
METRICS: nxCG, MAnxCG, ep/gr, iMAep
DCV: 1, 10
OVERLAP: on, off
QUANT_FUNCTIONS: {quant}
ASSESSMENTS_DIR: {folder}/assessments/{year}
SUBMISSIONRUNS_DIR: {folder}/runs
RESULTS_DIR: {results}
EXPANDED_FULLRB: {results}/cached/base.frb
"""


@pytest.fixture(scope="module")
def demo_folder(demo):
    return demo.collection.parent


def write_config(demo_folder, to, *, task="Focused", quant="gen, strict", year="inex2006", more=""):
    config = to / "evalj.prop"
    text = CONFIG.format(task=task, quant=quant, folder=demo_folder, year=year, results=to / "results")
    config.write_text(text + more)
    return config


def scored(config, *options, status=0):
    outcome = doxel("evalj", "-config", config, "-q", *options)
    assert outcome.status == status, outcome.messages
    return outcome


@pytest.fixture(scope="module")
def written(demo_folder, tmp_path_factory):
    """The recall base of the default configuration as it was written, and the scores printed with it."""
    folder = tmp_path_factory.mktemp("written")
    printed = scored(write_config(demo_folder, folder), "-c", demo_folder / "handbook.doxel").out
    return (folder / "results" / "cached" / "base.frb").read_bytes(), printed


@pytest.fixture
def cached(written, tmp_path):
    """The path of that base, in the place where the configuration of a test looks for it."""
    path = tmp_path / "results" / "cached" / "base.frb"
    path.parent.mkdir(parents=True)
    path.write_bytes(written[0])
    return path


@pytest.mark.parametrize(
    ("task", "quant", "year"),
    [("Focused", "gen, strict", "inex2006"), ("Thorough", "gen, strict, genLifted", "inex2005")],
)
@pytest.mark.parametrize("where", ["collection", "sources"])
def test_scores_are_the_same_with_a_written_a_read_and_no_cache(
    demo_folder, tmp_path, task, quant, year, where
):
    """Passages and elements, some of them partly seen: 12 runs, every topic, to the last digit."""
    place = demo_folder / ("handbook.doxel" if where == "collection" else "handbook")
    config = write_config(
        demo_folder, tmp_path, task=task, quant=quant, year=year, more=f"INEXDOCCOLL_DIR: {place}\n"
    )
    plain = tmp_path / "plain.prop"
    plain.write_text("".join(config.read_text().splitlines(keepends=True)[:-2]))
    without = scored(plain, "-c", demo_folder / "handbook.doxel").out
    first = scored(config)
    assert any("the full recall base was written to" in message for message in first.messages)
    second = scored(config)
    assert any("the full recall base was read from" in message for message in second.messages)
    assert without == first.out == second.out
    assert len(without.splitlines()) > 1000


@pytest.mark.usefixtures("cached")
def test_a_written_base_needs_no_collection(demo_folder, tmp_path, written):
    assert scored(write_config(demo_folder, tmp_path)).out == written[1]


def test_without_documents_the_listed_elements_are_the_base(demo_folder, tmp_path):
    config = write_config(demo_folder, tmp_path)
    first = scored(config)
    assert any("was written to" in message for message in first.messages)
    assert scored(config).out == first.out


def test_the_cached_base_is_used(demo_folder, tmp_path, written, cached):
    """A base of other texts under the same names changes the scores, so it is used."""
    base = read_expanded(cached)
    highlights = base.assessments.highlights
    fewer = replace(base.assessments, highlights=highlights.head(highlights.height // 2))
    write_expanded(replace(base, assessments=fewer), cached)
    assert scored(write_config(demo_folder, tmp_path)).out != written[1]


def error_of(config, *options):
    outcome = doxel("evalj", "-config", config, *options)
    assert outcome.status == 2
    assert not outcome.out
    assert all(map(is_sentence, outcome.messages))
    return outcome.messages[-1]


@pytest.mark.usefixtures("cached")
def test_other_assessments_are_rejected(demo_folder, tmp_path):
    config = write_config(demo_folder, tmp_path, year="inex2005")
    assert "EXPANDED_FULLRB was not built from the assessments" in error_of(
        config, "-c", demo_folder / "handbook.doxel"
    )


@pytest.mark.usefixtures("cached")
def test_another_collection_is_rejected(demo_folder, tmp_path):
    shutil.copytree(demo_folder / "handbook", tmp_path / "other")
    article = next((tmp_path / "other").glob("*.xml"))
    article.write_text(article.read_text().replace("</article>", "<p>more</p></article>"))
    assert doxel("ingest", tmp_path / "other", "-o", tmp_path / "other.doxel").status == 0
    config = write_config(demo_folder, tmp_path)
    assert "EXPANDED_FULLRB was not built from the collection" in error_of(
        config, "-c", tmp_path / "other.doxel"
    )
    assert f"a different version of {article}" in error_of(config, "-c", tmp_path / "other")
    article.unlink()
    assert f"a missing document: {article}" in error_of(config, "-c", tmp_path / "other")


def test_a_base_made_without_documents_is_rejected_with_a_collection(demo_folder, tmp_path):
    config = write_config(demo_folder, tmp_path)
    scored(config)
    assert "found one built without documents" in error_of(config, "-c", demo_folder / "handbook.doxel")
    assert "found one built without documents" in error_of(config, "-c", demo_folder / "handbook")


@pytest.mark.parametrize("content", [b"", b"nothing of the kind", b"PK\x05\x06" + bytes(18)])
def test_another_file_is_rejected(demo_folder, tmp_path, content):
    path = tmp_path / "results" / "cached" / "base.frb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert "wanted a recall base written by doxel" in error_of(write_config(demo_folder, tmp_path))
    assert path.read_bytes() == content


def packed(tmp_path, **members):
    path = tmp_path / "base.frb"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return path


FORMAT = '"format": "doxel expanded full recall base, 1"'


@pytest.mark.parametrize(
    "about",
    [
        "[]",
        "{}",
        '{"format": 1}',
        f"{{{FORMAT}}}",
        f'{{{FORMAT}, "scale": "2006", "notes": 1}}',
        "[" * 100_000,
    ],
)
def test_a_base_with_other_metadata_is_rejected(tmp_path, about):
    with pytest.raises(InputError, match="EXPANDED_FULLRB: wanted a recall base written by doxel"):
        read_expanded(packed(tmp_path, about_json=about))


def test_a_base_with_unknown_compression_is_rejected(tmp_path):
    path = packed(tmp_path, about_json="{}")
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):  # the compression method, in both headers
        data[data.index(mark) + at] = 99
    path.write_bytes(data)
    with pytest.raises(InputError, match="EXPANDED_FULLRB: wanted a recall base written by doxel"):
        read_expanded(path)


def test_elements_of_other_documents_are_rejected(cached):
    more = read_expanded(cached).documents.documents.with_columns(elements=pl.col("elements") + 1)
    with zipfile.ZipFile(cached) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    content = io.BytesIO()
    more.write_parquet(content)
    with zipfile.ZipFile(cached, "w") as archive:
        for name, data in {**members, "documents.parquet": content.getvalue()}.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="found elements that do not match its documents"):
        read_expanded(cached)


def test_the_same_base_has_the_same_bytes(demo_folder, tmp_path, written):
    scored(write_config(demo_folder, tmp_path), "-c", demo_folder / "handbook.doxel")
    assert (tmp_path / "results" / "cached" / "base.frb").read_bytes() == written[0]
