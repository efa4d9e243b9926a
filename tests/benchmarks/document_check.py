"""Checks documents whose errors are known: planted ones, true ones, and sentences of sources.

`python -m tests.benchmarks.document_check HOME REFERENCE [SEED]`: HOME is an instance with names
and the starter pack, REFERENCE the folder of references. Printed are

- of 60 own reports in three forms: how many of 100 planted errors of ten kinds are found;
- of 1,000 sentences of the same reports as they were: how many are called wrong or outdated;
- the time of a PDF of 40 pages;
- of 100 rows of the table of novel approvals and 100 sentences of recorded abstracts: verdicts that
  are wrong by the row's or the sentence's own record.
"""

import csv
import gzip
import html
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2

from core.briefs.entities.identifying import Library
from core.checking.checker import check_document
from core.checking.entities import find_entities
from core.checking.results import CheckedSentence, DocumentCheck
from core.documents.reading import read_document
from core.documents.sentences import split_sentences
from core.errors import WorkbenchError
from core.evidence.names.identity.resolver import Resolver
from core.records.evidence_pack import FactQuery
from core.reports.document import Bullets, Document, Grid, Paragraph
from core.reports.markdown import render_markdown
from core.reports.pdf import render_pdf
from core.reports.text import readable
from core.reports.word import render_docx
from core.settings import Settings
from storage.stores import open_stores
from tests.benchmarks.frozen_answers import _compose, ask, draw_requests, make_context
from tests.benchmarks.targets import say

SEED = 20_261_128
DAY = date(2026, 11, 28)
AGENTS = (
    *("competitive-landscaping", "company-asset-searcher", "deal-sourcing"),
    *("new-developments", "label-strategy", "clinical-trial-design"),
)
MOST_OF_KIND = 4
"""Errors of one kind in one report."""
N_EACH, N_TRUE, N_DRAWN, N_PAGES = 10, 1_000, 100, 40
FORMS: tuple[tuple[str, Callable[[Document], bytes]], ...] = (
    ("docx", render_docx),
    ("pdf", render_pdf),
    ("md", lambda document: render_markdown(document).encode()),
)


class Place(NamedTuple):
    """A text of a report that may be changed: block, item or row, and column."""

    block: int
    item: int
    column: int = -1


@dataclass(frozen=True)
class Spot:
    """A text with what stands around it."""

    place: Place
    text: str
    header: str
    row: Mapping[str, str]


def spots_of(document: Document) -> Iterator[Spot]:
    """Yield the texts of a report that state something."""
    for number, block in enumerate(document.blocks):
        if isinstance(block, Bullets):
            for index, text in enumerate(block.items):
                yield Spot(Place(number, index), text, "", {})
        elif isinstance(block, Paragraph):
            yield Spot(Place(number, 0), block.text, "", {})
        elif isinstance(block, Grid):
            for index, row in enumerate(block.printed.rows):
                cells = {
                    header: str(cell)
                    for header, cell in zip(block.columns, row, strict=True)
                    if cell is not None
                }
                for column, header in enumerate(block.columns):
                    if cells.get(header):
                        yield Spot(Place(number, index, column), cells[header], header, cells)


def planted(document: Document, place: Place, text: str) -> Document:
    """Return a report with one text changed."""
    block: Any = document.blocks[place.block]
    if isinstance(block, Bullets):
        items = [*block.items]
        items[place.item] = text
        block = Bullets(tuple(items))
    elif isinstance(block, Paragraph):
        block = Paragraph(text)
    else:
        rows = [list(row) for row in block.rows]
        rows[place.item][place.column] = text
        block = replace(block, rows=tuple(map(tuple, rows)))
    blocks = [*document.blocks]
    blocks[place.block] = block
    return replace(document, blocks=tuple(blocks))


class World(NamedTuple):
    """What errors are made of: names that are right somewhere else, and regulators of drugs.

    Attributes:
        drugs: Names of drugs.
        companies: Names of companies.
        diseases: Names of diseases.
        trials: Numbers of trials.
        regions: Regulators that approved a drug, by its folded name.
        absent: Drugs of which the EMA's own list proves that the agency did not approve them.
    """

    drugs: Sequence[str]
    companies: Sequence[str]
    diseases: Sequence[str]
    trials: Sequence[str]
    regions: Mapping[str, frozenset[str]]
    absent: frozenset[str]


_DRUG = r"(?P<drug>[A-Za-z][\w-]{4,}(?: [a-z]{4,})?)"
_DAY = re.compile(r"\b(20\d\d-[01]\d-[0-3]\d)\b")
_OWNER = re.compile(r"^(?P<drug>[\w-]{5,}) \((?P<company>[A-Z][\w&. -]{2,30})\)")
_NCT = re.compile(r"NCT\d{8}")
_ALTERED = {"phase 1": "phase 2", "phase 1/2": "phase 3", "phase 2": "phase 3"}
Planter = Callable[[Spot, World, random.Random], str]


def _number(spot: Spot, world: World, chance: random.Random) -> str:
    if spot.header == "N" and "Trial" in spot.row and re.fullmatch(r"[\d,]+", spot.text):
        return f"{int(spot.text.replace(',', '')) + chance.choice((-50, 37, 210)):,}"
    match = re.search(r"\bHR (\d\.\d+)", spot.text)
    if match and "To beat" in spot.text:
        value = float(match[1]) + 0.23
        return spot.text.replace(match[0], f"HR {value:.2f}", 1)
    match = re.search(r"(?<![\d.,])(\d[\d,]*) million USD", spot.text)
    if match and "took rights" in spot.text:
        value = int(match[1].replace(",", "")) * 2 + 35
        return spot.text.replace(match[0], f"{value:,} million USD", 1)
    return ""


def _unit(spot: Spot, world: World, chance: random.Random) -> str:
    if "took rights" in spot.text and "million USD" in spot.text:
        other = chance.choice(("billion USD", "million EUR"))
        return spot.text.replace("million USD", other, 1)
    match = re.search(r"\bHR (\d\.\d+)", spot.text)
    if match is None or "To beat" not in spot.text:
        return ""
    return spot.text.replace(match[0], f"{match[1]} {chance.choice(('months', '%'))}", 1)


def _stage(spot: Spot, world: World, chance: random.Random) -> str:
    if spot.header in {"Stage", "Phase"} and "Drug" in spot.row and "Trial" not in spot.row:
        word = spot.text.strip(" *").lower()
        return (
            _ALTERED.get(word, "").capitalize()
            if spot.header == "Phase"
            else _ALTERED.get(word, "")
        )
    match = re.search(r"\) is (phase [12](?:/2)?) in ", spot.text)
    return spot.text.replace(match[1], _ALTERED[match[1]], 1) if match else ""


def _company(spot: Spot, world: World, chance: random.Random) -> str:
    other = chance.choice(world.companies)
    if spot.header in {"Company", "Owner"} and {"Drug", "Asset"} & set(spot.row):
        return other
    match = _OWNER.match(spot.text)
    return spot.text.replace(f"({match['company']})", f"({other})", 1) if match else ""


def _date(spot: Spot, world: World, chance: random.Random) -> str:
    is_told = re.search(r"\((?:FDA|EMA|PMDA) \d|target action date|primary completion", spot.text)
    match = _DAY.search(spot.text)
    if not match or not (is_told or spot.header == "Primary completion") or "overdue" in spot.text:
        return ""
    days = chance.choice((-400, -200, 150, 300))
    shifted = date.fromisoformat(match[1]) + timedelta(days=days)
    return spot.text.replace(match[0], shifted.isoformat(), 1)


def _trial(spot: Spot, world: World, chance: random.Random) -> str:
    match = _NCT.search(spot.text)
    names_drug = (
        "Drug" in spot.row or _OWNER.match(spot.text) or re.search(r": [\w-]+ \(", spot.text)
    )
    if not match or not names_drug or spot.header == "Trials":
        return ""
    return spot.text.replace(match[0], chance.choice(world.trials), 1)


def _drug(spot: Spot, world: World, chance: random.Random) -> str:
    other = chance.choice(world.drugs)
    if spot.header == "Drug" and {"Target", "Company"} & set(spot.row):
        return other
    match = _OWNER.match(spot.text)
    if match and re.search(r"\) is (?:approved|phase \d) in ", spot.text):
        return spot.text.replace(match["drug"], other, 1)
    return ""


def _indication(spot: Spot, world: World, chance: random.Random) -> str:
    other = chance.choice(world.diseases)
    is_staged = (
        {"Stage", "Phase"} & set(spot.row) and "Drug" in spot.row and "Trial" not in spot.row
    )
    if spot.header in {"Indication", "Indications"} and is_staged and "more" not in spot.text:
        return other
    match = re.search(
        r"\) is (?:approved|phase \d) in ([a-z][a-z0-9 -]+?)(?= \(| \[|;|,|$)", spot.text
    )
    return spot.text.replace(match[1], other, 1) if match else ""


def _region(spot: Spot, world: World, chance: random.Random) -> str:
    drug = spot.row.get("Drug", "")
    match = _OWNER.match(spot.text)
    drug = match["drug"] if match else drug
    held = world.regions.get(drug.casefold(), frozenset())
    options = [
        region
        for region in ("FDA", "EMA")
        if region not in held and (region == "FDA" or drug.casefold() in world.absent)
    ]
    if not held or not options:
        return ""
    if spot.header == "Region" and spot.row.get("Stage", "").strip(" *") == "approved":
        return options[0]
    told = re.search(r"\((FDA|EMA|PMDA|NMPA) (?=\d)", spot.text)
    return spot.text.replace(told[0], f"({options[0]} ", 1) if told else ""


def _negation(spot: Spot, world: World, chance: random.Random) -> str:
    if re.search(r"\) is approved in ", spot.text):
        return spot.text.replace(") is approved in ", ") is not approved in ", 1)
    match = re.search(r"\b(is an? [\w /-]*targeting )", spot.text)
    return spot.text.replace(match[1], f"is not {match[1][3:]}", 1) if match else ""


KINDS: Mapping[str, Planter] = {
    "unit": _unit,
    "number": _number,
    "stage up": _stage,
    "company swapped": _company,
    "date shifted": _date,
    "trial number swapped": _trial,
    "drug swapped": _drug,
    "indication swapped": _indication,
    "approval of a wrong region": _region,
    "negation flipped": _negation,
}


@dataclass
class Report:
    """An own report with its form and the errors planted in it."""

    name: str
    form: str
    render: Callable[[Document], bytes]
    document: Document
    errors: list[tuple[str, str, str, str]]


def make_reports(seed: int, context: Any) -> list[Report]:
    """Return the reports of requests drawn by seed."""
    reports: list[Report] = []
    for name, request in draw_requests(seed):
        if name not in AGENTS:
            continue
        try:
            document = _compose(name, request, ask(name, request, context))
        except WorkbenchError as refused:
            say(f"refused {name}: {refused.message[:80]}")
            continue
        form, render = FORMS[len(reports) % len(FORMS)]
        reports.append(Report(f"{len(reports):02d} {name}", form, render, document, []))
    return reports


def make_world(reports: Sequence[Report], library: Library, reference: Path) -> World:
    """Return what errors are made of, from the starter pack and the reports."""
    evidence = library.evidence
    facts = evidence.facts(FactQuery(sources=["pack"], predicates=["in_stage"]))
    drugs = sorted({x.fact.subject for x in facts if re.fullmatch(r"[a-z]{7,}", x.fact.subject)})
    diseases = ("asthma", "schizophrenia", "glaucoma", "gout", "psoriasis", "migraine", "epilepsy")
    companies = ("Pfizer", "Novartis", "Bayer", "Biogen", "Novo Nordisk", "UCB", "Ipsen", "Takeda")
    trials = evidence.facts(FactQuery(sources=["ctgov"], predicates=["trial_phase"]))
    numbers = sorted({x.fact.record_id.partition(":")[2] for x in trials})
    regions: dict[str, set[str]] = defaultdict(set)
    for stored in facts:
        if stored.fact.object == "APPROVED" and stored.fact.qualifiers.region:
            regions[stored.fact.subject.casefold()].add(stored.fact.qualifiers.region)
    for report in reports:
        for spot in spots_of(report.document):
            region = spot.row.get("Region", "")
            if spot.header == "Region" and spot.row.get("Stage", "").strip(" *") == "approved":
                regions[spot.row.get("Drug", "").casefold()].add(region)
            match = _OWNER.match(spot.text)
            if match:
                told = re.findall(r"(FDA|EMA|PMDA|NMPA) (?=\d)", spot.text)
                regions[match["drug"].casefold()].update(told)
    frozen = {drug: frozenset(each) for drug, each in regions.items()}
    return World(drugs, companies, diseases, numbers, frozen, not_in_europe(reference))


def not_in_europe(reference: Path) -> frozenset[str]:
    """Return drugs that the FDA approved by 2024 and that the EMA's list of 2026 does not name."""
    with gzip.open(reference / "evidence/ema_medicines.csv.gz", "rt", encoding="utf-8") as file:
        listed = file.read().casefold()
    path = reference / "deals_dates_arms/fda_novel_approvals/novel_approvals.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["approved_on"] < "2025"]
    names = {part.strip().casefold() for row in rows for part in row["ingredient"].split(" and ")}
    return frozenset(name for name in names if name and name.split("-")[0] not in listed)


def plant(reports: Sequence[Report], world: World, seed: int) -> Counter[str]:
    """Plant ten errors of each kind by seed, at most one in a text; return how many there are."""
    counts: Counter[str] = Counter()
    taken: set[tuple[int, Place]] = set()
    for kind, planter in KINDS.items():
        chance = random.Random(f"{seed} {kind}")
        options = [
            (number, spot)
            for number, report in enumerate(reports)
            for spot in spots_of(report.document)
            if planter(spot, world, random.Random(0))
        ]
        chance.shuffle(options)
        uses: Counter[int] = Counter()
        for number, spot in options:
            row = (number, spot.place._replace(column=-1))
            text = planter(spot, world, chance)
            if (
                counts[kind] == N_EACH
                or row in taken
                or uses[number] >= MOST_OF_KIND
                or text == spot.text
            ):
                continue
            taken.add(row)
            uses[number] += 1
            report = reports[number]
            report.document = planted(report.document, spot.place, text)
            report.errors.append((kind, spot.text, text, str(dict(spot.row))[:200]))
            counts[kind] += 1
    return counts


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", re.sub(r"\[\d+\]|\*", "", text)).casefold()


def changed(now: DocumentCheck, before: DocumentCheck) -> list[CheckedSentence]:
    """Return the sentences that the document did not have before."""
    earlier = {_fold(sentence.text) for sentence in before.sentences}
    return [sentence for sentence in now.sentences if _fold(sentence.text) not in earlier]


def is_found(error: tuple[str, str, str, str], sentences: Sequence[CheckedSentence]) -> bool:
    """Return whether a changed sentence that the error is part of is called wrong."""
    old, new = (readable(text) for text in error[1:3])
    pieces = [_fold(new[start:end]) for start, end in split_sentences(new)]
    olds = {_fold(old[start:end]) for start, end in split_sentences(old)}
    wanted = [piece for piece in pieces if piece not in olds]
    return any(
        sentence.verdict in {"differs", "older"}
        and any(piece in _fold(sentence.text) or _fold(sentence.text) in piece for piece in wanted)
        for sentence in sentences
        if len(_fold(sentence.text)) > 10
    )


def measure_reports(
    reports: Sequence[Report], originals: Sequence[Document], library: Library, seed: int
) -> None:
    """Print how many errors are found, and how many true sentences are called wrong."""
    found: Counter[str] = Counter()
    by_form: Counter[str] = Counter()
    true: list[tuple[str, CheckedSentence]] = []
    n_naming = n_read = 0
    verdicts: Counter[str] = Counter()
    for report, original in zip(reports, originals, strict=True):
        file = f"report.{report.form}"
        before = check_document(file, report.render(original), library)
        true += [(report.name, x) for x in before.sentences if x.assertions]
        read, naming = fill_of(file, report.render(original), before, library)
        n_read, n_naming = n_read + read, n_naming + naming
        verdicts.update({key: value for key, value in before.counts.items()})
        if not report.errors:
            continue
        now = check_document(file, report.render(report.document), library)
        sentences = changed(now, before)
        for error in report.errors:
            is_hit = is_found(error, sentences)
            found[error[0]] += is_hit
            by_form[f"{report.form} {'found' if is_hit else 'missed'}"] += 1
            if not is_hit:
                kind, _, new, row = error
                say(f"missed  {kind} | {report.name} {report.form} | {new[:200]} | {row}")
    for kind in KINDS:
        n = sum(kind == error[0] for report in reports for error in report.errors)
        say(f"{kind:28} {found[kind]} of {n} found")
    total = sum(len(report.errors) for report in reports)
    say(f"planted: {total}; found {sum(found.values())}; {dict(sorted(by_form.items()))}")
    say(f"reports as they were: {len(reports)}, sentences by verdict {dict(verdicts)}")
    say(f"filled: {n_read} of {n_naming} sentences and rows that name a drug or trial")
    chance = random.Random(seed)
    drawn = chance.sample(true, min(N_TRUE, len(true)))
    wrong = [(name, x) for name, x in drawn if x.verdict in {"differs", "older"}]
    for name, sentence in wrong:
        parts = [x for x in sentence.assertions if x.verdict in {"differs", "older"}]
        say(f"false   {name} | {sentence.text[:150]} | {[(x.stated, x.recorded) for x in parts]}")
    counts = Counter(sentence.verdict for _, sentence in drawn)
    say(f"true sentences: {len(drawn)}; false alarms {len(wrong)}; verdicts {dict(counts)}")


def fill_of(file: str, content: bytes, check: DocumentCheck, library: Library) -> tuple[int, int]:
    """Return how many sentences are read, of those that name a drug or a trial, and these."""
    sentences = read_document(file, content).sentences
    naming = [
        any(entity.kind in {"drug", "trial"} for entity in entities)
        for entities in find_entities(sentences, library)
    ]
    read = [any(x.kind != "opinion" for x in each.assertions) for each in check.sentences]
    return sum(map(min, read, naming)), sum(naming)


def measure_time(originals: Sequence[Document], home: str) -> None:
    """Print the time of a PDF of 40 pages with nothing remembered."""
    blocks: list[Any] = []
    content = b""
    for document in originals:
        blocks += document.blocks
        content = render_pdf(replace(originals[0], blocks=tuple(blocks)))
        if len(pypdfium2.PdfDocument(content)) >= N_PAGES:
            break
    library = open_library(home)
    began = time.perf_counter()
    check = check_document("long.pdf", content, library)
    elapsed = time.perf_counter() - began
    say(f"PDF of {check.pages} pages, {check.n_assertions} statements: {elapsed:.1f} s")


_FORMS = (
    "The FDA approved {brand} ({drug}) on {day}.",
    "{drug} was approved by the FDA in {month} for {use}.",
    "{brand} is approved in the United States for {use}.",
    "On {day}, the FDA approved {drug} for {use}.",
)


def measure_novel(reference: Path, library: Library, seed: int) -> tuple[int, int]:
    """Print wrong verdicts on rows of the table of novel approvals; return them and all."""
    path = reference / "deals_dates_arms/fda_novel_approvals/novel_approvals.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["brand"] and row["ingredient"]]
    drawn = random.Random(f"{seed} novel").sample(rows, N_DRAWN)
    wrong, counts = 0, Counter[str]()
    for number, row in enumerate(drawn):
        day = date.fromisoformat(row["approved_on"])
        use = re.sub(r"^(?:to treat|for the treatment of)\s+", "", row["approved_use"], flags=re.I)
        words = {
            "brand": row["brand"],
            "drug": row["ingredient"].split(" and ")[0],
            "day": f"{day:%B} {day.day}, {day.year}",
            "month": f"{day:%B %Y}",
            "use": use.rstrip("."),
        }
        text = _FORMS[number % len(_FORMS)].format(**words)
        check = check_document("a.txt", text.encode(), library)
        for sentence in check.sentences:
            counts[sentence.verdict] += 1
            bad = [x for x in sentence.assertions if not is_right(x, sentence.text, library)]
            wrong += bool(bad)
            for assertion in bad:
                source = assertion.source.record_id if assertion.source else ""
                say(f"wrong   {text[:160]} | {assertion.stated} | {assertion.recorded} | {source}")
    n = sum(counts.values())
    say(f"novel approvals: {n} sentences, wrong {wrong}, verdicts {dict(counts)}")
    return wrong, n


def is_right(assertion: Any, text: str, library: Library) -> bool:
    """Return whether a verdict on a true sentence may stand: no correction, and a fitting record.

    The record that supports it must name the drug or the trial of the sentence.
    """
    if assertion.verdict == "older" and " is approved" in text:
        return "withdrawn" in assertion.recorded or "no longer" in assertion.recorded
    if assertion.verdict in {"differs", "older"}:
        return False
    if assertion.verdict != "supported":
        return True
    record_id = assertion.source.record_id
    if record_id.partition(":")[2] in text:
        return True
    naming = library.naming()
    mentions = library.evidence.mentions([record_id]).get(record_id, ())
    labels = [assertion.subject, assertion.source.title, *(x.name for x in mentions)]
    keys = [{drug.key for drug in naming.read([label])[label] if drug.key} for label in labels]
    subject = assertion.subject.casefold()
    return subject in " ".join(labels[1:]).casefold() or bool(keys[0] & set().union(*keys[1:]))


def abstracts(reference: Path) -> Iterator[str]:
    """Yield the texts of abstracts that were recorded from services."""
    folders = (reference / "live", reference / "evidence" / "api_captures")
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        if path.suffix not in {".xml", ".json", ".ndjson", ".gz", ".txt"}:
            continue
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode(
            "utf-8", "replace"
        )
        for match in re.finditer(r"<AbstractText[^>]*>(.*?)</AbstractText>", text, re.S):
            yield match[1]
        for match in re.finditer(
            r'"(?:abstract|abstractText|abstract_text)"\s*:\s*"((?:[^"\\]|\\.){300,})"', text
        ):
            yield json.loads(f'"{match[1]}"', strict=False)
        for match in re.finditer(
            r'\\"(?:abstract|abstractText|abstract_text)\\"\s*:\s*\\"(.{300,}?)(?<!\\\\)\\"[,}]',
            text,
        ):
            yield match[1].replace("\\\\n", " ").replace('\\\\\\"', '"')


def measure_abstracts(reference: Path, library: Library, seed: int) -> tuple[int, int]:
    """Print wrong verdicts on sentences of abstracts that name a drug; return them and all."""
    sentences: dict[str, None] = {}
    for raw in abstracts(reference):
        text = " ".join(re.sub(r"<[^>]+>", " ", html.unescape(raw)).split())
        for start, end in split_sentences(text):
            if 40 < end - start < 600:
                sentences[text[start:end]] = None
    everything = list(sentences)
    check = check_document("all.txt", "\n\n".join(everything).encode()[:590_000], library)
    drawn = random.Random(f"{seed} abstracts").sample(check.sentences, N_DRAWN)
    facts = [x for x in check.sentences if any(y.kind != "opinion" for y in x.assertions)]
    drawn = [*facts, *(x for x in drawn if x not in facts)][:N_DRAWN]
    wrong, counts = 0, Counter[str]()
    for sentence in drawn:
        counts[sentence.verdict] += 1
        bad = [x for x in sentence.assertions if not is_right(x, sentence.text, library)]
        wrong += bool(bad)
        for x in bad:
            source = x.source.record_id if x.source else ""
            say(f"wrong   {sentence.text[:250]} | {x.stated} | {x.recorded} | {source}")
    say(
        f"abstracts: {len(everything)} sentences, {len(facts)} with statements, {len(drawn)} "
        f"drawn; wrong {wrong}, verdicts {dict(counts)}"
    )
    return wrong, len(drawn)


def open_library(home: str) -> Library:
    """Return evidence and names of an instance, with nothing remembered."""
    stores = open_stores(Settings(home=Path(home), database_url=None))
    return Library(stores.evidence, Resolver(stores.identity, stores.learned_names), DAY)


def main(home: str, reference: str, seed: int = SEED) -> int:
    """Print all figures; return how many verdicts on sentences of sources are wrong."""
    say(f"seed {seed}")
    library = open_library(home)
    context = make_context(Settings(home=Path(home), database_url=None))
    reports = make_reports(seed, context)
    originals = [report.document for report in reports]
    counts = plant(reports, make_world(reports, library, Path(reference)), seed)
    say(f"planted by kind: {dict(counts)}")
    measure_reports(reports, originals, library, seed)
    measure_time(originals, home)
    wrong, n = measure_novel(Path(reference), library, seed)
    more, m = measure_abstracts(Path(reference), library, seed)
    say(f"sentences of sources: {n + m}, wrong verdicts {wrong + more}")
    return wrong + more


if __name__ == "__main__":
    HOME, REFERENCE, *further = sys.argv[1:]
    sys.exit(bool(main(HOME, REFERENCE, *map(int, further[:1]))))
