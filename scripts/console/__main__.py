"""``python -m console``: what ``scripts/run`` starts beside the local stack."""

import sys

from operations.cli import main

sys.exit(main(["console", *sys.argv[1:]]))
