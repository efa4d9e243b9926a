"""`python -m tools.curation check|fill`: checks and fills the tables of the starter pack."""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from api.cli_accounts import opened
from core.errors import InvalidInput, WorkbenchError
from core.evidence.assets.curators_drugs import KnownDrug, known_by_key
from core.evidence.assets.joined_names import learn
from core.evidence.names.identity.resolver import Resolver
from core.evidence.sources.importing import find_files, import_files
from core.evidence.sources.pack.files import path_of, read_table, write_rows
from core.evidence.sources.pack.schema import OVERRIDES, TABLES
from core.ports import Stores
from core.settings import Settings, read_settings
from tools.curation.checks import find_faults
from tools.curation.choice import RULE
from tools.curation.drug_sheet import write_sheets
from tools.curation.filling import curate
from tools.curation.sources import load_sources
from tools.curation.table_files import write_tables

UNDATED = frozenset({"ema", "label-indications"})
"""Sources whose records carry no date of the list on which they stand."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    chosen = make_parser().parse_args(arguments)
    try:
        code: int = chosen.command(chosen, read_settings())
    except WorkbenchError as failure:
        sys.stderr.write(f"{failure.message}\n")
        return 1
    return code


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of both commands."""
    parser = argparse.ArgumentParser(prog="python -m tools.curation")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    checked = commands.add_parser("check", help="say what is wrong with the starter pack's tables")
    checked.add_argument("--tidy", action="store_true", help="first put their rows in order")
    checked.add_argument(
        "--drug", default="", metavar="NAME", help="print one drug across all tables instead"
    )
    checked.set_defaults(command=check)
    filled = commands.add_parser(
        "fill", help="fill the starter pack's tables of sources for the drugs that it names"
    )
    filled.add_argument("--from", dest="folder", type=Path, required=True, metavar="FOLDER")
    filled.add_argument("--on", default="", help="day of curation (YYYY-MM-DD; default: today)")
    filled.add_argument("--keep", type=Path, help="keep what was read here, and use it next time")
    filled.set_defaults(command=fill)
    return parser


def check(chosen: argparse.Namespace, settings: Settings) -> int:
    """Print what is wrong with the tables of the starter pack, and how many rows they have."""
    if chosen.drug:
        return _check_drug(chosen.drug)
    for table in (*TABLES, OVERRIDES):
        rows = [row for _, row in read_table(table)]
        if chosen.tidy:
            text = write_rows(rows, table)
            path_of(table).write_text(text, encoding="utf-8", newline="")
        sys.stdout.write(f"{table.name}\t{len(rows)} rows\n")
    with opened(settings) as stores:
        if stores.identity.version():
            known_drugs = known_by_key(Resolver(stores.identity, stores.learned_names))
            sys.stdout.writelines(f"{line}\n" for line in _double(known_drugs))
    faults = find_faults(datetime.now(UTC).date())
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


def _check_drug(name: str) -> int:
    """Print one drug across all tables, then what is wrong with its rows and with decisions."""
    lines = list(write_sheets(name))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    places = {line.partition("\t")[0] for line in lines}
    faults = [
        fault
        for fault in find_faults(datetime.now(UTC).date())
        if fault.partition(":")[0] in places or fault.startswith(OVERRIDES.name)
    ]
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


def _double(known_drugs: Mapping[str, Sequence[KnownDrug]]) -> Iterator[str]:
    """Yield drugs with several names in the pack, and those that no dictionary knows."""
    for key, rows in known_drugs.items():
        names = sorted({row.drug for row in rows})
        if len(names) > 1:
            yield f"one drug by the known names\t{', '.join(names)}\t{key}"
        elif key.startswith("name:"):
            yield f"in no list of names\t{names[0]}"


def fill(chosen: argparse.Namespace, settings: Settings) -> int:
    """Fill the tables of sources from the files at hand that may fill them."""
    today = date.fromisoformat(chosen.on) if chosen.on else datetime.now(UTC).date()
    sys.stdout.write(f"rule\t{RULE}\n")
    with opened(settings) as stores, _reading(chosen, settings) as read:
        if not stores.identity.version():
            raise InvalidInput("this needs names: run `python -m api evidence build` first")
        learn(read.evidence, stores.identity, read.learned_names)
        resolver = Resolver(stores.identity, read.learned_names)
        rows = curate(read.evidence, resolver, today, _show_progress)
    for table, count in write_tables(rows, today).items():
        sys.stdout.write(f"{table}\t{count} rows\n")
    # a decision about a row that the sources no longer give would stop the next load
    problems = find_faults(datetime.now(UTC).date())
    faults = [problem for problem in problems if problem.startswith(OVERRIDES.name)]
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


@contextmanager
def _reading(chosen: argparse.Namespace, settings: Settings) -> Iterator[Stores]:
    """Give stores that hold the sources' records and nothing else."""
    with tempfile.TemporaryDirectory() as beside:
        home = chosen.keep or Path(beside)
        with opened(settings.model_copy(update={"home": home, "database_url": None})) as read:
            if not read.evidence.version():
                for day, files in _files(chosen.folder).items():
                    import_files(read.evidence, files, now=datetime.now(UTC), as_of=day)
            yield read


def _files(folder: Path) -> dict[str, list[Any]]:
    """Return the files that may fill rows, by the date to give with them."""
    if not folder.is_dir():
        raise InvalidInput(f"--from: there is no folder {folder}")
    files_by_kind: dict[str, list[Any]] = {}
    for source in load_sources():
        day = source.as_of if source.source in UNDATED else ""
        files_by_kind.setdefault(day, []).extend(find_files([folder / source.file]))
    return files_by_kind


def _show_progress(name: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {total}: {name[:60]:<60}")


if __name__ == "__main__":
    sys.exit(main())
