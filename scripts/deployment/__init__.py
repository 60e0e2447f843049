"""From this folder to a running stage on AWS: build, show what changes, change it, try it."""
