"""epoll_wait told the array's size in bytes writes past its end.

What it does        Makes eight descriptors ready and waits into an array of four events, once with sizeof(array) for
                    maxevents and once with the number of its elements.
Why it bites        maxevents counts events. sizeof(array) compiles, and works as long as no more events are ready
                    than the array holds, which in a test is always. Under load the kernel fills what it was
                    promised, and overwrites what lies behind the array.
What you will see   naive: the bytes behind the array are gone. right: four events, then the other four.
References          epoll_wait(2) maxevents; CloudNativeDataPlane/cndp#219; troglobit/libuev#27
"""

from toolkit.ffi import raw
from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab

_ELEMENTS = 4
_READY = 2 * _ELEMENTS
_ARRAY_BYTES = _ELEMENTS * raw.EPOLL_EVENT_SIZE
_BEHIND = b"what lies behind the array"


def _wait_into_array(lab: Lab, maxevents: int) -> list[object]:
    """`[events written, whether what lies behind the array is unharmed]`."""
    epoll = lab.epoll()
    for _ in range(_READY):
        lab.add(epoll, lab.eventfd(initial=1), EPOLLIN)
    with raw.Region() as region:
        array = region.write(bytes(_ARRAY_BYTES) + _BEHIND)
        result, _error = raw.epoll_wait(epoll.fileno(), array, maxevents, 0)
        behind = region.read(len(_BEHIND), _ARRAY_BYTES)
    return [result, behind == _BEHIND]


def naive(lab: Lab) -> None:
    """sizeof(array)."""
    lab.must(
        "epoll-wait-maxevents-in-bytes-overruns",
        expected=[_READY, False],
        observed=_wait_into_array(lab, _ARRAY_BYTES),
        reason=f"events written to an array of {_ELEMENTS}; whether what lies behind it is unharmed",
    )


def right(lab: Lab) -> None:
    """sizeof(array) / sizeof(array[0])."""
    lab.must(
        "epoll-wait-maxevents-in-elements-is-kept",
        expected=[_ELEMENTS, True],
        observed=_wait_into_array(lab, _ELEMENTS),
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-wait-maxevents-in-bytes-overruns",
            "The kernel writes as many events as maxevents allows, whatever the array's real size.",
            "epoll_wait(2)",
        ),
        Claim(
            "epoll-wait-maxevents-in-elements-is-kept",
            "With maxevents the number of elements nothing behind the array is touched.",
            "epoll_wait(2)",
        ),
    ),
)
