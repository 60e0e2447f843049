"""The statuses of an execution, as Step Functions names them.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_ListExecutions.html
"""

OPEN = ("RUNNING", "PENDING_REDRIVE")
UNSUCCESSFUL = ("FAILED", "TIMED_OUT", "ABORTED")
