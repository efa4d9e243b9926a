"""What is computed of imported documents is kept for the next run; of uploads nothing is."""

import pytest

from core.agents.compound_map import mapping, ranking, reading
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
    for module, name in (
        (reading, "_judge_text"),
        (ranking, "find_scaffold"),
        (ranking, "describe_properties"),
        (mapping, "cut_once"),
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


def test_table_of_reagents_is_part_of_the_version(keeping, two_documents, monkeypatch) -> None:
    two_documents.run()
    judged = []
    monkeypatch.setattr(reading, "_key_of_reagents", lambda: "another table")
    monkeypatch.setattr(
        reading, "_judge_text", lambda text: judged.append(text) or (reading.UNREADABLE,)
    )
    two_documents.run()
    assert judged
