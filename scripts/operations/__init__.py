"""The operator's command, ``scripts/minitickets``: look at executions, and bring them home.

It calls the same AWS APIs on the local stack and on AWS. ``target`` says where, ``executions``,
``bookings`` and ``queues`` are what it calls; ``commands`` is what people type.
"""
