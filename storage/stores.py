"""Opens every store of a process together: the one name that other packages import."""

from datetime import timedelta

from sqlalchemy.orm import configure_mappers

from core.ports import Stores
from core.settings import Settings
from storage.audit import AuditStore
from storage.blobs import BlobStore
from storage.engine import Database
from storage.evidence import open_evidence
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
from storage.notes import NoteStore
from storage.projects import ProjectStore
from storage.quotas import QuotaStore
from storage.runs import RunStore
from storage.secret import Pepper, read_secret
from storage.sessions import SessionStore
from storage.shares import ShareStore
from storage.throttle import Throttle
from storage.upkeep import UpkeepStore
from storage.uploads import Room, UploadStore
from storage.users import UserStore
from storage.watches import WatchStore

configure_mappers()  # once in the fork server, and in none of its children


def open_stores(settings: Settings, *, now: Clock = utc_now) -> Stores:
    """Return the stores of the instance; cheap, and fit to be called in every process.

    The schema is not touched: call `stores.engine.upgrade()` once at set-up.

    Args:
        settings: Instance folder, database, secret and length of a session.
        now: The clock of keys, sessions and audit lines.
    """
    close_folder(settings.home)
    secret, held = read_secret(settings), settings.home / "evidence"
    database = Database(settings.database)
    sessions = SessionStore(
        database,
        Pepper(secret, "session"),
        now,
        lifetime=timedelta(days=settings.session_days),
        idle=timedelta(hours=settings.session_idle_hours),
    )
    blobs = BlobStore(settings.home / "blobs")
    freeing = Freeing(database, blobs, settings.home)
    room = Room(settings.uploads_per_caller, settings.upload_total_mb)
    return Stores(
        engine=database,
        blobs=blobs,
        files=UploadStore(database, freeing, room, now),
        runs=RunStore(database, freeing),
        shares=ShareStore(database, Pepper(secret, "run-share"), now),
        leases=LeaseStore(database),
        keys=KeyStore(database, Pepper(secret, "api-key"), now),
        users=UserStore(
            database,
            sessions=sessions,
            links=LinkStore(database, Pepper(secret, "one-time-link"), now),
            throttle=Throttle(database, Pepper(secret, "device"), now),
            now=now,
        ),
        quotas=QuotaStore(database),
        audit=AuditStore(database, now),
        idempotency=IdempotencyStore(database),
        upkeep=UpkeepStore(database, blobs, settings),
        evidence=open_evidence(settings, database),
        identity=IdentityStore(held / "identity.db"),
        learned_names=IdentityStore(held / "learned.db"),
        notes=NoteStore(held / "computed.db"),
        watches=WatchStore(database, now),
        lists=ListStore(database, now),
        projects=ProjectStore(database, now),
        mailings=MailingStore(database, Pepper(secret, "mailing"), now),
    )
