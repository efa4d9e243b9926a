"""Runs as processes that can be killed.

Every run is a fresh child forked from a fork server that has imported the pipelines already
(0.05 s a child). One process a run, instead of a pool of long-lived workers, leaves no state
behind, has no channel shared between workers, and a child that dies takes nothing else along.
"""
