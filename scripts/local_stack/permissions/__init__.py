"""Least privilege, enforced: a role's call is refused unless its policies allow it.

What is judged are the identity policies of the roles that the template makes, for every call of a
function, of the pipe and of the state machine. Anybody else (the operator, a test) may do anything.
Not judged: who may assume a role, resource policies, permissions boundaries, session policies and
service control policies. A call that this package does not know is refused to a role, and a policy
that it does not understand stops the stack at its start.
"""
