"""``scripts/storm``: many bookings, everything that can go wrong, and a verdict per guarantee.

:mod:`storming.drawing_lots` decides by a seed what is published and what goes wrong;
:mod:`storming.storm` does it on a local stack; :mod:`storming.healing` does what an operator would
do afterwards; :mod:`storming.collecting` reads what is durable; :mod:`storming.judging` compares
that with the plan.

The plan is the same for the same number and seed. How threads and processes interleave is not: two
storms of one seed meet the same faults, and may end with other counts of retries and second emails.
"""
