"""Opens every store of a process together: the one name that other packages import."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from sqlalchemy.orm import configure_mappers

from core.ports import Sharing, Stores
from core.settings import Settings
from storage.audit import AuditStore
from storage.backup import EVENTS, PACK
from storage.blobs import BlobStore
from storage.callers import CallerMemory
from storage.engine import Database
from storage.evidence import EvidenceStore, open_evidence
from storage.factors import FactorStore
from storage.folder import close_folder
from storage.freeing import Freeing
from storage.idempotency import IdempotencyStore
from storage.identity import IdentityStore
from storage.instants import Clock, utc_now
from storage.keys import KeyStore
from storage.leases import LeaseStore
from storage.links import LinkStore
from storage.lists import ListStore
from storage.mailings import MailingStore
from storage.model_calls import ModelCallStore
from storage.object_blobs import open_blobs
from storage.projects import ProjectStore
from storage.quotas import QuotaStore
from storage.rates import RateStore
from storage.runs import RunStore
from storage.secret import Pepper, SealStore, read_secret
from storage.sessions import SessionStore
from storage.shares import ShareStore
from storage.sharing import OwnEvidence, SharedEvidence
from storage.states import StateStore
from storage.throttle import Throttle
from storage.upkeep import UpkeepStore
from storage.uploads import Room, UploadStore
from storage.users import UserStore
from storage.watches import WatchStore

LARGEST_FILE = 500_000_000
"""Bytes; a larger file is begun anew."""
_CHUNK = 500
_WAIT_S = 1.0
_TABLE = "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value TEXT) WITHOUT ROWID"


class NoteStore:
    """The notes of one instance."""

    def __init__(self, path: Path, largest: int = LARGEST_FILE) -> None:
        """Open nothing yet.

        Args:
            path: The file; its folder is made when it is first needed.
            largest: Bytes.
        """
        self._path = path
        self._largest = largest

    def read(self, keys: Collection[bytes]) -> Mapping[bytes, str]:
        """Return what is kept of keys."""
        values: dict[bytes, str] = {}
        ordered = list(keys)
        with self._guarded():
            if not self._path.exists():
                return {}
            with self._open() as database:
                for start in range(0, len(ordered), _CHUNK):
                    some = ordered[start : start + _CHUNK]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT key, value FROM kept WHERE key IN ({marks})"  # noqa: S608
                    values.update(database.execute(query, some).fetchall())
        return values

    def write(self, values: Mapping[bytes, str]) -> None:
        """Keep texts by key."""
        with self._guarded():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._path.exists() and self._path.stat().st_size > self._largest:
                self._forget()
            with self._open() as database, database:
                database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", values.items())

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=_WAIT_S)) as database:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=NORMAL")
            database.execute(_TABLE)
            yield database

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Go on without the file; one that is no database is forgotten."""
        try:
            yield
        except sqlite3.OperationalError:  # locked, or the disk is full
            return
        except sqlite3.DatabaseError:
            with suppress(OSError):
                self._forget()
        except OSError:
            return

    def _forget(self) -> None:
        for ending in ("", "-wal", "-shm"):
            Path(f"{self._path}{ending}").unlink(missing_ok=True)


configure_mappers()  # once in the fork server, and in none of its children


def open_stores(settings: Settings, *, now: Clock = utc_now) -> Stores:
    """Return the stores of the instance; cheap, and fit to be called in every process.

    The schema is not touched: call `stores.engine.upgrade()` once at set-up.

    Args:
        settings: Instance folder, database, secret and length of a session.
        now: The clock of keys, sessions and audit lines.
    """
    close_folder(settings.home)
    secret, folder = read_secret(settings), settings.home / "evidence"
    database = Database(settings.database)
    sessions = SessionStore(
        database,
        Pepper(secret, "session"),
        now,
        lifetime=timedelta(days=settings.session_days),
        idle=timedelta(hours=settings.session_idle_hours),
    )
    blobs = open_blobs(settings, database)
    freeing = Freeing(database, blobs, settings.home)
    evidence = open_evidence(settings)
    identity, learned = IdentityStore(folder / "identity.db"), IdentityStore(folder / "learned.db")
    seals, callers = SealStore(secret, now), CallerMemory()
    throttle = Throttle(database, Pepper(secret, "device"), now)
    room = Room(settings.uploads_per_caller, settings.upload_total_mb)
    return Stores(
        engine=database,
        blobs=blobs,
        files=UploadStore(database, freeing, room, now),
        runs=RunStore(database, freeing),
        shares=ShareStore(database, Pepper(secret, "run-share"), now),
        leases=LeaseStore(database),
        keys=KeyStore(database, Pepper(secret, "api-key"), now, callers),
        users=UserStore(
            database,
            sessions=sessions,
            links=LinkStore(database, Pepper(secret, "one-time-link"), now),
            throttle=throttle,
            now=now,
            callers=callers,
        ),
        factors=FactorStore(
            database,
            seals=seals,
            pepper=Pepper(secret, "recovery-code"),
            throttle=throttle,
            now=now,
        ),
        seals=seals,
        quotas=QuotaStore(database),
        audit=AuditStore(database, now),
        idempotency=IdempotencyStore(database),
        upkeep=UpkeepStore(database, blobs, settings),
        evidence=evidence,
        identity=identity,
        learned_names=learned,
        notes=NoteStore(folder / "computed.db"),
        replies=NoteStore(folder / "live_answers.db", LARGEST_FILE // 5),
        rates=RateStore(database),
        states=StateStore(database),
        sharing=_open_sharing(settings, database, blobs, (evidence, identity, learned)),
        watches=WatchStore(database, now),
        lists=ListStore(database, now),
        projects=ProjectStore(database, now),
        model_calls=ModelCallStore(database),
        mailings=MailingStore(database, Pepper(secret, "mailing"), now),
    )


def _open_sharing(
    settings: Settings,
    database: Database,
    blobs: BlobStore,
    files: tuple[EvidenceStore, IdentityStore, IdentityStore],
) -> Sharing:
    """Return how the evidence of this host and that of others are kept the same."""
    evidence, identity, learned = files

    def versions() -> Mapping[str, str]:
        newest = max((number for number, _ in evidence.generations()), default=0)
        return {
            PACK: f"{evidence.version()} {newest}" if newest else "",
            EVENTS: evidence.events_mark(),
            "identity.db": identity.version(),
            "learned.db": learned.version(),
        }

    if not settings.is_shared:
        return OwnEvidence()
    return SharedEvidence(
        database, blobs, StateStore(database), settings.home / "evidence", versions
    )
