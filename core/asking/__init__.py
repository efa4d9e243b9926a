"""Ask: a question in plain words chooses agents, runs them, and answers from what they stored.

Decision of 2026-11-29: the app's process begins runs and waits, no more. The question is read, a
model is asked and stored answers are opened in killable children: names, reports and tables are
heavy, and a service that does not answer ends with its child. Ask costs exactly the runs that it
begins; stored answers are free. It starts what reads and computes: what changes an account, or
needs a file, comes back as a filled form.
"""
