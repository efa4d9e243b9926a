"""`evidence read|remove`: statements of a press release, accepted under a name and taken back."""

import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.cli import main
from core.evidence.assets.gather import gather_assets
from core.evidence.names.identity.resolver import Resolver
from core.records.asset_queries import AssetQuery
from core.settings import Settings, read_settings
from storage.stores import open_stores

RELEASE = (
    "Amgen is developing AMG 4711 for gout. The first patient has been dosed in a phase 2 trial "
    "of AMG 4711. Amgen acquired Horizon Therapeutics for $5 billion. Amgen may acquire Pfizer."
)


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("BPW_HOME", str(tmp_path / "home"))
    read_settings.cache_clear()
    yield tmp_path / "home"
    read_settings.cache_clear()


def drugs_of(home: Path) -> list[tuple[str, str, str]]:
    """Return the drugs of Amgen with a stage and the record behind it."""
    stores = open_stores(Settings(home=home, database_url=None))
    try:
        query = AssetQuery(companies=("Amgen",), company_names=("Amgen",), figures=False)
        resolver = Resolver(stores.identity, stores.learned_names)
        today = datetime.now(UTC).date()
        gathered = gather_assets(query, stores.evidence, resolver, today)
        return [
            (asset.name, stated.stage, record_id)
            for asset in gathered.assets
            for program in asset.programs
            for stated in program.stages
            for record_id in stated.statement.record_ids
        ]
    finally:
        stores.engine.close()


def test_statements_are_read_accepted_and_taken_back(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "release.txt"
    path.write_text(RELEASE)

    assert main(["evidence", "read", str(path), "--published-on", "2026-11-02"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[1] for line in lines] == [
        *("develops", "in clinical development", "acquired")
    ]
    assert all(line.split("\t")[-1] in RELEASE for line in lines)
    assert drugs_of(home) == []

    url = "https://news.example/amgen"
    arguments = ["evidence", "read", str(path), "--url", url, "--accept", "1", "--accept", "2"]
    assert main(arguments) == 0
    accepted = [
        line.split("\t")[1]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("accepted")
    ]
    assert drugs_of(home) == [("AMG 4711", "PHASE2", accepted[1])]
    stores = open_stores(Settings(home=home, database_url=None))
    record = stores.evidence.record(accepted[1])
    assert record is not None
    assert (record.url, record.spans[0].text in RELEASE) == (url, True)
    assert "Accepted by" in record.title
    assert "evidence accept" in {line.action for line in stores.audit.list(limit=9)}
    stores.engine.close()

    assert main(["evidence", "remove", accepted[1]]) == 0
    assert drugs_of(home) == []
    assert main(["evidence", "remove", accepted[1]]) != 0


def test_a_word_document_is_read(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "release.docx"
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f"<w:body><w:p><w:r><w:t>{RELEASE}</w:t></w:r></w:p></w:body>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{word}">{body}</w:document>')

    assert main(["evidence", "read", str(path)]) == 0

    assert "AMG 4711" in capsys.readouterr().out


@pytest.mark.parametrize(
    "more",
    [["--accept", "9"], ["--published-on", "yesterday"], ["--url", "javascript:alert(1)"]],
)
def test_what_cannot_be_is_refused(more: list[str], home: Path, tmp_path: Path) -> None:
    path = tmp_path / "release.txt"
    path.write_text(RELEASE)

    assert main(["evidence", "read", str(path), *more]) != 0
    assert drugs_of(home) == []
