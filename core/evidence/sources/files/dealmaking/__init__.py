"""Files about money and rights: raises, filings, grants, awards and a user's own list of deals."""

from core.evidence.sources.files.dealmaking import deals_list, edgar, form_d, reporter, sbir
from core.evidence.sources.files.forms.importers import Importer

IMPORTERS: tuple[Importer, ...] = (
    *form_d.IMPORTERS,
    *edgar.IMPORTERS,
    *reporter.IMPORTERS,
    *sbir.IMPORTERS,
    *deals_list.IMPORTERS,
)
