"""How well questions are understood: words for diseases, symbols of genes, indications of the pack.

python -m tests.benchmarks.questions HOME [--show] [diseases | genes | rows | hostile]

HOME is an instance with names and starter pack; `--show` prints what missed.
"""

import csv
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.target_tables import target_names
from core.evidence.readers.diseases import Diseases
from core.evidence.readers.questions.named import Held
from core.evidence.readers.questions.parsed import ParsedText
from core.evidence.readers.questions.reading import parse_text
from core.evidence.sources.pack.reading import load_rows
from core.settings import Settings
from core.vocabulary.targets import load_targets
from storage.stores import open_stores

PHRASINGS = (
    "{} inhibitors in development",
    "{}",
    "anti-{} antibodies",
    "drugs targeting {}",
    "{} landscape",
    "{} pipeline",
    "{} competitors",
    "{} programs in oncology",
)
LONGEST = 4_000
HOSTILE = {
    name: (said * LONGEST)[:LONGEST]
    for name, said in {
        "negations": "not ",
        "lists of negations": "not a and b, ",
        "prefixes": "non-",
        "exclusions": "excluding a, b, c and ",
        "targets": "PD-1/",
        "Chinese particles": "\u7684",
        "diseases cut short": "cancer of the ",
        "diseases": "lymphoma, ",
        "brackets": "(",
        "punctuation": "?!;,.-/",
        "apostrophes": "'s ",
        "one letter": "a",
        "numbers": "1-2-3/",
        "no blanks": "PD1inhibitorlungcancer",
        "alternatives": "EGFR or HER2 or ",
        "typing errors": "osimertnib caner lugn ",
        "names": "pembrolizumab, imatinib, EGFR, KRAS G12C, asthma, psoriasis, Pfizer, ",
        "scripts": "\u9776\u5411CLDN18.2\u7684\u6297\u4f53 \u30a2\u30b9\u30c6 EGFR\u80ba\u764c ",
    }.items()
}
"""Questions of the longest text that a request takes, made of one piece each."""
Reader = Callable[[str], ParsedText]


@dataclass
class Score:
    """How many of a list were read as meant.

    Attributes:
        name: The list.
        right: Those read as meant.
        missed: Those that were not, with what they were read as.
        wrong_kind: Those of which something was read as a drug.
        elapsed_s: Seconds a question.
    """

    name: str
    right: int = 0
    missed: list[str] = field(default_factory=list)
    wrong_kind: list[str] = field(default_factory=list)
    elapsed_s: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Return the share read as meant."""
        return self.right / max(1, self.right + len(self.missed))

    def count(self, question: str, parsed: ParsedText, *, is_right: bool) -> None:
        """Count a question."""
        self.right += is_right
        if not is_right:
            self.missed.append(f"{question} -> {brief(parsed)}")
        if parsed.drugs:
            self.wrong_kind.append(f"{question} -> {parsed.drugs[0].label}")

    def line(self) -> str:
        """Return the score in words."""
        total = self.right + len(self.missed)
        times = sorted(self.elapsed_s) or [0.0]
        return (
            f"{self.name}: {self.right} of {total} ({self.rate:.1%}), wrong kind "
            f"{len(self.wrong_kind)}, ms a question {1e3 * sum(times) / len(times):.1f} "
            f"(95 % under {1e3 * times[int(0.95 * (len(times) - 1))]:.1f})"
        )


def brief(parsed: ParsedText) -> str:
    """Return what a question was understood as, in a line."""
    parts = (
        ("target", [one.text for one in parsed.targets]),
        ("disease", [one.label for one in parsed.diseases]),
        ("drug", [one.label for one in parsed.drugs]),
        ("company", parsed.companies),
        ("left", parsed.words),
    )
    return "; ".join(f"{name} {', '.join(said)}" for name, said in parts if said) or "nothing"


@cache
def reader(home: Path) -> tuple[Resolver, Reader]:
    """Return the names of an instance and a reader whose drugs are those of its pack."""
    stores = open_stores(Settings(home=home, database_url=None))
    resolver = Resolver(stores.identity, stores.learned_names)
    assets = {one.key for one in stores.learned_names.all_names("starter")}
    return resolver, lambda question: parse_text(question, resolver, Held(assets.__contains__))


def timed(score: Score, read: Reader, question: str) -> ParsedText:
    """Return how a question is read, its time noted."""
    begun = time.perf_counter()
    parsed = read(question)
    score.elapsed_s.append(time.perf_counter() - begun)
    return parsed


def score_diseases(read: Reader, path: Path, ending: str = "") -> Score:
    """Return how many words for diseases are read as the disease meant, and nothing else.

    Both readings of a word that must ask are among what it says it may mean.
    """
    score = Score(f"words for diseases{ending}")
    with path.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    for row in rows:
        meant, _, note = row["meant"].partition(" (")
        parsed = timed(score, read, row["typed"] + ending)
        said = [one.label for one in parsed.diseases] + [one.meant for one in parsed.changes]
        if "ambiguous" in note:
            wanted = [read(one).diseases[:1] for one in meant.split(" or ")]
            is_right = all(one and one[0].label in said for one in wanted)
        else:
            wanted_keys = [one.key for one in read(meant).diseases]
            is_right = len(wanted_keys) == 1 and wanted_keys == [x.key for x in parsed.diseases]
            is_right = is_right and has_note(parsed, note.rstrip(")"))
        is_alone = not (parsed.targets or parsed.drugs or parsed.words)
        score.count(row["typed"] + ending, parsed, is_right=is_right and is_alone)
    return score


def has_note(parsed: ParsedText, note: str) -> bool:
    """Return whether what stands in brackets was read of the patients."""
    if not note or note.isupper():
        return True
    return bool(parsed.biomarkers or parsed.populations or parsed.lines)


def symbols() -> Iterator[str]:
    """Yield the symbols of genes that drugs of the pack act on, alone."""
    rows = {row.expression: row for row in load_targets()}
    told = {row["target"] for row in load_rows("drugs")}
    named = {part for one in told for part in ([one] if one in rows else one.split(" x "))}
    genes = {rows[one].genes[0] for one in named if one in rows and len(rows[one].genes) == 1}
    yield from sorted(genes)


def score_genes(read: Reader, resolver: Resolver, *, lower: bool = False, every: int = 1) -> Score:
    """Return how many phrases with a symbol are read as its gene and as nothing else.

    Args:
        read: Reads a question.
        resolver: Knows genes.
        lower: Write the symbols in small letters.
        every: Take every so many symbols.
    """
    score = Score("symbols of genes in " + ("small letters" if lower else "capitals"))
    keys = target_names(resolver).by_symbol()
    folded = {one.gene_symbols[0]: one.gene_keys[0] for one in keys.values() if one.gene_symbols}
    for symbol in list(symbols())[::every]:
        for phrasing in PHRASINGS:
            question = phrasing.format(symbol.lower() if lower else symbol)
            parsed = timed(score, read, question)
            wanted = folded.get(symbol) or keys[symbol.casefold()].gene_keys[0]
            found = [key for one in parsed.targets for key in one.gene_keys]
            is_right = found == [wanted] and not (parsed.drugs or len(parsed.diseases) > 1)
            score.count(question, parsed, is_right=is_right)
    return score


def score_rows(read: Reader, resolver: Resolver, *, every: int = 1) -> Score:
    """Return how many stage rows of the pack are reached by the words of their indication.

    Args:
        read: Reads a question.
        resolver: Knows diseases.
        every: Take every so many rows.
    """
    score = Score("stage rows by their own words")
    diseases, identity = Diseases(resolver), resolver.identity
    reached: dict[str, tuple[bool, ParsedText]] = {}
    for row in load_rows("stages")[::every]:
        said = row["indication"]
        if said not in reached:
            stored = diseases.of_conditions([said])[0]
            parsed = timed(score, read, said)
            asked = {one.key for one in parsed.diseases}
            below = {x for key in asked for x in (key, *identity.descendants("disease", key))}
            is_kept = stored.key in below if stored.key else not parsed.diseases
            reached[said] = (is_kept, parsed)
        is_kept, parsed = reached[said]
        score.count(said, parsed, is_right=is_kept)
    return score


def time_hostile(read: Reader) -> Iterator[tuple[str, float]]:
    """Yield processor seconds that each hostile question takes, once words are loaded."""
    for name, text in HOSTILE.items():
        begun = time.process_time()
        read(text)
        yield name, time.process_time() - begun


def main() -> None:
    """Print every score."""
    home, *rest = sys.argv[1:]
    wanted = [one for one in rest if not one.startswith("-")] or [
        "diseases",
        "genes",
        "rows",
        "hostile",
    ]
    resolver, read = reader(Path(home))
    default = Path(__file__).resolve().parents[3] / "shared" / "reference"
    folder = Path(os.environ.get("BPW_REFERENCE", default)) / "questions"
    scores = []
    if "diseases" in wanted:
        path = folder / "disease_words.csv"
        scores += [score_diseases(read, path), score_diseases(read, path, " pipeline")]
    if "genes" in wanted:
        scores += [score_genes(read, resolver), score_genes(read, resolver, lower=True)]
    if "rows" in wanted:
        scores.append(score_rows(read, resolver))
    if "hostile" in wanted:
        read("warm: osimertnib \u7684")
        for name, seconds in time_hostile(read):
            sys.stdout.write(f"{name}: {1e3 * seconds:.0f} ms\n")
    for score in scores:
        sys.stdout.write(f"{score.line()}\n")
        for one in dict.fromkeys(score.missed + score.wrong_kind) if "--show" in rest else ():
            sys.stdout.write(f"    {one}\n")


if __name__ == "__main__":
    main()
