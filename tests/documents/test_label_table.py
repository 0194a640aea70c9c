"""The label paths of a part are merged once, even if two threads need them at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import polars as pl

from doxel.documents.element_forest import LabelTable

PART = pl.DataFrame(
    {"parent": [-1, 0, 1], "name": ["article", "body", "p"], "namespace": [None, None, None]},
    schema={"parent": pl.Int64, "name": pl.String, "namespace": pl.String},
)


def test_a_part_requested_by_two_threads_at_once_is_read_once():
    table, reads, second_request = LabelTable(), [], threading.Event()

    def read():
        reads.append(threading.get_ident())
        second_request.wait(0.2)  # long enough for the other thread to enter, if no lock prevents it
        return PART

    def request():
        if reads:
            second_request.set()
        return table.map(0, read).tolist()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(request)
        while not reads:
            pass
        second = pool.submit(request)
        assert first.result() == second.result() == [0, 1, 2]
    assert len(reads) == 1
    assert table.labels().paths == ("/article", "/article/body", "/article/body/p")
