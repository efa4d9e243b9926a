"""The pool of patents of an instance: imported records, and live sources where they are allowed."""

from datetime import datetime

from core.evidence.patents.live import JoinedPatents, LivePatents
from core.evidence.patents.stored import HeldPatents
from core.evidence.sources.live import epo_ops, surechembl, uspto_odp
from core.evidence.sources.live.web import Site
from core.evidence_ports import EvidenceReader
from core.patent_ports import PatentPool
from core.ports import Rates
from core.settings import Settings

BUDGET_S = 60.0
"""Seconds for all questions to one live source."""
EPO_PAUSE_S = 2.0
"""Its header grants 30 searches a minute when it is idle."""


def open_patents(
    evidence: EvidenceReader, settings: Settings, now: datetime, rates: Rates | None = None
) -> PatentPool:
    """Return the pool of an instance.

    Live sources are members only where `BPW_LIVE_PATENTS` allows them and the instance is not
    offline; a run that asks them is no longer the same for the same evidence.
    """
    held_patents = HeldPatents(evidence)
    if settings.offline or not settings.live_patents:
        return held_patents
    day = now.date()
    contact = settings.contact or ""

    def site(name: str, address: str, pause_s: float = 0.2) -> Site:
        return Site(
            name,
            address,
            contact,
            BUDGET_S,
            pause_s,
            rates,
            proxy=settings.proxy or "",
            ca_bundle=settings.ca_bundle or "",
        )

    texts = surechembl.SureChemblConnector(site(surechembl.NAME, surechembl.ADDRESS), day)
    portal = uspto_odp.UsptoOdpConnector(
        site(uspto_odp.NAME, uspto_odp.ADDRESS), settings.uspto_odp_api_key or "", day
    )
    services = epo_ops.EpoOpsConnector(
        site(epo_ops.NAME, epo_ops.ADDRESS, EPO_PAUSE_S), settings.epo_ops_api_key or "", day
    )
    return JoinedPatents(
        [
            held_patents,
            LivePatents(portal, now),
            LivePatents(texts, now, texts.chemistry),
            LivePatents(services, now),
        ]
    )
