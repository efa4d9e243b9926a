"""Technologies that universities and institutes offer to license: a list of the user's own.

Offices publish their listings each in its own form, so the table is ours: title, institution,
field, url and posted_on (a day, or a month).
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from core.evidence.names.cleaning import clean_text
from core.evidence.sources.files.dealmaking.filed import Filed
from core.evidence.sources.files.forms.importers import Importer, has_columns
from core.records.evidence import Mention, Parsed, Span
from core.tables.rows import SourceFile, read_table
from core.tables.values import read_date

NAME = "tech-transfer"
LICENCE = "List of the user"
COLUMNS = ("title", "institution", "field", "url", "posted_on")


def read_listings(source: SourceFile) -> Iterator[Parsed]:
    """Yield one record a technology."""
    for line, row in read_table(source):
        title, institution = clean_text(row["title"], 400), clean_text(row["institution"], 150)
        field, url = clean_text(row["field"], 1_000), row["url"].strip()
        day = read_date(row["posted_on"])
        lacking = [
            name
            for name, value in (("title", title), ("institution", institution), ("posted_on", day))
            if not value
        ]
        if lacking:
            source.report(line, f"a listing without {' and without '.join(lacking)}")
            continue
        address = urlsplit(url)
        if address.scheme not in {"http", "https"} or not address.hostname or "@" in address.netloc:
            source.report(line, f"url {clean_text(url, 40)!r} is no web address")
            continue
        filed = Filed(source, line, NAME, "database_record", LICENCE)
        record = filed.record(
            clean_text(f"{url} {title}", 300),
            title,
            day,
            url=url,
            spans=(Span("field", field, 0, len(field)),) if field else (),
            mentions=(Mention("company", institution, relation="licensor"),),
        )
        yield Parsed(record, ())


IMPORTERS = (Importer("tech-transfer", has_columns(*COLUMNS), read_listings, shape_basis="own"),)
