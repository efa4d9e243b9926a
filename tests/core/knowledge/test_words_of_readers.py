"""Every word that a reader may emit is known to those who read it on."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.briefs.records import BiomarkerResult
from core.evidence.names.modalities import (
    ModalityClue,
    derive_modality,
    find_modalities,
    modality_of_name,
)
from core.evidence.readers.trial_roles import Arm, find_roles
from core.evidence.readers.trial_settings import read_line, read_line_of_arm
from core.evidence.sources.files.companies import read_pipelines, stage_word
from core.evidence.sources.files.trials import normalize_phase, phase_of_title
from core.evidence.sources.pack.schema import table_of
from core.evidence.sources.pack.source_records import describe_row_of_trial
from core.records.evidence import Role
from core.records.stages import STAGE_WORDS, STAGES
from core.tables.rows import SourceFile
from core.vocabulary.biomarkers import BiomarkerRole, BiomarkerRow
from core.vocabulary.lines import Line, asked_by
from core.vocabulary.modalities import load_modalities, load_stems, modality_words
from core.vocabulary.predicates import Predicate
from core.vocabulary.query_words import QueryWordRow
from core.vocabulary.stages import OF_PHASE, PHASES, phase_of
from core.vocabulary.tables import load_rows
from tests.rows import over_rows

REGISTER_PHASES = (
    *("EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4", "NA", "N/A", ""),
    *("PHASE1|PHASE2", "PHASE2|PHASE3", "PHASE1/PHASE2", "PHASE2/PHASE3"),
)
LINE_WORDS = (
    *("first-line", "1L", "second line", "2L", "third-line", "3L", "2/3L", "frontline"),
    *("adjuvant", "neoadjuvant", "maintenance treatment", "newly diagnosed", "untreated"),
    *("previously treated", "relapsed", "refractory", "after progression", "and", "or", ";"),
)
STAGE_SAID = st.sampled_from(
    [*STAGE_WORDS.values(), "Phase 1a", "Phase 1b", "Phase 2b", "Registration", "Under review"]
    + ["Phase 1 / 2", "Phase 2/ 3", "Marketed", "Preregistration", "Exploring", "", "Phase 4"]
)
STEMS = st.sampled_from([one.stem for one in load_stems()])
ENDINGS = st.sampled_from(["", " alfa", " vedotin", " tetraxetan", " pegol", " sodium", " rotide"])
KINDS = st.sampled_from(sorted(modality_words()) + sorted(load_modalities()))
DRUGS = st.sampled_from(["drugoxib", "givamab", "placebo", "rescue salbutamol", "carboplatin"])
ARMS = st.builds(
    Arm,
    st.sampled_from(["EXPERIMENTAL", "ACTIVE_COMPARATOR", "PLACEBO_COMPARATOR", "OTHER", ""]),
    st.sampled_from(["Drugoxib", "Givamab plus carboplatin", "Control", ""]),
    st.none() | st.frozensets(DRUGS),
)


@given(st.lists(st.sampled_from(LINE_WORDS), max_size=4).map(" ".join))
def test_every_line_that_is_read_is_a_line_and_one_that_a_question_finds(text: str) -> None:
    for found in (read_line(text), read_line_of_arm("Arm A", "", (text,))):
        assert found == "" or (found in set(Line) and asked_by(found))


@given(st.text("abcdefgilmnorstu", min_size=3, max_size=8), STEMS, ENDINGS)
def test_every_kind_that_a_name_tells_is_in_the_table(begin: str, stem: str, end: str) -> None:
    assert modality_of_name(f"{begin}{stem}{end}") in {"", *load_modalities()}


@given(st.lists(KINDS, max_size=4).map(" ".join), st.lists(STEMS.map("givo{}".format), max_size=2))
def test_every_kind_that_words_tell_is_in_the_table(text: str, names: list[str]) -> None:
    assert set(find_modalities(text)) <= set(load_modalities())
    assert derive_modality(names, [ModalityClue(text, 3)])[0] in {"", *load_modalities()}


@over_rows("kind", sorted(load_modalities()))
def test_every_kind_of_the_table_is_found_by_a_question(kind: str) -> None:
    words = {row.word for row in load_rows("query_words", QueryWordRow) if row.kind == "modality"}
    assert kind in {part for word in words for part in word.split("|")}


@given(STAGE_SAID)
def test_every_stage_of_a_pipeline_is_a_stage(said: str) -> None:
    assert stage_word(said) in {"", *STAGES}


@given(st.lists(st.tuples(STAGE_SAID, st.sampled_from([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]))))
def test_every_stage_that_the_importer_of_pipelines_writes_is_a_stage(
    tmp_path_factory: pytest.TempPathFactory, assets: list[tuple[str, float]]
) -> None:
    path = tmp_path_factory.mktemp("pipelines") / "pipelines.json"
    shown = [
        {"asset": "X", "max_phase": most, "programs": [{"indication": "asthma", "phase": said}]}
        for said, most in assets
    ]
    path.write_text(json.dumps({"companies": {"Acme": {"assets": shown}}}))
    read = read_pipelines(SourceFile(path, "", "", lambda *_: None))
    staged = {Predicate.IN_STAGE, Predicate.HIGHEST_STAGE}
    words = {one.object for parsed in read for one in parsed.facts if one.predicate in staged}
    assert words <= set(STAGES)


def test_every_stage_is_shown_under_a_phase() -> None:
    assert {phase_of(stage) for stage in STAGES} == set(PHASES)
    assert set(STAGE_WORDS) == set(STAGES)


@over_rows("said", REGISTER_PHASES)
def test_every_phase_of_a_register_has_its_stage(said: str) -> None:
    assert normalize_phase(said) in {"", *OF_PHASE}


@given(
    st.sampled_from(["Phase", "phase-"]),
    st.sampled_from(["I", "II", "III", "IV", "1", "2b", "3", "Ib", "2/3", "I/II", "1-2"]),
)
def test_every_phase_that_a_title_tells_has_its_stage(word: str, number: str) -> None:
    assert phase_of_title(f"A {word} {number} study of drugoxib") in {"", *OF_PHASE}


def test_every_phase_and_stage_that_the_pack_allows_is_known() -> None:
    assert table_of("trials").words["phase"] == {"", *OF_PHASE}
    assert table_of("stages").words["stage"] <= set(STAGES)
    assert table_of("pipelines").words["stage"] <= {"", *STAGES}


@given(st.lists(DRUGS, max_size=4, unique=True), st.lists(ARMS, max_size=3), st.booleans())
def test_every_role_of_a_drug_in_a_trial_is_a_role(drugs, arms, is_against) -> None:
    title = "Drugoxib versus givamab" if is_against else "Drugoxib in asthma"
    found = find_roles(drugs, arms, title)
    assert set(found) == set(drugs)
    assert set(found.values()) <= set(get_args(Role)) - {""}


def test_every_role_is_read_back_from_a_row_of_the_pack() -> None:
    columns = dict.fromkeys(table_of("trials").header, "")
    for role in set(get_args(Role)) - {""}:
        row = columns | {"nct_id": "NCT00000001", "drug": "x", "drugs": f"{role}: drugoxib"}
        (mention,) = describe_row_of_trial(row).record.mentions
        assert mention.role == role


def test_every_role_of_a_biomarker_is_one_that_the_answer_may_have() -> None:
    told = {row.role for row in load_rows("biomarkers", BiomarkerRow)}
    assert told <= set(get_args(BiomarkerRole))
    assert BiomarkerResult.model_fields["role"].annotation == BiomarkerRole
