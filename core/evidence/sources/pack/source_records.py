"""Rows that sources at hand confirm, as records under the sources' own identifiers.

A copy that is imported or fetched later is fuller, and takes the place of these.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.evidence.names.companies import name_at_fda
from core.evidence.sources.files.companies import PMDA_LICENCE, PORTFOLIO_LICENCE
from core.evidence.sources.files.drugsfda import LICENCE as FDA_LICENCE
from core.evidence.sources.files.effects import LICENCES as EFFECT_LICENCES
from core.evidence.sources.files.ema import EMA_LICENCE
from core.evidence.sources.files.labels import LICENCE as LABEL_LICENCE
from core.evidence.sources.files.trial_results import BETWEEN
from core.evidence.sources.files.trials import Endpoint, Trial, describe_trial
from core.evidence.sources.pack.files import Row
from core.evidence.sources.pack.own_records import DETAIL, ORIGIN
from core.evidence.sources.pack.reading import load_rows
from core.evidence.sources.pack.schema import CHANGE, NAMED_IN_TITLE
from core.records.evidence import Fact, Mention, Parsed, Qualifiers, Record, Role, SourceType, Span
from core.records.stages import phase_words
from core.tables.rows import SourceFile
from core.vocabulary.predicates import Predicate

_ROLES: Mapping[str, Role] = {
    "investigational": "investigational",
    "comparator": "comparator",
    "background": "background",
    "rescue": "rescue",
    "unclear": "unclear",
}
_OF_FDA = frozenset({"drugsfda", "label", "purplebook"})
_LICENCES = {
    "drugsfda": FDA_LICENCE,
    "purplebook": FDA_LICENCE,
    "pmda": PMDA_LICENCE,
    "ema": EMA_LICENCE,
    "label": LABEL_LICENCE,
    "label-indications": LABEL_LICENCE,
    "pipeline": PORTFOLIO_LICENCE,
    "fda-decisions": FDA_LICENCE,
}
_KINDS_OF_EFFECTS: Mapping[str, SourceType] = {
    "label-efficacy": "regulatory_label",
    "trial-report": "paper",
    "ctgov-analyses": "trial_registration",
    "ctgov": "trial_registration",
    "label": "regulatory_label",
}


def source_records() -> Iterator[Parsed]:
    """Yield the confirmed records: trials, approvals, labels, pipelines, events."""
    effects: dict[str, list[Row]] = defaultdict(list)
    for row in load_rows("effects"):
        effects[row["number"]].append(row)
    for described in _described():
        facts = [_effect(row, described.record.id) for row in effects.pop(described.record.id, ())]
        yield replace(described, facts=(*described.facts, *facts))
    yield from (_describe_effects(rows) for rows in effects.values())


def _described() -> Iterator[Parsed]:
    yield from map(describe_row_of_trial, load_rows("trials"))
    yield from map(describe_approval, load_rows("approvals"))
    yield from map(describe_label_row, load_rows("labels"))
    assets: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in load_rows("pipelines"):
        assets[row["company"], row["asset"]].append(row)
    yield from (describe_asset(rows) for rows in assets.values())
    yield from map(describe_event, load_rows("events"))


def _describe_effects(rows: Sequence[Row]) -> Parsed:
    """Return a record that the pack knows by its figures alone."""
    first = rows[0]
    source, _, number = first["number"].partition(":")
    record = Record(
        source=source,
        source_id=number,
        url=first["source_url"],
        kind=_KINDS_OF_EFFECTS[source],
        title=first["source_title"],
        copied_on=first["as_of"],
        fetched_at=first["verified_on"],
        licence=EFFECT_LICENCES[source],
        origin=ORIGIN,
        detail=DETAIL,
    )
    return Parsed(record, tuple(_effect(row, record.id) for row in rows))


def _effect(row: Row, record_id: str) -> Fact:
    """Return a figure of a trial, or of a label where the row names none."""
    return Fact(
        record_id,
        row["trial"] or row["drug"],
        Predicate.TRIAL_EFFECT if row["trial"] else Predicate.LABEL_RESULT,
        row["endpoint"],
        value=float(row["value"]),
        unit=row["unit"],
        qualifiers=replace(
            _whom(row),
            n=row["n"],
            interval=row["interval"],
            time_point=row["time_point"],
            line=row["line"],
            biomarker=row["biomarker"],
        ),
        as_of=row["as_of"],
        locator=row["source_locator"],
    )


def _whom(row: Row) -> Qualifiers:
    """Return the arms of a trial and whether its endpoint is primary; of a label its study."""
    if row["trial"]:
        # a report without arms speaks of the drug of its row, not of all that the trial tests
        arm = row["arm"] or row["drug"]
        arms = f"{arm}{BETWEEN}{row['comparator']}" if row["comparator"] else arm
        return Qualifiers(arm=arms, population=row["role"])
    study = "; ".join(filter(None, (row["arm"], row["indication"])))
    return Qualifiers(region="FDA", indication=row["indication"], population=study)


def split(cell: str) -> list[str]:
    """Return the values of a cell that joins several with a bar."""
    return cell.split("|") if cell else []


def describe_row_of_trial(row: Row) -> Parsed:
    """Return the record of a trial, under a title of our own."""
    roles = {
        name: _ROLES[role] for role, _, name in (x.partition(":") for x in split(row["drugs"]))
    }
    trial = Trial(
        number=row["nct_id"],
        title=title_of(row, roles),
        phase=row["phase"],
        status=row["overall_status"],
        sponsor=row["sponsor"],
        sponsor_class=row["sponsor_class"],
        collaborators=split(row["collaborators"]),
        conditions=split(row["conditions"]),
        interventions=[("DRUG", name) for name in roles],
        endpoints=[Endpoint(endpoint) for endpoint in split(row["endpoints"])],
        enrollment=float(row["enrollment"]) if row["enrollment"] else None,
        design=row["design"],
        start_on=row["start_on"],
        primary_completion_on=row["primary_completion_on"],
        completion_on=row["completion_on"],
        updated_on=row["updated_on"],
        copied_on=row["as_of"],
        stopped_why=row["stopped"],
        has_results=row["has_results"],
        as_of=row["as_of"],
        detail=DETAIL,
        roles=roles,
    )
    source = SourceFile(Path(ORIGIN), row["as_of"], row["verified_on"], lambda *_: None)
    parsed = describe_trial(trial, source, 0)
    stem = Fact(
        parsed.record.id, "", Predicate.ACTS_ON, as_of=row["as_of"], locator="words of the trial"
    )
    if row["note"] == NAMED_IN_TITLE:
        parsed = replace(parsed, record=_of_title(parsed.record))
    words = [phrase.partition(": ") for phrase in split(row["words"])]
    facts = [replace(stem, subject=name, object=words) for name, _, words in words if words]
    return replace(parsed, facts=(*parsed.facts, *facts))


def _of_title(record: Record) -> Record:
    """Return a trial whose drugs stand in its title and in no list of interventions."""
    mentions = (
        replace(mention, relation="title") if mention.kind == "drug" else mention
        for mention in record.mentions
    )
    return replace(record, mentions=tuple(mentions))


def title_of(row: Row, roles: Mapping[str, Role]) -> str:
    """Return our own short description of a trial."""
    tested = [name for name, role in roles.items() if role == "investigational"]
    against = [name for name, role in roles.items() if role == "comparator"]
    text = " + ".join(tested[:3]) or row["drug"]
    if against:
        text += f" against {' or '.join(against[:2])}"
    conditions = split(row["conditions"])
    if conditions:
        text += f" in {', '.join(conditions[:2])}"
    phase = phase_words("APPROVED" if row["phase"] == "PHASE4" else row["phase"])
    is_for_safety = row["endpoints"] == "adverse events" and "SINGLE_GROUP" in row["design"]
    aim = "one arm for safety" if is_for_safety and row["phase"] in {"PHASE3", "PHASE2_3"} else ""
    return ", ".join(filter(None, (text, phase, aim)))


def _record(row: Row, kind: SourceType, title: str, mentions: Sequence[Mention]) -> Record:
    """Return a record of a register; its identifier there is the row's `source_id`."""
    source, _, number = row["source_id"].partition(":")
    return Record(
        source=source,
        source_id=number,
        url=row["source_url"],
        kind=kind,
        title=title,
        published_on=row.get("approved_on", "") or row.get("happened_on", ""),
        updated_on=row.get("happened_on", ""),
        copied_on=row["as_of"],
        fetched_at=row["verified_on"],
        licence=_LICENCES[source],
        origin=ORIGIN,
        detail=DETAIL,
        mentions=tuple(mentions),
    )


def _drugs(row: Row) -> list[Mention]:
    return [
        *(Mention("drug", name, relation="ingredient") for name in split(row["ingredients"])),
        *(Mention("drug", name, relation="brand") for name in split(row["brands"])),
    ]


def _company(row: Row, relation: str) -> list[Mention]:
    name = _named(row)
    return [Mention("company", name, relation=relation)] if name else []


def _named(row: Row) -> str:
    is_of_fda = row["source_id"].partition(":")[0] in _OF_FDA
    return name_at_fda(row["company"]) if is_of_fda else row["company"]


def describe_approval(row: Row) -> Parsed:
    """Return the record of an application or a license."""
    brands, names = split(row["brands"]), split(row["ingredients"])
    # the title tells an application of a generic, which makes nobody an owner
    list_name = row["kind"] if row["kind"] == "ANDA" else row["register"]
    title = f"{list_name} {row['number']}: {', '.join([*brands[:2], *names[:3]])}"
    record = _record(row, "approval_package", title, [*_drugs(row), *_company(row, "applicant")])
    if row["indications"]:
        record = replace(record, spans=(_span("indications", row),))
    region = {"pmda": "PMDA", "ema": "EMA"}.get(row["register"], "FDA")
    if region == "EMA":  # the list dates each medicine's last change: its own copy is the later one
        record = replace(record, updated_on=row["approved_on"])
    stem = Fact(record.id, row["number"], "", as_of=row["as_of"], locator=row["source_locator"])
    values = (
        (Predicate.APPLICATION_HOLDER, _named(row)),
        (Predicate.APPLICATION_TYPE, "" if row["kind"] == CHANGE else row["kind"]),
        (Predicate.MARKETING_STATUS, row["marketing"]),
    )
    facts = [replace(stem, predicate=word, object=words) for word, words in values if words]
    for name in names:
        about = replace(stem, subject=name, qualifiers=Qualifiers(region=region))
        if row["approved_on"]:
            word = Predicate.APPROVAL_CHANGED_ON if row["kind"] == CHANGE else Predicate.APPROVED_ON
            facts.append(replace(about, predicate=word, object=row["approved_on"]))
        facts += [
            replace(about, predicate=Predicate.HAS_ALIAS, object=brand)
            for brand in brands
            if brand != name
        ]
        facts += [_indicated(about, indication) for indication in split(row["indications"])]
    return Parsed(record, tuple(facts))


def _span(section: str, row: Row) -> Span:
    """Return the indications in our own words: the names of the diseases."""
    text = "; ".join(split(row["indications"]))
    return Span(section, text, 0, len(text))


def describe_label_row(row: Row) -> Parsed:
    """Return the record of a label: what it is for, for whom, and of what it warns."""
    names = [*split(row["brands"])[:2], *split(row["ingredients"])[:3]]
    mentions = [*_drugs(row), *_company(row, "labeler")]
    record = _record(row, "regulatory_label", f"US label: {', '.join(names)}", mentions)
    if row["indications"]:
        record = replace(record, spans=(_span("indications_and_usage", row),))
    drug = split(row["ingredients"])[0]
    stem = Fact(record.id, drug, "", as_of=row["as_of"], locator=row["source_locator"])
    stem = replace(stem, qualifiers=Qualifiers(region="FDA"))
    is_approved = row["register"] == "label-indications" or row["applications"]
    values = [(Predicate.APPROVED_LABEL, "yes")] if row["indications"] or is_approved else []
    values += [(Predicate.HAS_BOXED_WARNING, row["boxed"])] if row["boxed"] else []
    values += [(Predicate.BOXED_TERM, term) for term in split(row["boxed_terms"])]
    actions = [(Predicate.HAS_CLASS, drug_class) for drug_class in split(row["classes"])]
    actions += [(Predicate.ACTS_ON, row["mechanism"])] if row["mechanism"] else []
    values += [(Predicate.APPLICATION, application) for application in split(row["applications"])]
    values += [(Predicate.LABEL_ENDPOINT, endpoint) for endpoint in split(row["endpoints"])]
    values += [(Predicate.HAS_ALIAS, brand) for brand in split(row["brands"]) if brand != drug]
    facts = [replace(stem, predicate=predicate, object=words) for predicate, words in values]
    of_drug = replace(stem, subject=row["drug"])  # of several substances the one the row is about
    facts += [replace(of_drug, predicate=predicate, object=words) for predicate, words in actions]
    qualifiers = Qualifiers(
        region="FDA", line=row["line"], population=row["age"], biomarker=row["biomarker"]
    )
    about = replace(stem, qualifiers=qualifiers)
    facts += [_indicated(about, indication) for indication in split(row["indications"])]
    return Parsed(record, tuple(facts))


def _indicated(stem: Fact, disease: str) -> Fact:
    """Return one use; region, line, patients and biomarker are those of the stem."""
    qualifiers = replace(stem.qualifiers, indication=disease)
    return replace(stem, predicate=Predicate.INDICATED_FOR, object=disease, qualifiers=qualifiers)


def describe_asset(rows: Sequence[Row]) -> Parsed:
    """Return the record of an asset in a company's pipeline."""
    first = rows[0]
    label, company = first["asset"], first["company"]
    mentions = [
        Mention("drug", label, "investigational", "asset"),
        *(
            Mention("drug", synonym, "investigational", "synonym")
            for synonym in split(first["synonyms"])
        ),
        Mention("company", company, relation="pipeline"),
        *(
            Mention("disease", row["indication"], relation="indication")
            for row in rows
            if row["indication"]
        ),
    ]
    record = _record(first, "company_disclosure", f"{company} pipeline: {label}", mentions)
    stem = Fact(record.id, label, "", as_of=first["as_of"], locator=first["source_locator"])
    values = [
        (Predicate.DEVELOPED_BY, company),
        (Predicate.ACTS_ON, first["mechanism"]),
        (Predicate.HAS_MODALITY, first["modality"]),
        (Predicate.HIGHEST_STAGE, first["highest"]),
        *((Predicate.HAS_ALIAS, synonym) for synonym in split(first["synonyms"])),
    ]
    facts = [replace(stem, predicate=word, object=words) for word, words in values if words]
    for row in rows:
        qualifiers = Qualifiers(indication=row["indication"])
        for predicate, words in (
            (Predicate.IN_STAGE, row["stage"]),
            (Predicate.PROGRAM_TRIAL, row["nct_id"]),
        ):
            if words:
                facts.append(
                    replace(stem, predicate=predicate, object=words, qualifiers=qualifiers)
                )
    return Parsed(record, tuple(facts))


def describe_event(row: Row) -> Parsed:
    """Return the record of a regulator's decision."""
    name = row["brand"] or row["drug"]
    mentions = [Mention("drug", name, relation="brand")]
    record = _record(row, "regulatory_notice", f"{row['number']}: decision on {name}", mentions)
    fact = Fact(
        record.id,
        name,
        Predicate.EVENT,
        row["outcome"],
        qualifiers=Qualifiers(region="FDA"),
        as_of=row["happened_on"],
        locator=row["source_locator"],
    )
    return Parsed(record, (fact,))
