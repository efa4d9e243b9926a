"""A drug as a deal: its owner, its signals, and what it may be compared with."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.agents.deal_sourcing.kinds import DealKind
from core.agents.deal_sourcing.signals import Signal
from core.briefs.subjects import Drug
from core.evidence.entries.money import DealEntry, MoneyEntry
from core.evidence.proof.claims import unmark
from core.records.programs import CompanyRole
from core.records.stages import STAGES, Stage

UNLISTED = "no listing in the United States found; other exchanges not checked"


@dataclass(frozen=True)
class Lead(Drug):
    """A drug as a deal.

    Attributes:
        signals: What happened, the newest first.
        kind: What kind of deal it would be.
        owner: Whose it is today; the group.
        owner_then: Who ran it at the signal, where that was another name.
        home: Country of the owner; "" where not known.
        ticker: Of the owner; "" where no listing in the United States is found.
        owner_ids: Records that name the owner.
        partners: Companies with a right of it beside the owner.
        deals: Licences of drugs like it, to compare with.
        filings: Filings of its owner that tell of a deal, of whatever drug.
    """

    signals: tuple[Signal, ...] = ()
    kind: DealKind = "licence"
    owner: str = ""
    owner_then: str = ""
    home: str = ""
    ticker: str = ""
    owner_ids: tuple[str, ...] = field(default=())
    partners: tuple[CompanyRole, ...] = ()
    deals: tuple[DealEntry, ...] = ()
    filings: tuple[MoneyEntry, ...] = ()

    @property
    def newest(self) -> str:
        """Return the day of the newest signal; "" where none is dated."""
        return max((signal.day for signal in self.signals), default="")

    @property
    def top(self) -> Stage:
        """Return the highest stage that its evidence carries, given up or not."""
        return min(
            (program.stage for program in self.programs), key=STAGES.index, default="UNKNOWN"
        )

    def record_ids(self) -> set[str]:
        """Return the records of its statements, trials, owner, signals and comparables."""
        ids = {signal.record_id for signal in self.signals if signal.record_id}
        ids |= {deal.record_id for deal in self.deals} | {
            filing.record_id for filing in self.filings
        }
        return super().record_ids() | ids | set(self.owner_ids)

    def names(self) -> dict[str, set[str]]:
        """Return its name, its trials and its owner, with the records that tell them."""
        named = super().names()
        for signal in self.signals:
            if signal.number and signal.record_id:
                named.setdefault(signal.number, set()).add(signal.record_id)
        records_by_name = {self.owner: set(self.owner_ids)}
        for name in dict.fromkeys(
            unmark(signal.sponsor) for signal in self.signals if signal.sponsor
        ):
            records_by_name.setdefault(name, set())
            records_by_name[name] |= {
                o.record_id for o in self.signals if unmark(o.sponsor) == name
            }
        for role in self.partners:
            records_by_name.setdefault(unmark(role.company), set()).update(
                role.statement.record_ids
            )
        return named | {unmark(name): ids for name, ids in records_by_name.items() if name}

    def words(self) -> Iterator[str]:
        """Yield phrases with digits that state nothing: indications, targets, reasons."""
        yield from super().words()
        yield from (unmark(link.target.text) for link in self.asset.targets)
        yield from (quote(signal.reason) for signal in self.signals if signal.reason)
        yield self.name


def quote(reason: str) -> str:
    """Return a reason as written, short."""
    plain = unmark(reason).rstrip(". ")
    return plain if len(plain) <= 140 else f"{plain[:139].rstrip()}\u2026"
