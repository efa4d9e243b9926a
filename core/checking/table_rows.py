"""Rows of tables to assertions: the header of a column tells what its cells state."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.checking.assertions import Assertion
from core.checking.clauses import Clause
from core.checking.entities import EntitySpan, of_kind
from core.checking.running_text import read_dates, read_trial_days
from core.checking.values import STATUSES, STOPPED, DaySpan, find_days, find_money, find_phases
from core.documents.columns import ASIDE, ColumnHeader, find_regions, read_header
from core.documents.sentences import Sentence
from core.evidence.names.companies import company_group
from core.evidence.names.target_tables import TargetNames, split_glued
from core.evidence.readers.target_expressions import find_joined
from core.records.stages import Stage
from core.vocabulary.query_words import take_words

_TRIAL_COLUMNS = frozenset({"endpoint", "participants", "primary completion", "start", "trial"})
"""Columns next to which a phase is that of a trial."""
_DEAL_COLUMNS = frozenset({"licensor", "licensee", "upfront", "total"})
"""Columns that make a row one of a deal."""
_COMPANIES = {"company": "", "owner": "owned", "originator": "originated", "marketer": "marketed"}
"""What a company does, by column."""
_MORE = re.compile(r"\band \d+ more\b")
PROSE = 5
"""Words of a cell that is running text."""
MOST_STATED = 200
"""Characters of a cell that a note repeats."""
_WORDS: Mapping[str, Stage] = {
    "filed": "FILED",
    "preclinical": "PRECLINICAL",
    "discontinued": "DISCONTINUED",
}
_EMPTY = frozenset(
    {"n/a", "n.a.", "na", "none", "nr", "nd", "tbd", "unknown", "not reported", "not disclosed"}
    | {"undisclosed", "not applicable", "not available", "no data"}
)
_SAME = frozenset({"same", "ditto", "idem", "same as above", "as above", "see above"})
_NEUTRAL = frozenset(
    {
        *("a", "ag", "also", "an", "and", "biosciences", "by", "co", "company", "corp"),
        *("corporation", "for", "gmbh", "group", "holding", "holdings", "in", "inc", "is", "it"),
        *("kg", "kk", "limited", "llc", "ltd", "nv", "of", "or", "pharma", "pharmaceutical"),
        *("pharmaceuticals", "plc", "sa", "se", "the", "therapeutics", "to"),
    }
)
"""Words that leave the meaning of a cell as it is."""
_ACTION = re.compile(
    r"\b(?:inhibit|antagoni|agoni|block|activat|degrad|stimulat)\w*", re.IGNORECASE
)


@dataclass(slots=True)
class _Cell:
    """A cell with what it names.

    Attributes:
        header: What its column states.
        title: The header as written.
        text: As written.
        start: First character within the row.
        entities: What it names.
        unread: What no reader has taken so far.
    """

    header: ColumnHeader
    title: str
    text: str
    start: int
    entities: tuple[EntitySpan, ...]
    unread: str = field(default="")

    def of_kind(self, kind: str) -> list[EntitySpan]:
        return of_kind(self.entities, kind)  # type: ignore[arg-type]

    def take(self, *words: str) -> None:
        """Take words as read."""
        for each in words:
            self.unread = self.unread.replace(each, " ", 1)

    def take_kind(self, kind: str) -> list[EntitySpan]:
        """Return what the cell names of one sort, taken as read."""
        entities = self.of_kind(kind)
        self.take(*(entity.said for entity in entities))
        return entities

    def take_companies(self) -> dict[str, str]:
        """Return its companies with their words, taken as read; a name alone is one, too."""
        companies = {company.key: company.said for company in self.take_kind("company")}
        if companies or not re.fullmatch(
            r"[^\W\d][\w.&'\u2019-]*(?: [\w.&'\u2019-]+){0,4}", self.text
        ):
            return companies
        self.unread = ""
        return {company_group(self.text): self.text}

    def take_day(self) -> DaySpan | None:
        """Return its first day, taken as read."""
        day = next(iter(find_days(f"in {self.text}")), None)
        self.take(*([day.said] if day else []))
        return day

    def take_region(self) -> str:
        """Return the only regulator of the cell, taken as read, else that of its header."""
        regions = find_regions(self.text)
        if len({key for key, _ in regions}) != 1:
            return self.header.region
        self.take(*(said for _, said in regions))
        return regions[0][0]

    def has_unread(self) -> bool:
        """Return whether it has words or numbers that no reader took."""
        words = re.findall(
            r"[\w%+~<>\u2264\u2265\u2191\u2193\u2713\u2717]+", self.unread.casefold()
        )
        return any(word not in _NEUTRAL for word in words)


def read_row(
    sentence: Sentence, entities: Sequence[EntitySpan], names: TargetNames
) -> Iterator[Assertion]:
    """Yield what a row states, and its cells that were not read.

    A row of several drugs tells only what belongs to all of them.
    """
    cells = _cells(sentence, entities)
    assertions = list(_of_cells(sentence, cells, entities, names))
    yield from assertions
    for number, cell in enumerate(cells, start=1):
        if assertions and cell.header.kind != ASIDE and cell.has_unread():
            title = cell.title or str(number)
            words = f"column {title}: {cell.text}"[:MOST_STATED]
            yield Assertion("remainder", words)


def _of_cells(
    sentence: Sentence,
    cells: Sequence[_Cell],
    entities: Sequence[EntitySpan],
    names: TargetNames,
) -> Iterator[Assertion]:
    columns: dict[str, _Cell] = {}
    for cell in cells:
        columns.setdefault(cell.header.kind, cell)
    subject = columns.get("drug") or next((x for x in cells[:1] if not x.title), None)
    drugs = {drug.key: drug for drug in subject.take_kind("drug")} if subject else {}
    trials = {trial.key for trial in of_kind(entities, "trial")}
    if len(drugs) == 1:
        for cell in cells:  # other names of the drug
            if {drug.key for drug in cell.of_kind("drug")} == set(drugs):
                cell.take_kind("drug")
    if len(trials) == 1:
        for cell in cells:
            cell.take_kind("trial")
        yield from _of_trial(columns, next(iter(trials)), list(drugs.values()))
    if len(drugs) != 1 or subject is None or _is_combination(subject.text):
        return
    drug = next(iter(drugs.values()))
    if columns.keys() & _DEAL_COLUMNS:
        yield from _of_deal(columns, drug)
    else:
        yield from _of_companies(cells, drug, is_trial="trial" in columns)
    for cell in cells:
        if cell.header.kind in {"stage", "phase"}:
            yield from _of_stage(cell, columns, drug, n_trials=len(trials))
        elif cell.header.kind == "approved on":
            yield from _of_approval(cell, columns, drug)
    yield from _of_kind_and_target(columns, drug, names)
    yield from _of_days(columns, drug)
    yield from _of_prose(sentence, cells, entities, drug)


def _cells(sentence: Sentence, entities: Sequence[EntitySpan]) -> list[_Cell]:
    """Return the cells of a row that state anything."""
    cells: list[_Cell] = []
    position = 0
    for cell in sentence.cells:
        start, position = position, position + len(cell.text) + 3
        words = cell.text.casefold().strip(" *.\u2013\u2014\u2015\u2212-\"\u2033\u3003'?/")
        if not words or words in _EMPTY:
            continue
        inside = tuple(x for x in entities if start <= x.start < start + len(cell.text))
        header = read_header("" if words in _SAME else cell.header)
        cells.append(_Cell(header, cell.header, cell.text, start, inside, cell.text))
    return cells


def _is_combination(text: str) -> bool:
    return re.search(r"\s\+\s|\bplus\b|\bwith\b|\bvs\b", text) is not None


def _of_prose(
    sentence: Sentence, cells: Sequence[_Cell], entities: Sequence[EntitySpan], drug: EntitySpan
) -> Iterator[Assertion]:
    """Yield the days that a cell of running text gives to the drug or the trial of its row."""
    numbers = {trial.key for trial in of_kind(entities, "trial")}
    for cell in cells:
        if len(cell.text.split()) < PROSE:
            continue
        end = cell.start + len(cell.text)
        clause = Clause(sentence.text, cell.start, end, cell.entities, (drug,), is_carried=True)
        yield from read_dates(clause)
        if len(numbers) == 1:
            yield from read_trial_days(clause, next(iter(numbers)))


def _of_companies(
    cells: Sequence[_Cell], drug: EntitySpan, *, is_trial: bool
) -> Iterator[Assertion]:
    """Yield the companies of a drug; sponsors of a trial need not own what it tests."""
    for cell in cells:
        kind = cell.header.kind
        if kind not in _COMPANIES and (kind != "sponsor" or is_trial):
            continue
        for key, said in cell.take_companies().items():
            yield Assertion(
                "company",
                f"{drug.said}: {said}",
                drug,
                companies=(key,),
                attribute=_COMPANIES.get(kind, ""),
                is_loose=not cell.of_kind("company"),
            )


def _of_stage(
    cell: _Cell, columns: Mapping[str, _Cell], drug: EntitySpan, *, n_trials: int
) -> Iterator[Assertion]:
    is_phase = cell.header.kind == "phase"
    if is_phase and n_trials == 1:
        return
    about = columns.get("disease")
    diseases = about.of_kind("disease") if about else []
    is_listed = about is not None and len(diseases) == 1 and not _MORE.search(about.text)
    words = cell.text.strip(" *")
    if re.match(r"(?:approved|marketed|launched)\b", words, re.IGNORECASE):
        regions = find_regions(cell.text)
        others = columns["region"].of_kind("region") if "region" in columns else []
        header = cell.header.region or (others[0].key if len(others) == 1 else "")
        rest = re.sub(r"\W", "", cell.unread.replace(words.split()[0], "", 1))
        is_plain = rest == re.sub(r"\W", "", "".join(said for _, said in regions))
        cell.take(words.split()[0].rstrip(",;"), *(said for _, said in regions if is_plain))
        for each in others if len(others) == 1 else ():
            columns["region"].take(each.said)
        said = dict(regions) | {each.key: each.said for each in others}
        for region in [key for key, _ in regions if is_plain] or [header]:
            where = f" ({region})" if region else ""
            stated, named = f"{drug.said} approved{where}", said.get(region, "")
            yield Assertion("approval", stated, drug, attribute=named, region=region)
            for disease in about.take_kind("disease") if about and is_listed else ():
                stated = f"{drug.said} approved for {disease.said}{where}"
                yield Assertion("approved use", stated, drug, region=region, diseases=(disease,))
    elif cell.header.region and re.fullmatch(r"not approved|unapproved", words, re.IGNORECASE):
        yield _denial(cell, drug)
    phase = next(find_phases(_as_phase(words, is_phase=is_phase)), None)
    stage = phase.stage if phase else _WORDS.get(words.casefold())
    if stage is not None and not cell.header.region:
        of_trial = is_phase and bool(columns.keys() & _TRIAL_COLUMNS)
        about_one = tuple(diseases) if len(diseases) == 1 else ()
        stated = f"{drug.said} {words}" + (f" in {about_one[0].said}" if about_one else "")
        cell.take(*_phase_words(cell, phase.said if phase else words))
        if about and about_one:
            about.take_kind("disease")
        yield Assertion(
            "stage", stated, drug, stage=stage, diseases=about_one, is_status=not of_trial
        )


def _as_phase(words: str, *, is_phase: bool) -> str:
    """Return a stage with "phase" written out: "Ph 3", "P3"; "3" where the header says so."""
    words = re.sub(r"\b(?:ph\.?\s?|p)(?=[1-4IV])", "phase ", words, flags=re.IGNORECASE)
    return f"phase {words}" if is_phase and re.match(r"[1-4IV]", words) else words


def _phase_words(cell: _Cell, said: str) -> tuple[str, ...]:
    """Return the words of a cell that name a phase, as they are written."""
    match = re.search(
        r"(?:ph(?:ase)?\.?\s?|p)?[1-4IV]+[ab]?(?:\s?/\s?[1-4IV]+[ab]?)?", cell.text, re.I
    )
    return (said,) if said in cell.text else (match[0],) if match else ()


def _denial(cell: _Cell, drug: EntitySpan) -> Assertion:
    cell.unread = ""
    region = cell.header.region
    stated = f"{drug.said} not approved ({region})"
    return Assertion("approval", stated, drug, region=region, is_negated=True, is_status=True)


def _of_approval(
    cell: _Cell, columns: Mapping[str, _Cell], drug: EntitySpan
) -> Iterator[Assertion]:
    """Yield the day of approval that a cell gives, or whether there is one."""
    region = cell.take_region()
    if cell.text.casefold() in {"yes", "approved", "no", "not approved"}:
        if cell.text[0] in "Nn" and region:
            yield _denial(cell, drug)
        elif cell.text[0] not in "Nn":
            cell.unread = ""
            where = f" ({region})" if region else ""
            yield Assertion("approval", f"{drug.said} approved{where}", drug, region=region)
        return
    regions = columns["region"].of_kind("region") if "region" in columns else []
    if not region and len(regions) == 1:
        region = columns["region"].take_kind("region")[0].key
    is_first = "first" in cell.header.words or "initial" in cell.header.words
    about = columns.get("disease")
    diseases = tuple(about.of_kind("disease")) if about and not is_first else ()
    day = cell.take_day()
    if day is not None:
        if about and diseases:
            about.take_kind("disease")
        yield Assertion(
            "approval date",
            f"{drug.said} approved {day.said}" + (f" ({region})" if region else ""),
            drug,
            region=region,
            diseases=diseases,
            day=day,
            is_status=is_first or bool(region and not diseases),
        )


def _of_kind_and_target(
    columns: Mapping[str, _Cell], drug: EntitySpan, names: TargetNames
) -> Iterator[Assertion]:
    target = columns.get("target")
    if target is not None:
        glued = split_glued(target.text)
        joined = [x for x in find_joined(glued, names) if not x.is_marker]
        if joined:
            target.unread = glued
            actions = _ACTION.findall(glued)
            target.take(*(glued[x.start : x.end] for x in joined), *actions)
            targets = tuple({each.target.text: each.target for each in joined}.values())
            yield Assertion(
                "target",
                f"{drug.said}: {target.text}",
                drug,
                targets=targets,
                attribute="target",
                words=" ".join(actions),
            )
    kind = columns.get("modality")
    if kind is not None:
        words = take_words("modality", kind.text)[0]
        if len(words) == 1:
            kind.unread = ""
            yield Assertion("modality", f"{drug.said}: {words[0]}", drug, words=words[0])
    approved = columns.get("approved use")
    for disease in approved.take_kind("disease") if approved else ():
        stated = f"{drug.said} approved for {disease.said}"
        region = approved.header.region if approved else ""
        yield Assertion("approved use", stated, drug, region=region, diseases=(disease,))


def _of_days(columns: Mapping[str, _Cell], drug: EntitySpan) -> Iterator[Assertion]:
    for kind in ("target action date", "exclusivity"):
        column = columns.get(kind)
        day = column.take_day() if column else None
        if day is not None:
            stated = f"{drug.said}, {kind} {day.said}"
            yield Assertion(kind, stated, drug, day=day)
    boxed = columns.get("boxed warning")
    if boxed is not None and boxed.text.casefold() in {"yes", "no"}:
        is_negated = boxed.text.casefold() == "no"
        boxed.unread = ""
        stated = f"{drug.said}: {'no ' if is_negated else ''}boxed warning"
        yield Assertion("boxed warning", stated, drug, is_negated=is_negated)


def _of_deal(columns: Mapping[str, _Cell], drug: EntitySpan) -> Iterator[Assertion]:
    """Yield parties, day and amounts of a deal: who gives the rights, and who takes them."""
    parties = {
        kind: tuple(columns[kind].take_companies())
        for kind in ("licensor", "licensee", "partner", "company")
        if kind in columns
    }
    companies = tuple(dict.fromkeys(key for keys in parties.values() for key in keys))
    announced = columns.get("announced")
    day = announced.take_day() if announced else None
    deal = Assertion("deal", "", drug, companies=companies, day=day)
    if day is not None:
        yield replace(deal, stated=f"{drug.said}, deal {day.said}", attribute="day")
    for kind, keys in parties.items():
        others = (
            x for side in ("licensor", "licensee") if side != kind for x in parties.get(side, ())
        )
        beside = tuple(others) if kind in _DEAL_COLUMNS else ()
        for key in keys:
            attribute = kind if kind in _DEAL_COLUMNS else "party"
            stated = f"{drug.said}, {attribute} {key}"
            party = replace(deal, stated=stated, attribute=attribute, companies=(key,))
            is_loose = not columns[kind].of_kind("company")
            yield replace(party, beside=beside, is_loose=is_loose)
    for kind in ("upfront", "total"):
        if kind in columns:
            yield from _of_amount(columns[kind], deal)


def _of_amount(cell: _Cell, deal: Assertion) -> Iterator[Assertion]:
    """Yield an amount; a number alone is in the unit of its header."""
    header = cell.header
    text = cell.text.strip(" *~")
    text = re.sub(r"^up to ", "", text, flags=re.IGNORECASE) if header.kind == "total" else text
    has_scale = re.search(r"\d\s?[a-z]", text, re.IGNORECASE) is not None
    text = text if has_scale or not header.scale else f"{text} {header.scale}"
    has_sign = re.search(r"[$\u20ac\u00a3\u00a5]|\b[A-Z]{3}\b", text) is not None
    text = text if has_sign else f"{header.currency} {text}"
    amounts = [x for x in find_money(text) if x.millions >= 1e-3]
    if len(amounts) == 1 and amounts[0].currency == "USD":
        cell.unread = text.replace(amounts[0].said, " ", 1)
        kind, value = header.kind, amounts[0].millions
        stated = f"{deal.drug.said if deal.drug else ''}, {kind} {amounts[0].said}"
        yield replace(deal, stated=stated, attribute=kind, value=value, unit="USD")


def _of_trial(
    columns: Mapping[str, _Cell], number: str, drugs: Iterable[EntitySpan]
) -> Iterator[Assertion]:
    of_phase = columns.get("phase")
    words = _as_phase(of_phase.text.strip(), is_phase=True) if of_phase else ""
    phase = next(find_phases(words), None)
    if of_phase and phase is not None:
        of_phase.take(*_phase_words(of_phase, phase.said))
        stated = f"{number}: {phase.said}"
        yield Assertion("trial", stated, trial=number, attribute="phase", stage=phase.stage)
    participants = columns.get("participants")
    if participants is not None and re.fullmatch(r"[\d,]+", participants.text.strip()):
        participants.unread = ""
        yield Assertion(
            "trial",
            f"{number}: N {participants.text}",
            trial=number,
            attribute="participants",
            value=float(participants.text.replace(",", "")),
            is_status=True,
        )
    status = columns.get("stage")
    code = re.sub(r"\W+", "_", status.text.strip(" *.").upper()) if status else ""
    if status is not None and code in {*STATUSES, *STOPPED}:
        status.unread = ""
        words = "STOPPED" if code in STOPPED else code
        stated = f"{number}: {status.text}"
        yield Assertion("trial", stated, trial=number, attribute="status", words=words)
    for attribute in ("primary completion", "start"):
        column = columns.get(attribute)
        day = column.take_day() if column else None
        if day is not None:
            stated = f"{number}, {attribute} {day.said}"
            yield Assertion("trial", stated, trial=number, attribute=attribute, day=day)
    [*tested] = drugs
    for drug in tested if len(tested) == 1 else ():
        yield Assertion("trial", f"{number}: {drug.said}", drug, trial=number, attribute="drug")
    about = columns.get("disease")
    diseases = about.of_kind("disease") if about else []
    for disease in about.take_kind("disease") if about and len(diseases) == 1 else ():
        stated = f"{number}: {disease.said}"
        yield Assertion("trial", stated, trial=number, attribute="condition", diseases=(disease,))
