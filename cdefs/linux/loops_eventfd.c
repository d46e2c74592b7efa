/* Stress loops on eventfd(2): stressors of the same names are in toolkit/stress/eventfd/. */

static inline int get(int fd, uint64_t *value) { return k_read(fd, value, sizeof *value) == sizeof *value; }

static inline int put(int fd, uint64_t value) { return k_write(fd, &value, sizeof value) == sizeof value; }

/* What a finished or failed transfer means: EINTR is counted and tried again (a stop and continue can cause it). */
#define RETRY_OR_FAIL(name)                                                                                            \
    {                                                                                                                  \
        if (errno == EINTR) {                                                                                          \
            worker->interrupted++;                                                                                     \
            continue;                                                                                                  \
        }                                                                                                              \
        return failed(run, worker, name);                                                                              \
    }

/* One thread, a counter that does not block: what is read is what was written. */
int evk_loop_eventfd_ping(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t value = ((worker->seed + worker->ops) & 0xFFFFFFFFFFFF) + 1, back = 0;
        if (!put(worker->writes, value))
            RETRY_OR_FAIL("write");
        while (!get(worker->reads, &back)) {
            if (errno != EINTR)
                return errno == EAGAIN ? broke(run, worker, "read-returns-what-was-written", value, value, 0)
                                       : failed(run, worker, "read");
            worker->interrupted++;
        }
        if (UNLIKELY(back != value))
            return broke(run, worker, "read-returns-what-was-written", value, value, back);
        lap_done(&lap);
    }
    return lap.outcome;
}

/* Two threads, two counters, both blocking: the reply to n is n+1. Whoever ends says farewell, because the other one
   sleeps in read(2); the engine's rescue says it too, and the counter has room for both. */
#define FAREWELL (1ull << 62)

static int leave(struct evk_worker *worker, int outcome)
{
    if (outcome != AGAIN)
        put(worker->writes, FAREWELL);
    return outcome;
}

int evk_loop_eventfd_serve(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t sent = 2 * worker->ops + 1, back = 0;
        if (!put(worker->writes, sent))
            RETRY_OR_FAIL("write");
        while (!get(worker->reads, &back)) {
            if (errno != EINTR)
                return leave(worker, failed(run, worker, "read"));
            worker->interrupted++;
        }
        if (UNLIKELY(back >= FAREWELL))
            return FINISHED;
        if (UNLIKELY(back != sent + 1))
            return leave(worker, broke(run, worker, "reply-follows-request", sent, sent + 1, back));
        worker->sent++;
        lap_done(&lap);
    }
    return leave(worker, lap.outcome);
}

int evk_loop_eventfd_return(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    uint64_t request = 0;
    while (lap_turn(&lap)) {
        if (!get(worker->reads, &request)) {
            RETRY_OR_FAIL("read");
        }
        if (UNLIKELY(request >= FAREWELL))
            return FINISHED;
        if (UNLIKELY(request != 2 * worker->received + 1))
            return leave(worker, broke(run, worker, "requests-in-order", request, 2 * worker->received + 1, request));
        worker->received++;
        while (!put(worker->writes, request + 1)) {
            if (errno != EINTR)
                return failed(run, worker, "write");
            worker->interrupted++;
        }
    }
    return lap.outcome;
}

/* N writers, one reader: the low 40 bits carry a sum, the high bits count the writes. */
int evk_loop_eventfd_add(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t value = draw(worker) & 0xFFFF;
        if (!put(worker->writes, ONE_WRITE + value)) {
            if (errno != EAGAIN)
                RETRY_OR_FAIL("write");
            struct pollfd room = {.fd = worker->writes, .events = POLLOUT}; /* the reader is far behind */
            worker->again++;
            poll(&room, 1, WAIT_MS);
            continue;
        }
        worker->sent++;
        worker->sent_sum += value;
        lap_done(&lap);
    }
    return lap.outcome;
}

int evk_loop_eventfd_drain(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_turn(&lap)) {
        uint64_t value;
        int last = all_retired(run); /* before the read: what they wrote is then there */
        if (get(worker->reads, &value)) {
            worker->wakeups++;
            worker->received += value / ONE_WRITE;
            worker->received_sum += value % ONE_WRITE;
        } else if (errno == EAGAIN) {
            worker->again++;
            if (last)
                return FINISHED;
            lap_idle(&lap, worker->reads);
        } else {
            RETRY_OR_FAIL("read");
        }
    }
    return lap.outcome;
}

/* Semaphore: tokens are given in handfuls and each is taken once. A giver that runs ahead takes some itself, so that
   the backlog stays small without anybody sleeping. */
#define BACKLOG 4096

static int take_one(struct evk_run *run, struct evk_worker *worker)
{
    uint64_t value;
    if (!get(worker->reads, &value))
        return 0;
    worker->received++;
    worker->received_sum += value;
    __atomic_add_fetch(&run->handled, 1, __ATOMIC_RELAXED);
    if (UNLIKELY(value != 1))
        broke(run, worker, "semaphore-read-returns-1", worker->received, 1, value);
    return 1;
}

int evk_loop_eventfd_give(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t tokens = 1 + (draw(worker) & 7);
        if (LOAD(run->issued) - LOAD(run->handled) > BACKLOG) {
            for (int i = 0; i < 64 && take_one(run, worker); ++i)
                ;
        }
        __atomic_add_fetch(&run->issued, tokens, __ATOMIC_RELAXED);
        while (!put(worker->writes, tokens)) {
            if (errno != EINTR)
                return failed(run, worker, "write");
            worker->interrupted++;
        }
        worker->sent += tokens;
        lap_done(&lap);
    }
    return lap.outcome;
}

int evk_loop_eventfd_take(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_turn(&lap)) {
        int last = all_retired(run);
        if (take_one(run, worker))
            continue;
        if (errno == EAGAIN) {
            worker->again++;
            if (last)
                return FINISHED;
            lap_idle(&lap, worker->reads);
        } else if (errno == EINTR) {
            worker->interrupted++;
        } else {
            return failed(run, worker, "read");
        }
    }
    return lap.outcome;
}

/* Latency through epoll: the value is the time it was written; the answer repeats it. */
int evk_loop_eventfd_wake(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t sent = now_ns(), back = 0;
        if (!put(worker->writes, sent))
            RETRY_OR_FAIL("write");
        for (;;) {
            struct epoll_event event;
            int count = k_epoll_wait(worker->epoll, &event, 1, WAIT_MS);
            if (count < 0 && errno != EINTR)
                return failed(run, worker, "epoll_wait");
            if (count > 0 && get(worker->reads, &back))
                break;
            if (LOAD(run->abort))
                return FINISHED;
        }
        if (UNLIKELY(back != sent))
            return broke(run, worker, "answer-repeats-the-wake", sent, sent, back);
        worker->sent++;
        lap_pass(&lap);
    }
    return lap.outcome;
}

int evk_loop_eventfd_woken(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_turn(&lap)) {
        struct epoll_event event;
        uint64_t sent;
        int last = all_retired(run);
        int count = k_epoll_wait(worker->epoll, &event, 1, WAIT_MS);
        uint64_t now = now_ns();
        if (count < 0) {
            RETRY_OR_FAIL("epoll_wait");
        }
        if (count == 0) {
            if (last)
                return FINISHED;
            continue;
        }
        worker->wakeups++;
        if (!get(worker->reads, &sent)) {
            if (errno != EAGAIN)
                RETRY_OR_FAIL("read");
            worker->spurious++;
            continue;
        }
        worker->received++;
        evk_record(&worker->latency, now > sent ? now - sent : 0);
        while (!put(worker->writes, sent)) {
            if (errno != EINTR)
                return failed(run, worker, "write");
            worker->interrupted++;
        }
    }
    return lap.outcome;
}

/* Writers blocked at the limit: no two values of 2^63 and more fit together, so each read returns exactly one write,
   which names its writer (bits 40 to 62) and its number. */
#define ALONE (1ull << 63)

int evk_loop_eventfd_fill(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t value = ALONE | (uint64_t)worker->index << 40 | worker->sent;
        if (!put(worker->writes, value))
            RETRY_OR_FAIL("write");
        worker->sent++;
        lap_done(&lap);
    }
    return lap.outcome;
}

int evk_loop_eventfd_empty(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_turn(&lap)) {
        uint64_t value;
        int last = all_retired(run);
        struct pollfd one = {.fd = worker->reads, .events = POLLIN}; /* the counter blocks, for its writers' sake */
        if (poll(&one, 1, 0) != 1) {
            worker->again++;
            if (last)
                return FINISHED;
            lap_idle(&lap, worker->reads);
        } else if (get(worker->reads, &value)) {
            uint64_t writer = value >> 40 & 0x7FFFFF, number = value & (ONE_WRITE - 1);
            if (UNLIKELY(!(value & ALONE) || writer >= worker->lane_count))
                broke(run, worker, "each-read-is-one-write", value, ALONE, value);
            else if (UNLIKELY(number != worker->lanes[writer].received))
                broke(run, worker, "writes-of-one-writer-in-order", value, worker->lanes[writer].received, number);
            else
                worker->lanes[writer].received++;
            worker->received++;
        } else {
            RETRY_OR_FAIL("read");
        }
    }
    return lap.outcome;
}
