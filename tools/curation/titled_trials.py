"""Trials of which the copy at hand lists no drug, for the drugs that their titles name.

A drug counts as tested by rule: its name stands in the title, no word of a comparison before it, it
is not what others are given with, nor what the patients had. Only trials of the drug's own
companies are kept; the row says by what the drug was found.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from core.evidence.names.companies import company_group
from core.evidence.sources.pack.schema import NAMED_IN_TITLE
from core.evidence_ports import EvidenceReader
from core.records.evidence import Mention, Role
from core.records.evidence_pack import FactQuery
from core.records.names import fold_name
from core.records.stages import STAGES
from core.vocabulary.predicates import Predicate
from tools.curation.certain_roles import is_given_with, is_of_patients

SOURCE = "ctgov"
MOST_TITLED = 4
"""Such trials of one drug."""
LATE = frozenset({"PHASE3", "PHASE2_3", "PHASE2", "PHASE1_2"})
LONGEST_NAME, SHORTEST_NAME = 3, 5
"""Words of a name at most; signs of one word at least."""
MOST_RECORDS = 200_000
NEVER_BEGUN = "WITHDRAWN"
"""A trial of this status, or of none on record, tells nothing of its drug."""
_STEP = 5_000
_RUNNING = frozenset({"RECRUITING", "NOT_YET_RECRUITING", "ACTIVE_NOT_RECRUITING"})
_WORD = re.compile(r"[^\s,;:()/\[\]]+")
_COMPARED = re.compile(r"\b(?:versus|vs|compar\w+|than)\b", re.IGNORECASE)
Titled = Mapping[str, Sequence[tuple[str, Mention]]]


def read_title(title: str, names: Mapping[str, str]) -> dict[str, Mention]:
    """Return the drugs that a title names, by key, each with its role.

    Args:
        title: The title of a trial.
        names: Keys of drugs by folded name.
    """
    words = [(match.start(), match.end()) for match in _WORD.finditer(title)]
    drugs: dict[str, Mention] = {}
    for index, (start, _) in enumerate(words):
        for n_words in range(min(LONGEST_NAME, len(words) - index), 0, -1):
            text = title[start : words[index + n_words - 1][1]]
            key = names.get(fold_name(text)) if len(fold_name(text)) >= SHORTEST_NAME else None
            if key:
                drugs.setdefault(key, Mention("drug", text, _role(title, start, text), "title"))
                break
    return drugs


def _role(title: str, start: int, text: str) -> Role:
    """Return the part of a drug by its place in a title."""
    if _COMPARED.search(title[:start]):
        return "comparator"
    if is_given_with(title, text) or is_of_patients(title, text):
        return "unclear"
    return "investigational"


def find_titled(evidence: EvidenceReader, names: Mapping[str, str]) -> Titled:
    """Return trials from phase 1/2 on that list no drug, by key of a drug tested there.

    Args:
        evidence: Records of the sources at hand.
        names: Keys of drugs by folded name.
    """
    mentions_by_title: dict[str, list[tuple[str, Mention]]] = defaultdict(list)
    ids = evidence.changed(SOURCE, "", limit=MOST_RECORDS)
    for start in range(0, len(ids), _STEP):
        step = list(ids[start : start + _STEP])
        listed = {
            record_id
            for record_id, mentions in evidence.mentions(step).items()
            if any(mention.kind == "drug" for mention in mentions)
        }
        for record_id, record in evidence.records(
            [record_id for record_id in step if record_id not in listed]
        ).items():
            for key, mention in read_title(record.title, names).items():
                if mention.role == "investigational":
                    mentions_by_title[key].append((record_id, mention))
    return mentions_by_title


def choose_titled(
    titled: Iterable[tuple[str, Mention]], owners: Collection[str], evidence: EvidenceReader
) -> Iterator[tuple[str, Mention]]:
    """Yield the trials of a drug to keep: own ones, running ones first, the highest phase first.

    Args:
        titled: Trials whose titles name it.
        owners: Groups with a role for it.
        evidence: Records of the sources at hand.
    """
    mentions = dict(titled)
    held_by = {fold_name(owner) for owner in owners}
    own_ids = [
        record_id
        for record_id, record_mentions in evidence.mentions(list(mentions)).items()
        if any(
            fold_name(company_group(mention.name)) in held_by
            for mention in record_mentions
            if mention.kind == "company"
        )
    ]
    facts = evidence.facts(FactQuery(record_ids=own_ids)) if own_ids else ()
    settings: dict[str, dict[str, str]] = defaultdict(dict)
    for fact in facts:
        settings[fact.fact.record_id].setdefault(fact.fact.predicate, fact.fact.object)
    late = [
        own_id
        for own_id in own_ids
        if settings[own_id].get(Predicate.TRIAL_PHASE) in LATE
        and settings[own_id].get(Predicate.TRIAL_STATUS, NEVER_BEGUN) != NEVER_BEGUN
    ]
    late.sort(key=lambda record_id: _place(record_id, settings[record_id]))
    yield from ((record_id, mentions[record_id]) for record_id in late[:MOST_TITLED])


def _place(record_id: str, setting: Mapping[str, str]) -> tuple[object, ...]:
    """Return where a trial stands among those of a drug."""
    phase = setting[Predicate.TRIAL_PHASE]
    start = setting.get(Predicate.TRIAL_START, "")[:4] or "0"
    is_running = setting.get(Predicate.TRIAL_STATUS) in _RUNNING
    stage = next(index for index, stage in enumerate(STAGES) if stage == phase)
    return (not is_running, stage, -int(start), record_id)


def mark_titled(row: dict[str, str]) -> dict[str, str]:
    """Return a trial's row that says by what its drug was found."""
    return row | {"note": NAMED_IN_TITLE}
