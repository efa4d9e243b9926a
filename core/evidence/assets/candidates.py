"""Finds the drugs that act on a target, each link with what says so.

In this order: what companies and labels state, stems of non-proprietary names, trials' own words,
and a table of the curators for drugs whose records say nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.evidence.assets.curators_drugs import known_by_key
from core.evidence.assets.target_match import matches
from core.evidence.names.drug_labels import NamedDrug, Naming, code_in
from core.evidence.names.modalities import ModalityClue, find_stem, modality_of_name
from core.evidence.names.target_tables import TargetNames
from core.evidence.readers.target_expressions import Worded, read_links, read_mechanism, spellings
from core.evidence_ports import EvidenceReader
from core.records.evidence_pack import FactQuery, Hit, StoredFact, TextQuery
from core.records.names import fold_name
from core.records.programs import Statement, TargetExpression, TargetLink
from core.vocabulary.modalities import Stem, load_stems
from core.vocabulary.predicates import Predicate
from core.vocabulary.targets import TargetRow, load_targets

STATING = ("pipeline", "label")
TRIALS = ("ctgov",)
"""Sources whose records state mechanisms."""
MECHANISMS = (Predicate.ACTS_ON, Predicate.HAS_CLASS)
MOST_TRIALS = 4_000
_READ = {"official_title": 600, "summary": 800, "mechanism_of_action": 1_000}
"""Characters of each section that are read; what follows describes further effects."""
TELLING = tuple(_READ)
_CLASS_WORDS = (
    *("inhibitor", "inhibitors", "antagonist", "agonist", "antibody", "antibodies", "mab"),
    *("blocker", "ADC", "conjugate", "CAR", "CART", "chimeric", "bispecific", "engager"),
    *("degrader", "modulator", "targeting", "targeted", "directed", "anti", "antisense"),
    *("siRNA", "RNAi", "ligand", "trap", "TKI", "vaccine", "analog", "analogue", "activator"),
    *("stimulator", "against", "blockade", "receptor", "fusion", "blocking", "nanobody", "protein"),
)


@dataclass
class Candidate:
    """A drug with what is said of its targets and its kind.

    Attributes:
        key: Its key.
        name: Its name.
        links: What it acts on.
        clues: Words that tell its modality.
        said: Spellings under which it was met.
    """

    key: str
    name: str
    links: list[TargetLink] = field(default_factory=list)
    clues: list[ModalityClue] = field(default_factory=list)
    said: set[str] = field(default_factory=set)


class Finder:
    """Finds candidates in one pack."""

    def __init__(self, evidence: EvidenceReader, naming: Naming, names: TargetNames) -> None:
        """Keep what is read."""
        self.evidence = evidence
        self.naming = naming
        self.names = names
        self.found: dict[str, Candidate] = {}

    def add(self, drug: NamedDrug) -> Candidate | None:
        """Return the candidate of a drug; None where a label names none."""
        if not drug.key:
            return None
        candidate = self.found.setdefault(drug.key, Candidate(drug.key, drug.name))
        candidate.said.add(drug.said)
        return candidate

    def merge(self, under: Mapping[str, tuple[str, str]]) -> None:
        """Let drugs that were found count under others.

        Args:
            under: Key and name of the other drug, by key.
        """
        self.naming.count_under(under)
        for key in sorted(set(under) & set(self.found)):
            candidate = self.found.pop(key)
            merged = self.found.setdefault(under[key][0], Candidate(*under[key]))
            merged.links += [link for link in candidate.links if link not in merged.links]
            merged.clues += candidate.clues
            merged.said |= {*candidate.said, candidate.name}

    def read_statements(self, facts: Sequence[StoredFact], *, only_found: bool = False) -> None:
        """Take what companies and labels state of mechanisms and kinds.

        Args:
            facts: Their facts.
            only_found: Take nothing about drugs that were not found already.
        """
        combined = _of_several_drugs(facts)
        requested_facts = [
            fact
            for fact in facts
            if fact.fact.predicate in (*MECHANISMS, Predicate.HAS_MODALITY)
            and fact.fact.record_id not in combined
        ]
        drugs = self.naming.read(fact.fact.subject for fact in requested_facts)
        for requested_fact in requested_facts:
            named = [drug for drug in drugs[requested_fact.fact.subject] if drug.key]
            if len(named) != 1 or (only_found and named[0].key not in self.found):
                continue
            candidate = self.add(named[0])
            if candidate:
                self._state(candidate, requested_fact)

    def _state(self, candidate: Candidate, stored: StoredFact) -> None:
        fact = stored.fact
        name = fact.object.partition(" [")[0]
        candidate.clues.append(ModalityClue(name, 3, fact.record_id, stored.id))
        if fact.predicate == Predicate.HAS_MODALITY:
            return
        statement = Statement(name, (fact.record_id,), (stored.id,), "stated mechanism")
        candidate.links += [
            TargetLink(target, statement) for target in read_mechanism(name, self.names)
        ]

    def read_stems(self, requested_targets: Sequence[TargetExpression]) -> None:
        """Take drugs whose non-proprietary name ends on a stem of one of the targets."""
        stems = [
            stem
            for stem in load_stems()
            if stem.target and self._is_wanted(stem, requested_targets)
        ]
        labels = self.evidence.names_with("drug", [stem.stem for stem in stems])
        for named in self.naming.read(labels).values():
            for drug in named:
                link = self.stem_link(drug.name) if drug.key else None
                if link:
                    candidate = self.add(drug)
                    if candidate and link not in candidate.links:
                        candidate.links.append(link)

    def stem_link(self, name: str) -> TargetLink | None:
        """Return the target that a drug's name tells by its stem."""
        stem = find_stem(name)
        if stem is None or not stem.target or modality_of_name(name) != stem.modality:
            return None
        row = _row_of(stem.target)
        text = f"{stem.target} {stem.mechanism}".strip()
        return TargetLink(self.names.of_row(row), Statement(text, (), (), f"stem -{stem.stem}"))

    def _is_wanted(self, stem: Stem, requested_targets: Sequence[TargetExpression]) -> bool:
        keys = {key for expression in requested_targets for key in expression.gene_keys}
        target = self.names.of_row(_row_of(stem.target))
        return bool(keys & set(target.gene_keys)) or any(
            expression.text == target.text for expression in requested_targets
        )

    def read_own_knowledge(self, requested_targets: Sequence[TargetExpression]) -> None:
        """Take the curators' rows about drugs that act on a target, or were found already."""
        known_rows = known_by_key(self.naming.resolver)
        links_of = {
            text: self.names.of_text(text)
            for text in {row.target for rows in known_rows.values() for row in rows}
        }
        meant = {
            text
            for text, link in links_of.items()
            if link and any(matches(link, expression) for expression in requested_targets)
        }
        for key, rows in known_rows.items():
            if key not in self.found and not any(row.target in meant for row in rows):
                continue
            links = [(row, links_of[row.target]) for row in rows]
            match = self.naming.resolver.resolve_many("drug", [rows[0].drug])[rows[0].drug]
            name = match.label if match.key == key else rows[0].drug
            candidate = self.add(NamedDrug(key, name, rows[0].drug))
            if candidate is None:
                continue
            for row, link in links:
                candidate.clues.append(ModalityClue(row.modality, 4, row.record_id))
                if link:
                    candidate.links.append(TargetLink(link, row.state(row.mechanism)))

    def read_trials(self, requested_targets: Sequence[TargetExpression]) -> list[Hit]:
        """Take drugs that trials' own words put beside one of the targets."""
        further = {
            fold_name(expression.text): expression
            for expression in requested_targets
            if len(expression.gene_keys) == 1
        }
        aliases = sorted(
            {
                alias
                for expression in requested_targets
                for alias in target_aliases(expression, self.names)
            }
        )
        groups = [aliases, list(_CLASS_WORDS)]
        hits = self.evidence.search(
            TextQuery(groups, kinds=("trial_registration", "regulatory_label"), limit=MOST_TRIALS)
        )
        titles = {hit.record_id: hit.title for hit in hits}
        titles |= dict.fromkeys(self._stating_labels(requested_targets) - titles.keys(), "")
        ids = list(titles)
        mentions = self.evidence.mentions(ids)
        passages = self.evidence.passages(ids, TELLING)
        drugs = {
            record_id: list(
                dict.fromkeys(
                    mention.name
                    for mention in record_mentions
                    if mention.kind == "drug" and mention.role not in {"comparator", "rescue"}
                )
            )
            for record_id, record_mentions in mentions.items()
            if not record_id.startswith("label-")
        }
        named = self.naming.read(label for labels in drugs.values() for label in labels)
        for record_id, title in titles.items():
            labels = {
                label: spellings(label, _names_of(label, named))
                for label in drugs.get(record_id, ())
                if len(named[label]) == 1 and named[label][0].key
            }
            texts = [title, *labels]
            texts += [span.text[: _READ[span.section]] for span in passages.get(record_id, ())]
            for text in texts if labels else ():
                for worded in read_links(text, labels, self.names, further):
                    self._link(worded, named[worded.label], record_id)
        return list(hits)

    def _stating_labels(self, requested_targets: Sequence[TargetExpression]) -> set[str]:
        """Return the labels whose class states one of the targets; their own words may differ."""
        return {
            record_id
            for candidate in self.found.values()
            for link in candidate.links
            if any(matches(link.target, expression) for expression in requested_targets)
            for record_id in link.mechanism.record_ids
            if record_id.startswith("label:")
        }

    def _link(self, worded: Worded, named: Sequence[NamedDrug], record_id: str) -> None:
        drugs = [drug for drug in named if drug.key]
        if len(drugs) != 1:
            return
        candidate = self.add(drugs[0])
        if candidate is None:
            return
        statement = Statement(worded.words, (record_id,), (), "trial's words")
        candidate.links.append(TargetLink(worded.target, statement))
        candidate.clues.append(ModalityClue(worded.words, 2, record_id))


def read_stated(evidence: EvidenceReader) -> list[StoredFact]:
    """Return the facts of pipelines, labels and trials that tell of drugs."""
    predicates = (
        Predicate.ACTS_ON,
        Predicate.HAS_CLASS,
        Predicate.HAS_MODALITY,
        Predicate.HAS_ALIAS,
        Predicate.LABEL_UNII,
    )
    of_trials = FactQuery(sources=TRIALS, predicates=(Predicate.ACTS_ON,))
    return [
        *evidence.facts(FactQuery(sources=STATING, predicates=predicates)),
        *evidence.facts(of_trials),
    ]


def target_aliases(target: TargetExpression, names: TargetNames) -> Iterator[str]:
    """Yield how a target is written, the members of a relation too."""
    keys = set(target.gene_keys)
    for row in load_targets():
        of_row = names.of_row(row)
        if row.expression == target.text or (
            keys & set(of_row.gene_keys) and (not target.variant or row.variant == target.variant)
        ):
            yield from row.aliases
    yield from target.gene_symbols


def _row_of(expression: str) -> TargetRow:
    return next(row for row in load_targets() if row.expression == expression)


def _of_several_drugs(facts: Iterable[StoredFact]) -> set[str]:
    """Return labels of several active substances, whose classes belong to one of them."""
    counts = Counter(
        fact.fact.record_id for fact in facts if fact.fact.predicate == Predicate.LABEL_UNII
    )
    return {record_id for record_id, count in counts.items() if count > 1}


def _names_of(label: str, named: Mapping[str, Sequence[NamedDrug]]) -> list[str]:
    """Return other spellings of a label's only drug."""
    names = [drug.name for drug in named[label] if drug.key]
    code = code_in(label)
    return [*(names if len(names) == 1 else ()), *((code,) if code else ())]
