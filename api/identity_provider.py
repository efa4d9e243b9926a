"""An OpenID Connect provider: where people are sent, and who comes back.

Authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, 3.1; RFC 7636).
ID tokens count only when they are signed by a key of the provider.
"""

import json
import re
import secrets
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import structlog

from core.errors import NotAuthenticated
from core.records.runs import SignOn
from core.settings import Settings, is_loopback

SIGNATURES = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
"""Algorithms of ID tokens: signed with the provider's own key, never with a shared secret."""
REFUSED, UNAVAILABLE = "sign_on_refused", "provider_unavailable"
LONGEST_SUBJECT = 255
_TIMEOUT_S = (5, 10)
_KEEP_S = 600
_LARGEST = 1_000_000
_LEEWAY_S = 60
_METADATA = "/.well-known/openid-configuration"
_SPACES = re.compile(r"\s+")
_DOCUMENTS: dict[str, tuple[float, dict[str, Any]]] = {}
"""Description and keys of the provider by address, with the time at which they came."""


class Journey(NamedTuple):
    """What must come back unchanged from the provider.

    Attributes:
        state: Binds the answer to the browser that asked.
        nonce: Binds the ID token to this sign-in.
        verifier: Proves that whoever redeems the code also asked for it.
        target: Where the visitor wanted to go.
    """

    state: str
    nonce: str
    verifier: str
    target: str


class IdentityProvider:
    """The provider of an instance."""

    def __init__(self, settings: Settings) -> None:
        """Ask nothing yet.

        Args:
            settings: `oidc_...`, `proxy` and `ca_bundle`.
        """
        self._settings = settings
        self.issuer = settings.oidc_issuer or ""

    def begin(self, redirect_uri: str, target: str) -> tuple[str, Journey]:
        """Return where to send the browser, and what to keep until it comes back.

        Raises:
            NotAuthenticated: `provider_unavailable`.
        """
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        journey = Journey(state, nonce, verifier, target)
        with self._session(redirect_uri) as session:
            address, _ = session.create_authorization_url(
                self._endpoint("authorization_endpoint"),
                state=journey.state,
                nonce=journey.nonce,
                code_verifier=journey.verifier,
            )
        return str(address), journey

    def finish(self, journey: Journey, code: str, redirect_uri: str) -> SignOn:
        """Redeem a code and return the person it stands for.

        Raises:
            NotAuthenticated: `provider_unavailable`, or `sign_on_refused` with the reason.
        """
        from authlib.integrations.base_client import OAuthError
        from joserfc.errors import JoseError

        try:
            with self._session(redirect_uri) as session:
                token = session.fetch_token(
                    self._endpoint("token_endpoint"),
                    code=code,
                    code_verifier=journey.verifier,
                    allow_redirects=False,
                )
                claims = self._read_token(token, journey.nonce)
                return self._read_person(claims | self._fetch_groups(session, token, claims))
        except OSError as error:
            raise _unavailable() from error
        except (OAuthError, JoseError, ValueError, KeyError, TypeError) as error:
            structlog.get_logger("signin").warning("sign_on_refused", reason=str(error))
            raise NotAuthenticated(
                f"the identity provider's answer was not accepted ({type(error).__name__})",
                code=REFUSED,
            ) from error

    def _session(self, redirect_uri: str) -> Any:  # noqa: ANN401 - the package is untyped
        from authlib.integrations.requests_client import OAuth2Session

        settings = self._settings
        secret = settings.oidc_client_secret
        methods = self._metadata().get("token_endpoint_auth_methods_supported")
        by_header = not isinstance(methods, list) or "client_secret_basic" in methods
        session = OAuth2Session(
            client_id=settings.oidc_client_id,
            client_secret=secret.get_secret_value() if secret else "",
            token_endpoint_auth_method=f"client_secret_{'basic' if by_header else 'post'}",
            scope="openid profile email",
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            default_timeout=_TIMEOUT_S,
        )
        self._connect(session)
        return session

    def _connect(self, session: Any) -> None:  # noqa: ANN401 - of an untyped package
        session.trust_env = False
        if self._settings.proxy and not is_loopback(self.issuer):
            session.proxies = {"http": self._settings.proxy, "https": self._settings.proxy}
        if self._settings.ca_bundle:
            session.verify = self._settings.ca_bundle

    def _metadata(self) -> dict[str, Any]:
        address = self.issuer.rstrip("/") + _METADATA
        metadata = self._fetch(address)
        if str(metadata.get("issuer")).rstrip("/") != self.issuer.rstrip("/"):
            raise _unavailable()
        return metadata

    def _endpoint(self, name: str) -> str:
        address = self._metadata().get(name)
        if not isinstance(address, str) or not _is_safe(address):
            raise _unavailable()
        return address

    def _fetch(self, address: str, *, is_new: bool = False) -> dict[str, Any]:
        """Return a JSON document of the provider; a recent one is not asked for again."""
        at, document = _DOCUMENTS.get(address, (0.0, {}))
        if document and not is_new and time.monotonic() - at < _KEEP_S:
            return document
        import requests
        from urllib3.exceptions import HTTPError

        try:
            with requests.Session() as session:
                self._connect(session)
                options = {"timeout": _TIMEOUT_S, "allow_redirects": False, "stream": True}
                with session.get(address, **options) as answer:
                    content = answer.raw.read(_LARGEST + 1, decode_content=True)
            read = json.loads(content) if answer.status_code == 200 else None
        except (OSError, ValueError, HTTPError) as error:
            raise _unavailable() from error
        if not isinstance(read, dict) or not read:
            raise _unavailable()
        _DOCUMENTS[address] = (time.monotonic(), read)
        return read

    def _read_token(self, token: dict[str, Any], nonce: str) -> dict[str, Any]:
        """Return the claims of an ID token that is signed, for us, for this sign-in and fresh."""
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import BadSignatureError, InvalidKeyIdError
        from joserfc.jwk import KeySet
        from joserfc.jws import JWSRegistry

        registry = JWSRegistry(algorithms=SIGNATURES, strict_check_header=False)

        def decode(*, is_new: bool) -> jwt.Token:
            keys: Any = self._fetch(self._endpoint("jwks_uri"), is_new=is_new)
            return jwt.decode(token["id_token"], KeySet.import_key_set(keys), registry=registry)

        try:
            decoded = decode(is_new=False)
        except (BadSignatureError, InvalidKeyIdError):  # the provider may have changed its keys
            decoded = decode(is_new=True)
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            {
                "iss": {"essential": True, "value": self._metadata()["issuer"]},
                "aud": {"essential": True, "value": self._settings.oidc_client_id},
            },
            {
                "nonce": nonce,
                "client_id": self._settings.oidc_client_id,
                "access_token": token.get("access_token"),
            },
        )
        claims.validate(leeway=_LEEWAY_S)
        return dict(claims)

    def _fetch_groups(
        self,
        session: Any,  # noqa: ANN401 - of an untyped package
        token: dict[str, Any],
        claims: dict[str, Any],
    ) -> dict[str, Any]:
        """Return claims of the userinfo endpoint where the ID token lacks the groups or the name.

        Raises:
            ValueError: They are about somebody else.
        """
        wanted = {self._settings.oidc_groups_claim, self._settings.oidc_name_claim}
        address = self._metadata().get("userinfo_endpoint")
        if wanted <= set(claims) or not isinstance(address, str) or "access_token" not in token:
            return {}
        if not _is_safe(address):
            raise _unavailable()
        answer = session.get(address, allow_redirects=False)
        answer.raise_for_status()
        found = answer.json()
        if not isinstance(found, dict) or found.get("sub") != claims["sub"]:
            raise ValueError("the userinfo is about somebody else")
        return {name: found[name] for name in [*wanted, "email", "email_verified"] if name in found}

    def _read_person(self, claims: dict[str, Any]) -> SignOn:
        """Return the person, with the strongest role of their groups."""
        claim = self._settings.oidc_name_claim
        name, mail = claims.get(claim) or claims.get("email"), claims.get("email")
        verified = str(claims.get("email_verified")).lower()
        is_mail = str(name).casefold() == str(mail).casefold()
        needs_proof = is_mail and (claim == "email" or not claims.get(claim))
        is_refused = verified != "true" if needs_proof else is_mail and verified == "false"
        if not isinstance(name, str) or is_refused:
            raise NotAuthenticated(
                f"the identity provider sent no verified name ({claim})", code=REFUSED
            )
        listed = claims.get(self._settings.oidc_groups_claim)
        if listed is None and "*" not in self._settings.oidc_roles:
            raise NotAuthenticated(
                f"the identity provider sent no claim {self._settings.oidc_groups_claim}; an "
                "administrator can add it there, or name another in BPW_OIDC_GROUPS_CLAIM",
                code=REFUSED,
            )
        listed = listed or []
        groups = {listed} if isinstance(listed, str) else {str(group) for group in listed}
        roles = {
            role for group, role in self._settings.oidc_roles.items() if group in groups | {"*"}
        }
        if not roles:
            raise NotAuthenticated(
                "your account at the identity provider is in no group that may use this instance; "
                "ask an administrator",
                code=REFUSED,
            )
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
            raise ValueError("the subject is empty or too long")
        return SignOn(
            issuer=self.issuer.rstrip("/"),
            subject=subject,
            name=_SPACES.sub(".", name.strip().lower()),
            role="admin" if "admin" in roles else "analyst",
        )


def _is_safe(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(address))


def _unavailable() -> NotAuthenticated:
    return NotAuthenticated(
        "the identity provider does not answer as expected; try again in a minute, or sign in "
        "with a password of the workbench",
        code=UNAVAILABLE,
    )
