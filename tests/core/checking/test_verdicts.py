"""Verdicts on sentences and rows by the starter pack, and the records that they name."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from core.briefs.entities.identifying import Library
from core.checking.checker import check_document
from core.checking.renderings import compose
from core.checking.results import CheckedSentence
from core.evidence.names.identity.resolver import Resolver
from core.reports.document import Grid
from core.settings import Settings
from storage.stores import open_stores
from tests.instances import link, starter_home
from tests.rows import over_rows

DAY = date(2026, 11, 28)
CASES: tuple[tuple[str, str], ...] = (
    # approvals: regulator, day, use, denial
    ("Sotorasib was approved by the FDA on May 28, 2021.", "supported"),
    ("The FDA approved Lumakras (sotorasib) in May 2021 for NSCLC.", "supported"),
    ("Sotorasib was first approved by the FDA in 2019.", "differs"),
    ("Sotorasib was approved by the FDA on 3 March 2020.", "differs"),
    ("Sotorasib (Amgen) is approved in NSCLC (FDA 28 May 2021, EMA 6 Jan 2022).", "supported"),
    ("Sotorasib (Amgen) is approved in NSCLC (FDA 28 Sep 2023).", "differs"),
    ("Sotorasib is approved by the FDA for schizophrenia.", "differs"),
    ("Sotorasib has not been approved by the FDA.", "differs"),
    ("Sotorasib has not received approval in the EU or the United States.", "differs"),
    # a denial of one use, time, kind or form is none of every approval
    ("Ticagrelor is not approved for stroke prevention in atrial fibrillation.", "not_covered"),
    ("Osimertinib is not approved for EGFR exon 20 insertion NSCLC.", "not_covered"),
    ("Sotorasib is not fully approved by the FDA.", "not_covered"),
    ("Keytruda was not approved until 2014.", "not_covered"),
    ("Donanemab was not approved in 2023.", "not_covered"),
    ("Semaglutide is not approved as a generic.", "not_covered"),
    ("Biosimilars of pembrolizumab are not approved.", "not_covered"),
    ("Sotorasib (Amgen) is not approved in NSCLC (FDA 28 May 2021, EMA).", "differs"),
    ("Sotorasib was not approved in NSCLC until spring (FDA 28 May 2021).", "not_covered"),
    ("Ivonescimab is approved by the EMA.", "not_covered"),  # the evidence may lack it
    ("Novartis licensed pelacarsen from Ionis in December 2019.", "not_covered"),  # a year
    ("Olpasiran is in phase 3 for heart failure.", "not_covered"),  # known in a wider disease
    ("MORF-057 is owned by Morphic.", "older"),  # which another company bought
    ("Enasidenib is approved by the EMA.", "differs"),  # whose list of a later day lacks it
    ("Enasidenib is approved in Europe.", "not_covered"),  # one country may have licensed it
    ("Ivonescimab is approved by the NMPA.", "supported"),
    ("The FDA may approve sotorasib for gastric cancer.", "not_checkable"),
    ("The study of sotorasib was approved by the ethics committee.", "not_checkable"),
    ("Sotorasib was detected with an FDA-approved test.", "not_checkable"),
    # later approvals of one use are common
    ("The FDA approved osimertinib for NSCLC on 16 February 2024.", "not_covered"),
    # days: a record with the year only, a first approval, a later application
    ("Zanubrutinib received FDA approval in March 2019.", "not_covered"),
    ("Zanubrutinib received FDA approval in 2019.", "supported"),
    ("Dupixent was approved by the FDA on December 31, 2017.", "not_covered"),
    ("Ibrutinib was first approved in 2016.", "differs"),
    ("Ibrutinib was first approved by the FDA in November 2013.", "supported"),
    ("Imatinib was approved in 2003.", "not_covered"),
    ("Dupixent was approved for asthma in 2022.", "not_covered"),
    # brands of one substance
    ("Wegovy was approved by the FDA in December 2017.", "not_covered"),
    ("Ozempic was approved by the FDA in December 2017.", "supported"),
    ("Wegovy is approved for type 2 diabetes.", "not_covered"),
    ("Ozempic is approved for type 2 diabetes.", "supported"),
    ("Opdivo was approved in Japan in July 2014.", "supported"),
    ("Zepbound was approved by the FDA in May 2022.", "not_covered"),
    ("Mounjaro was approved by the FDA in May 2022.", "supported"),
    ("Paracetamol is approved for pain.", "not_covered"),
    ("Xgeva is approved for osteoporosis.", "not_covered"),
    ("Viagra is approved for pulmonary arterial hypertension.", "not_covered"),
    # withdrawn later: true of the past, outdated in the present
    ("Umbralisib was approved by the FDA in February 2021.", "supported"),
    ("Umbralisib is approved in the United States.", "older"),
    # stages
    ("RC148 is in phase 3 in non-small cell lung cancer.", "supported"),
    ("RC148 is approved.", "differs"),
    ("A phase 2 trial of sotorasib showed responses.", "not_covered"),  # what it showed
    ("Sotorasib is tested in a phase 2 trial.", "supported"),
    # what is so of a tumor of any kind is not so of each
    ("Osimertinib is in phase 3 for breast cancer.", "not_covered"),
    ("Sotorasib is in phase 3 for solid tumors.", "older"),
    ("KEYNOTE-189 was a phase 1 trial of pembrolizumab.", "not_covered"),
    ("FLAURA was a phase 2 trial of osimertinib.", "not_covered"),
    # a part that no statement covers
    ("Deucravacitinib is a TYK2 inhibitor from Pfizer.", "not_covered"),
    ("Deucravacitinib is a TYK2 inhibitor from Bristol Myers Squibb.", "supported"),
    ("Suzetrigine is a NaV1.7 inhibitor approved in January 2025.", "differs"),
    ("Dupilumab blocks IL-17A and is sold by Sanofi and Regeneron.", "not_covered"),
    ("Ozempic was approved in December 2017 and Wegovy in June 2018.", "not_covered"),
    ("Osimertinib is approved for KRAS G12C-mutated NSCLC.", "not_covered"),
    ("Osimertinib is approved for EGFR-mutated NSCLC.", "supported"),
    ("Sotorasib was approved by the FDA in May 2021 with an ORR of 36%.", "not_covered"),
    # companies
    ("Semaglutide was developed by Eli Lilly.", "not_covered"),
    ("Semaglutide was developed by Novo Nordisk.", "supported"),
    ("Sotorasib was developed by Novartis.", "differs"),
    ("Alectinib is not marketed by Pfizer.", "not_covered"),
    ("Alectinib is not marketed by Roche.", "differs"),
    ("Aducanumab is currently marketed by Biogen.", "older"),
    ("Aducanumab was marketed by Biogen.", "supported"),
    ("Aducanumab is not marketed by Biogen.", "not_covered"),
    ("Aducanumab was developed by Biogen and Eisai.", "not_covered"),
    ("Sotorasib was developed by Novartis and Pfizer.", "differs"),
    ("Sotorasib (Amgen) acts on KRAS.", "supported"),
    ("Sotorasib (Novartis) acts on KRAS.", "differs"),
    ("Novartis's sotorasib acts on KRAS.", "differs"),
    # targets and kinds
    ("Sotorasib is a KRAS G12C inhibitor.", "supported"),
    ("Sotorasib is an EGFR inhibitor.", "differs"),
    ("Ivonescimab is a bispecific antibody targeting PD-1 and VEGF.", "supported"),
    ("Ivonescimab is a small molecule.", "differs"),
    ("Ivonescimab is not a bispecific antibody.", "differs"),
    ("Sotorasib selectively inhibits KRAS G12C.", "supported"),
    ("Sotorasib does not inhibit KRAS G12C.", "differs"),
    ("Sotorasib does not inhibit KRAS G12D.", "not_covered"),
    ("Sotorasib is a KRAS G12D inhibitor.", "not_covered"),
    ("Osimertinib does not inhibit wild-type EGFR.", "not_covered"),
    ("Sotorasib activates KRAS G12C.", "not_covered"),
    ("Semaglutide blocks the GLP-1 receptor.", "not_covered"),
    ("Sotorasib targets EGFR.", "differs"),
    ("Ivonescimab blocks PD-1 and VEGF.", "supported"),
    ("Ivonescimab blocks PD-1 and EGFR.", "not_covered"),
    ("Osimertinib inhibits HER2.", "not_covered"),
    ("Osimertinib inhibits downstream ERK signaling.", "not_covered"),
    ("Vepdegestrant was developed by Arvinas and Novartis.", "differs"),
    ("Semaglutide is approved for obesity and is in phase 3 in Alzheimer's disease.", "older"),
    ("Patents of Ozempic expire in 2041.", "not_covered"),
    # figures
    ("In KATHERINE, trastuzumab emtansine gave a HR of 0.5 for invasive disease-free survival "
     "(n=743) in breast cancer.", "supported"),
    ("In KATHERINE, trastuzumab emtansine gave a HR of 0.8 for invasive disease-free survival "
     "(n=743) in breast cancer.", "differs"),
    ("Trastuzumab emtansine gave a HR of 0.8 for quality of life.", "not_covered"),
    # deals
    ("Merck & Co. took rights of SPR2015 from SciBrunch Therapeutics (28 Sep 2026; 400 million USD "
     "upfront; 2,130 million USD in all).", "supported"),
    ("Merck & Co. licensed SPR2015 for $900 million upfront in September 2026.", "differs"),
    ("Merck & Co. licensed SPR2015 for \u20ac400 million upfront in September 2026.", "differs"),
    # every word counts: denials, hedges, contrasts and questions are no support
    ("Sotorasib was refused approval by the FDA.", "not_covered"),
    ("Sotorasib has almost been approved by the FDA.", "not_covered"),
    ("Sotorasib is approved neither by the FDA nor by the EMA.", "not_covered"),
    ("Is sotorasib approved by the FDA?", "not_covered"),
    ("Sotorasib is approved in the United States but not in Europe.", "not_covered"),
    ("Ivonescimab is approved only in China.", "not_covered"),
    ("Sotorasib was approved by the FDA before 2019.", "not_covered"),
    ("Sotorasib was approved by the FDA in the second half of 2021.", "not_covered"),
    ("Unlike adagrasib, sotorasib was approved by the FDA in 2019.", "not_covered"),
    # line, marker, setting, form and combination
    ("Sotorasib is approved by the FDA as a first-line treatment of NSCLC.", "not_covered"),
    ("Sotorasib is approved by the FDA for KRAS G12D-mutated NSCLC.", "not_covered"),
    ("Sotorasib is approved by the FDA for KRAS G12C-mutated NSCLC.", "supported"),
    ("Intravenous sotorasib is approved by the FDA for NSCLC.", "not_covered"),
    ("Sotorasib is the only drug approved by the FDA for NSCLC.", "not_covered"),
    ("Capivasertib is approved for triple-negative breast cancer.", "not_covered"),
    ("Emapalumab is approved for macrophage activation syndrome in Still's disease.",
     "not_covered"),
    # holes of the evidence: days of another agency, brands, biosimilars
    ("Vericiguat was approved in January 2021.", "not_covered"),
    ("Cenobamate was approved in November 2019.", "not_covered"),
    ("Amjevita was approved by the FDA on 31 December 2002.", "not_covered"),
    ("Insulin glargine-yfgn was approved in April 2000.", "not_covered"),
    # all targets, the action, and how many
    ("Amivantamab is a bispecific antibody against EGFR and HER3.", "not_covered"),
    ("Setmelanotide is a melanocortin-4 receptor antagonist.", "not_covered"),
    ("Sotorasib is a dual KRAS G12C inhibitor.", "not_covered"),
    # the stage of today, and that of a year
    ("RC148 has not yet entered phase 3.", "not_covered"),
    ("In 1999, RC148 was in phase 3.", "not_covered"),
    # a figure's trial, size, interval, endpoint and direction
    ("In KEYNOTE-999, trastuzumab emtansine gave a HR of 0.5 for invasive disease-free survival.",
     "not_covered"),
    ("In KATHERINE, trastuzumab emtansine gave a HR of 0.5 for overall survival.", "not_covered"),
    ("In KATHERINE, trastuzumab emtansine gave a HR of 0.5 for invasive disease-free survival "
     "(95% CI 0.11-0.12).", "not_covered"),
    ("In EMBRACA, talazoparib did not prolong PFS (HR 0.54).", "not_covered"),
    ("In EMBRACA, talazoparib gave a hazard ratio of 1 for progression-free survival.",
     "not_covered"),
    # a deal's direction, territory, kind of amount and end
    ("RemeGen licensed telitacicept to Vor Bio in June 2025.", "supported"),
    ("Vor Bio licensed telitacicept to RemeGen in June 2025.", "not_covered"),
    ("Vor Bio licensed Chinese rights to telitacicept from RemeGen in June 2025.", "not_covered"),
    ("AbbVie declined to license RC148 from RemeGen in January 2026.", "not_covered"),
    ("AbbVie licensed RC148 from RemeGen for more than $600 million upfront (January 2026).",
     "supported"),
    ("AbbVie licensed RC148 from RemeGen for $650 million in milestones (January 2026).",
     "not_covered"),
    # trials
    ("NCT05587712 is a phase 2 trial of sotatercept with 42 participants.", "supported"),
    ("NCT05587712 is a phase 2 trial of sotatercept in 420 patients.", "differs"),
    ("NCT05587712 is a randomised phase 2 trial of sotatercept.", "not_covered"),
    # what is no statement, or about nothing that is known
    ("We believe that this is the best drug.", "not_checkable"),
    ("Foomablimab is approved by the FDA.", "not_checkable"),
    ("Sotorasib plus panitumumab was approved by the FDA on 1 January 2001.", "not_covered"),
)  # fmt: skip
ROWS = (
    ("| Drug | Company | Stage | Target | Indication |",
     "| RC148 | RemeGen | phase 3 | PD-1 x VEGF | NSCLC |", "supported"),
    ("| Drug | Company | Stage |", "| RC148 | Novartis | phase 3 |", "differs"),
    ("| Drug | Stage | Indication |", "| RC148 | approved | NSCLC |", "differs"),
    ("| Drug | Region | Stage |", "| ivonescimab | FDA | approved |", "differs"),
    ("| Drug | Approval |", "| sotorasib | 28 May 2021 |", "supported"),
    ("| Drug | Target |", "| sotorasib | EGFR |", "differs"),
    ("| Drug | Kind |", "| ivonescimab | bispecific antibody |", "supported"),
    ("| Color | Size |", "| red | 5 |", "not_checkable"),
)  # fmt: skip
each_row = over_rows(("header", "row", "verdict"), ROWS)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    home = link(starter_home(), tmp_path_factory.mktemp("checked") / "instance")
    stores = open_stores(Settings(home=home, database_url=None))
    yield Library(stores.evidence, Resolver(stores.identity, stores.learned_names), DAY)
    stores.engine.close()


def check(text: str, library: Library, name: str = "a.txt") -> list[CheckedSentence]:
    return check_document(name, text.encode(), library).sentences


def test_sentences_have_their_verdicts(library: Library) -> None:
    titles = [f"Part {number}" for number in range(len(CASES))]  # one document: facts once
    pairs = zip(titles, CASES, strict=True)
    text = "\n\n".join(f"# {title}\n\n{sentence}" for title, (sentence, _) in pairs)
    sentences = [x for x in check(text, library, "a.md") if x.heading]
    checked = {x.heading: x for x in sentences}
    assert len(checked) == len(sentences) == len(CASES)
    wrong = []
    for title, (sentence, verdict) in zip(titles, CASES, strict=True):
        if checked[title].verdict != verdict:
            shown = [(x.kind, x.stated, x.verdict, x.recorded) for x in checked[title].assertions]
            wrong.append((sentence, verdict, shown))
    assert wrong == []


@each_row
def test_row_has_its_verdict(header: str, row: str, verdict: str, library: Library) -> None:
    dashes = "|" + "-|" * (header.count("|") - 1)
    [checked] = check(f"{header}\n{dashes}\n{row}\n", library, "a.md")
    shown = [(x.kind, x.stated, x.verdict, x.recorded) for x in checked.assertions]
    assert checked.verdict == verdict, shown


def test_every_verdict_that_says_anything_names_a_record_that_is_there(library: Library) -> None:
    text = "\n\n".join(sentence for sentence, _ in CASES)
    sources = [
        (x.verdict, x.source) for sentence in check(text, library) for x in sentence.assertions
    ]
    for verdict, source in sources:
        assert (source is not None) == (verdict in {"supported", "differs", "older"})
        assert source is None or library.evidence.record(source.record_id) is not None


def test_trial_is_compared_with_its_record(library: Library) -> None:
    [record] = [x for x in library.evidence.records(["ctgov:NCT07416474"]).values()]
    number = record.source_id
    good, phase, drug = check(
        f"RC148 is tested in the phase 3 trial {number}.\n\n"
        f"RC148 is tested in the phase 1 trial {number}.\n\n"
        f"Semaglutide is tested in the phase 3 trial {number}.",
        library,
    )
    assert [good.verdict, phase.verdict, drug.verdict] == ["supported", "differs", "differs"]
    assert all(x.source and x.source.record_id == record.id for x in phase.assertions if x.source)
    [unknown] = check("RC148 is tested in the phase 3 trial NCT99999999.", library)
    assert unknown.verdict == "not_covered"


def test_drug_is_carried_to_what_goes_on_about_it(library: Library) -> None:
    first, second = check("Sotorasib is a KRAS G12C inhibitor. It is approved by the FDA.", library)
    assert (first.verdict, second.verdict) == ("supported", "supported")
    assert second.assertions[0].subject == "sotorasib"


def test_report_lists_corrections_and_supported_statements(library: Library) -> None:
    wrong, good = (
        "Sotorasib is an EGFR inhibitor.",
        "Sotorasib was approved by the FDA in May 2021.",
    )
    checked = check_document("a.txt", f"{wrong}\n\n{good}".encode(), library)
    grids = {x.caption: x for x in compose(checked).blocks if isinstance(x, Grid)}
    corrections, supported = grids.values()
    assert {row[-1] for row in corrections.rows} == {wrong}
    assert {row[-1] for row in supported.rows} == {good}
    assert all(row[-2] for row in supported.rows)
    assert any("https://" in str(row[-2]) for row in supported.rows)


def test_check_is_the_same_each_time(library: Library) -> None:
    text = "\n\n".join(sentence for sentence, _ in CASES).encode()
    assert check_document("a.txt", text, library) == check_document("a.txt", text, library)


def test_without_evidence_nothing_is_supported_and_the_check_says_why(tmp_path: Path) -> None:
    stores = open_stores(Settings(home=tmp_path / "instance", database_url=None))
    library = Library(stores.evidence, Resolver(stores.identity, stores.learned_names), DAY)
    checked = check_document("a.txt", b"Sotorasib is approved by the FDA.", library)
    stores.engine.close()
    assert checked.sentences[0].verdict in {"not_covered", "not_checkable"}
    assert any("no evidence" in notice for notice in checked.notices)
