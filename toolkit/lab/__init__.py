"""What a case is written with: the `Case` it declares and the `Lab` its functions are handed."""

from toolkit.lab.case import Case, Claim
from toolkit.lab.lab import Lab
from toolkit.lab.processes import Child, Parent
from toolkit.lab.threads import Mailbox, Waiter

__all__ = ["Case", "Child", "Claim", "Lab", "Mailbox", "Parent", "Waiter"]
