"""What an eventfd costs: one descriptor, and a clear error when there is none.

What it does        Lowers RLIMIT_NOFILE to what is open and asks for one more eventfd. The other documented failures
                    need a machine to be out of memory or out of files, or a kernel that is broken.
Why it bites        A wake-up descriptor is often made late, in the worker that needs it, where EMFILE is not expected
                    and -1 ends up in an interest list.
What you will see   EMFILE, and success again once the limit is back.
References          eventfd(2) ERRORS; getrlimit(2) RLIMIT_NOFILE
"""

from toolkit.lab import Case, Claim, Lab
from toolkit.lab.limits import no_free_descriptor, system_file_table


def limits(lab: Lab) -> None:
    """Errors of creation."""
    with no_free_descriptor():
        outcome = lab.outcome(lab.eventfd)
    lab.must("eventfd-emfile", expected=["EMFILE", "ok"], observed=[outcome, lab.outcome(lab.eventfd)])
    lab.skip("eventfd-enfile", f"would exhaust the whole system's file table ({system_file_table()})")
    lab.skip("eventfd-enodev", "only a kernel that cannot mount its anonymous inode device says so")
    lab.skip("eventfd-enomem", "needs a kernel out of memory, or fault injection built in")


CASE = Case(
    variants=(limits,),
    claims=(
        Claim("eventfd-emfile", "At RLIMIT_NOFILE, eventfd fails with EMFILE.", "eventfd(2) ERRORS"),
        Claim(
            "eventfd-enfile",
            "At the system's limit of open files, eventfd fails with ENFILE.",
            "eventfd(2) ERRORS",
        ),
        Claim(
            "eventfd-enodev",
            "Without the anonymous inode device, eventfd fails with ENODEV.",
            "eventfd(2) ERRORS",
        ),
        Claim("eventfd-enomem", "Without kernel memory, eventfd fails with ENOMEM.", "eventfd(2) ERRORS"),
    ),
)
