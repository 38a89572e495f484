# SPDX-License-Identifier: MIT
"""`python3 -m pmudev.plot` is `pmudev plot`."""

import sys

from . import main

sys.exit(main())
