"""From the states of records to dated events; made after every import, read through the port."""
