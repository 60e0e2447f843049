import signal
import sys

from deployment.cli import main

# A pipeline that is cancelled leaves no more behind than a person's Ctrl-C.
signal.signal(signal.SIGTERM, signal.default_int_handler)
sys.exit(main())
