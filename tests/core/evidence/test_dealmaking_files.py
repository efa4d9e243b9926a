"""Raises, filings, grants and deals through the pack.

Every file here is authored: the names are invented, the shapes are those of the published
descriptions. The two answers of RePORTER alone are recorded ones.
"""

import io
import json
import zipfile
from pathlib import Path

from core.evidence.sources.files import IMPORTERS
from core.evidence.sources.importing import find_files, import_files
from core.evidence_ports import Evidence
from core.records.evidence_pack import FactQuery, StoredFact
from core.vocabulary.predicates import Predicate
from tests.core.evidence.conftest import NOW, Import

SOURCES = ("deals", "nih-reporter", "sbir", "sec-filings", "sec-form-d")
OFFERING = (
    *("ACCESSIONNUMBER", "INDUSTRYGROUPTYPE", "ISAMENDMENT", "SALE_DATE", "YETTOOCCUR"),
    *("TOTALOFFERINGAMOUNT", "TOTALAMOUNTSOLD"),
)
SUBMISSION = ("ACCESSIONNUMBER", "FILE_NUM", "FILING_DATE", "SUBMISSIONTYPE", "TESTORLIVE")
ISSUER = ("ACCESSIONNUMBER", "IS_PRIMARYISSUER_FLAG", "ISSUER_SEQ_KEY", "CIK", "ENTITYNAME")
ONE, TWO, FUND, TEST = (f"0009999999-26-00000{number}" for number in range(1, 5))


def table(header: tuple[str, ...], *rows: tuple[str, ...]) -> str:
    return "".join("\t".join(row) + "\n" for row in (header, *rows))


def form_d(**more: tuple[str, ...]) -> bytes:
    """Return an authored quarter: two raises of the sector, a fund, a test filing."""
    offerings = [
        (ONE, "Biotechnology", "false", "2026-09-30", "", "Indefinite", "45000000"),
        (TWO, "Pharmaceuticals", "true", "", "true", "12000000", "0"),
        (FUND, "Pooled Investment Fund", "false", "2026-09-01", "", "9", "9"),
        (TEST, "Biotechnology", "false", "2026-09-01", "", "9", "9"),
    ]
    filed = [
        (ONE, "021-1", "05-OCT-2026", "D", "LIVE"),
        (TWO, "021-2", "06-OCT-2026", "D/A", "LIVE"),
        (FUND, "021-3", "06-OCT-2026", "D", "LIVE"),
        (TEST, "021-4", "06-OCT-2026", "D", "TEST"),
    ]
    issuers = [
        (ONE, "NO", "2", "77", "Parent of Invented LLC"),
        (ONE, "YES", "1", "0000000042", "Invented Therapeutics, Inc."),
        (TWO, "YES", "1", "43", "Made-Up Pharma Inc"),
        (FUND, "YES", "1", "44", "Invented Fund LP"),
        (TEST, "YES", "1", "45", "Test Issuer"),
    ]
    offerings += [more["offering"]] if "offering" in more else []
    issuers += [more["issuer"]] if "issuer" in more else []
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("2026Q4_d/OFFERING.tsv", table(OFFERING, *offerings))
        archive.writestr("2026Q4_d/FORMDSUBMISSION.tsv", table(SUBMISSION, *filed))
        archive.writestr("2026Q4_d/ISSUERS.tsv", table(ISSUER, *issuers))
        archive.writestr("2026Q4_d/RELATEDPERSONS.tsv", "ACCESSIONNUMBER\tFIRSTNAME\n")
    return packed.getvalue()


def facts(pack: Evidence, *predicates: Predicate) -> list[StoredFact]:
    return list(pack.facts(FactQuery(predicates=predicates, sources=SOURCES)))


def test_raises_of_the_sector_are_read_and_funds_and_tests_are_not(
    pack: Evidence, bring: Import
) -> None:
    (file,) = bring("2026q4_d.zip", form_d())
    assert (file.records, file.damaged) == (2, 0)
    raised = {one.fact.subject: one.fact for one in facts(pack, Predicate.RAISED)}
    assert {name: fact.value for name, fact in raised.items()} == {
        "Invented Therapeutics, Inc.": 45_000_000,
        "Made-Up Pharma Inc": 0,
    }
    sought = {one.fact.subject: one.fact.value for one in facts(pack, Predicate.RAISE_SOUGHT)}
    assert sought == {"Made-Up Pharma Inc": 12_000_000}  # "Indefinite" is no amount
    (sale,) = facts(pack, Predicate.FIRST_SALE_ON)
    assert (sale.fact.subject, sale.fact.object) == ("Invented Therapeutics, Inc.", "2026-09-30")
    record = pack.record(f"sec-form-d:{ONE}")
    assert record is not None
    assert (record.kind, record.published_on) == ("financing", "2026-10-05")
    assert record.url == "https://www.sec.gov/Archives/edgar/data/42/000999999926000001/"


def test_damaged_rows_of_form_d_are_told_by_table_and_line(pack: Evidence, bring: Import) -> None:
    short = ("0009999999-26-000009", "Biotechnology")
    (file,) = bring("2026q4_d.zip", form_d(offering=short, issuer=("x",)))
    assert (file.records, file.damaged) == (2, 2)
    told = {(one.line, one.reason) for one in pack.damages()}
    assert (6, "OFFERING.tsv: 2 columns instead of 7") in told
    assert (7, "ISSUERS.tsv: 1 columns instead of 5") in told


def test_a_quarter_in_a_folder_reads_as_its_archive(
    pack: Evidence, tmp_path: Path, bring: Import
) -> None:
    folder = tmp_path / "2026q4"
    with zipfile.ZipFile(io.BytesIO(form_d())) as archive:
        archive.extractall(folder)
    (file,) = import_files(pack, find_files([folder]), now=NOW)
    assert (file.format, file.records) == ("form-d", 2)
    again = bring("2026q4_d.zip", form_d())
    assert again[0].records == 2
    assert len(facts(pack, Predicate.RAISED)) == 2


def submissions(**changed: object) -> str:
    recent = {
        "accessionNumber": ["0000000042-26-000003", "0000000042-26-000003"]
        + ["0000000042-26-000002", "0000000042-26-000001"],
        "filingDate": ["2026-11-02", "2026-11-02", "2026-10-01", "2026-09-01"],
        "form": ["8-K", "8-K", "8-K", "10-Q"],
        "items": ["1.01,9.01", "1.01,9.01", "5.02", "1.01"],
        "primaryDocument": ["a.htm", "a.htm", "b.htm", "c.htm"],
        **changed,
    }
    told = {"cik": "42", "sicDescription": "x", "name": "Invented Therapeutics, Inc."}
    return json.dumps({**told, "filings": {"recent": recent, "files": []}})


def test_filings_with_items_of_deals_come_once_and_take_the_place_of_a_list(
    pack: Evidence, bring: Import
) -> None:
    header = "filed,phrase_searched,company,ticker,cik,form,accession,items\n"
    row = "2026-11-02,x,Invented Therapeutics,,42,8-K,0000000042-26-000003,\n"
    bring("filings_2026.csv", header + row)
    (file,) = bring("CIK0000000042.json", submissions())
    assert (file.format, file.records, file.damaged) == ("edgar-submissions", 1, 0)
    (item,) = facts(pack, Predicate.FILING_ITEM)
    assert (item.fact.record_id, item.fact.object) == ("sec-filings:0000000042-26-000003", "1.01")
    assert len(facts(pack, Predicate.FILED_ON)) == 1
    assert (
        "entry into a material definitive agreement"
        in pack.records([item.fact.record_id])[item.fact.record_id].title
    )


def test_lists_of_filings_that_do_not_fit_are_refused_whole(pack: Evidence, bring: Import) -> None:
    (file,) = bring("CIK0000000042.json", submissions(items=["1.01"]))
    assert (file.records, file.damaged) == (0, 1)
    assert "different length" in pack.damages()[0].reason


def test_recorded_grants_name_grantee_year_and_amount(
    pack: Evidence, bring: Import, reference: Path
) -> None:
    answer = reference / "api_captures" / "nih_reporter" / "funding_marfan_syndrome.json"
    (file,) = bring(answer.name, answer.read_bytes())
    held = json.loads(answer.read_text())["results"]
    assert (file.format, file.damaged) == ("nih-reporter", 0)
    assert file.records == len({one["project_detail_url"] for one in held})
    told = {one.fact.object: one.fact for one in facts(pack, Predicate.GRANTED)}
    for one in held:
        fact = told[one["project_num"]]
        assert fact.qualifiers.time_point.startswith("fiscal year ")
        assert fact.as_of == ""  # an answer without a day of notice tells none
    names = {
        one.name
        for found in pack.mentions([told["1P01HL169168-01A1"].record_id]).values()
        for one in found
    }
    assert names == {"YALE UNIVERSITY"}  # no investigator


def test_exports_of_grants_read_american_days_and_tell_damages(
    pack: Evidence, bring: Import
) -> None:
    header = "APPLICATION_ID,ACTIVITY,AWARD_NOTICE_DATE,FULL_PROJECT_NUM,FY,ORG_NAME,PHR,"
    header += "PROJECT_TITLE,TOTAL_COST\n"
    rows = '1001,R43,9/17/2026,1R43CA000001-01,2026,INVENTED BIO INC,"Why, so",A drug,314000\n'
    rows += "1002,R43,,1R43CA000002-01,2026,,,No grantee,1\n"
    rows += "1003,R43,,1R43CA000003-01,2026,X BIO,,Wrong,many\n"
    (file,) = bring("RePORTER_PRJ_C_FY2026.csv", header + rows)
    assert (file.format, file.records, file.damaged) == ("nih-exports", 1, 2)
    assert sorted(one.line for one in pack.damages()) == [3, 4]
    (given,) = facts(pack, Predicate.GRANTED)
    assert (given.fact.as_of, given.fact.value, given.fact.unit) == ("2026-09-17", 314000, "USD")


def test_awards_of_the_sector_are_read_without_contacts(pack: Evidence, bring: Import) -> None:
    header = "Company,Award Title,Agency,Branch,Phase,Program,Agency Tracking Number,Contract,"
    header += "Proposal Award Date,Award Year,Award Amount,Abstract,Contact Name\n"
    hhs = "Department of Health and Human Services,National Institutes of Health"
    rows = (
        f"Invented Bio Inc,A drug,{hhs},Phase I,SBIR,T1,1R43CA1,2026-08-01,2026,314000.00,X,A B\n"
    )
    rows += "Rockets LLC,Fuel,National Aeronautics,,Phase I,SBIR,T2,C2,2026-08-01,2026,1,X,A B\n"
    rows += f"Invented Bio Inc,,{hhs},Phase I,SBIR,T3,C3,2026-08-01,2026,1,X,A B\n"
    (file,) = bring("award_data.csv", header + rows)
    assert (file.format, file.records, file.damaged) == ("sbir", 1, 1)
    (given,) = facts(pack, Predicate.GRANTED)
    assert (given.fact.value, given.fact.as_of) == (314000, "2026-08-01")


DEALS = "licensor,licensee,asset,day,territory,upfront,total,royalty,source\n"


def test_a_users_deals_become_facts_with_their_source(pack: Evidence, bring: Import) -> None:
    row = "Invented Bio,Buyer Pharma,inventinib,2026-05-31,ex-China,45,$1.2 billion,"
    (file,) = bring("deals.csv", f"{DEALS}{row}high single digit,https://buyer.example/release\n")
    assert (file.format, file.records, file.damaged) == ("deals", 1, 0)
    told = {
        one.fact.predicate: one.fact.value if one.fact.value is not None else one.fact.object
        for one in facts(pack)
    }
    assert told == {
        "has_role": "Buyer Pharma",
        "deal_type": "license",
        "licensed_by": "Invented Bio",
        "licensed_to": "Buyer Pharma",
        "deal_announced_on": "2026-05-31",
        "deal_upfront": 45,
        "deal_total": 1200,
        "deal_royalty": "high single digit",
        "deal_source": "https://buyer.example/release",
    }
    (fact, *_) = (one.fact for one in facts(pack, Predicate.DEAL_UPFRONT))
    assert (fact.unit, fact.qualifiers.region, fact.status) == (
        *("USD million", "ex-China"),
        "verified",
    )


def test_deals_without_source_day_or_readable_amount_are_told_by_line(
    pack: Evidence, bring: Import
) -> None:
    rows = (
        "A,B,drugx,2026-05-31,,45,,,\n"
        "A,B,drugx,soon,,45,,,a release\n"
        "A,B,drugx,2026-05-31,,45000000,,,a release\n"
        "A,B,drugx,2026-05-31,,50 million EUR,,,a release\n"
        "A,B,drugx,2026-05-31,,50,40,,a release\n"
    )
    (file,) = bring("deals.csv", DEALS + rows)
    assert (file.records, file.damaged) == (0, 5)
    told = sorted((one.line, one.reason) for one in pack.damages())
    assert told[0] == (2, "source is empty")
    assert told[1] == (3, "day 'soon' is none; write 2026-05-31")
    assert all("millions of US dollars" in reason for _, reason in told[2:4])
    assert told[4] == (6, "upfront is more than total")


def test_what_was_never_seen_in_a_file_of_its_source_says_so() -> None:
    told = {one.name: one.shape_basis for one in IMPORTERS}
    assert {told[name] for name in ("form-d", "nih-exports", "sbir")} == {"description"}
    # replayed in test_live_filings and test_live_literature
    assert {told[name] for name in ("edgar-submissions", "nih-reporter")} == {"recorded answer"}
    assert told["drugsfda"] == "file"
