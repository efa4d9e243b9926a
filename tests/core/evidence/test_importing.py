"""Files into facts: what each importer reads, and what it reports instead of guessing."""

import gzip
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evidence.sources.importing import find_files, import_files, outdated_files
from core.evidence.sources.kept_files import find_kept, keep_files, reread_files
from core.evidence_ports import Evidence
from core.records.evidence import Damage
from core.records.evidence_pack import FactQuery
from tests.core.evidence.conftest import NOW, Import

TRIALS = (
    "nct_id,brief_title,phase,overall_status,lead_sponsor,conditions,interventions,arms,"
    "enrollment,last_update,snapshot_date\n"
)


def facts(pack: Evidence, record_id: str) -> dict[str, str]:
    """Return the words of a record's facts by predicate."""
    found = pack.facts(FactQuery(record_ids=[record_id]))
    return {one.fact.predicate: one.fact.object for one in found}


def conditions(pack: Evidence, record_id: str) -> list[str]:
    """Return the diseases that a record names."""
    return [one.name for one in pack.mentions([record_id])[record_id] if one.kind == "disease"]


def trial_row(number: int, **changes: str) -> str:
    """Return a row of the trial-facts table."""
    cells = {
        "nct_id": f"NCT{number:08d}",
        "brief_title": "Drug A in Asthma",
        "phase": "PHASE2|PHASE3",
        "overall_status": "RECRUITING",
        "lead_sponsor": "Acme Inc.",
        "conditions": "Asthma",
        "interventions": "DRUG:A-101|DRUG:Placebo|DEVICE:Inhaler",
        "arms": "EXPERIMENTAL:A-101|PLACEBO_COMPARATOR:Placebo",
        "enrollment": "40",
        "last_update": "2025-06-01",
        "snapshot_date": "2025-07-01",
    }
    return ",".join((cells | changes).values()) + "\n"


def test_a_trial_becomes_facts_with_dates_and_places(pack: Evidence, bring: Import) -> None:
    bring("t.csv", TRIALS + trial_row(1))
    record = pack.record("ctgov:NCT00000001")
    assert record is not None
    assert record.raw_ref == "t.csv:2"
    assert record.url == "https://clinicaltrials.gov/study/NCT00000001"
    assert [(m.name, m.role) for m in record.mentions if m.kind == "drug"] == [
        ("A-101", "investigational"),
        ("Placebo", "comparator"),
    ]
    said = pack.facts(FactQuery(record_ids=[record.id], predicates=["trial_phase"]))[0].fact
    assert (said.object, said.as_of, said.locator) == ("PHASE2_3", "2025-07-01", "phase")


def test_damaged_rows_are_named_by_line_and_skipped(pack: Evidence, bring: Import) -> None:
    rows = [
        trial_row(1, brief_title='"Two\nlines"').encode(),
        b"NCT00000002,too,short\n",
        trial_row(3).replace("NCT0", "XXX0").encode(),
        trial_row(4).encode().replace(b"Asthma", b"Asthm\xe4"),
        trial_row(5).encode(),
    ]
    (file,) = bring("t.csv", TRIALS.encode() + b"".join(rows))
    assert (file.records, file.damaged) == (2, 3)
    assert list(reversed(pack.damages())) == [
        Damage("t.csv", 4, "3 columns instead of 11"),
        Damage("t.csv", 5, "'XXX00000003' is no trial number"),
        Damage("t.csv", 6, "not UTF-8"),
    ]


def test_a_compressed_file_that_breaks_off_says_so(pack: Evidence, bring: Import) -> None:
    whole = gzip.compress((TRIALS + "".join(trial_row(n) for n in range(1, 3000))).encode())
    (file,) = bring("t.csv.gz", whole[: len(whole) // 2])
    assert file.records > 0
    assert file.damaged >= 1
    assert "breaks off" in "".join(one.reason for one in pack.damages())


def study(number: str = "NCT00000009", **modules: object) -> dict[str, object]:
    """Return an API v2 record of a trial of two drugs."""
    arms = {
        "armGroups": [
            {"label": "X", "type": "EXPERIMENTAL", "interventionNames": ["Drug: X-1", "Drug: C"]},
            {"label": "C", "type": "ACTIVE_COMPARATOR", "interventionNames": ["Drug: C"]},
        ],
        "interventions": [
            {"type": "DRUG", "name": "X-1"},
            {"type": "DRUG", "name": "C"},
            {"type": "DRUG", "name": "P", "description": "rescue medication"},
        ],
    }
    protocol = {
        "identificationModule": {"nctId": number, "briefTitle": "X-1 With C"},
        "statusModule": {"overallStatus": "COMPLETED"},
        "designModule": {"phases": ["PHASE3"]},
        "armsInterventionsModule": arms,
    }
    return {"protocolSection": protocol, **modules}


def outcome(value: str) -> dict[str, object]:
    """Return a posted response rate of 41 patients."""
    return {
        "type": "PRIMARY",
        "title": "Objective Response Rate",
        "unitOfMeasure": "percentage of participants",
        "paramType": "NUMBER",
        "dispersionType": "95% Confidence Interval",
        "timeFrame": "24 weeks",
        "groups": [{"id": "OG000", "title": "X-1 + C"}],
        "denoms": [{"units": "Participants", "counts": [{"groupId": "OG000", "value": "41"}]}],
        "classes": [
            {
                "categories": [
                    {
                        "measurements": [
                            {
                                "groupId": "OG000",
                                "value": value,
                                "lowerLimit": "20.1",
                                "upperLimit": "50.2",
                            }
                        ]
                    }
                ]
            }
        ],
    }


def test_background_and_rescue_drugs_are_told_from_the_tested(
    pack: Evidence, bring: Import
) -> None:
    bring("s.ndjson", json.dumps(study()))
    record = pack.record("ctgov:NCT00000009")
    assert record is not None
    assert {m.name: m.role for m in record.mentions} == {
        "X-1": "investigational",
        "C": "background",
        "P": "rescue",
    }


def test_a_posted_result_keeps_arm_n_interval_and_place(pack: Evidence, bring: Import) -> None:
    results = {"outcomeMeasuresModule": {"outcomeMeasures": [outcome("34.1")]}}
    bring("s.ndjson", json.dumps(study(resultsSection=results)))
    query = FactQuery(record_ids=["ctgov:NCT00000009"], predicates=["trial_result"])
    (found,) = pack.facts(query)
    said, under = found.fact, found.fact.qualifiers
    assert (said.object, said.value) == ("Objective Response Rate", 34.1)
    assert said.unit == "percentage of participants (number)"
    assert (under.arm, under.n) == ("X-1 + C", "41")
    assert under.interval == "95% Confidence Interval 20.1 to 50.2"
    assert said.locator == "outcomeMeasures[0].classes[0].categories[0].measurements[0]"


@pytest.mark.parametrize("value", ["NA", "", "<0.1", "20 (5)"])
def test_what_is_no_number_makes_no_result(pack: Evidence, bring: Import, value: str) -> None:
    results = {"outcomeMeasuresModule": {"outcomeMeasures": [outcome(value)]}}
    bring("s.ndjson", json.dumps(study(resultsSection=results)))
    query = FactQuery(record_ids=["ctgov:NCT00000009"], predicates=["trial_result"])
    assert list(pack.facts(query)) == []


def test_a_study_of_another_shape_is_reported(pack: Evidence, bring: Import) -> None:
    odd = study()
    odd["protocolSection"]["designModule"] = ["PHASE3"]  # type: ignore[index]
    lines = [json.dumps(odd), "{broken", json.dumps(study()), "[]", '{"protocolSection": 1}']
    (file,) = bring("s.ndjson", "\n".join(lines))
    assert (file.records, file.damaged) == (1, 4)
    assert [one.line for one in reversed(pack.damages())] == [1, 2, 4, 5]


def label(**changes: object) -> str:
    """Return a whole label in openFDA's form."""
    return json.dumps(
        {
            "set_id": "82e7921a",
            "effective_time": "20260105",
            "openfda": {"brand_name": ["BRANDA"], "generic_name": ["DRUGAMAB-ABCD"]},
            "indications_and_usage": ["for asthma"],
            "dosage_and_administration": ["once"],
            "adverse_reactions": ["The most common adverse reactions (≥ 20%) are rash and cough."],
            **changes,
        }
    )


def test_a_whole_label_without_a_boxed_warning_says_that_there_is_none(
    pack: Evidence, bring: Import
) -> None:
    bring("l.ndjson", label())
    assert facts(pack, "label:82e7921a")["has_boxed_warning"] == "no"
    assert facts(pack, "label:82e7921a")["label_adverse_reactions"] == "rash and cough"


def test_a_part_of_a_label_says_nothing_about_what_it_lacks(pack: Evidence, bring: Import) -> None:
    bring("l.ndjson", label(dosage_and_administration=[]))
    assert "has_boxed_warning" not in facts(pack, "label:82e7921a")
    bring("b.ndjson", label(set_id="other", boxed_warning=["WARNING"], adverse_reactions=[]))
    assert facts(pack, "label:other")["has_boxed_warning"] == "yes"


PURPLE = (
    "Purple Book changes,,\n"
    "N/R/U,Applicant,BLA Number,Proprietary Name,Proper Name,BLA Type,Approval Date,"
    "Ref. Product Proper Name\n"
    "U,Old,100001,X,x,351(a),1-Jan-20,\n"
    "N/R/U,Applicant,BLA Number,Proprietary Name,Proper Name,BLA Type,Approval Date,"
    "Ref. Product Proper Name\n"
    ",Celltrion,125544,Inflectra,infliximab-dyyb,351(k) Biosimilar,5-Apr-16,infliximab\n"
    ",Allergy Lab,103324,N/A,Cat Hair,351(a),11-Jul-30,N/A\n"
)


def test_the_purple_book_is_read_after_its_changes(pack: Evidence, bring: Import) -> None:
    (file,) = bring("pb_2026_03.csv", "\ufeff" + PURPLE)
    assert (file.records, file.damaged) == (2, 0)
    said = facts(pack, "purplebook:BLA125544")
    assert (said["approved_on"], said["biosimilar_of"]) == ("2016-04-05", "infliximab")
    assert facts(pack, "purplebook:BLA103324")["approved_on"] == "1930-07-11"


def test_drugsfda_takes_the_first_approval_of_the_application(
    pack: Evidence, tmp_path: Path
) -> None:
    tables = {
        "Applications.txt": "ApplNo\tApplType\tSponsorName\n000159\tNDA\tLILLY\n",
        "Products.txt": "ApplNo\tDrugName\tActiveIngredient\n000159\tSULFA\tSULFAPYRIDINE\n",
        "Submissions.txt": "ApplNo\tSubmissionType\tSubmissionStatus\tSubmissionStatusDate\n"
        "000159\tSUPPL\tAP\t1930-01-01 00:00:00\n000159\tORIG\tAP\t1939-03-09 00:00:00\n",
    }
    with zipfile.ZipFile(tmp_path / "drugsatfda_2019-07-02.zip", "w") as archive:
        for name, content in tables.items():
            archive.writestr(name, content)
    import_files(pack, find_files([tmp_path / "drugsatfda_2019-07-02.zip"]), now=NOW)
    said = facts(pack, "drugsfda:000159")
    assert (said["approved_on"], said["has_alias"]) == ("1939-03-09", "SULFA")
    assert pack.info().sources[0].newest == "2019-07-02"


def test_a_pipeline_program_keeps_its_own_stage(pack: Evidence, bring: Import) -> None:
    asset = {
        "asset": "ABC-1",
        "synonyms": ["drugamab"],
        "max_phase": 3,
        "mechanism": "IL-23",
        "programs": [{"indication": "Psoriasis", "phase": "Phase 2/3", "nct": None}],
    }
    page = {"source_url": "https://acme.example/p", "as_of": "2026-07-08", "assets": [asset]}
    bring("p.json", json.dumps({"companies": {"Acme": page}}))
    said = facts(pack, "pipeline:Acme/ABC-1")
    assert (said["in_stage"], said["acts_on"], said["has_alias"]) == (
        "PHASE2_3",
        "IL-23",
        "drugamab",
    )


ICTRP = (
    "<Trials_downloaded_from_ICTRP><Trial><TrialID>ChiCTR2000029308</TrialID>"
    "<Public_title>Drug A &amp; B</Public_title><Phase>Phase 2/Phase 3</Phase>"
    "<Intervention>Drug A;Drug B</Intervention><Condition>Asthma</Condition></Trial>"
    "<Trial><Public_title>nameless</Public_title></Trial></Trials_downloaded_from_ICTRP>"
)


def test_an_export_of_another_register_is_read(pack: Evidence, bring: Import) -> None:
    (file,) = bring("ictrp.xml", ICTRP)
    assert (file.records, file.damaged) == (1, 1)
    assert facts(pack, "chictr:ChiCTR2000029308")["trial_phase"] == "PHASE2_3"


def test_a_chinese_table_is_read_by_its_own_column_names(pack: Evidence, bring: Import) -> None:
    bring(
        "cde.csv",
        "登记号,试验状态,药物名称,适应症,试验通俗题目\nCTR20201234,进行中,注射用A,胃癌,A治疗胃癌\n",
    )
    assert conditions(pack, "cde:CTR20201234") == ["胃癌"]


def test_xml_with_entities_is_refused(pack: Evidence, bring: Import) -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbb">]>' + ICTRP
    (file,) = bring("ictrp.xml", bomb)
    assert (file.records, file.damaged) == (0, 1)
    assert "refused" in pack.damages()[0].reason


def test_a_file_of_no_known_kind_is_not_imported(bring: Import, pack: Evidence) -> None:
    with pytest.raises(InvalidInput, match=r"notes\.txt"):
        bring("notes.txt", "hello")
    assert pack.info().generation == 0


def test_text_that_hides_or_acts_is_cleaned(pack: Evidence, bring: Import) -> None:
    title = "Drug\u202e A\u200b <script>alert(1)</script>in Asthma"
    bring("t.csv", TRIALS + trial_row(1, brief_title=title))
    record = pack.record("ctgov:NCT00000001")
    assert record is not None
    assert record.title == "Drug A in Asthma"


def test_the_order_of_files_changes_nothing(pack: Evidence, bring: Import) -> None:
    table = TRIALS + trial_row(9, overall_status="UNKNOWN", last_update="2026-01-01")
    newer = json.dumps(study()).replace(
        '"statusModule": {',
        '"statusModule": {"lastUpdatePostDateStruct": {"date": "2026-01-01"}, ',
    )
    bring("s.ndjson", newer)
    bring("t.csv", table)
    assert facts(pack, "ctgov:NCT00000009")["trial_status"] == "COMPLETED"
    bring("s.ndjson", newer)
    assert len(pack.versions("ctgov:NCT00000009")) == 2


def spl_document(sections: str, name: str = "Exampla") -> str:
    """Return an SPL document of one product with these sections."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?><document xmlns="urn:hl7-org:v3">'
        '<effectiveTime value="20240102"/><setId root="11111111-aaaa-bbbb-cccc-000000000001"/>'
        "<author><assignedEntity><representedOrganization><name>Acme Inc.</name>"
        "</representedOrganization></assignedEntity></author><component><structuredBody>"
        f"<component><section><subject><manufacturedProduct><manufacturedProduct><name>{name}"
        "</name><asEntityWithGeneric><genericMedicine><name>drugamab</name></genericMedicine>"
        '</asEntityWithGeneric><ingredient classCode="ACTIB"><ingredientSubstance>'
        '<code code="AAAAAAAAAA" codeSystem="2.16.840.1.113883.4.9"/><name>DRUGAMAB</name>'
        "</ingredientSubstance></ingredient></manufacturedProduct></manufacturedProduct></subject>"
        f"</section></component>{sections}</structuredBody></component></document>"
    )


def spl_section(code: str, words: str) -> str:
    """Return a section with a LOINC code, highlights and a subsection."""
    return (
        f'<component><section><code code="{code}" codeSystem="2.16.840.1.113883.6.1"/>'
        f"<title>TITLE</title><excerpt><highlight><text>left out</text></highlight></excerpt>"
        f"<text><paragraph>{words}</paragraph></text><component><section><text>deeper</text>"
        "</section></component></section></component>"
    )


def test_an_spl_label_comes_to_the_same_facts_as_its_json(pack: Evidence, bring: Import) -> None:
    codes = ("34066-1", "34067-9", "34068-7", "34084-4")
    bring("label.xml", spl_document("".join(spl_section(code, f"said {code}") for code in codes)))
    record = pack.record("label:11111111-aaaa-bbbb-cccc-000000000001")
    assert record is not None
    assert record.updated_on == "2024-01-02"
    assert {span.section: span.text for span in record.spans}["boxed_warning"] == (
        "TITLE said 34066-1 deeper"
    )
    said = facts(pack, record.id)
    assert (said["has_boxed_warning"], said["label_carries"]) == ("yes", "whole")
    assert (said["has_alias"], said["label_unii"]) == ("Exampla", "AAAAAAAAAA")
    assert [one.name for one in record.mentions if one.kind == "company"] == ["Acme Inc."]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + spl_document(""), "refused"),
        (spl_document(spl_section("34067-9", "x"))[:-40], "no XML"),
        (spl_document(""), "no SPL document"),
        (spl_document(spl_section("34067-9", "x")).replace("DRUGAMAB", "\x00"), "not UTF-8"),
    ],
)
def test_a_damaged_spl_document_is_reported(
    pack: Evidence, bring: Import, content: str, reason: str
) -> None:
    (file,) = bring("label.xml", content, **{"as_of": "2024"})
    assert (file.records, file.damaged) == (0, 1)
    assert reason in pack.damages()[0].reason


@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "drug", "boxed", "application"),
    [
        ("humira.xml", "ADALIMUMAB", "yes", "BLA125057"),
        ("lipitor-orig.xml", "ATORVASTATIN CALCIUM TRIHYDRATE", "no", "NDA020702"),
    ],
)
def test_reference_spl_labels_are_read(
    pack: Evidence, reference: Path, name: str, drug: str, boxed: str, application: str
) -> None:
    import_files(pack, find_files([reference / "spl" / name]), now=NOW)
    found = pack.facts(FactQuery(subjects=[drug]))
    said = {one.fact.predicate: one.fact.object for one in found}
    assert (said["has_boxed_warning"], said["application"]) == (boxed, application)
    assert {one.fact.object for one in found if one.fact.predicate == "application"} == {
        application
    }


def test_the_form_in_which_registers_report_to_who_is_read(pack: Evidence, bring: Import) -> None:
    bring(
        "chictr.xml",
        "<trials><trial><main><trial_id>ChiCTR2100041234</trial_id><public_title>A in gastric "
        "cancer</public_title><phase>2</phase><hc_freetext>gastric cancer</hc_freetext>"
        "<i_freetext>A-101 injection</i_freetext><primary_sponsor>Acme</primary_sponsor>"
        "</main><contacts><contact><firstname>left out</firstname></contact></contacts></trial>"
        "</trials>",
    )
    said = facts(pack, "chictr:ChiCTR2100041234")
    assert said["trial_phase"] == "PHASE2"
    assert conditions(pack, "chictr:ChiCTR2100041234") == ["gastric cancer"]
    assert said["trial_sponsor"] == "Acme"


def test_a_csv_of_who_is_read_with_its_addresses(pack: Evidence, bring: Import) -> None:
    bring(
        "ICTRP-Results.csv",
        "TrialID,Public_title,Recruitment_Status,Phase,Intervention,Condition,Primary_sponsor,"
        "Date_registration,url\n"
        'EUCTR2019-001234-12-DE,"Drug A, a study",Authorised,Phase 3,Drug: A-101,Psoriasis,Acme,'
        "2019-05-01,https://example.org/t\n",
    )
    record = pack.record("ictrp:EUCTR2019-001234-12-DE")
    assert record is not None
    assert record.url == "https://example.org/t"
    said = facts(pack, record.id)
    assert said["trial_phase"] == "PHASE3"
    assert conditions(pack, record.id) == ["Psoriasis"]
    assert [(one.name, one.role) for one in record.mentions if one.kind == "drug"] == [
        ("A-101", "unclear")
    ]


@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "records", "damaged"),
    [
        ("ctgov_v2_studies.ndjson.gz", 478, 0),
        ("purple_book/pb_2026_03.csv", 835, 0),
    ],
)
def test_reference_files_are_read_whole(
    pack: Evidence, reference: Path, name: str, records: int, damaged: int
) -> None:
    (file,) = import_files(pack, find_files([reference / name]), now=NOW)
    assert (file.records, file.damaged) == (records, damaged)


@pytest.mark.parametrize(
    ("title", "phase", "study_type", "told"),
    [
        ("A Phase II/III Study of Drug A", "", "", ["PHASE2_3"]),
        ("Drug A in Asthma (Phase 2b)", "", "INTERVENTIONAL", ["PHASE2"]),
        ("A Phase III Study of Drug A", "PHASE2", "", ["PHASE2"]),
        ("A Phase III Study of Drug A", "NA", "", []),
        ("Registry of a Phase III Study of Drug A", "", "OBSERVATIONAL", []),
        ("Extension of a Phase III Study of Drug A", "", "", []),
        ("Phase I of Drug A, then Phase III", "", "", []),
        ("Drug A in Stage III Disease in Chronic Phase", "", "", []),
    ],
)
def test_a_title_tells_the_phase_that_the_copy_lacks(
    pack: Evidence, bring: Import, title: str, phase: str, study_type: str, told: list[str]
) -> None:
    row = trial_row(1, brief_title=f'"{title}"', phase=phase, study_type=study_type)
    bring("t.csv", TRIALS.replace("snapshot_date", "snapshot_date,study_type") + row)
    found = pack.facts(FactQuery(sources=["ctgov"], predicates=["trial_phase"]))
    assert [one.fact.object for one in found] == told
    assert all(one.fact.locator == ("phase" if phase else "title") for one in found)


def test_a_file_of_an_earlier_release_is_read_again_from_its_copy(
    pack: Evidence, tmp_path: Path
) -> None:
    source = tmp_path / "elsewhere" / "studies_2026-03-14.json"
    source.parent.mkdir()
    source.write_text(
        json.dumps({"protocolSection": {"identificationModule": {"nctId": "NCT00000001"}}})
    )
    home, files = tmp_path / "instance", find_files([source])
    imported = import_files(pack, files, now=NOW)
    keep_files(home, files, imported)
    assert outdated_files(pack.info()) == []
    assert reread_files(home, pack, NOW) == 0
    source.unlink()
    with pack.next_generation() as writer:  # as an earlier release left it
        writer.finish_file(replace(imported[0], kind="studies rules 8"))
    assert outdated_files(pack.info()) == [source.name]
    assert [(path.name, day) for path, day, _ in find_kept(home, pack.info())] == [
        (source.name, "")
    ]
    assert reread_files(home, pack, NOW) == 1
    assert outdated_files(pack.info()) == []
    assert list(pack.records(["ctgov:NCT00000001"])) == ["ctgov:NCT00000001"]


def test_an_arm_without_a_drugs_name_is_told_by_its_description(
    pack: Evidence, bring: Import
) -> None:
    groups = [
        {"id": "OG0", "title": "Arm A", "description": "Participants received A-101 10 mg."},
        {"id": "OG1", "title": "Placebo", "description": "Placebo matched to A-101."},
        {"id": "OG2", "title": "A-101 20 mg", "description": "Twice a day."},
    ]
    outcome = {
        "type": "PRIMARY",
        "title": "Response",
        "timeFrame": "Up to the data cut-off date on June 16, 2022",
        "unitOfMeasure": "%",
        "groups": groups,
        "classes": [
            {
                "categories": [
                    {"measurements": [{"groupId": f"OG{n}", "value": "1"} for n in range(3)]}
                ]
            }
        ],
    }
    protocol = {
        "identificationModule": {
            "nctId": "NCT00000001",
            "briefTitle": "First-line HER2-low cancer",
        },
        "armsInterventionsModule": {"interventions": [{"type": "DRUG", "name": "A-101"}]},
    }
    results = {"outcomeMeasuresModule": {"outcomeMeasures": [outcome]}}
    bring("s.json", json.dumps({"protocolSection": protocol, "resultsSection": results}))
    query = FactQuery(record_ids=["ctgov:NCT00000001"], predicates=["trial_result"])
    found = [one.fact for one in pack.facts(query)]
    assert [one.qualifiers.arm for one in found] == [
        "Arm A (Participants received A-101 10 mg.)",
        "Placebo",
        "A-101 20 mg",
    ]
    assert {(one.qualifiers.line, one.qualifiers.biomarker, one.as_of) for one in found} == {
        ("first line", "HER2-low", "2022-06-16")
    }
