"""Structures of drugs, drawn from their systematic names where Java is installed.

Registers write names in capitals, with Greek letters spelled, with water and typing errors; axial
stereo is written in ways that no program reads. Each form is tried only where those before it are
no structure, and the last tells no stereo, which the answer says.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.chemistry.names import read_names
from core.chemistry.structures import Structure, read_structure
from core.evidence.names.identity.resolver import Resolver
from core.identity_ports import Identity
from core.records.names import fold_name
from core.vocabulary.name_repairs import name_repairs
from core.vocabulary.systematic_names import own_systematic_names

Way = Literal["written", "repaired", "flat"]
WAYS: tuple[Way, ...] = ("written", "repaired", "flat")
_ROUNDS = 2
"""One repair may lay open another, such as water before a mark that ends the name."""
_CENTER = r"\d*'*[A-Za-z]?[RSEZ]\*?"
_FACE = r"\d+'*[A-Za-z]?(?:alpha|beta)"
_STEREO = re.compile(
    rf"\((?:[RS]-)?\({_CENTER}(?:,{_CENTER})*\)\)-?|\({_CENTER}(?:,{_CENTER})*\)-?"
    rf"|\({_FACE}(?:,{_FACE})*\)-?|\(\d+-(?:endo|exo)\)-|\([+-]\)-"
    r"|\b(?:cis|trans|endo|exo|anti|syn)-",
    re.IGNORECASE,
)


def list_name_forms(name: str) -> tuple[str, ...]:
    """Return the forms of a name by way: as written, repaired, without stereo.

    >>> list_name_forms("(1M)-2-(P-CHLOROPHENYL)-(2S)-OXOLANE HYDRATE")[1:]
    ('2-(p-CHLOROPHENYL)-(2S)-OXOLANE', '2-(p-CHLOROPHENYL)-OXOLANE')
    """
    repaired = name
    for _ in range(_ROUNDS):
        for pattern, replacement in name_repairs():
            repaired = pattern.sub(replacement, repaired)
    return name, repaired, _STEREO.sub("", repaired)


def all_forms(names: Iterable[str]) -> list[str]:
    """Return every form of names once, the forms as written first."""
    forms = [list_name_forms(name) for name in names]
    return list(dict.fromkeys(form for way in zip(*forms, strict=True) for form in way))


def settle_forms(names: Iterable[str], drawn: Mapping[str, str]) -> Mapping[str, tuple[str, Way]]:
    """Return the structure of each name with the way in which it was read; none is left out.

    Args:
        names: As written.
        drawn: SMILES by form.
    """
    settled: dict[str, tuple[str, Way]] = {}
    for name in names:
        forms = zip(WAYS, list_name_forms(name), strict=True)
        read = next(((drawn[form], way) for way, form in forms if drawn.get(form)), None)
        if read is not None:
            settled[name] = read
    return settled


WHOLE = frozenset({"molecule", "small", "reagent"})
"""Verdicts on structures that stand for one molecule."""
NO_STRUCTURE = Structure("unreadable")
_AMIDINE = re.compile("AMINOIMINOMETHYL", re.IGNORECASE)
"""The index name of the group, which OPSIN reads as a hydrazone."""
_MISREAD = re.compile(
    r"(?<!\)METH)(?<!\)ETH)YL\)METHYLAMINO|AMINO\)IMINOMETHYL|\(ESTER\)", re.IGNORECASE
)
"""Ways of writing that OPSIN draws as another molecule than index names mean: a methyl at the
nitrogen of "(ring-yl)methylamino", a doubly bound nitrogen, an ester named after the name."""
_GREEK = re.compile(r"\.([A-Z]+)\.")


@dataclass(frozen=True, slots=True)
class DrugStructure:
    """What is known of a drug's structure.

    Attributes:
        asked: Name as asked.
        drug: Name of the drug; "" where the name stands for none or for several.
        key: Its key; "" likewise.
        systematic_name: From which the structure was drawn; "" where none is held.
        smiles: Parent molecule; "" means no structure.
        inchikey: Of the parent.
    """

    asked: str
    drug: str = ""
    key: str = ""
    systematic_name: str = ""
    smiles: str = ""
    inchikey: str = ""


def read_drug_structures(
    names: Sequence[str], resolver: Resolver, identity: Identity
) -> list[DrugStructure]:
    """Return the structure of each drug, in the order asked.

    A biologic, a drug without a systematic name and a name that OPSIN cannot read have no
    structure; nothing is guessed.

    Raises:
        ExecutionError: The names could not be read in time.
    """
    matches = resolver.resolve_many("drug", names)
    keys = {match.key: match.label for match in matches.values() if match.key}
    names_by_key = {key: read_systematic_names(key, identity, keys[key]) for key in sorted(keys)}
    names_told = [text for texts in names_by_key.values() for text in texts]
    drawn = settle_forms(names_told, read_names(all_forms(names_told)))
    smiles = {name: text for name, (text, _) in drawn.items()}
    structures = []
    for name in names:
        match = matches[name]
        texts = names_by_key.get(match.key, ())
        systematic, structure = choose_structure(texts, smiles)
        structures.append(
            DrugStructure(
                name,
                match.label,
                match.key,
                systematic or next(iter(texts), ""),
                structure.smiles,
                structure.inchikey,
            )
        )
    return structures


def choose_structure(names: Sequence[str], drawn: Mapping[str, str]) -> tuple[str, Structure]:
    """Return the structure that most names of a drug give, and the first name that gives it.

    Registers write names wrongly, and one wrong sign draws another molecule. Names that differ in
    stereo alone agree on the molecule and vote on its stereo; of equals the first counts. A name
    that is written in a way that is drawn wrongly has no vote.
    """
    sound = [name for name in names if drawn.get(name) and not _MISREAD.search(name)]
    read = [(name, read_structure(drawn[name])) for name in sound]
    whole_structures = [(name, structure) for name, structure in read if structure.verdict in WHOLE]
    votes = Counter(structure.skeleton for _, structure in whole_structures)
    exact = Counter(structure.inchikey for _, structure in whole_structures)
    nothing = ("", NO_STRUCTURE)
    return max(
        whole_structures,
        key=lambda entry: (votes[entry[1].skeleton], exact[entry[1].inchikey]),
        default=nothing,
    )


def read_systematic_names(key: str, identity: Identity, drug: str = "") -> tuple[str, ...]:
    """Return the names that a drug's structure is drawn from, the likeliest first.

    Args:
        key: Of the drug.
        identity: Holds the names of the registers.
        drug: Its common name, by which a curator's own name is found: it decides where the
            registers hold none or draw another molecule.
    """
    systematic_name = own_systematic_names().get(fold_name(drug), "")
    return (
        (systematic_name,)
        if systematic_name
        else tuple(_spell(name) for name in identity.systematic_names(key))
    )


def _spell(name: str) -> str:
    """Return a name with ".ALPHA." as "alpha", and amidines by the name that cannot be misread.

    >>> _spell("4-((AMINOIMINOMETHYL)AMINO)-.ALPHA.-PHENYL")
    '4-((CARBAMIMIDOYL)AMINO)-alpha-PHENYL'
    """
    plain = _AMIDINE.sub("CARBAMIMIDOYL", name)
    return _GREEK.sub(lambda match: match[1].lower(), plain)
