"""One module a kind of file; `IMPORTERS` lists them all, the pickiest first."""

from core.evidence.sources.files import (
    companies,
    dated_lists,
    dealmaking,
    drugsfda,
    effects,
    ema,
    ema_lists,
    fda_books,
    fda_shortages,
    labels,
    letters,
    redbook,
    registers,
    spl,
    trials_table,
    trials_v2,
    uspto_chem,
)
from core.evidence.sources.files.forms.importers import Importer

IMPORTERS: tuple[Importer, ...] = (
    *drugsfda.IMPORTERS,
    *effects.IMPORTERS,
    *trials_table.IMPORTERS,
    *trials_v2.IMPORTERS,
    *fda_books.IMPORTERS,
    *companies.IMPORTERS,
    *ema.IMPORTERS,
    *ema_lists.IMPORTERS,
    *dated_lists.IMPORTERS,
    *letters.IMPORTERS,
    *fda_shortages.IMPORTERS,
    *labels.IMPORTERS,
    *spl.IMPORTERS,
    *uspto_chem.IMPORTERS,
    *redbook.IMPORTERS,
    *dealmaking.IMPORTERS,
    *registers.IMPORTERS,
)
