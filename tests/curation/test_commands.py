"""`check --drug NAME` on the command line, over the real pack."""

import pytest

from core.evidence.sources.pack.schema import TABLES
from tools.curation.__main__ import main


def test_a_drug_is_printed_across_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--drug", "keytruda"]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("pembrolizumab: ")
    assert "MK-3475" in first
    files = {line.partition(" ")[0] for line in lines if not line.startswith("\t")}
    assert {"drugs.csv", "trials.csv", "approvals.csv", "labels.csv"} <= files
    assert files <= {f"{table.name}.csv" for table in TABLES}


def test_an_unknown_drug_is_told_with_names_that_are_near(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", "--drug", "pembrolizumabb"]) != 0
    assert "the nearest names: pembrolizumab" in capsys.readouterr().err
