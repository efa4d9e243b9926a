"""Projects: what adds a block, and how a project's blocks are shown and changed."""
