"""Files about money, rights and research: raises, grants, offers, papers, a list of deals."""

from core.evidence.sources.files.dealmaking import (
    deals_list,
    edgar,
    form_d,
    listings,
    papers,
    reporter,
    sbir,
)
from core.evidence.sources.files.forms.importers import Importer

IMPORTERS: tuple[Importer, ...] = (
    *form_d.IMPORTERS,
    *edgar.IMPORTERS,
    *reporter.IMPORTERS,
    *sbir.IMPORTERS,
    *deals_list.IMPORTERS,
    *listings.IMPORTERS,
    *papers.IMPORTERS,
)
