"""`python -m api evidence build|info|import|read|sync|...`: what the instance knows."""

import argparse
import getpass
import sys
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.cli_accounts import announce_step, opened
from api.startup import open_stores
from core.accounts import COMMAND_LINE
from core.briefs.entities.identifying import Library
from core.checking.given_pages import make_removal, read_given, write_accepted
from core.errors import InvalidInput
from core.evidence.names.identity.dictionary import write_dictionary
from core.evidence.names.identity.resolver import Resolver
from core.evidence.preparing import derive_names_and_events, prepare_evidence
from core.evidence.sources.files import IMPORTERS
from core.evidence.sources.files.accepted import number_of
from core.evidence.sources.importing import find_files, import_files, is_pack, outdated_files
from core.evidence.sources.kept_files import find_kept, keep_files, reread_files, set_aside
from core.evidence.sources.sync.reports import WHOLE
from core.evidence.sources.sync.sources import SYNCED
from core.evidence.sources.sync.verifying import OUTCOMES, compare_rows
from core.execution.given_pages import check_address
from core.execution.limits import bounded_memory
from core.execution.syncing import sync_sources
from core.ports import Stores
from core.records.accepted import AcceptedFinding
from core.records.evidence_pack import ImportedFile, PackInfo
from core.settings import Settings
from core.tables.values import read_date
from core.vocabulary.sources import ACCEPTED

SHOWN_DAMAGES = 20


def add_commands(commands: Any) -> None:
    """Add the parsers of `evidence`."""
    evidence = commands.add_parser("evidence", help="what the instance knows").add_subparsers(
        required=True
    )
    evidence.add_parser("info", help="what the evidence holds and how old it is").set_defaults(
        command=info
    )
    built = evidence.add_parser(
        "build", help="load names and the starter pack, and read stored files again where needed"
    )
    built.add_argument("--force", action="store_true", help="load the names in any case")
    built.set_defaults(command=build)
    imported = evidence.add_parser(
        "import",
        help="read files, folders or a carried pack; kinds are recognized, or named by a word "
        "before the paths (import uspto-chem FILE)",
    )
    imported.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    imported.add_argument("--kind", help="read all files as this kind")
    imported.add_argument("--as-of", default="", help="date of the state that the files show")
    imported.set_defaults(command=import_paths)
    synced = evidence.add_parser(
        "sync", help="fetch what changed at registers and regulators since the last sync"
    )
    names = [source.name for source in SYNCED]
    words = "sync this source alone; may be given several times (all by default)"
    synced.add_argument("--source", action="append", default=[], choices=names, help=words)
    synced.add_argument(
        "--since", default="", metavar="DAY", help="read changes from this day on (YYYY-MM-DD)"
    )
    synced.set_defaults(command=sync)
    verified = evidence.add_parser("verify", help="check the database files for damage")
    words = "compare the starter pack with what syncs brought of its records instead"
    verified.add_argument("--sources", action="store_true", help=words)
    verified.set_defaults(command=verify)
    read = evidence.add_parser(
        "read", help="read a press release or paper; print its statements, accept them or not"
    )
    read.add_argument("file", type=Path)
    read.add_argument("--url", default="", help="address of the page")
    read.add_argument("--published-on", default="", metavar="DAY", help="its day (YYYY-MM-DD)")
    words = "bring these statements into the evidence, by number; may be given several times"
    read.add_argument("--accept", type=int, action="append", default=[], metavar="N", help=words)
    read.set_defaults(command=read_page)
    removed = evidence.add_parser("remove", help="take an accepted statement back")
    removed.add_argument("record", help="its record, as evidence read and the page show it")
    removed.set_defaults(command=remove_accepted)
    dictionary = evidence.add_parser(
        "dictionary", help="write the product's name dictionary anew (for its maintainers)"
    )
    dictionary.add_argument("packages", type=Path, help="folder of the packages it is made of")
    dictionary.set_defaults(command=build_dictionary)
    exported = evidence.add_parser("export", help="write one file to carry to another host")
    exported.add_argument("file", type=Path)
    exported.set_defaults(command=export)


def build(chosen: argparse.Namespace, settings: Settings) -> None:
    """Bring names, starter pack, kept files and what is derived from them up to date."""
    with opened(settings) as stores:
        now = datetime.now(UTC)
        with stores.sharing.writing():
            prepare_evidence(stores, now, announce_step, force=chosen.force)
            count = reread_files(settings.home, stores.evidence, now, _show_progress)
            derive_names_and_events(stores, announce_step)
        sys.stdout.write(f"files read again\t{count}\nidentity\t{stores.identity.version()}\n")


def build_dictionary(chosen: argparse.Namespace, settings: Settings) -> None:
    """Write the name dictionary of the product from the packages it is made of."""
    count = write_dictionary(chosen.packages, progress=_show_progress)
    sys.stdout.write(f"entities\t{count}\n")


def verify(chosen: argparse.Namespace, settings: Settings) -> int:
    """Check the database files of the instance; print one line for each damaged one."""
    if chosen.sources:
        return _verify_sources(settings)
    stores = open_stores(settings)
    try:
        damage = stores.upkeep.find_damage()
    finally:
        stores.engine.close()
    sys.stdout.writelines(f"{line}\n" for line in damage or ["no damage found"])
    return 1 if damage else 0


def _verify_sources(settings: Settings) -> int:
    """Print of each table of the starter pack how many rows their sources confirm."""
    with opened(settings) as stores:
        counts_by_table, conflicts = compare_rows(stores.evidence)
    for table, counts in counts_by_table.items():
        words = "\t".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)
        sys.stdout.write(f"{table}\t{words}\n")
    sys.stdout.writelines("in conflict\t" + "\t".join(conflict) + "\n" for conflict in conflicts)
    return 0


def info(chosen: argparse.Namespace, settings: Settings) -> None:
    """Print what the pack holds."""
    with opened(settings) as stores:
        pack_info = stores.evidence.info()
        names = stores.identity.version()
        damages = stores.evidence.damages(SHOWN_DAMAGES)
    sys.stdout.write(f"identity\t{names or 'not built'}\n")
    _write_info(pack_info, {path.name for path, _, _ in find_kept(settings.home, pack_info)})
    for damage in damages:
        sys.stdout.write(f"damaged\t{damage.file}:{damage.line}\t{damage.reason}\n")


def _write_info(pack_info: PackInfo, kept_names: Collection[str] = ()) -> None:
    sys.stdout.write(
        f"generation\t{pack_info.generation}\nrecords\t{pack_info.records}\nfacts\t{pack_info.facts}\n"
        f"damaged\t{pack_info.damaged}\n"
    )
    for source in pack_info.sources:
        ages = f"{source.oldest or '?'} to {source.newest or '?'}"
        sys.stdout.write(f"source\t{source.source}\t{source.records}\t{ages}\n")
    for file in pack_info.files:
        sys.stdout.write(f"file\t{_line(file)}\n")
    for name in outdated_files(pack_info):
        remedy = "the server reads its copy again" if name in kept_names else "import it again"
        sys.stdout.write(f"read by an earlier release, {remedy}\t{name}\n")


def _line(file: ImportedFile) -> str:
    return f"{file.name}\t{file.format}\t{file.records} records\t{file.damaged} damaged"


def import_paths(chosen: argparse.Namespace, settings: Settings) -> int:
    """Read files into the pack and print what each came to."""
    limit_mb = settings.memory_limit_mb
    with bounded_memory(limit_mb), opened(settings) as stores, stores.sharing.writing():
        return _import_into(stores, chosen, settings)


def _import_into(stores: Stores, chosen: argparse.Namespace, settings: Settings) -> int:
    kind, paths = _told_kind(chosen)
    carried = [path for path in paths if is_pack(path)]
    if carried:
        if len(paths) > 1:
            raise InvalidInput("import a carried pack alone: it takes the place of all else")
        _write_info(stores.evidence.adopt(carried[0]))
        set_aside(settings.home)
        derive_names_and_events(stores)
        stores.audit.add(COMMAND_LINE.name, "evidence import", carried[0].name)
        return 0
    files = find_files(paths, kind)
    imported = import_files(
        stores.evidence,
        files,
        now=datetime.now(UTC),
        as_of=chosen.as_of,
        progress=_show_progress,
    )
    keep_files(settings.home, files, imported, chosen.as_of)
    derive_names_and_events(stores)
    stores.audit.add(COMMAND_LINE.name, "evidence import", f"{len(imported)} files")
    damages = stores.evidence.damages(SHOWN_DAMAGES) if any(f.damaged for f in imported) else []
    for candidate in files:
        if candidate.importer is None:
            sys.stderr.write(f"skipped, kind not recognized: {candidate.path.name}\n")
    for file in imported:
        sys.stdout.write(f"{_line(file)}\n")
    for damage in damages:
        sys.stderr.write(f"skipped {damage.file}:{damage.line}: {damage.reason}\n")
    return 0


def _told_kind(chosen: argparse.Namespace) -> tuple[str | None, list[Path]]:
    """Return the kind of the files and the files; a kind's word may stand before them."""
    first, *others = chosen.paths
    is_word = any(str(first) == importer.name for importer in IMPORTERS) and not first.exists()
    if is_word and others and chosen.kind is None:
        return str(first), others
    return chosen.kind, chosen.paths


def _show_progress(name: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done + 1} of {total}: {name[:60]:<60}")


def read_page(chosen: argparse.Namespace, settings: Settings) -> None:
    """Print what a press release or paper states, each with its quote, and accept what is named."""
    if chosen.published_on and read_date(chosen.published_on) != chosen.published_on:
        raise InvalidInput("--published-on is no day; write it as 2026-11-01")
    if not chosen.file.is_file():
        raise InvalidInput(f"there is no file {chosen.file.name}")
    check_address(chosen.url)
    day = date.fromisoformat(chosen.published_on) if chosen.published_on else None
    now = datetime.now(UTC)
    with bounded_memory(settings.memory_limit_mb), opened(settings) as stores:
        resolver = Resolver(stores.identity, stores.learned_names)
        library = Library(stores.evidence, resolver, now.date())
        content = chosen.file.read_bytes()
        page = read_given(chosen.file.name, content, chosen.url, day, library, now)
        for number, row in enumerate(page.rows, start=1):
            parts = (row.drug_name, row.company, row.partner, row.stage, row.indication, row.date)
            told = "\t".join((str(number), row.statement, *parts, row.amount, row.quote))
            sys.stdout.write(f"{told}\n")
        for reason, count in page.refused:
            sys.stderr.write(f"not taken: {count} {reason.replace('_', ' ')}\n")
        if unknown := [n for n in chosen.accept if not 1 <= n <= len(page.rows)]:
            raise InvalidInput(f"there is no statement {unknown[0]}; the last is {len(page.rows)}")
        if chosen.accept:
            findings = [page.findings[number - 1] for number in chosen.accept]
            _bring_in(stores, findings, settings, now)
            for finding in findings:
                stores.audit.add(_person(), "evidence accept", finding.quote[:120])
                sys.stdout.write(f"accepted\t{ACCEPTED}:{number_of(finding)}\n")


def _person() -> str:
    """Return who works at the command line: the user of the operating system."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return COMMAND_LINE.name


def remove_accepted(chosen: argparse.Namespace, settings: Settings) -> None:
    """Take an accepted statement back."""
    with bounded_memory(settings.memory_limit_mb), opened(settings) as stores:
        record = stores.evidence.record(chosen.record)
        if record is None or record.source != ACCEPTED or not record.spans:
            raise InvalidInput(f"{chosen.record[:60]} is no accepted statement")
        _bring_in(stores, [make_removal(chosen.record)], settings, datetime.now(UTC))
        stores.audit.add(_person(), "evidence remove", chosen.record)


def _bring_in(
    stores: Stores, findings: Sequence[AcceptedFinding], settings: Settings, now: datetime
) -> None:
    name, content = write_accepted(findings, _person(), now)
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        files = find_files([path])
        with stores.sharing.writing():
            keep_files(settings.home, files, import_files(stores.evidence, files, now=now))
            derive_names_and_events(stores)


def sync(chosen: argparse.Namespace, settings: Settings) -> int:
    """Fetch what changed at the sources and print what came of it, a block a source."""
    if chosen.since and read_date(chosen.since) != chosen.since:
        raise InvalidInput(f"--since {chosen.since[:20]!r} is no day; write it as 2026-11-01")
    if chosen.since > datetime.now(UTC).date().isoformat():
        raise InvalidInput(f"--since {chosen.since} is in the future; name a day up to today")
    with bounded_memory(settings.memory_limit_mb), opened(settings) as stores:
        now, by = datetime.now(UTC), COMMAND_LINE.name
        options = {"names": chosen.source, "since": chosen.since}
        reports = sync_sources(stores, settings, now, by, announce_step, **options)
    for report in reports:
        sys.stdout.write(
            f"source\t{report.source}\nstatus\t{report.status}\ndata of\t{report.as_of}\n"
            f"counted\t{report.counted}\nread\t{report.read}\nnew states\t{report.changed}\n"
            f"into the evidence\t{report.promoted}\n"
        )
        sys.stdout.writelines(f"no longer listed\t{number}\n" for number in report.withdrawn)
        if report.message:
            sys.stderr.write(f"{report.source}: {report.message}\n")
    return 0 if all(report.status in WHOLE for report in reports) else 1


def export(chosen: argparse.Namespace, settings: Settings) -> None:
    """Write the pack into one file and print its sha256."""
    with opened(settings) as stores:
        mark = stores.evidence.export(chosen.file)
    sys.stdout.write(f"{mark}  {chosen.file.name}\n")
