"""The whole system on one machine, without Docker and without an AWS account.

One process holds moto's server, into which the real ``template.yaml`` is deployed, and the three
things that moto lacks: the Lambda service (``lambda_service``), the pipe and redrive.
"""
