"""Settings of web searches: off by default, and refused with the setting that fixes them."""

import os

import pytest

from core.errors import InvalidInput
from core.settings import Settings, forget_model_variables, read_settings
from tests.standin.models import KEY

KEYS = f'{{"exa": "{KEY}", "brave": "{KEY}"}}'
URLS = '{"searxng": "http://search.example.org", "exa": "http://127.0.0.1:1"}'


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch):
    def read(**given: str) -> Settings:
        for name in (*(f"BPW_{field.upper()}" for field in Settings.model_fields),):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
        for name, value in given.items():
            monkeypatch.setenv(name if name.startswith("ANTHROPIC") else f"BPW_{name}", value)
        read_settings.cache_clear()
        return read_settings()

    yield read
    read_settings.cache_clear()


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"WEB_SEARCH": "exa"}, ["BPW_WEB_SEARCH:", "BPW_WEB_SEARCH_KEY"]),
        ({"WEB_SEARCH": "brave", "WEB_SEARCH_KEY": '{"exa": "x"}'}, ["BPW_WEB_SEARCH_KEY"]),
        ({"WEB_SEARCH": "exa", "WEB_SEARCH_KEY": '{"exa": ""}'}, ["BPW_WEB_SEARCH_KEY"]),
        ({"WEB_SEARCH": "searxng"}, ["BPW_WEB_SEARCH_URL"]),
        ({"WEB_SEARCH": "anthropic"}, ["ANTHROPIC_API_KEY"]),
        ({"WEB_SEARCH": "anthropic", "ANTHROPIC_API_KEY": KEY, "MODEL": "rules"}, ["BPW_MODEL"]),
        ({"WEB_SEARCH": "google"}, ["BPW_WEB_SEARCH:"]),
        ({"WEB_SEARCH": "searxng,brave", "WEB_SEARCH_KEY": KEYS}, ["choose one"]),
        ({"WEB_SEARCH": "exa", "WEB_SEARCH_KEY": KEY}, ["BPW_WEB_SEARCH_KEY:", "JSON"]),
        ({"WEB_SEARCH_KEY": f'{{"other": "{KEY}"}}'}, ["BPW_WEB_SEARCH_KEY:"]),
        (
            {"WEB_SEARCH": "searxng", "WEB_SEARCH_URL": '{"searxng": "search"}'},
            ["BPW_WEB_SEARCH_URL"],
        ),
        (
            {
                "WEB_SEARCH": "brave",
                "WEB_SEARCH_KEY": KEYS,
                "WEB_SEARCH_URL": '{"brave": "http://search.example.org"}',
            },
            ["https", "BPW_WEB_SEARCH_URL"],
        ),
        (
            {"WEB_SEARCH": "exa", "WEB_SEARCH_KEY": KEYS, "PROXY": "http://proxy:3128"},
            ["BPW_WEB_HOSTS"],
        ),
        ({"WEB_HOSTS": "https://www.fda.gov"}, ["BPW_WEB_HOSTS:"]),
        ({"WEB_HOSTS": "localhost"}, ["BPW_WEB_HOSTS:"]),
    ],
)
def test_what_cannot_work_is_refused_with_the_setting(variables, given, names) -> None:
    with pytest.raises(InvalidInput) as refused:
        variables(**given)
    assert all(name in str(refused.value) for name in names)
    assert KEY not in str(refused.value)


def test_searches_are_off_by_default_and_offline_only_near(variables) -> None:
    assert variables().web_search == variables(WEB_SEARCH="off").web_search == ()
    given = {"WEB_SEARCH": "exa,searxng", "WEB_SEARCH_KEY": KEYS, "WEB_SEARCH_URL": URLS}
    assert variables(**given).web_searchers == ("exa", "searxng")
    assert variables(**given, OFFLINE="1").web_searchers == ("exa",)
    assert variables(**given, PROXY="http://p:1", WEB_HOSTS="FDA.gov").web_hosts == ("fda.gov",)
    both = {"WEB_SEARCH": "anthropic", "ANTHROPIC_API_KEY": KEY, "OFFLINE": "1"}
    assert variables(**both).web_searchers == ()
    near = variables(**both, MODEL_BASE_URL="http://127.0.0.1:1")
    assert near.web_searchers == ("anthropic",)


def test_keys_of_searches_are_shown_nowhere(variables) -> None:
    settings = variables(WEB_SEARCH="exa", WEB_SEARCH_KEY=KEYS)
    assert KEY not in f"{settings!r} {settings} {settings.model_dump_json()}"
    forget_model_variables()
    assert KEY not in str(dict(os.environ))
