"""What the steps share.

boto3 reads its service models into hundreds of thousands of objects that stay. At Python's default
threshold the garbage collector walks them again and again while a function starts: a fifth of the
cold start (``scripts/bench imports``). A step makes little garbage, so it is collected rarely.
"""

import gc

gc.set_threshold(100_000, 10, 10)
