"""What Schemathesis cannot know of this service; named in `schemathesis.toml`."""

import schemathesis
from schemathesis.openapi.checks import EnsureResourceAvailability, UseAfterFree

NOBODY = "nobody-999"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leave alone the key and the account that the requests come from: all others would be 401."""
    own = {"key_id": "1", "user_name": "admin"}
    for name, value in own.items():
        if str((case.path_parameters or {}).get(name, "")).lstrip("0") == value:
            case.path_parameters = {**case.path_parameters, name: NOBODY}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Leave out reads of a run that DELETE cancelled: such a run is kept, to tell how it ended.

    DELETE takes away only runs that have ended; the check knows that meaning alone.
    """
    is_cancelled = b'"cancelled"' in response.content
    is_nobody = NOBODY in str(case.path_parameters) or b"no single sign-on" in response.content
    return not (
        (isinstance(failure, UseAfterFree) and is_cancelled)
        or (isinstance(failure, EnsureResourceAvailability) and is_nobody)
    )
