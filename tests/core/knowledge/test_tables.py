"""The tables of knowledge: readable, sorted, without duplicates, with their basis."""

import csv
from pathlib import Path

import pytest

import core.knowledge
import core.vocabulary
from core.errors import KnowledgeError
from core.knowledge.compound_roles import RoleRow
from core.knowledge.contradictions import ContradictionRow
from core.knowledge.drug_structures import DrugStructureRow
from core.knowledge.early_words import EarlyWordRow
from core.knowledge.event_materiality import EventMaterialityRow, EventPublisherRow
from core.knowledge.gene_cues import GeneCueRow
from core.knowledge.gene_sets import CollectionRow, gene_set_collections, load_gene_sets
from core.knowledge.lost_atoms import LostAtomRow
from core.knowledge.patent_headings import PatentHeadingRow
from core.knowledge.patent_words import PatentWordRow
from core.knowledge.reagents import ReagentRow
from core.knowledge.score_weights import WeightRow, weight
from core.knowledge.single_arm_drivers import SingleArmDriverRow
from core.knowledge.source_groups import SourceGroupRow
from core.knowledge.structure_confidence import ConfidenceRow
from core.knowledge.usual_reactions import UsualReactionRow, find_usual
from core.knowledge.withdrawn_drugs import WithdrawnDrugRow
from core.records.stages import STAGES
from core.vocabulary import tables
from core.vocabulary.biomarkers import BiomarkerRow, find_biomarkers
from core.vocabulary.class_words import ClassWordRow
from core.vocabulary.companies import CompanyName
from core.vocabulary.company_codes import CodeRow
from core.vocabulary.company_homes import CompanyHomeRow
from core.vocabulary.conference_journals import ConferenceJournalRow
from core.vocabulary.cues import CueRow
from core.vocabulary.deficiencies import DeficiencyRow
from core.vocabulary.diseases import DiseaseCorrectionRow, DiseaseWordRow, OwnDiseaseRow
from core.vocabulary.drug_words import DrugWordRow
from core.vocabulary.drugs import FalseNameRow, NoAssetRow, SameDrugRow
from core.vocabulary.effects import EffectRow
from core.vocabulary.endpoints import EndpointRow, classify_endpoint, load_measures
from core.vocabulary.event_types import EventChangeRow, EventRuleRow, EventTypeRow
from core.vocabulary.event_words import EventWordRow
from core.vocabulary.exchanges import ExchangeRow
from core.vocabulary.filing_items import FilingItemRow
from core.vocabulary.foreign_words import ForeignWordRow
from core.vocabulary.hazards import HazardRow
from core.vocabulary.label_words import LabelWordRow
from core.vocabulary.lines import AskedLine, Line, LineRow, asked_by
from core.vocabulary.modalities import ModalityRow, StemRow, load_modalities
from core.vocabulary.name_repairs import NameRepairRow
from core.vocabulary.own_words import OwnWordRow
from core.vocabulary.phrase_words import PhraseWordRow
from core.vocabulary.predicates import Predicate, PredicateRow
from core.vocabulary.query_words import QueryWordRow, take_words
from core.vocabulary.routes import RouteRow
from core.vocabulary.sister_targets import SisterTargetRow
from core.vocabulary.systematic_names import SystematicNameRow
from core.vocabulary.tables import TableRow, load_rows, place_of
from core.vocabulary.target_axes import TargetAxisRow
from core.vocabulary.targets import TargetCells
from core.vocabulary.thesis_words import ThesisWordRow
from core.vocabulary.warning_codes import QuietCodeRow
from tests.rows import over_rows

TABLES: list[tuple[str, type[TableRow], tuple[str, ...]]] = [
    ("biomarkers", BiomarkerRow, ("name",)),
    ("class_words", ClassWordRow, ("said",)),
    ("companies", CompanyName, ("group", "name")),
    ("company_codes", CodeRow, ("prefix",)),
    ("company_homes", CompanyHomeRow, ("kind", "name")),
    ("compound_roles", RoleRow, ("kind", "name")),
    ("conference_journals", ConferenceJournalRow, ("journal",)),
    ("contradictions", ContradictionRow, ("key",)),
    ("cues", CueRow, ("reader", "category", "cue")),
    ("deficiencies", DeficiencyRow, ("said",)),
    ("disease_corrections", DiseaseCorrectionRow, ("disease", "relation", "value")),
    ("disease_words", DiseaseWordRow, ("said",)),
    ("drug_structures", DrugStructureRow, ("drug",)),
    ("drug_words", DrugWordRow, ("said",)),
    ("early_words", EarlyWordRow, ("kind", "word")),
    ("effects", EffectRow, ("said",)),
    ("endpoints", EndpointRow, ("name",)),
    ("event_changes", EventChangeRow, ("predicate", "source", "rank")),
    ("event_materiality", EventMaterialityRow, ("type", "rank")),
    ("event_publishers", EventPublisherRow, ("source",)),
    ("event_rules", EventRuleRow, ("predicate", "source", "rank")),
    ("event_types", EventTypeRow, ("type",)),
    ("event_words", EventWordRow, ("said",)),
    ("exchanges", ExchangeRow, ("code",)),
    ("false_names", FalseNameRow, ("said", "is_not")),
    ("filing_items", FilingItemRow, ("item",)),
    ("foreign_words", ForeignWordRow, ("said", "language")),
    ("gene_cues", GeneCueRow, ("kind", "name")),
    ("gene_set_collections", CollectionRow, ("collection",)),
    ("hazards", HazardRow, ("hazard",)),
    ("label_words", LabelWordRow, ("kind", "rank")),
    ("lost_atoms", LostAtomRow, ("name",)),
    ("lines", LineRow, ("line",)),
    ("modalities", ModalityRow, ("modality",)),
    ("no_assets", NoAssetRow, ("kind", "name")),
    ("own_diseases", OwnDiseaseRow, ("label",)),
    ("name_repairs", NameRepairRow, ("name",)),
    ("systematic_names", SystematicNameRow, ("drug",)),
    ("own_words", OwnWordRow, ("kind", "rank")),
    ("phrase_words", PhraseWordRow, ("kind", "word")),
    ("predicates", PredicateRow, ("predicate",)),
    ("routes", RouteRow, ("kind", "word")),
    ("same_drugs", SameDrugRow, ("said",)),
    ("stems", StemRow, ("stem",)),
    ("sister_targets", SisterTargetRow, ("target", "sister")),
    ("target_axes", TargetAxisRow, ("ligand", "receptor")),
    ("targets", TargetCells, ("expression",)),
    ("patent_headings", PatentHeadingRow, ("section", "name")),
    ("query_words", QueryWordRow, ("kind", "said")),
    ("patent_words", PatentWordRow, ("kind", "word")),
    ("reagents", ReagentRow, ("name",)),
    ("score_weights", WeightRow, ("key",)),
    ("single_arm_drivers", SingleArmDriverRow, ("biomarker",)),
    ("source_groups", SourceGroupRow, ("group",)),
    ("structure_confidence", ConfidenceRow, ("method", "section")),
    ("thesis_words", ThesisWordRow, ("rank",)),
    ("usual_reactions", UsualReactionRow, ("event_type",)),
    ("warning_codes", QuietCodeRow, ("code",)),
    ("withdrawn_drugs", WithdrawnDrugRow, ("drug", "disease")),
]
each_table = over_rows(("name", "model", "key"), TABLES)


def test_every_table_of_the_package_is_tested() -> None:
    folders = [Path(str(one.__file__)).parent for one in (core.knowledge, core.vocabulary)]
    held = {path.stem for folder in folders for path in folder.glob("*.csv")}
    assert held == {name for name, _, _ in TABLES}


@each_table
def test_rows_are_sorted_and_unique(name, model, key) -> None:
    keys = [tuple(getattr(row, part) for part in key) for row in load_rows(name, model)]
    folded = [tuple(str(part).casefold() for part in one) for one in keys]
    assert len(set(folded)) == len(folded)
    assert keys == sorted(keys) or folded == sorted(folded)


@each_table
def test_file_ends_lines_as_the_house_does(name, model, key) -> None:
    content = place_of(name, model).read_bytes()
    assert b"\r" not in content
    assert content.endswith(b"\n")


def test_row_that_does_not_fit_is_named_by_its_line(tmp_path: Path, monkeypatch) -> None:
    whole = place_of("score_weights", WeightRow).read_text()
    (tmp_path / "score_weights.csv").write_text(whole.replace(",0.4,", ",much,", 1))
    monkeypatch.setattr(tables, "place_of", lambda *_: tmp_path / "score_weights.csv")
    load_rows.cache_clear()
    try:
        with pytest.raises(KnowledgeError, match=r"score_weights.csv line \d+: value"):
            load_rows("score_weights", WeightRow)
    finally:
        load_rows.cache_clear()


def test_published_row_without_a_source_is_refused(tmp_path: Path, monkeypatch) -> None:
    lines = list(csv.reader(place_of("score_weights", WeightRow).read_text().splitlines()))
    lines[1][lines[0].index("basis")] = "published"
    with (tmp_path / "score_weights.csv").open("w", newline="") as text:
        csv.writer(text).writerows(lines)
    monkeypatch.setattr(tables, "place_of", lambda *_: tmp_path / "score_weights.csv")
    load_rows.cache_clear()
    try:
        with pytest.raises(KnowledgeError, match="no source"):
            load_rows("score_weights", WeightRow)
    finally:
        load_rows.cache_clear()


def test_every_kind_of_drug_is_a_word_of_the_modality_table() -> None:
    rows = [row for row in load_rows("query_words", QueryWordRow) if row.kind == "modality"]
    assert {part for row in rows for part in row.word.split("|")} <= set(load_modalities())


@over_rows("mode", ["clinical", "preclinical"])
def test_every_stage_has_a_weight_in_both_modes(mode: str) -> None:
    assert all(0 <= weight(f"{mode}.{stage}") <= 1 for stage in STAGES)


def test_later_phase_never_weighs_less_in_clinical_mode() -> None:
    weights = [weight(f"clinical.{stage}") for stage in STAGES]
    assert weights == sorted(weights, reverse=True)


def test_parts_of_the_rank_sum_to_one() -> None:
    parts = ("mechanism", "phase", "evidence", "recency")
    assert sum(weight(f"rank.{part}") for part in parts) == pytest.approx(1)


@over_rows(
    ("kind", "text", "words"),
    [
        ("modality", "CLDN18.2 ADCs", ["antibody-drug conjugate"]),
        (
            "modality",
            "antibody drug conjugates and CAR T",
            ["antibody-drug conjugate", "cell therapy"],
        ),
        ("modality", "ADCX", []),
        ("stage", "phase III assets", ["PHASE3|PHASE2_3"]),
        ("stage", "phase I", ["PHASE1|PHASE1_2"]),
        ("line", "previously treated NSCLC", ["2L"]),
        ("mechanism", "GLP-1 Agonists", ["agonist"]),
    ],
)
def test_words_are_found_whatever_their_spelling(kind, text, words) -> None:
    assert take_words(kind, text)[0] == words


@over_rows(
    ("title", "names"),
    [
        ("X in EGFR-mutated NSCLC with PD-L1 >= 50 %", ["EGFR mutation", "PD-L1"]),
        ("X in HER2-Low breast cancer", ["HER2-low"]),
        ("X in claudin 18.2-positive gastric cancer", ["CLDN18.2"]),
        ("X in healthy volunteers", []),
    ],
)
def test_biomarkers_are_read_from_titles(title: str, names: list[str]) -> None:
    assert [row.name for row in find_biomarkers(title)] == names


@over_rows(
    ("measure", "name"),
    [
        ("Objective Response Rate (ORR) by BICR", "objective response"),
        ("Progression-free survival", "progression-free survival"),
        ("Change from baseline in HbA1c", "HbA1c"),
        ("Number of participants with adverse events", "adverse events"),
        ("response rate", "response rate"),
        ("Percentage of participants with partial and complete response", "objective response"),
        ("Pathologic complete response (pCR)", "pathological response"),
        ("Percentage of Treatment Responders with an ACR 20 response", "ACR response"),
    ],
)
def test_endpoints_have_their_class(measure: str, name: str) -> None:
    found = classify_endpoint(measure)
    assert found is not None
    assert found.name == name


def test_measure_of_no_class_has_none() -> None:
    assert classify_endpoint("Catheterization steps completed") is None


def test_every_kind_of_measure_that_a_pack_may_hold_is_an_endpoint() -> None:
    found = [classify_endpoint(one.name) for one in load_measures()]
    assert [one.name for one in found if one] == [one.name for one in load_measures()]


def test_wider_class_of_an_endpoint_is_a_class() -> None:
    rows = load_rows("endpoints", EndpointRow)
    assert {row.within for row in rows} <= {"", *(row.name for row in rows if row.pattern)}
    turns = [int(row.turn) for row in rows if row.pattern]
    assert sorted(turns) == list(range(1, len(turns) + 1))


def test_every_line_that_a_reader_emits_is_found_by_a_question() -> None:
    assert all(asked_by(line) for line in Line)
    assert {row.word for row in load_rows("query_words", QueryWordRow) if row.kind == "line"} == {
        *AskedLine
    }


def test_every_predicate_is_declared_once() -> None:
    assert [row.predicate for row in load_rows("predicates", PredicateRow)] == [*Predicate]


def test_gene_sets_are_sorted_with_sorted_members():
    for collection, row in gene_set_collections().items():
        sets = load_gene_sets(collection)
        assert len(sets) == row.n_sets
        assert list(sets) == sorted(sets)
        assert all(list(genes) == sorted(set(genes)) for genes in sets.values())
    assert "FKBP5" in load_gene_sets("hallmark")["HALLMARK_ANDROGEN_RESPONSE"]


def test_usual_reactions_are_quartiles_in_order_that_every_word_finds_once():
    rows = load_rows("usual_reactions", UsualReactionRow)
    words = [word for row in rows for word in row.words.split("|")]
    assert len(words) == len(set(words))
    for row in rows:
        assert row.lower_quartile <= row.median_abs_move <= row.upper_quartile
        assert row.n_stocks <= row.n_events
        assert all(find_usual(word) == row for word in row.words.split("|"))
    assert find_usual("weather") is None
