"""Placeholder."""


def test_nothing() -> None:
    assert True
