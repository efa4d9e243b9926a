"""Every setting of an instance, typed and explained in one place.

Values come from the environment (prefix `BPW_`), never from code. `DATABASE_URL` and
`ANTHROPIC_API_KEY` keep the names that other programs use for them.
"""

import json
import os
import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from core.errors import InvalidInput
from core.records.model import ModelPrice, Provider, TaskName

MEGABYTE = 1024 * 1024
SHORTEST_SECRET = 32
"""Characters of a secret that several hosts share."""


_MOST_MEMORY_MB, _LEAST_MEMORY_MB = 8192, 1024
_MEMORY_FILES = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def split_names(value: object) -> object:
    """Return the names of a comma-separated text; anything else as it is.

    >>> split_names("bench.example.org, 10.0.0.7:8443")
    ('bench.example.org', '10.0.0.7:8443')
    """
    if not isinstance(value, str):
        return value
    return tuple(name.strip() for name in value.split(",") if name.strip())


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(split_names)]
"""Names in one variable, separated by commas."""
Searcher = Literal["anthropic", "exa", "searxng", "brave"]
"""A search of the web that an instance may use."""


def read_searchers(value: object) -> object:
    """Return the names of a text; "off" is none."""
    names = split_names(value)
    return () if names == ("off",) else names


def read_pairs(value: object) -> object:
    """Return the object that a text of JSON is; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value or "{}")
    except ValueError:
        raise ValueError("this is no JSON object") from None


def machine_memory_mb() -> int:
    """Return the memory of this machine, or of the container, in megabytes."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in _MEMORY_FILES:
        with suppress(OSError, ValueError):  # "max" stands for no limit
            limits.append(int(file.read_text()))
    return min(limits) // MEGABYTE


def share_of_memory(n_workers: int) -> int:
    """Return the memory of one run in megabytes, where so many are computed beside the app."""
    share = machine_memory_mb() // (n_workers + 1)
    return max(_LEAST_MEMORY_MB, min(_MOST_MEMORY_MB, share))


def is_loopback(address: str) -> bool:
    """Return whether an address is of this machine.

    >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("https://models.example.org")
    (True, False)
    """
    return urlsplit(address).hostname in {"127.0.0.1", "localhost", "::1"}


def forget_model_variables() -> None:
    """Take keys and addresses of models and searches out of the environment of this process.

    The settings have what the product uses; packages would read the rest by themselves.
    """
    for name in list(os.environ):
        if name.startswith("ANTHROPIC_") or name in {"BPW_MODEL_API_KEY", "BPW_WEB_SEARCH_KEY"}:
            del os.environ[name]


class Settings(BaseSettings):
    """Settings of one instance, read once."""

    model_config = SettingsConfigDict(
        env_prefix="BPW_", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    home: Path = Field(default=Path("instance"), description="Database, blobs, secrets.")
    database_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("DATABASE_URL", "database_url"),
        description="SQLAlchemy address; default a SQLite file in the instance folder.",
    )
    host: str = Field(default="127.0.0.1", description="Address the app listens on.")
    port: int = Field(default=8501, ge=1, le=65535, description="Port the app listens on.")
    secret_key: str | None = Field(
        default=None,
        description="Key pepper and cookie secret derive from it; 32 characters or more where "
        "several hosts share the instance.",
    )
    secure_cookie: bool = Field(default=False, description="Set behind TLS: cookie only by https.")
    allowed_hosts: Names = Field(
        default=(),
        description="Names by which browsers reach the instance besides its addresses, e.g. "
        '"bench.example.org,bench:8443"; behind a proxy the name that people type.',
    )
    trusted_proxies: Names = Field(
        default=(),
        description="Addresses or networks of proxies whose X-Forwarded-For and -Proto are "
        "believed; none by default.",
    )
    header_limit_s: float = Field(
        default=10, gt=0, description="A connection that sent no whole request head by then ends."
    )
    offline: bool = Field(default=False, description="Open no outgoing connection at all.")
    contact: str | None = Field(
        default=None,
        description="Contact in the User-Agent; the SEC is asked only with a mail address here.",
    )
    proxy: str | None = Field(
        default=None, description="Proxy for outgoing connections, e.g. http://proxy:3128."
    )
    ca_bundle: str | None = Field(
        default=None, description="File with the certificate authorities of the company, as PEM."
    )
    live_sources: Names = Field(
        default=(),
        description="Sources that a run may ask over the network in addition to the evidence, "
        'such as "ctgov" (guide Evidence); none by default. Only names of drugs, diseases, '
        "targets and companies, numbers of companies and the first day asked about are sent.",
    )
    live_addresses: dict[str, str] = Field(
        default_factory=dict,
        description='Other addresses of live sources, e.g. {"ctgov": "https://mirror.example"}.',
    )
    sync_at: Annotated[str | None, BeforeValidator(lambda value: value or None)] = Field(
        default=None,
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
        description="Time of day (UTC, e.g. 04:30) at which the app fetches what changed at "
        "registers and regulators (`evidence sync`); none by default.",
    )
    backup_at: Annotated[str | None, BeforeValidator(lambda value: value or None)] = Field(
        default=None,
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
        description="Time of day (UTC, e.g. 03:00) at which the app backs the instance up; none "
        "by default.",
    )
    backup_to: Path | None = Field(
        default=None, description="Folder of daily backups, best on another disk."
    )
    backup_keep: int = Field(default=7, ge=1, le=1000, description="Daily backups that are kept.")
    live_patents: bool = Field(
        default=False,
        description="Ask SureChEMBL, USPTO ODP and EPO OPS for patents in addition to imported "
        "records.",
    )
    uspto_odp_api_key: str | None = Field(
        default=None, repr=False, description="Key of the USPTO Open Data Portal."
    )
    epo_ops_api_key: str | None = Field(
        default=None, repr=False, description='Key of EPO Open Patent Services, "key:secret".'
    )
    tiingo_api_key: str | None = Field(
        default=None,
        repr=False,
        description="Key of Tiingo: the attribution engine's form then gets daily prices by "
        "ticker. Your plan with Tiingo must allow the use.",
    )
    key: str | None = Field(
        default=None,
        repr=False,
        description="API key of `python -m api run`; as an argument it would show in `ps`.",
    )
    run_engine: Literal["local", "procrastinate"] = Field(
        default="local",
        description='What executes runs: "local", this machine; "procrastinate", workers on any '
        "number of hosts (`python -m api worker`) that share a PostgreSQL database, BPW_BLOB_URL "
        "and BPW_SECRET_KEY.",
    )
    blob_url: str | None = Field(
        default=None,
        pattern=r"^(s3://[^/]+|file:///)",
        description="Where results and uploads lie: s3://bucket/prefix of an S3-compatible store, "
        "reached as the standard variables of AWS say, or file:///path of a folder that all hosts "
        "share; by default in the instance folder.",
    )
    computing_workers: int = Field(default=2, ge=1, le=64, description="Runs computed at once.")
    waiting_workers: int = Field(default=6, ge=1, le=64, description="Runs that wait at once.")
    memory_limit_mb: int = Field(
        default_factory=lambda given: share_of_memory(given.get("computing_workers", 1)),
        ge=1024,
        description="Writable memory of one run; default 8192, or less on a machine where as many "
        "runs as are computed at once, and the app, would not fit.",
    )
    allowance_s: float | None = Field(
        default=None, gt=0, description="Time allowance of every agent, in seconds."
    )
    allowances: dict[str, float] = Field(
        default_factory=dict, description='Single allowances, e.g. {"compound-map": 900}.'
    )
    quota_runs: int = Field(default=1000, ge=0, description="Runs per caller and calendar month.")
    max_alerts: int = Field(
        default=25, ge=0, description="Saved queries that one caller may have enabled."
    )
    mail_host: str | None = Field(
        default=None,
        description="SMTP server that sends digests of alerts; none: no mail is offered or sent.",
    )
    mail_port: int = Field(default=587, ge=1, le=65535, description="Its port.")
    mail_security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description='How it is reached; "none" only on this machine.'
    )
    mail_user: str | None = Field(default=None, description="Name to sign in there with.")
    mail_password: str | None = Field(default=None, repr=False, description="Its password.")
    mail_from: str | None = Field(default=None, description="Sender, e.g. bench@example.org.")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/\s]+",
        description="Address of this instance in mails, e.g. https://bench.example.org.",
    )
    upload_limit_mb: int = Field(default=200, ge=1, description="Largest upload.")
    compressed_limit_mb: int = Field(default=64, ge=1, description="Largest compressed upload.")
    expanded_limit_mb: int = Field(default=512, ge=1, description="Largest upload, expanded.")
    uploads_per_caller: int = Field(default=200, ge=1, description="Uploads one caller may hold.")
    upload_total_mb: int = Field(
        default=2000, ge=1, description="Megabytes of all uploads that one caller may hold."
    )
    page_upload_mb: int = Field(
        default=600,
        ge=1,
        description="Megabytes that the pages of one person hold in memory while files are chosen.",
    )
    second_factor: Literal["optional", "required"] = Field(
        default="optional",
        description='Codes of an authenticator app for accounts with a password: "required" asks '
        "each person to set one up at the next sign-in.",
    )
    oidc_issuer: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="OpenID Connect provider for single sign-on, e.g. https://login.example.org; "
        "https, but for a provider on this machine.",
    )
    oidc_client_id: str = Field(default="", description="What the provider calls this instance.")
    oidc_client_secret: SecretStr | None = Field(default=None, description="Its secret there.")
    oidc_roles: dict[str, Literal["admin", "analyst"]] = Field(
        default={"*": "analyst"},
        description='Roles by group of the provider, e.g. {"bench-admins": "admin", "*": '
        '"analyst"}; "*" is everybody. Who has no role is refused. The role follows each sign-in.',
    )
    oidc_groups_claim: str = Field(default="groups", description="Claim that lists the groups.")
    oidc_name_claim: str = Field(
        default="preferred_username",
        description='Claim that names an account made by single sign-on, e.g. "email".',
    )
    session_days: float = Field(default=7, gt=0, description="A sign-in lasts this many days.")
    session_idle_hours: float = Field(
        default=24, ge=0, description="A sign-in that is not used for so long ends (0: never)."
    )
    keep_runs_days: int = Field(
        default=365, ge=0, description="Finished runs are kept this many days (0: for ever)."
    )
    keep_uploads_days: int = Field(
        default=30, ge=0, description="Uploads that no run names are kept this many days."
    )
    model: Literal["rules", "anthropic", "local"] | None = Field(
        default=None,
        description="Language model that orders sentences and reads words that the rules leave "
        'over: "anthropic", "local" (a server of your own) or "rules" for none; by default '
        "anthropic where its key is set, else none.",
    )
    anthropic_api_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("ANTHROPIC_API_KEY", "anthropic_api_key"),
        description="Key of Anthropic's API.",
    )
    model_base_url: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Address of the language model's service; of a local server, e.g. "
        "http://127.0.0.1:8080/v1. With BPW_OFFLINE=1 only an address of this machine is used.",
    )
    model_api_key: SecretStr | None = Field(
        default=None, description="Key of the local server, where it asks for one."
    )
    model_names: dict[str, str] = Field(
        default_factory=dict,
        description='Models by family, e.g. {"sonnet": "my-model"}; a local server is asked for '
        'the model of "sonnet" whatever the request says.',
    )
    model_tasks: Annotated[tuple[TaskName, ...], NoDecode, BeforeValidator(split_names)] = Field(
        default=("select", "read", "web", "ask"),
        description='What a model may do: "select" (order of sentences), "read" (words of a '
        'question that the rules leave over), "web" (point at quotes on fetched pages) and "ask" '
        "(choose agents for a question).",
    )
    model_tokens_month: int = Field(
        default=2_000_000,
        ge=0,
        description="Tokens of language models per caller and calendar month; answers are "
        "composed by rules when they are used up.",
    )
    model_prices: dict[str, ModelPrice] = Field(
        default_factory=dict,
        description="Prices by model in US dollars for a million tokens, from which the Account "
        'page computes costs, e.g. {"my-model": {"input": 0, "output": 0, "as_of": "2026-11-01"}}.',
    )
    web_search_url: Annotated[dict[Searcher, str], NoDecode, BeforeValidator(read_pairs)] = Field(
        default_factory=dict,
        description="Addresses of web searches; SearXNG needs one, e.g. "
        '{"searxng": "http://127.0.0.1:8888"}.',
    )
    web_search_key: Annotated[dict[Searcher, SecretStr], NoDecode, BeforeValidator(read_pairs)] = (
        Field(default_factory=dict, description='Keys of web searches, e.g. {"exa": "..."}.')
    )
    web_hosts: Names = Field(
        default=(),
        description="Hosts to which web searches and pages are limited, with their subdomains, "
        'e.g. "fda.gov,novartis.com"; all by default. Behind BPW_PROXY it must be set.',
    )
    web_loopback: bool = Field(
        default=False, description="For tests: pages of this machine may be read, without TLS."
    )
    web_search: Annotated[tuple[Searcher, ...], NoDecode, BeforeValidator(read_searchers)] = Field(
        default=(),
        description='Searches of the web: "anthropic" (with its model), "exa" (neural), and '
        '"searxng" (a server of your own) or "brave", separated by commas; "off" by default. '
        "Names and aliases of drugs, companies, targets and diseases are sent. With "
        "BPW_OFFLINE=1 only a search on this machine is used.",
    )
    metrics_token: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Bearer token of /metrics (Prometheus), 16 characters or more; none: off.",
    )
    cors_origins: Names = Field(
        default=(),
        description='Origins whose pages may call /v1 from a browser, e.g. "https://intranet.example.org"'
        "; none by default. A key is needed all the same.",
    )
    log_level: str = Field(default="INFO", description="Lowest level that is logged.")

    @field_validator("cors_origins")
    @classmethod
    def _check_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no origin such as https://intranet.example.org")
        return origins

    @field_validator("web_hosts")
    @classmethod
    def _check_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for host in hosts:
            if not _HOST.fullmatch(host):
                raise ValueError(f"{host!r} is no name of a host")
        return tuple(host.lower() for host in hosts)

    @field_validator("web_search")
    @classmethod
    def _check_searchers(
        cls, searchers: tuple[Searcher, ...], given: ValidationInfo
    ) -> tuple[Searcher, ...]:
        """Refuse searches that cannot work; the other settings were read before this one."""
        if searchers and given.data.get("proxy") and not given.data.get("web_hosts"):
            raise ValueError(
                "a proxy resolves names by itself, so pages behind one cannot be checked; name "
                "the hosts that may be read in BPW_WEB_HOSTS"
            )
        if {"searxng", "brave"} <= set(searchers):
            raise ValueError('"searxng" and "brave" serve the same search; choose one of them')
        for searcher in searchers:
            if fault := _fault_of(searcher, given.data):
                raise ValueError(fault)
        return searchers

    @model_validator(mode="after")
    def _check_backups(self) -> "Settings":
        if self.backup_at and self.backup_to is None:
            raise ValueError("BPW_BACKUP_AT needs BPW_BACKUP_TO, the folder of the backups")
        return self

    @model_validator(mode="after")
    def _check_provider(self) -> "Settings":
        if self.oidc_issuer:
            if not (self.oidc_client_id and self.oidc_client_secret):
                raise ValueError("BPW_OIDC_ISSUER needs BPW_OIDC_CLIENT_ID and _CLIENT_SECRET")
            if not self.oidc_issuer.startswith("https://") and not is_loopback(self.oidc_issuer):
                raise ValueError("BPW_OIDC_ISSUER must begin with https://")
        return self

    @model_validator(mode="after")
    def _check_engine(self) -> "Settings":
        if self.is_shared:
            shared = {
                "DATABASE_URL (PostgreSQL)": (self.database_url or "").startswith("postgres"),
                "BPW_BLOB_URL": self.blob_url,
                "BPW_SECRET_KEY": self.secret_key,
            }
            if missing := [name for name, value in shared.items() if not value]:
                raise ValueError(f"BPW_RUN_ENGINE=procrastinate needs {', '.join(missing)}")
            if len(self.secret_key or "") < SHORTEST_SECRET:
                raise ValueError(f"BPW_SECRET_KEY needs {SHORTEST_SECRET} characters or more")
        return self

    @property
    def is_shared(self) -> bool:
        """Return whether several hosts share the instance."""
        return self.run_engine == "procrastinate"

    @property
    def has_single_sign_on(self) -> bool:
        """Return whether people can sign in through an identity provider."""
        issuer = self.oidc_issuer or ""
        return bool(issuer) and (not self.offline or is_loopback(issuer))

    @property
    def database(self) -> str:
        """Return the SQLAlchemy address of the database."""
        return self.database_url or f"sqlite:///{self.home.resolve() / 'workbench.db'}"

    @property
    def sends_mail(self) -> bool:
        """Return whether digests can be sent: server, sender and own address are set."""
        return bool(self.mail_host and self.mail_from and self.public_url) and not self.offline

    @property
    def model_provider(self) -> Provider | None:
        """Return which language model is asked; None where answers are composed by rules."""
        chosen = self.model or ("anthropic" if self.anthropic_api_key else "rules")
        if chosen == "rules" or (self.offline and not is_loopback(self.model_base_url or "")):
            return None
        if chosen == "anthropic":
            has_key = self.anthropic_api_key and self.anthropic_api_key.get_secret_value()
            return "anthropic" if has_key else None
        return "local" if self.model_base_url else None

    @property
    def web_searchers(self) -> tuple[Searcher, ...]:
        """Return which searches of the web are asked; offline only those of this machine."""

        def is_near(searcher: Searcher) -> bool:
            own = self.model_base_url if searcher == "anthropic" else None
            return is_loopback(own or self.web_search_url.get(searcher, ""))

        return tuple(name for name in self.web_search if not self.offline or is_near(name))

    @property
    def session_cookie(self) -> str:
        """Return the name of the session's cookie; behind TLS no other site can plant it."""
        return f"{self._cookie_prefix}bpw_session"

    @property
    def device_cookie(self) -> str:
        """Return the name of the cookie that tells a browser in which somebody signed in before."""
        return f"{self._cookie_prefix}bpw_device"

    @property
    def journey_cookie(self) -> str:
        """Return the name of the cookie that a browser takes to the identity provider and back."""
        return f"{self._cookie_prefix}bpw_journey"

    @property
    def _cookie_prefix(self) -> str:
        return "__Host-" if self.secure_cookie else ""

    def allowance_for(self, agent: str, default_s: float) -> float:
        """Return the time allowance of an agent in seconds.

        Args:
            agent: Agent name.
            default_s: The agent's own allowance.
        """
        return self.allowances.get(agent, self.allowance_s or default_s)


_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d+)?")
_HOST = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")

_OWN_KEY = "ANTHROPIC_API_KEY"


def _fault_of(searcher: Searcher, fields: dict[str, Any]) -> str:
    """Return what a search lacks, with the setting that gives it; "" for nothing."""
    key = fields.get("web_search_key", {}).get(searcher)
    own_key = fields.get("anthropic_api_key") if searcher == "anthropic" else key
    has_key = bool(own_key and own_key.get_secret_value())
    url = fields.get("web_search_url", {}).get(searcher, "")
    is_plain = url.startswith("http://") and not is_loopback(url)
    is_other = searcher == "anthropic" and fields.get("model") in {"local", "rules"}
    example = f'{{"{searcher}": "..."}}'
    faults = (
        (is_other, '"anthropic" searches with its model; set BPW_MODEL=anthropic or leave it out'),
        (
            searcher == "anthropic" and not has_key,
            f'"anthropic" needs its key in {_OWN_KEY}',
        ),
        (
            searcher in {"exa", "brave"} and not has_key,
            f"\"{searcher}\" needs its key: BPW_WEB_SEARCH_KEY='{example}'",
        ),
        (
            searcher == "searxng" and not url,
            f"\"searxng\" needs its address: BPW_WEB_SEARCH_URL='{example}'",
        ),
        (
            bool(url) and not re.match(r"https?://[^/\s]", url),
            f'the address of "{searcher}" in BPW_WEB_SEARCH_URL must begin with https:// or http://',
        ),
        (
            has_key and is_plain,
            f'the key of "{searcher}" is sent over https only; change BPW_WEB_SEARCH_URL',
        ),
    )
    return next((fault for is_so, fault in faults if is_so), "")


_FOREIGN = frozenset({"database_url", "anthropic_api_key"})
"""Settings that keep the name which other programs use."""
_NO_FIT = {
    "string_pattern_mismatch": "This value does not have the expected form",
    "too_short": "This value needs {min_length} characters or more",
}


@lru_cache(maxsize=1)
def read_settings() -> Settings:
    """Return the settings of this process.

    Raises:
        InvalidInput: A variable has a value that does not fit; the message names it and its use.
    """
    try:
        return Settings()
    except ValidationError as failure:
        lines = []
        for error in failure.errors():
            name = str(next(iter(error["loc"]), "")).lower()
            if error["type"] != "default_factory_not_called" and name in Settings.model_fields:
                variable = name.upper() if name in _FOREIGN else f"BPW_{name.upper()}"
                reason = error["msg"].removeprefix("Value error, ")
                if error["type"] in _NO_FIT:
                    reason = _NO_FIT[error["type"]].format(**error.get("ctx", {}))
                use = Settings.model_fields[name].description
                lines.append(f"{variable}: {reason}. {use}")
            elif not error["loc"]:
                lines.append(error["msg"].removeprefix("Value error, "))
        raise InvalidInput("\n".join(lines) or "the settings do not fit") from None
    except SettingsError as failure:
        raise InvalidInput(f"{failure}; lists and objects are written as JSON") from None
