"""What questions are read as: kinds by context, refusals, typing errors, other languages."""

import pytest

from core.evidence.readers.questions.parsed import WORD, notices_of
from core.evidence.readers.questions.reading import MOST_WORDS, split_events
from tests.benchmarks.questions import HOSTILE

pytestmark = pytest.mark.xdist_group("starter")

ASKED = [
    ("KIT inhibitors in development", "KIT", ""),
    ("MET inhibitors in NSCLC", "MET", "non-small cell lung cancer"),
    ("C3 inhibitors", "C3", ""),
    ("C5 inhibitors for generalized myasthenia gravis", "C5", "generalized myasthenia gravis"),
    ("F11 / factor XI inhibitors for stroke prevention", "Factor XI", "stroke"),
    ("AR degraders in prostate cancer", "Androgen receptor", "prostate cancer"),
    ("ALK inhibitors", "ALK", ""),
    ("RET inhibitors", "RET", ""),
    ("TYK2 inhibitors in psoriasis", "TYK2", "psoriasis"),
    ("IL1RAP antibodies", "IL-1RAP", ""),
    ("GIPR agonists and antagonists for obesity", "GIP receptor", "obesity"),
    ("APOC3", "APOC3", ""),
    ("Trop-2 ADCs", "TROP2", ""),
    ("c-Met ADC", "MET", ""),
    ("CGRP for migraine prevention", "CGRP", "migraine"),
    ("CLDN18.2 ADC", "CLDN18.2", ""),
    ("BCMA CAR-T", "BCMA", ""),
    ("KRAS G12D inhibitor", "KRAS G12D", ""),
    ("oral GLP-1", "GLP-1 receptor", ""),
    ("IgA nephropathy", "", "IgA nephropathy"),
    ("MASH pipeline", "", "metabolic dysfunction-associated steatohepatitis"),
    ("hidradenitis suppurativa", "", "hidradenitis suppurativa"),
    ("HER2-low breast cancer", "", "breast cancer"),
    ("Duchenne", "", "Duchenne muscular dystrophy"),
    ("geographic atrophy", "", "geographic atrophy"),
    ("bispecifics in r/r myeloma", "", "multiple myeloma"),
    ("ATTR cardiomyopathy", "", "transthyretin amyloid cardiomyopathy"),
    ("first-line SCLC", "", "small cell lung cancer"),
    ("PARP inhibitors in prostate cancer", "PARP", "prostate cancer"),
    (
        "complement inhibitors in PNH",
        "C1q, C1s, C3, C5, C5a receptor, Factor B, Factor D, MASP-2, MASP-3",
        "paroxysmal nocturnal hemoglobinuria",
    ),
    ("menin inhibitors in AML", "Menin", "acute myeloid leukemia"),
    ("TSLP", "TSLP", ""),
    ("FcRn blockers", "FcRn", ""),
    ("obesity GLP-1R agonists", "GLP-1 receptor", "obesity"),
    ("靶向CLDN18.2的抗体偶联药物 胃癌", "CLDN18.2", "gastric cancer"),
    ("best in class bispecific for solid tumors", "", "solid tumor"),
    ("purple elephants dancing on the moon", "", ""),
    ("Lp(a) lowering drugs", "Lp(a)", ""),
    ("who competes with Dupixent in COPD?", "", "chronic obstructive pulmonary disease"),
    ("CD19 CAR-T in lupus", "CD19", "systemic lupus erythematosus"),
    ("phase 3 TIGIT antibodies", "TIGIT", ""),
    ("IL-23 inhibitors in psoriasis, not antibodies", "IL-23", "psoriasis"),
    ("approved BTK inhibitors CLL", "BTK", "chronic lymphocytic leukemia"),
    ("C5", "C5", ""),
    ("SGLT2", "SGLT2", ""),
    ("DLL3 T cell engagers", "DLL3", ""),
    ("kras inhibitors", "KRAS", ""),
    ("α-synuclein antibodies Parkinson's", "Alpha-synuclein", "Parkinson disease"),
    ("CD3xBCMA bispecifics", "BCMA x CD3", ""),
    ("complement factor B PNH", "Factor B", "paroxysmal nocturnal hemoglobinuria"),
    ("phase I/II EGFR", "EGFR", ""),
    ("orale Medikamente gegen Psoriasis", "", "psoriasis"),
    ("anticorps anti-PD-1 cancer du poumon", "PD-1", "lung cancer"),
    ("胃がん HER2 抗体", "HER2", "gastric cancer"),
]


@pytest.mark.parametrize(("question", "target", "disease"), ASKED)
def test_a_question_names_the_target_and_the_disease_meant(read, question, target, disease) -> None:
    parsed = read(question)
    assert ", ".join(one.text for one in parsed.targets) == target
    assert ", ".join(one.label for one in parsed.diseases) == disease


@pytest.mark.parametrize("question", [one for one, _, _ in ASKED])
def test_every_word_ends_as_exactly_one_thing(read, question) -> None:
    pieces = read(question).pieces
    places = [place for one in pieces for place in range(one.start, one.end)]
    assert len(places) == len(set(places))
    assert all(one.meant or one.became in {"plain", "left over", "refused"} for one in pieces)
    assert any(WORD.search(one.said) for one in pieces)


@pytest.mark.parametrize(
    ("question", "field", "found"),
    [
        ("oral GLP-1", "routes", ("oral",)),
        ("HER2-low breast cancer", "biomarkers", ("HER2-low",)),
        ("HR+/HER2- breast cancer", "biomarkers", ("HER2-negative", "HR-positive")),
        ("MET amplified NSCLC", "biomarkers", ("MET amplified",)),
        ("bispecifics in r/r myeloma", "populations", ("relapsed or refractory",)),
        ("pediatric asthma biologics", "populations", ("children",)),
        ("mCRPC radioligands", "populations", ("metastatic",)),
        ("NSCLC after osimertinib", "populations", ("after osimertinib",)),
        ("first-line SCLC", "lines", ("1L",)),
        ("Chinese bispecific PD-1/VEGF", "regions", ("China",)),
        ("European biotech working on TL1A", "regions", ("Europe",)),
        ("Eli Lilly biologics", "companies", ("Eli Lilly",)),
        ("Eli Lilly antibodies", "modalities", ("bispecific antibody", "monoclonal antibody")),
        ("competitors of Keytruda", "intents", ("competitors",)),
        ("best in class bispecific", "intents", ("best in class",)),
        ("SERDs in breast cancer", "mechanisms", ("degrader",)),
        ("SERMs", "mechanisms", ("selective modulator",)),
        ("psychedelics for depression", "mechanisms", ("agonist",)),
        ("ATTR silencers", "modalities", ("antisense oligonucleotide", "siRNA")),
        ("DMD exon skipping", "modalities", ("antisense oligonucleotide",)),
        ("approved BTK inhibitors CLL", "stages", ("APPROVED",)),
        ("Alzheimer discontinued phase 3", "stages", ("DISCONTINUED",)),
        ("discontinued or phase 1 in ALS", "stages", ("DISCONTINUED", "PHASE1", "PHASE1_2")),
        ("Merck PD-1", "companies", ("Merck & Co.",)),
        ("AstraZeneca ADCs", "companies", ("AstraZeneca",)),
        ("RNAi or antisense Lp(a)", "modalities", ("antisense oligonucleotide", "siRNA")),
        ("PD-1 not Chinese", "not_regions", ("China",)),
        ("JAK inhibitors excluding topical", "not_routes", ("topical",)),
        ("not approved PARP inhibitors", "not_stages", ("APPROVED",)),
        ("Which psoriasis drugs were never approved?", "not_stages", ("APPROVED",)),
        ("wumpus cancer", "unknown_diseases", ("wumpus cancer",)),
    ],
)
def test_modifiers_are_typed_fields(read, question, field, found) -> None:
    assert tuple(sorted(getattr(read(question), field))) == found


def test_both_diseases_are_asked_of_one_drug(read) -> None:
    assert read("What drugs treat both asthma and COPD?").is_in_all_diseases
    assert not read("drugs for asthma and COPD").is_in_all_diseases
    assert not read("both EMA and FDA approval in asthma").is_in_all_diseases


@pytest.mark.parametrize(
    ("question", "targets", "drugs"),
    [
        ("obesity drugs excluding GLP-1", ["GLP-1 receptor"], []),
        ("ADCs but not HER2 or TROP2", ["HER2", "TROP2"], []),
        ("non-GLP-1 obesity drugs", ["GLP-1 receptor"], []),
        ("CDK4/6 excluding palbociclib", [], ["palbociclib"]),
        ("drugs for high cholesterol that are not statins", ["HMG-CoA reductase"], []),
    ],
)
def test_what_is_refused_is_not_asked_for(read, question, targets, drugs) -> None:
    parsed = read(question)
    assert [one.text for one in parsed.not_targets] == targets
    assert [one.label for one in parsed.not_drugs] == drugs
    assert not set(targets) & {one.text for one in parsed.targets}
    assert parsed.drugs == ()


@pytest.mark.parametrize(
    ("question", "field", "refused"),
    [
        ("bispecifics in myeloma that Roche does not own", "not_companies", ("Roche",)),
        ("JAK inhibitors which Pfizer has not developed", "not_companies", ("Pfizer",)),
        ("psoriasis drugs the FDA has not approved", "not_agencies", ("FDA",)),
        ("asthma drugs that do not have FDA approval", "not_agencies", ("FDA",)),
        ("asthma drugs lacking EMA approval", "not_agencies", ("EMA",)),
        ("KRAS inhibitors with small molecules taken out", "not_modalities", ("small molecule",)),
        ("neither mAbs nor vaccines in RSV", "not_modalities", ("monoclonal antibody", "vaccine")),
        ("no vaccines: RSV drugs", "not_modalities", ("vaccine",)),
    ],
)
def test_a_denial_is_never_taken_for_a_wish(read, question, field, refused) -> None:
    parsed = read(question)
    assert getattr(parsed, field) == refused
    assert not getattr(parsed, field.removeprefix("not_"))


@pytest.mark.parametrize("question", ["non-small cell lung cancer", "non-Hodgkin lymphoma"])
def test_a_name_that_begins_with_non_refuses_nothing(read, question) -> None:
    parsed = read(question)
    assert len(parsed.diseases) == 1
    assert parsed.not_diseases == ()


@pytest.mark.parametrize(
    "question", ["wumpus cancer", "alcohol-related liver wumpus disease", "zorblax syndrome"]
)
def test_an_unknown_disease_is_never_its_head_noun(read, question) -> None:
    parsed = read(question)
    assert parsed.diseases == ()
    assert parsed.unknown_diseases


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("non small cell lung caner", [("caner", "cancer")]),
        ("osimertnib competitors", [("osimertnib", "osimertinib")]),
        ("psoriassis IL-23", [("psoriassis", "psoriasis")]),
    ],
)
def test_one_clear_candidate_mends_a_typing_error_and_is_told(read, question, meant) -> None:
    parsed = read(question)
    assert [(one.said, one.meant) for one in parsed.changes if one.why == "mended"] == meant
    assert parsed.words == ()


@pytest.mark.parametrize("question", ["MET inhibitors", "gastrin", "insulin degludec", "kit"])
def test_a_name_is_never_mended(read, question) -> None:
    assert not [one for one in read(question).changes if one.why == "mended"]


@pytest.mark.parametrize(
    ("question", "became", "other"),
    [
        ("PAH pipeline", "disease", "Phenylalanine hydroxylase (target)"),
        ("AR pipeline", "target", "allergic rhinitis (disease)"),
        ("ALD pipeline", "disease", "alcoholic liver diseases"),
        ("AD", "disease", "atopic dermatitis"),
    ],
)
def test_a_word_of_two_meanings_offers_both(read, question, became, other) -> None:
    parsed = read(question)
    assert parsed.pieces[0].became == became
    assert [one.meant for one in parsed.changes if one.why == "ambiguous"] == [other]


@pytest.mark.parametrize(
    ("question", "became"),
    [
        ("PAH inhibitors", "target"),
        ("PAH patients", "disease"),
        ("AR antagonists", "target"),
        ("SCD gene editing", "disease"),
        ("anti-FAP radioligands", "target"),
    ],
)
def test_words_beside_a_symbol_tell_gene_from_disease(read, question, became) -> None:
    kinds = {one.became for one in read(question).pieces}
    assert became in kinds
    assert not {"target", "disease"} <= kinds


def test_a_chemical_of_a_register_alone_is_no_drug_of_a_landscape(read, names) -> None:
    assert names.resolve_drug("triphosgene").key
    assert read("triphosgene landscape").drugs == ()


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("Trikafta", {"elexacaftor", "tezacaftor", "ivacaftor"}),
        ("Opdualag competitors", {"nivolumab", "relatlimab"}),
        ("T-DXd", {"trastuzumab deruxtecan"}),
        ("MK-3475", {"pembrolizumab"}),
        ("MK3475", {"pembrolizumab"}),
    ],
)
def test_brands_of_combinations_and_codes_are_drugs(read, question, drugs) -> None:
    assert {one.label for one in read(question).drugs} == drugs


@pytest.mark.parametrize(
    ("question", "adjacent"),
    [("CGRP migraine", "CGRP receptor"), ("IL-23 psoriasis", "IL-23 receptor")],
)
def test_the_receptor_of_a_ligand_stands_beside_it(read, question, adjacent) -> None:
    assert [one.text for one in read(question).adjacent] == [adjacent]


def test_a_family_is_told_with_its_members(read) -> None:
    (family,) = read("JAK inhibitors").families
    assert {"JAK1", "JAK2", "JAK3"} <= set(family.gene_symbols)


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("NSCLC", "lung cancer"), ("HFpEF", "heart failure"), ("NSCLC", "solid tumors")],
)
def test_kinds_of_a_disease_count_as_it_and_not_the_reverse(read, names, narrow, wide) -> None:
    (child,), (parent,) = read(narrow).diseases, read(wide).diseases
    assert child.key in names.identity.descendants("disease", parent.key)
    assert parent.key in names.identity.ancestors("disease", child.key)
    assert parent.key not in names.identity.descendants("disease", child.key)


def test_blood_cancers_are_no_solid_tumors(read, names) -> None:
    (solid,), (myeloma,) = read("solid tumors").diseases, read("multiple myeloma").diseases
    assert myeloma.key not in names.identity.descendants("disease", solid.key)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_of_a_hostile_text_every_word_is_understood_or_refused(read, text) -> None:
    parsed = read(text)
    assert len(parsed.pieces) <= MOST_WORDS
    assert bool(parsed.unread) == (len(WORD.findall(text)) > MOST_WORDS or "\u7684" in text)
    assert any(one.startswith("too_long: ") for one in notices_of(parsed)) == bool(parsed.unread)


def test_of_companies_that_share_a_name_one_is_taken_and_the_other_offered(read) -> None:
    parsed = read("Merck ADCs")
    assert parsed.companies == ("Merck & Co.",)
    assert [(one.said, one.meant) for one in parsed.changes] == [("Merck", "Merck KGaA")]
    assert read("Merck KGaA ADCs").companies == ("Merck KGaA",)


@pytest.mark.parametrize(
    ("question", "field", "found"),
    [
        ("PD-1 antibodies approved in Europe or Japan", "territories", ("Europe", "Japan")),
        ("CD19 CAR-T, China rights", "territories", ("China",)),
        ("Chinese PD-1 antibodies", "territories", ()),
        ("KIT inhibitors incl. discontinued", "stages", ()),
        ("who besides Novartis has a C5 inhibitor", "not_companies", ("Novartis",)),
        ("who besides Novartis has a C5 inhibitor", "not_targets", ()),
        ("C3 drugs not given by injection, phase 2 and 3", "not_stages", ()),
    ],
)
def test_a_word_narrows_no_more_than_it_says(read, question, field, found) -> None:
    assert getattr(read(question), field) == found


def test_a_word_is_understood_once_the_word_beside_it_is_mended(read) -> None:
    parsed = read("myastenia gravis fcrn")
    assert [one.label for one in parsed.diseases] == ["myasthenia gravis"]
    assert [(one.said, one.meant) for one in parsed.changes] == [("myastenia", "myasthenia")]


@pytest.mark.parametrize(
    ("question", "stages"),
    [
        ("CLL phase 1 or 2", "PHASE2_3 PHASE2 PHASE1_2 PHASE1"),
        ("CLL, phases I-III", "PHASE3 PHASE2_3 PHASE2 PHASE1_2 PHASE1"),
        ("phase 1/2 or 3 CLL", "PHASE3 PHASE2_3 PHASE1_2"),
        ("CLL phase I/II", "PHASE1_2"),
        ("phase 2 or later CLL", "APPROVED FILED PHASE3 PHASE2_3 PHASE2 PHASE1_2"),
        ("CLL in clinical development", "FILED PHASE3 PHASE2_3 PHASE2 PHASE1_2 PHASE1"),
    ],
)
def test_several_phases_are_all_asked_for(read, question, stages) -> None:
    assert " ".join(read(question).stages) == stages


@pytest.mark.parametrize("word", ["orphan", "success", "benchmark", "modern", "first-in-class"])
def test_an_everyday_word_names_no_drug_or_company(read, word) -> None:
    parsed = read(f"{word} drugs in pancreatic cancer")
    assert (parsed.drugs, parsed.companies) == ((), ())


@pytest.mark.parametrize(
    ("question", "types"),
    [
        ("kidney transplant rejection since 2020", ()),
        ("rejections in kidney transplant rejection", ("complete_response",)),
        ("withdrawals in alcohol withdrawal", ("approval_ended",)),
    ],
)
def test_words_of_a_disease_s_name_are_no_events(context, question, types) -> None:
    assert split_events(question, context.resolver)[0] == types


@pytest.mark.parametrize(
    ("question", "disease"),
    [
        ("cardiovascular assets", "cardiovascular disease"),
        ("CNS drugs in phase 2", "neurological disease"),
        ("hematology pipeline", "hematologic disorder"),
        ("renal assets", "kidney disease"),
        ("immunology and inflammation", "immune-mediated disease"),
        ("GI drugs", "digestive system disorder"),
        ("renal cell carcinoma", "renal cell carcinoma"),
        ("CNS-penetrant kinase inhibitors", ""),
    ],
)
def test_an_area_of_medicine_is_read(read, question, disease) -> None:
    assert ", ".join(named.label for named in read(question).diseases) == disease
