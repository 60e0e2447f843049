import sys

from local_stack.cli import main

sys.exit(main())
