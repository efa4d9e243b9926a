"""What regulators did, through the pack: submissions, letters, label changes, typed entries."""

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from core.evidence.entries import OF_PRECEDENTS, TERMS, Entries, endpoints_of
from core.evidence.entries.regulators import (
    LabelChange,
    read_changes,
    read_letters,
)
from core.evidence.readers.letters import read_deficiencies, read_letter_days
from core.evidence_ports import Evidence
from core.records.evidence import Fact, Qualifiers
from core.records.evidence_pack import FactQuery, StoredFact
from core.vocabulary.predicates import Predicate, told
from tests.rows import over_rows

RECORD = "pack:one"


def entries(*facts: Fact) -> Entries:
    """Return the entries of a record with these facts."""
    return Entries({RECORD: [StoredFact(number, 1, one) for number, one in enumerate(facts, 1)]})


def fact(predicate: str, said: str, value: float | None = None, **qualifiers: str) -> Fact:
    """Return a fact of the record."""
    told_of = Qualifiers(**qualifiers)
    return Fact(RECORD, "drugoxib", predicate, said, value, qualifiers=told_of, as_of="2026-01-01")


@over_rows("predicate", Predicate)
def test_an_entry_tells_every_fact_that_is_read_of_a_record_and_no_other(predicate) -> None:
    held, empty = entries(fact(predicate, "true", 4.0)), entries()
    is_told = any(
        getattr(held, kind)(RECORD) != getattr(empty, kind)(RECORD)
        for kind in ("trial", "approval", "label", "pipeline")
    )
    assert is_told == (predicate in {*told(measured=True), *TERMS, *OF_PRECEDENTS})


def test_of_several_facts_the_first_counts_and_all_terms_are_kept() -> None:
    days = [fact("approved_on", "2020-05-01", region="FDA"), fact("approved_on", "2019-01-01")]
    terms = [fact("patent_listed", one, time_point=f"{one}-01-01") for one in ("2031", "2033")]
    entry = entries(*days, *terms).approval(RECORD)
    assert entry.approved
    assert (entry.approved.text, entry.approved.region) == ("2020-05-01", "FDA")
    assert [one.time_point for one in entry.patents] == ["2031-01-01", "2033-01-01"]
    assert entry.patents[1].fact_id == 4


def test_facts_by_number_come_to_the_same_entries() -> None:
    facts = [fact("approved_on", "2020-05-01"), fact("trial_endpoint", "OS", population="primary")]
    by_number = dict(enumerate(facts, 1))
    assert tuple(endpoints_of(by_number)[RECORD]) == entries(*facts).trial(RECORD).measures


NUMBER = "203769"


def lines(*rows: Sequence[str]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def drugsfda() -> bytes:
    """Return the tables of one application with four submissions."""
    action = ("SubmissionStatus", "SubmissionStatusDate", "SubmissionsPublicNotes")
    tables = {
        "Applications.txt": lines(
            ("ApplNo", "ApplType", "ApplPublicNotes", "SponsorName"), (NUMBER, "NDA", "", "ACME")
        ),
        "SubmissionClass_Lookup.txt": lines(
            ("SubmissionClassCodeID", "SubmissionClassCode", "SubmissionClassCodeDescription"),
            ("2", "EFFICACY", "Efficacy"),
            ("7", "TYPE 1", "Type 1 - New Molecular Entity"),
            ("19", "UNKNOWN", ""),
        ),
        "Submissions.txt": lines(
            ("ApplNo", "SubmissionClassCodeID", "SubmissionType", "SubmissionNo")
            + (*action, "ReviewPriority"),
            (NUMBER, "2", "SUPPL", "5", "AP", "2019-03-05 00:00:00", "", "PRIORITY"),
            (NUMBER, "19", "SUPPL", "6", "AP", "2019-04-05 00:00:00", "", "UNKNOWN"),
            (NUMBER, "7", "ORIG", "1", "AP", "2013-05-01 00:00:00", "", "STANDARD"),
            (NUMBER, "", "SUPPL", "7", "TA", "2020-01-02 00:00:00", "", ""),
        ),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in tables.items():
            archive.writestr(name, text)
    return packed.getvalue()


def test_submissions_keep_class_priority_and_day(pack, bring) -> None:
    bring("drugsatfda_2020-07-02.zip", drugsfda())
    query = FactQuery(sources=["drugsfda-holders"], predicates=(Predicate.SUBMISSION,))
    told = [
        (fact.object, fact.qualifiers.time_point, fact.unit, fact.qualifiers.population)
        for fact in (stored.fact for stored in pack.facts(query))
    ]
    assert told == [
        ("ORIG 1", "2013-05-01", "TYPE 1", "STANDARD"),
        ("SUPPL 5", "2019-03-05", "EFFICACY", "PRIORITY"),
        ("SUPPL 6", "2019-04-05", "", ""),
        ("SUPPL 7 (tentative)", "2020-01-02", "", ""),
    ]


LETTER = """---
Date: May 22, 2019
---
Please refer to your application dated June 1, 2018, received June 2, 2018.
## 1. PRODUCT QUALITY
The specification is wanting.
## CLINICAL/STATISTICAL
A further trial is needed.
## PRESCRIBING INFORMATION
We reserve comment.
## ADDITIONAL COMMENTS
These are not approvability issues.
### NONCLINICAL
A remark.
**/s/**
**N N**
{signed}
"""


def letter(**told: Any) -> dict[str, Any]:
    return {
        "file": "crl/Acme_Inc-NDA_212887_NDA_212888-VOCABA-cfvu5m.md",
        "applications": ["NDA020450", "NDA212887", "NDA212888"],
        "company": "Acme Inc",
        "product": "VOCABA",
        "signed_on": [],
        "text": LETTER.format(signed="12/20/2019"),
    } | told


def test_a_letter_is_dated_by_its_signature_and_goes_to_both_applications(pack, bring) -> None:
    bring("letters.ndjson", json.dumps(letter()) + "\n")
    (key,) = pack.mentioning("drug", ["vocaba"])
    told = read_letters([key], pack)[key]
    assert told.applications == ("NDA212887", "NDA212888")  # not the one that its text speaks of
    assert (told.company, told.days) == ("Acme Inc", ("2019-12-20",))
    assert told.deficiencies == ("product quality", "clinical", "statistical")
    record = pack.record(key)
    assert record
    assert (record.updated_on, record.spans) == ("2019-12-20", ())


def test_openfda_gives_letters_in_its_own_shape(pack, bring) -> None:
    text = "NDA 209510\nCOMPLETE RESPONSE\nPRODUCT QUALITY/FACILITY INSPECTION DEFICIENCIES\n1. A"
    entry = {
        "letter_date": "10/05/2018",
        "letter_type": "COMPLETE RESPONSE",
        "file_name": "209510_2020_Orig1s000OtherActionLtrs.pdf",
        "company_name": "Acacia Pharma Ltd",
        "application_number": ["NDA 209510"],
        "text": text,
    }
    refusal = entry | {"letter_type": "REFUSE TO FILE", "file_name": "other.pdf"}
    bring("crl.json", json.dumps({"results": [entry, refusal]}))
    key = "fda-letters:209510_2020_Orig1s000OtherActionLtrs"
    told = read_letters([key, "fda-letters:other"], pack)
    assert list(told) == [key]
    assert (told[key].applications, told[key].days) == (("NDA209510",), ("2018-10-05",))
    assert told[key].deficiencies == ("product quality", "facility")


@over_rows(
    ("text", "days"),
    [
        ("Date: May 2, 2020. Your application dated July 1, 2019", {}),
        ("/s/ N N 09/30/2024 ... /s/ N N 12/17/2024", {}),
        ("Signed electronically on 11/13/2020 at 05:08", {"2020-11-13": "signature"}),
        ("## COMPLETE RESPONSE \u2013 May 6, 2016\n\nDear", {"2016-05-06": "title"}),
    ],
)
def test_a_day_that_is_not_the_letters_is_not_taken(text, days) -> None:
    assert read_letter_days(text) == days


def test_parts_of_every_letter_are_no_deficiencies() -> None:
    heads = ("SAFETY UPDATE", "OTHER", "PROPRIETARY NAME", "CARTON AND CONTAINER LABELING")
    assert read_deficiencies("\n".join(f"## {head}\ntext" for head in heads)) == {}


def label(set_id: str, effective: str, changes: str) -> dict[str, Any]:
    studies = (
        "14 CLINICAL STUDIES 14.1 Asthma in Adults The efficacy of DRUGOX was shown in AIR "
        "(NCT00000001) [see Clinical Studies (14.2)]. 14.2 Eczema A randomized trial "
        "(NCT00000002) was done."
    )
    return {
        "set_id": set_id,
        "effective_time": effective,
        "openfda": {"generic_name": ["DRUGOXIB"], "brand_name": ["DRUGOX"]},
        "indications_and_usage": ["for asthma"],
        "dosage_and_administration": ["10 mg"],
        "pregnancy": ["no data on zebrafish"],
        "recent_major_changes": [changes],
        "clinical_studies": [studies],
    }


def test_a_change_that_the_next_label_repeats_is_one_change(pack, bring) -> None:
    first = "Indications and Usage, Eczema ( 1.2 ) 5/2023"
    both = f"Boxed Warning 02/2024 {first} Warnings and Precautions ( 5.1 , 5.3 ) 11/2022"
    told = [label("one", "20230601", first), label("two", "20240301", both)]
    bring("labels.json", json.dumps({"results": told}))
    found = read_changes(["label:one", "label:two"], pack)
    assert found == {
        LabelChange("DRUGOXIB", "indications and usage", "1.2", "2023-05"): (
            "label:one",
            "label:two",
        ),
        LabelChange("DRUGOXIB", "boxed warning", "", "2024-02"): ("label:two",),
        LabelChange("DRUGOXIB", "warnings and precautions", "5.1, 5.3", "2022-11"): ("label:two",),
    }
    known = read_changes(["label:one", "label:two"], pack, known_by="2023-12-31")
    assert list(known.values()) == [("label:one",)]


def test_studies_are_told_by_use_and_kept_sections_are_not_searched(pack, bring) -> None:
    from core.records.evidence_pack import TextQuery

    bring("labels.json", json.dumps({"results": [label("one", "20230601", "")]}))
    named = FactQuery(record_ids=["label:one"], predicates=(Predicate.LABEL_NAMES_TRIAL,))
    told = [stored.fact for stored in pack.facts(named)]
    assert [(fact.qualifiers.indication, fact.object) for fact in told] == [
        ("Asthma in Adults", "NCT00000001"),
        ("Eczema", "NCT00000002"),
    ]
    (span,) = pack.passages(["label:one"], ["pregnancy"])["label:one"]
    assert span.text == "no data on zebrafish"
    assert pack.search(TextQuery([["zebrafish"]])) == []
    assert pack.search(TextQuery([["asthma"]])) != []


def table(*rows: Mapping[str, str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def said(pack: Evidence, source: str) -> list[tuple[str, str, str, str]]:
    return [
        (one.fact.predicate, one.fact.object, one.fact.unit, one.fact.qualifiers.population)
        for one in pack.facts(FactQuery(sources=[source]))
    ]


def test_a_search_phrase_is_no_event_and_a_filing_comes_once(pack, bring) -> None:
    row = {
        "filed": "2026-02-26",
        "phrase_searched": "clinical_hold",
        "company": "Acme Inc",
        "ticker": "ACM",
        "cik": "12",
        "form": "8-K",
        "accession": "0001367644-26-000012",
    }
    bring("sec.csv", table(row, row | {"phrase_searched": "divestiture"}))
    assert said(pack, "sec-filings") == [(Predicate.FILED_ON, "2026-02-26", "8-K", "")]
    record = pack.record("sec-filings:0001367644-26-000012")
    assert record
    assert "hold" not in repr(record)


def test_an_orphan_designation_is_dated_by_its_number_where_its_day_is_later(pack, bring) -> None:
    def row(number: str, day: str, status: str) -> dict[str, str]:
        return {
            "Medicine name": "",
            "Active substance": "sutimlimab",
            "Date of designation / refusal": day,
            "Intended use": "Treatment of anemia",
            "EU designation number": f"EU/3/{number}",
            "Status": status,
            "Last updated date": "2025-03-12",
            "Orphan designation URL": f"https://example.eu/eu-3-{number.replace('/', '-')}",
        }

    kept, moved = (
        row("20/2347", "2020-10-19", "Withdrawn"),
        row("16/1609", "2025-02-11", "Positive"),
    )
    bring("o.csv", table(kept, moved, row("19/1", "2019-05-05", "Negative")))
    assert said(pack, "ema-orphans") == [
        (Predicate.DESIGNATED_ON, "2020-10-19", "withdrawn", "orphan"),
        (Predicate.DESIGNATED_ON, "2016", "positive", "orphan"),
        (Predicate.DECIDED_ON, "2019-05-05", "", "orphan designation refused"),
    ]


def test_takeovers_target_dates_and_posted_results_keep_what_is_stated(pack, bring) -> None:
    deal = {
        "target": "The Medicines Company",
        "ticker": "MDCO",
        "cik": "1113481",
        "acquirer": "Novartis AG",
        "announced": "2019-11-24",
        "closed": "",
        "deal_type": "tender offer",
        "payment": "cash",
        "price_per_share": "85.0",
        "price_per_share_with_cvr_max": "99",
        "currency": "USD",
        "equity_value_million_computed": "7000",
    }
    bring("deals.csv", table(deal))
    assert [one[:3] for one in said(pack, "sec-takeovers")] == [
        (Predicate.ACQUIRED_BY, "Novartis AG", ""),
        (Predicate.DEAL_ANNOUNCED_ON, "2019-11-24", ""),
        (Predicate.DEAL_PRICE, "", "USD a share"),
    ]
    date = {
        "date": "2026-03-28",
        "kind": "target date",
        "ticker": "RCKT",
        "company": "",
        "product": "KRESLADI (marnetegragene)",
        "indication": "LAD-I",
        "outcome": "",
        "source_url": "",
        "origin": "WR-SW-Dev/biotech-screener",
    }
    bring("dates.csv", table(date))
    (target,) = pack.facts(FactQuery(sources=["fda-dates"]))
    assert (target.fact.predicate, target.fact.status) == (Predicate.TARGET_DATE, "unverified")
    posted = {
        "nct_id": "NCT00003869",
        "phase": "PHASE3",
        "results_first_posted": "2010-12-22",
        "n_primary_measures": "1",
        "n_analyses_of_primary": "2",
        "p_value_of_primary": "0.54",
    }
    bring("posted.csv", table(posted))
    assert said(pack, "ctgov-posted") == [(Predicate.TRIAL_RESULTS_POSTED, "2010-12-22", "", "")]
