"""The console: a page on 127.0.0.1 that shows executions, seat by seat, and brings them home.

It is a process of its own, and reads through :mod:`operations`, so it shows the local stack and AWS
by the same code. ``server`` runs it, ``guard`` says whom it answers, ``frame`` is what every page
has. ``pages`` has a module for each page, put together from the parts in ``execution``, ``graph``,
``booking`` and ``breaking``.
"""
