"""How far a drug has come: approvals, programs, what only curators say."""
