"""The lab that a Linux case's functions are handed: all parts in one."""

from toolkit.lab.epolls import Epolls
from toolkit.lab.kinds import Kinds
from toolkit.lab.programs import Programs
from toolkit.lab.signals import Signals
from toolkit.lab.sockets import Sockets
from toolkit.lab.threads import Threads


class Lab(Sockets, Epolls, Kinds, Threads, Programs, Signals):
    """Checks, traced calls, waiters and children for one variant of one case.

    The process is the variant's own: its descriptors, mask and children cannot reach the next one.
    """
