"""`evidence read|remove`: statements of a press release, accepted under a name and taken back."""

import getpass
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.cli import main
from core.evidence.assets.gather import gather_assets
from core.evidence.entries.money import read_deals
from core.evidence.names.identity.resolver import Resolver
from core.records.asset_queries import AssetQuery
from core.records.events import EventQuery
from core.records.evidence_pack import FactQuery
from core.settings import Settings, read_settings
from core.vocabulary.sources import is_accepted
from storage.stores import open_stores
from tests.instances import link, names_home

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
    assert f"accepted by {getpass.getuser()}" in record.title
    assert "evidence accept" in {line.action for line in stores.audit.list(limit=9)}
    stores.engine.close()

    assert main(["evidence", "remove", accepted[1]]) == 0
    assert drugs_of(home) == []
    assert main(["evidence", "remove", accepted[1]]) != 0


TRIALS = (
    "nct_id,brief_title,phase,overall_status,lead_sponsor,conditions,interventions,"
    "last_update,snapshot_date\n"
    "NCT00000001,AMG 4711 in Gout,PHASE1,RECRUITING,Amgen,Gout,DRUG:AMG 4711,2026-10-01,2026\n"
)


def accept(path: Path, text: str, numbers: Sequence[int], url: str) -> None:
    path.write_text(text)
    chosen = [word for number in numbers for word in ("--accept", str(number))]
    day = ("--published-on", "2026-11-02")
    assert main(["evidence", "read", str(path), "--url", url, *day, *chosen]) == 0


def test_a_page_raises_nothing_that_a_register_states(home: Path, tmp_path: Path) -> None:
    link(names_home(), home)
    trials, release = tmp_path / "trials.csv", tmp_path / "release.txt"
    trials.write_text(TRIALS)
    assert main(["evidence", "import", str(trials)]) == 0
    accept(release, "Amgen is developing AMG 4711 for gout.", [1], "https://news.example/a")
    before = drugs_of(home)
    assert before == [("AMG 4711", "PHASE1", "ctgov:NCT00000001")]

    higher = "Amgen said that AMG 4711 is currently in phase 3 for gout."
    accept(release, higher, [1], "https://news.example/higher")
    assert drugs_of(home) == before

    equal = "Amgen said that AMG 4711 is currently in phase 1 for gout."
    accept(release, equal, [1], "https://news.example/equal")
    rows = drugs_of(home)
    assert {row[:2] for row in rows} == {("AMG 4711", "PHASE1")}
    assert {row[2].partition(":")[0] for row in rows} == {"accepted", "ctgov"}


def test_an_accepted_license_is_a_deal_that_nobody_confirmed(home: Path, tmp_path: Path) -> None:
    text = (
        "Amgen licensed AMG 4711 from Pfizer for an upfront payment of $45 million. "
        "Amgen acquired Horizon Therapeutics for $5 billion."
    )
    accept(tmp_path / "release.txt", text, [1, 2], "https://news.example/deal")

    stores = open_stores(Settings(home=home, database_url=None))
    records = stores.evidence.changed("accepted", "")
    facts = [stored.fact for stored in stores.evidence.facts(FactQuery(sources=("accepted",)))]
    assert {(fact.method, fact.status) for fact in facts} == {("human", "unverified")}
    assert max(fact.confidence for fact in facts) <= 60
    [deal] = read_deals(stores.evidence)
    assert (deal.licensor, deal.licensee, deal.asset) == ("Pfizer", "Amgen", "AMG 4711")
    assert deal.upfront is not None
    assert (deal.upfront.value, deal.total, deal.day) == (45.0, None, "2026-11-02")
    assert not deal.is_sure
    stores.engine.close()

    for record_id in records:
        assert main(["evidence", "remove", record_id]) == 0
    stores = open_stores(Settings(home=home, database_url=None))
    assert read_deals(stores.evidence) == []
    stores.engine.close()


def test_an_accepted_takeover_and_stop_are_events_that_nobody_confirmed(
    home: Path, tmp_path: Path
) -> None:
    link(names_home(), home)
    text = (
        "On October 5, 2026, Amgen acquired Horizon Therapeutics for $5 billion. "
        "Merck discontinued the development of MK-4711 on October 6, 2026."
    )
    accept(tmp_path / "release.txt", text, [1, 2], "https://news.example/events")

    stores = open_stores(Settings(home=home, database_url=None))
    events = stores.evidence.events(EventQuery(since="2026-01-01", until="2026-12-31"))
    assert {(event.type, event.day, event.lead.after) for event in events} == {
        ("acquisition", "2026-10-05", "Amgen"),
        ("pipeline_exit", "2026-10-06", "discontinued"),
    }
    assert all(is_accepted(told.record_id) for event in events for told in event.told)
    stores.engine.close()


def test_a_name_that_two_companies_share_is_the_one_that_is_meant(
    home: Path, tmp_path: Path
) -> None:
    licensed = "Pfizer licensed PF-4711 to {} on October 6, 2026."
    for number, licensee in enumerate(("Merck", "Merck & Co.", "Merck KGaA")):
        text = licensed.format(licensee)
        accept(tmp_path / "release.txt", text, [1], f"https://news.example/{number}")

    stores = open_stores(Settings(home=home, database_url=None))
    assert {deal.licensee for deal in read_deals(stores.evidence)} == {"Merck & Co.", "Merck KGaA"}
    stores.engine.close()


@pytest.mark.parametrize(
    ("name", "text", "companies"),
    [
        (
            "release.html",
            "<html><head><script>x = 'Pfizer acquired Moderna.'</script></head><body><!-- Roche "
            "acquired Sanofi. --><p hidden>Novartis acquired GSK.</p><p>Amgen acquired Horizon "
            "Therapeutics.</p></body></html>",
            ["Amgen"],
        ),
        (
            "release.txt",
            "Amgen buys Horizon Therapeutics\nDUBLIN, March 5, 2025 -- Amgen acquired Horizon "
            "Therapeutics.\nAMG 4711\tgout\tPhase 2",
            ["Amgen", ""],
        ),
        ("release.txt", "Am\u200bgen acq\u00aduired Horizon\u200e Therapeutics.", ["Amgen"]),
    ],
)
def test_what_nobody_sees_is_not_read(
    name: str,
    text: str,
    companies: list[str],
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / name
    path.write_text(text)

    assert main(["evidence", "read", str(path)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[3] for line in lines] == companies


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


def test_a_text_in_another_order_than_it_shows_is_refused_for_it(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "release.txt"
    path.write_text("Pfizer \u202eton dah\u202c acquired Moderna.")

    assert main(["evidence", "read", str(path)]) != 0

    assert "U+202E" in capsys.readouterr().err
