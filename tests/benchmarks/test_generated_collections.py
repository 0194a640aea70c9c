"""Generated collections: the same from the same seed, and like the real ones."""

import hashlib
import os
import subprocess
import sys
import tarfile
from itertools import islice

import pytest
from benchmarks.generator.collection import PROFILES, documents, write_folders, write_tar
from benchmarks.generator.statistics import of_sources, of_structures

pytestmark = pytest.mark.integration

# How far a small fraction may be from the figures of the report (source 004, section 2.1): sizes and
# numbers of elements vary with the documents drawn, the mean depth hardly does.
SAMPLES = {"ieee": 336, "wikipedia": 3_072}  # documents: 2 % and 0.5 %
SIZE_TOLERANCE, DEPTH_TOLERANCE = 0.08, 0.15

DIGEST = """
import hashlib
from benchmarks.generator.collection import PROFILES, documents
digest = hashlib.sha256()
for document in documents(PROFILES["{profile}"], 60, first=20, seed={seed}):
    digest.update(document.path.encode() + document.data)
print(digest.hexdigest())
"""


def _digest(documents_made):
    digest = hashlib.sha256()
    for document in documents_made:
        digest.update(document.path.encode() + document.data)
    return digest.hexdigest()


def _digest_in_another_process(root, profile, seed):
    code = DIGEST.format(profile=profile, seed=seed)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={**os.environ, "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_seed_gives_the_same_documents_in_any_process(root, profile):
    here = _digest(documents(PROFILES[profile], 60, first=20, seed=5))
    assert here == _digest_in_another_process(root, profile, 5)
    assert here != _digest_in_another_process(root, profile, 6)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_a_range_of_documents_is_the_same_as_that_part_of_the_whole(profile):
    first = profile.batch - 3
    assert list(documents(profile, 7, first=first)) == list(documents(profile, first + 7))[first:]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_a_collection_of_full_size_begins_at_once(profile):
    begun = list(islice(documents(profile, profile.documents), 3))
    assert begun == list(documents(profile, 3))


def test_folders_and_tar_hold_the_same_files(tmp_path):
    profile = PROFILES["ieee"]
    size = write_folders(tmp_path / "folders", documents(profile, 103))
    assert write_tar(tmp_path / "one.tar", documents(profile, 103)) == size
    files = {
        path.relative_to(tmp_path / "folders").as_posix(): path.read_bytes()
        for path in (tmp_path / "folders").rglob("*.xml")
    }
    with tarfile.open(tmp_path / "one.tar") as opened:
        members = {member.name: opened.extractfile(member).read() for member in opened}
    assert members == files
    assert {name.partition("/")[0] for name in files} == {"part-0", "part-1"}
    assert sum(map(len, files.values())) == size


@pytest.fixture(scope="module", params=PROFILES.values(), ids=lambda profile: profile.name)
def sample(request):
    profile = request.param
    return profile, of_sources(documents(profile, SAMPLES[profile.name]))


def test_the_statistics_are_near_those_of_the_real_collection(sample):
    profile, statistics = sample
    assert statistics.size / statistics.documents == pytest.approx(
        profile.size / profile.documents, rel=SIZE_TOLERANCE
    )
    assert statistics.elements / statistics.documents == pytest.approx(
        profile.elements / profile.documents, rel=SIZE_TOLERANCE
    )
    assert statistics.depth == pytest.approx(profile.depth, abs=DEPTH_TOLERANCE)


def test_no_document_comes_twice(sample):
    profile, statistics = sample
    assert statistics.distinct == statistics.documents == SAMPLES[profile.name]


def test_the_text_does_not_compress_too_well(sample):
    _, statistics = sample
    assert 0.25 <= statistics.compressed <= 0.6


def test_there_is_mixed_content_and_there_are_links_and_empty_elements(sample):
    _, statistics = sample
    assert statistics.mixed / statistics.elements > 0.03
    assert statistics.links / statistics.elements > 0.03
    assert 0.001 < statistics.empty / statistics.elements < 0.1


def test_the_full_ieee_collection_has_its_elements_and_a_hundred_thousand_label_paths():
    statistics = of_structures(PROFILES["ieee"], PROFILES["ieee"].documents)
    assert statistics.elements == pytest.approx(11_000_000, rel=0.03)
    assert statistics.depth == pytest.approx(6.9, abs=0.05)
    assert statistics.labels >= 100_000
    assert statistics.tags == 176


def test_label_paths_of_wikipedia_grow_with_its_size():
    tenth = of_structures(PROFILES["wikipedia"], 65_939)  # the whole has 150,000, see the README
    assert tenth.elements >= 3_000_000
    assert tenth.labels >= 30_000


def test_counting_structures_agrees_with_reading_documents_back():
    profile = PROFILES["ieee"]
    counted, read = of_structures(profile, profile.batch), of_sources(documents(profile, profile.batch))
    assert (counted.documents, counted.elements) == (read.documents, read.elements)
    assert counted.depth == pytest.approx(read.depth, rel=1e-12)
