"""Tables of documents: what each column states, and what of a row was not checked."""

from collections.abc import Iterator
from datetime import date

import pytest

from core.briefs.entities.identifying import Library
from core.checking.checker import check_document
from core.checking.results import CheckedSentence
from core.evidence.names.identity.resolver import Resolver
from core.settings import Settings
from storage.stores import open_stores
from tests.instances import link, starter_home
from tests.rows import over_rows

DAY = date(2026, 11, 28)
DEAL = "Asset | Licensor | Licensee | Upfront (US$m) | Total (USD bn) | Date announced"
PARTIES = "Roche | MediLink Therapeutics"
BOTH = "Product | Owner | Status (US) | Approval date (US) | Approval date (EU)"
CASES = (
    # a deal has sides, amounts the unit of their header
    (DEAL, "YL211 | MediLink Therapeutics | Roche | 50 | 1.05 | 2 Jan 2024", "supported", ""),
    (DEAL, f"YL211 | {PARTIES} | 50 | 1.05 | 2 Jan 2024", "differs", ""),
    (DEAL, "YL211 | MediLink Therapeutics | Roche | 1050 | 0.05 | 2 Jan 2024", "differs", ""),
    (DEAL, "YL211 | MediLink Therapeutics | Roche | 50 | 1.05 | 2 Jan 2022", "differs", ""),
    (f"{DEAL} | Territory", "YL211 | MediLink Therapeutics | Roche | $50M | up to 1.05 | "
     "Jan 2024 | Europe", "not_covered", "Territory"),
    ("Drug | Licensor | Upfront", "YL211 | MediLink Therapeutics | 50", "not_covered", "Upfront"),
    ("Drug | Licensee | Upfront", "YL211 | Roche | \u20ac50M", "not_covered", "Upfront"),
    # days of two regulators are not mixed up
    (BOTH, "Vosoritide | BioMarin | Approved | 19 Nov 2021 | 26 Aug 2021", "supported", ""),
    (BOTH, "Vosoritide | BioMarin | Approved | 26 Aug 2021 | 19 Nov 2021", "differs", ""),
    (BOTH, "Vosoritide | BioMarin | Refused | 19 Nov 2021 | n/a", "not_covered", "Status (US)"),
    ("Drug | Submitted | Approved (FDA)", "sotorasib | 28 May 2021 | 16 Dec 2020", "differs",
     "Submitted"),
    ("Drug | Approved (FDA)", "sotorasib | No", "differs", ""),
    ("Drug | Approved (FDA)", "sotorasib | Yes", "supported", ""),
    ("Trial | Drug | Status", "NCT07416474 | RC148 | Not yet recruiting", "older", ""),
    ("Trial | Drug | Status", "NCT07416474 | RC148 | completed", "differs", ""),
    # columns that nobody reads, cells that are read in part
    ("Drug | Company | Line", "sotorasib | Amgen | 1L", "not_covered", "Line"),
    ("Drug | Company", "sotorasib | Amgen and a biotech", "not_covered", "Company"),
    ("Drug | Company | Peak sales", "sotorasib | Novartis | 900", "differs", "Peak sales"),
    ("Drug | Company | Partner", "sotorasib | Amgen | BeiGene", "not_covered", "Partner"),
    ("Drug | Company | Partner", "sotorasib | Amgen | \u2013", "supported", ""),
    ("Rank | Drug | Company | Sources", "3 | sotorasib | Amgen | [4]", "supported", ""),
    ("Drug | Company | Partner", "sotorasib | Amgen | ditto", "not_covered", "Partner"),
    # synonyms of headers
    ("Candidate | Sponsor | MoA", "sotorasib | Amgen | KRAS G12C inhibitor", "supported", ""),
    ("Medicine | Marketer | MoA", "sotorasib | Novartis | KRAS G12C", "differs", ""),
    ("Drug | MoA", "sotorasib | KRAS G12C agonist", "not_covered", ""),
    ("Drug | Highest phase | Indication(s)", "RC148 | Phase III | NSCLC", "supported", ""),
    ("Drug | Status | Indication(s)", "RC148 | approved | NSCLC", "differs", ""),
)  # fmt: skip
FORMS = (
    ("|  | Sotatercept | Selexipag |", "| Company | Merck & Co. | Novartis |\n"
     "| FDA approval | March 2024 | December 2015 |", ["supported", "differs"]),
    ("| Approved drugs | |", "| Drug | Company |\n| sotorasib | Amgen |",
     ["not_checkable", "supported"]),
    ("| Drug | Approval date | |", "| | US | EU |\n| vosoritide | 19 Nov 2021 | 26 Aug 2021 |\n"
     "| vosoritide | 26 Aug 2021 | 26 Aug 2021 |", ["supported", "differs"]),
    ("| Drug | Target |", "| sotorasib | KRAS G12C |\n| | EGFR |", ["supported", "differs"]),
    ("| Drug | sotorasib |", "| Company | Novartis |\n| Target | KRAS |", ["differs"]),
)  # fmt: skip
each_case = over_rows(("header", "row", "verdict", "unread"), CASES)
each_form = over_rows(("header", "rows", "verdicts"), FORMS)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    home = link(starter_home(), tmp_path_factory.mktemp("tables") / "instance")
    stores = open_stores(Settings(home=home, database_url=None))
    yield Library(stores.evidence, Resolver(stores.identity, stores.learned_names), DAY)
    stores.engine.close()


def check(header: str, rows: str, library: Library) -> list[CheckedSentence]:
    text = f"{header}\n{'|-' * (header.strip('|').count('|') + 1)}|\n{rows}\n"
    return check_document("a.md", text.encode(), library).sentences


@each_case
def test_row_has_its_verdict_and_names_what_was_not_checked(
    header: str, row: str, verdict: str, unread: str, library: Library
) -> None:
    [checked] = check(f"| {header} |", f"| {row} |", library)
    shown = [(x.kind, x.stated, x.verdict, x.recorded, x.note) for x in checked.assertions]
    assert checked.verdict == verdict, shown
    left = [x.stated for x in checked.assertions if x.kind == "remainder"]
    assert len(left) == bool(unread), shown
    assert all(unread in stated for stated in left)


@each_form
def test_table_of_any_form_is_read(
    header: str, rows: str, verdicts: list[str], library: Library
) -> None:
    checked = check(header, rows, library)
    shown = [(x.kind, x.stated, x.verdict) for sentence in checked for x in sentence.assertions]
    assert [sentence.verdict for sentence in checked] == verdicts, shown


def test_drug_of_a_heading_counts_in_its_subsections(library: Library) -> None:
    text = (
        "# Sotorasib\n\n## Mechanism\n\nIt is a KRAS G12C inhibitor.\n\n# Others\n\nIt is an EGFR "
        "inhibitor.\n"
    )
    checked = check_document("a.md", text.encode(), library).sentences
    subjects = [[x.subject for x in each.assertions] for each in checked]
    assert subjects == [[], [], ["sotorasib"], [], []]
