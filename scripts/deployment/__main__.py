import sys

from deployment.cli import main

sys.exit(main())
