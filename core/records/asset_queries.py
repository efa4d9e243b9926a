"""Questions about drugs, and what they come to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.records.evidence import Fact
from core.records.programs import Asset, TargetExpression
from core.records.stages import Stage


@dataclass(frozen=True, slots=True)
class AssetQuery:
    """Which drugs to gather; every list given narrows, an empty one does not.

    Attributes:
        targets: Drugs that act on one of these.
        disease_keys: Programs in one of these diseases or a kind of it.
        wider_keys: Wider diseases of which an approved use counts, too.
        modalities: Words of the modality table.
        not_modalities: Modalities to leave out.
        drug_keys: Exactly these drugs.
        also: Drugs that are taken whatever they act on.
        companies: Drugs of one of these groups.
        company_names: Names under which the pack writes them; empty: they are looked up.
        stages: Programs at one of these stages.
        words: Further words that a record must have, for what resolves to nothing.
        sources: Sources of records to read; empty: all that are held.
        figures: Whether to read what trials measured and labels report, too, and trials of others
            than the drug's companies, which carry no stage.
        routes: Whether to read how the drugs are given.
    """

    targets: tuple[TargetExpression, ...] = ()
    disease_keys: tuple[str, ...] = ()
    wider_keys: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()
    not_modalities: tuple[str, ...] = ()
    drug_keys: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
    company_names: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    words: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    figures: bool = True
    routes: bool = False


@dataclass(frozen=True, slots=True)
class ExcludedAsset:
    """A candidate that was not taken.

    Attributes:
        name: Its name.
        reason: Why, in plain words.
        key: Its key; "" of what is no drug.
    """

    name: str
    reason: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a query came to.

    Attributes:
        assets: The drugs, by name.
        excluded: Candidates not taken, by name.
        hits: Records read, per source.
        figures: Figures of the trials and labels that were read, by their number.
    """

    assets: tuple[Asset, ...]
    excluded: tuple[ExcludedAsset, ...]
    hits: tuple[tuple[str, int], ...]
    figures: Mapping[int, Fact] = field(default_factory=dict)
