"""EPOLLEXCLUSIVE: one worker gets all the connections.

What it does        Four workers, an epoll instance each, register one listener with EPOLLEXCLUSIVE; clients connect
                    one by one, each when all workers are waiting again. Then four threads wait on one shared
                    instance.
Why it bites        Exclusive waiters stand in one queue, and each event asks from its head: the first that sleeps in
                    epoll_wait gets it. As long as one worker keeps up, it is always the same one, so one core is hot
                    and three are idle. No page promises an order; it is how the queue happens to be walked.
What you will see   naive: all connections with the instance that was registered first. (LIFO, often told of
                    EPOLLEXCLUSIVE, is the order of threads on *one* instance: the last to sleep wakes first.) right:
                    a listener each with SO_REUSEPORT: the kernel spreads connections by a hash of their addresses.
References          epoll_ctl(2) EPOLLEXCLUSIVE; socket(7) SO_REUSEPORT; Cloudflare "Why does one NGINX worker take
                    all the load?"; puma/puma#3934
"""

from collections import Counter

from toolkit.ffi.flags import EPOLLET, EPOLLEXCLUSIVE, EPOLLIN
from toolkit.lab import Case, Claim, Lab, Mailbox, Waiter
from toolkit.primitives.epoll import Epoll

_WORKERS = 4
_CONNECTIONS = 12


def naive(lab: Lab) -> None:
    """One listener, EPOLLEXCLUSIVE, an instance a worker."""
    listener, address = lab.listener()
    instances = [lab.epoll() for _ in range(_WORKERS)]
    for epoll in instances:
        lab.add(epoll, listener, EPOLLIN | EPOLLEXCLUSIVE)
    accepted = Mailbox()

    def wait_and_accept(worker: int) -> None:
        while True:
            lab.wait(instances[worker], None)
            if lab.outcome(lab.accept, listener) == "ok":
                accepted.put(worker)
                return

    for worker in range(_WORKERS):
        lab.asleep(wait_and_accept, worker)
    takers = []
    for _ in range(_CONNECTIONS):
        lab.connect(address)
        takers.append(accepted.take())
        lab.asleep(wait_and_accept, takers[-1])
    lab.must(
        "epollexclusive-every-connection-taken-once",
        expected=[_CONNECTIONS, "EAGAIN"],
        observed=[len(takers), lab.outcome(lab.accept, listener)],
        reason="connections taken by workers, and what one more accept() finds",
    )
    lab.record(
        "epollexclusive-first-registered-takes-all",
        dict(sorted(Counter(takers).items())),
        reason="connections by worker, in the order of registration",
    )
    lab.record(
        "epollexclusive-wake-order-across-instances",
        _order(lab, [lab.epoll() for _ in range(_WORKERS)], EPOLLEXCLUSIVE),
        reason="four separate writes; each instance waits once",
    )
    lab.record(
        "epoll-wakeup-goes-to-most-recent-waiter",
        _order(lab, [lab.epoll()] * _WORKERS),
        reason="four separate writes; threads in the order in which they fell asleep on one instance",
    )


def _order(lab: Lab, instances: list[Epoll], flag: int = 0) -> list[int]:
    """In which order waiters wake, one write of an eventfd each; waiter n sleeps on `instances[n]`."""
    eventfd = lab.eventfd()
    for epoll in dict.fromkeys(instances):
        lab.add(epoll, eventfd, EPOLLIN | EPOLLET | flag)
    woken = Mailbox()

    def wait_once(waiter: int) -> None:
        lab.wait(instances[waiter], 5.0)
        woken.put(waiter)

    waiters: list[Waiter] = [lab.asleep(wait_once, number) for number in range(len(instances))]
    order = []
    for _ in waiters:
        eventfd.write(1)
        order.append(woken.take())
    return order


def right(lab: Lab) -> None:
    """SO_REUSEPORT: a listener and a queue a worker."""
    first, address = lab.listener(reuseport=True)
    listeners = [first, *(lab.listener(reuseport=True, address=address)[0] for _ in range(_WORKERS - 1))]
    clients = 16 * _WORKERS
    for _ in range(clients):
        lab.connect(address)
    epoll, taken = lab.epoll(), Counter[int]()
    for number, listener in enumerate(listeners):
        lab.add(epoll, listener, EPOLLIN, data=number)
    while taken.total() < clients and (ready := lab.told(epoll, within=2.0)):
        for number in ready:
            taken[number] += lab.outcome(lab.accept, listeners[number]) == "ok"
    lab.must(
        "so-reuseport-spreads-connections",
        expected="every connection taken, and more than one worker with some",
        observed=sorted(taken.values()),
        holds=taken.total() == clients and len(+taken) > 1,
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epollexclusive-every-connection-taken-once",
            "With EPOLLEXCLUSIVE every connection wakes at least one waiting worker, and is accepted once.",
            "epoll_ctl(2) EPOLLEXCLUSIVE",
            since="4.5",
        ),
        Claim(
            "epollexclusive-first-registered-takes-all",
            "How the connections spread over idle workers with an exclusive instance each: to the first, "
            "so far.",
            "observed; Cloudflare, Why does one NGINX worker take all the load?",
            since="4.5",
        ),
        Claim(
            "epollexclusive-wake-order-across-instances",
            "In which order waiting instances with EPOLLEXCLUSIVE are woken: as registered, so far.",
            "observed",
            since="4.5",
        ),
        Claim(
            "epoll-wakeup-goes-to-most-recent-waiter",
            "In which order threads blocked on one instance are woken: the last to sleep first, so far.",
            "observed; fs/eventpoll.c ep_poll",
        ),
        Claim(
            "so-reuseport-spreads-connections",
            "Connections to listeners that share a port by SO_REUSEPORT are spread over them.",
            "socket(7) SO_REUSEPORT",
            since="3.9",
        ),
    ),
)
