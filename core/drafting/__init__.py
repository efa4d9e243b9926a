"""The language model: it returns ids, places and words of closed lists; code writes every sentence.

Decision of 2026-11-25: a model never writes what is shown. Checkers that accept free rewriting let
11 to 65 % of planted lies pass; the choice of ids leaves nothing to check. The answer by rules is
complete before the first call, so that a model can only change its order and read words that the
rules did not.
"""
