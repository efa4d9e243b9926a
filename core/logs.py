"""The log of an instance: one JSON object a line, on standard error.

Standard output belongs to the command line's answers. Tracebacks are plain: one drawn with every
local variable takes seconds, during which the service answers nobody, and holds what callers sent.
"""

import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_KEY = re.compile(r"bpw_live_[0-9a-fA-F]+")


def configure_logs() -> None:
    """Set up the log of this process."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            redact,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),
    )


def redact(
    logger: object, method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace API keys in every text of a log line."""
    for name, value in entry.items():
        if isinstance(value, str):
            entry[name] = _KEY.sub("bpw_live_…", value)
    return entry
