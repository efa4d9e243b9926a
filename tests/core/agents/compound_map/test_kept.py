"""What is computed of imported documents is kept for the next run; of uploads nothing is."""

import pytest

from core.agents.compound_map import mapping, ranking, reading, trust
from core.chemistry import keeping as notebooks
from core.chemistry.keeping import compute_all
from core.chemistry.series import Groups
from tests.core.agents.compound_map.conftest import ASPIRIN_AMIDES, Bench
from tests.core.agents.compound_map.test_pipeline import plain


class Counted:
    """Notes of the bench that count what they take."""

    def __init__(self, notes) -> None:
        self._notes = notes
        self.written = 0

    def read(self, keys):
        return self._notes.read(keys)

    def write(self, values) -> None:
        self.written += len(values)
        self._notes.write(values)


@pytest.fixture
def keeping(bench: Bench) -> Counted:
    """The bench keeps what it computes."""
    bench.notes = Counted(bench.stores.notes)
    return bench.notes


def refuse(*_said: object) -> None:
    raise AssertionError("this was computed again")


def test_second_run_reads_what_the_first_kept(keeping, two_documents: Bench, monkeypatch) -> None:
    first = two_documents.run()
    assert keeping.written > 9
    assert len(first.series) == 1
    for module, name in (
        (reading, "_judge_text"),
        (ranking, "find_scaffold"),
        (ranking, "describe_properties"),
        (mapping, "cut_once"),
        (mapping, "take_apart"),
        (trust, "read_bits"),
        (trust, "_queries"),
    ):
        monkeypatch.setattr(module, name, refuse)
    written = keeping.written
    assert plain(two_documents.run()) == plain(first)
    assert keeping.written == written


def test_answer_is_the_same_without_notes(two_documents: Bench) -> None:
    without = plain(two_documents.run())
    two_documents.notes = two_documents.stores.notes
    assert plain(two_documents.run()) == without
    assert plain(two_documents.run()) == without


def test_answer_is_the_same_with_a_second_process(two_documents: Bench, monkeypatch) -> None:
    alone = plain(two_documents.run())
    lengths: list[int] = []

    def share(call, texts, _fewest):
        lengths.append(len(texts))
        return compute_all(call, texts, 0)

    monkeypatch.setattr(notebooks, "compute_all", share)
    monkeypatch.setattr("core.chemistry.keeping.may_copy", lambda: True)
    two_documents.notes = two_documents.stores.notes
    assert plain(two_documents.run()) == alone
    assert max(lengths) > 9
    assert plain(two_documents.run()) == alone


def test_series_that_ran_out_of_time_is_not_kept(keeping, two_documents, monkeypatch) -> None:
    with monkeypatch.context() as slow:
        slow.setattr(mapping, "take_apart", lambda *_: Groups("", (), ()))
        first = two_documents.run()
    assert first.series[0].n_decomposed == 0
    assert first.series[0].message
    assert two_documents.run().series[0].n_decomposed == 4


def test_tables_are_part_of_the_version(keeping, two_documents, monkeypatch) -> None:
    n_molecules = len(two_documents.run().compounds)
    written = keeping.written
    monkeypatch.setattr(trust, "_key_of_groups", lambda: "another table")
    two_documents.run()
    assert keeping.written == written + n_molecules
    two_documents.run()
    judged = []
    monkeypatch.setattr(reading, "_key_of_reagents", lambda: "another table")
    monkeypatch.setattr(
        reading, "_judge_text", lambda text: judged.append(text) or (reading.UNREADABLE,)
    )
    two_documents.run()
    assert judged


def test_structures_of_uploads_are_not_kept(keeping: Counted, bench: Bench, monkeypatch) -> None:
    lines = ["We claim:", "1. N-phenyl-4-[(morpholin-4-yl)methyl]benzamide."]
    bench.uploads.files["f1"] = ("own.txt", "\n".join(lines).encode())
    bench.uploads.files["f2"] = ("own.csv", f"name,smiles\nmine,{ASPIRIN_AMIDES[0]}\n".encode())
    monkeypatch.setattr(
        "core.agents.compound_map.named.try_names",
        lambda names: dict.fromkeys(names, "O=C(Nc1ccccc1)c1ccc(CN2CCOCC2)cc1"),
    )
    data = bench.run("ZZZ9", file_ids=["f1"], compounds_file_id="f2")
    assert len(data.compounds) == 1
    assert keeping.written == 0
