"""What happened: events linked to drugs, diseases and companies, filtered, merged and scored.

New developments, deal sourcing and alerts stand on this; nothing here knows their requests.
"""
