"""What a case is written with: the `Case` it declares and the `Lab` its functions are handed."""

import sys

from toolkit.lab.case import Case, Claim

if sys.platform == "win32":
    from toolkit.lab.windows_lab import WindowsLab as Lab

    __all__ = ["Case", "Claim", "Lab"]
else:
    from toolkit.lab.lab import Lab
    from toolkit.lab.processes import Child, Parent
    from toolkit.lab.threads import Mailbox, Waiter

    __all__ = ["Case", "Child", "Claim", "Lab", "Mailbox", "Parent", "Waiter"]
