/* Stress loops in which numbered tokens change hands: handoff (pipes) and accept-storm (connections). A token's slot
   holds its mark from before it is sent until it is handled, so a loss leaves a mark and a duplicate finds none. */

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static inline struct evk_slot *slot_of(const struct evk_worker *worker, uint64_t token)
{
    return &worker->slots[token & (worker->slot_count - 1)];
}

/* Waits until the slot that `token` needs is free. Slow handling looks like loss at first, so it has five seconds. */
static int slot_free(struct evk_run *run, struct evk_worker *worker, uint64_t token)
{
    struct evk_slot *slot = slot_of(worker, token);
    uint64_t patience = 0;
    for (uint64_t turn = 0; __atomic_load_n(&slot->mark, __ATOMIC_ACQUIRE) != 0; ++turn) {
        if (LOAD(run->abort) || LOAD(run->stop))
            return 0;
        if ((turn & 255) == 0) {
            if (patience == 0)
                patience = now_ns() + 5000000000u;
            else if (now_ns() > patience) {
                broke(run, worker, "each-token-handled-once", slot->mark - 1, 1, 0);
                return 0;
            }
        }
        sched_yield();
    }
    return 1;
}

static void mark_slot(struct evk_worker *worker, uint64_t token, int timed)
{
    struct evk_slot *slot = slot_of(worker, token);
    slot->sent_ns = timed ? now_ns() : 0;
    __atomic_store_n(&slot->mark, token + 1, __ATOMIC_RELEASE);
}

static void handle_token(struct evk_run *run, struct evk_worker *worker, uint64_t token)
{
    struct evk_slot *slot = slot_of(worker, token);
    uint64_t sent_ns = slot->sent_ns, mark = token + 1;
    if (UNLIKELY(!__atomic_compare_exchange_n(&slot->mark, &mark, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))) {
        broke(run, worker, "each-token-handled-once", token, token + 1, mark);
        return;
    }
    worker->received++;
    if (sent_ns) {
        uint64_t now = now_ns();
        evk_record(&worker->latency, now > sent_ns ? now - sent_ns : 0);
    }
}

/* One writer: tokens go round the channels (lanes), which do not block. */
int evk_loop_handoff_send(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t token = worker->sent;
        if (!slot_free(run, worker, token))
            continue; /* lap_next looks at the stop flag */
        mark_slot(worker, token, lap.timing);
        int fd = worker->lanes[token % worker->lane_count].fd;
        while (!put(fd, token)) {
            if (errno == EAGAIN) {
                struct pollfd room = {.fd = fd, .events = POLLOUT};
                worker->again++;
                poll(&room, 1, WAIT_MS);
                if (LOAD(run->abort))
                    return FINISHED;
            } else if (errno != EINTR) {
                return failed(run, worker, "write");
            }
        }
        worker->sent++;
        lap_pass(&lap);
    }
    return lap.outcome;
}

/* Reads one token, or all of them when edge-triggered; counts a wake-up that found nothing as spurious. */
static int take_tokens(struct evk_run *run, struct evk_worker *worker, int fd)
{
    uint64_t token, taken = 0;
    do {
        if (!get(fd, &token)) {
            if (errno == EINTR)
                continue;
            worker->spurious += taken == 0;
            return errno == EAGAIN ? 0 : failed(run, worker, "read");
        }
        taken++;
        handle_token(run, worker, token);
    } while (worker->events & EPOLLET);
    return 0;
}

int evk_loop_handoff_take(struct evk_run *run, struct evk_worker *worker)
{
    struct epoll_event events[MAXEVENTS_LIMIT];
    struct lap lap = lap_of(run, worker);
    int batch = (int)batch_of(worker);
    while (lap_turn(&lap)) {
        int last = all_retired(run);
        int count = k_epoll_wait(worker->epoll, events, batch, WAIT_MS);
        if (count < 0)
            RETRY_OR_FAIL("epoll_wait");
        if (count == 0) {
            if (last)
                return FINISHED;
            lap.turns |= 15;
            continue;
        }
        worker->wakeups++;
        for (int i = 0; i < count; ++i) {
            uint64_t index = events[i].data.u64;
            int result = take_tokens(run, worker, worker->lanes[index].received_fd);
            if (result < 0)
                return result;
            if (worker->events & EPOLLONESHOT) {
                struct epoll_event again = {.events = worker->events, .data.u64 = index};
                if (k_epoll_ctl(worker->epoll, EPOLL_CTL_MOD, worker->lanes[index].received_fd, &again) < 0)
                    return failed(run, worker, "epoll_ctl");
            }
        }
    }
    return lap.outcome;
}

/* Connections to an abstract Unix address (`seed` names it): each carries one token. */
static socklen_t storm_address(struct sockaddr_un *address, uint64_t number)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path + 1, "evkit", 5);
    memcpy(address->sun_path + 6, &number, sizeof number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 6 + sizeof number);
}

int evk_storm_listen(uint64_t number, int backlog)
{
    struct sockaddr_un address;
    socklen_t size = storm_address(&address, number);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, backlog) < 0)) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd < 0 ? -errno : fd;
}

int evk_loop_storm_connect(struct evk_run *run, struct evk_worker *worker)
{
    struct sockaddr_un address;
    socklen_t size = storm_address(&address, worker->lanes[0].generation);
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t token = __atomic_fetch_add(&run->issued, 1, __ATOMIC_RELAXED);
        if (!slot_free(run, worker, token))
            continue;
        mark_slot(worker, token, lap.timing);
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
            return failed(run, worker, "socket");
        struct timeval patience = {.tv_usec = 20000}; /* of a connect(2) while the queue is full: then look at `abort` */
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        while (connect(fd, (struct sockaddr *)&address, size) < 0) {
            worker->again += errno == EAGAIN;
            if ((errno != EAGAIN && errno != EINTR) || LOAD(run->abort)) {
                int error = errno;
                close(fd);
                errno = error;
                return LOAD(run->abort) ? FINISHED : failed(run, worker, "connect");
            }
        }
        int sent = put(fd, token);
        close(fd);
        if (!sent)
            return failed(run, worker, "write");
        worker->sent++;
        lap_pass(&lap);
    }
    return lap.outcome;
}

/* Takes one connection, reads its token to the end, closes it; 0 when there was none, -errno when it failed. */
static int serve_one(struct evk_run *run, struct evk_worker *worker)
{
    int fd = k_accept(worker->reads, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EAGAIN || errno == EINTR)
            return 0;
        return failed(run, worker, "accept4");
    }
    uint64_t token;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    if (poll(&one, 1, 5000) == 1 && get(fd, &token))
        handle_token(run, worker, token);
    else
        broke(run, worker, "connection-brings-its-token", worker->received, 1, 0);
    close(fd);
    return 1;
}

int evk_loop_storm_accept(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_turn(&lap)) {
        struct epoll_event event;
        int last = all_retired(run);
        int count = k_epoll_wait(worker->epoll, &event, 1, WAIT_MS), served, taken = 0;
        if (count < 0)
            RETRY_OR_FAIL("epoll_wait");
        if (count == 0) {
            if (last)
                return FINISHED;
            lap.turns |= 15;
            continue;
        }
        worker->wakeups++;
        do {
            served = serve_one(run, worker);
            if (served < 0)
                return served;
            taken += served;
        } while (served && worker->events & EPOLLET);
        worker->spurious += taken == 0;
        if (worker->events & EPOLLONESHOT) {
            struct epoll_event again = {.events = worker->events};
            if (k_epoll_ctl(worker->epoll, EPOLL_CTL_MOD, worker->reads, &again) < 0)
                return failed(run, worker, "epoll_ctl");
        }
    }
    return lap.outcome;
}
