/* Stress loops on epoll(7) with one writer or one state a worker: wait, ctl, ready-scan, nested.
   Stressors of the same names are in toolkit/stress/epoll/. */

#define MAXEVENTS_LIMIT 1024

static inline uint32_t batch_of(const struct evk_worker *worker)
{
    return worker->maxevents < MAXEVENTS_LIMIT ? worker->maxevents : MAXEVENTS_LIMIT;
}

/* perf bench epoll's topology: one writer goes round all descriptors and waits for nobody, so that a counter may hold
   several writes when it is read. Each write counts itself in the high bits; a lane keeps the sum of the whole words
   on both sides, each side on a cache line of its own, and both wrap round alike. Variant 1, for more threads than
   CPUs: when what it wrote first is still there after a round, a waiter needs the writer's CPU. Sleeping gives it away
   for 50 us (timer slack); sched_yield(2) would for a time slice, milliseconds in which the other waiters starve. */
int evk_loop_epoll_write(struct evk_run *run, struct evk_worker *worker)
{
    const struct timespec shortest = {.tv_nsec = 500};
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        struct evk_lane *lane = &worker->lanes[worker->next_lane];
        uint64_t value = ONE_WRITE + (draw(worker) & 0xFF);
        if (!put(lane->fd, value)) {
            if (errno != EAGAIN)
                RETRY_OR_FAIL("write");
            struct pollfd room = {.fd = lane->fd, .events = POLLOUT}; /* its waiter is far behind */
            worker->again++;
            poll(&room, 1, WAIT_MS);
            continue;
        }
        lane->sent_sum += value;
        worker->sent++;
        lap_done(&lap);
        if (++worker->next_lane == worker->lane_count) {
            worker->next_lane = 0;
            if (worker->variant && LOAD(worker->lanes->received_sum) != worker->lanes->sent_sum)
                clock_nanosleep(CLOCK_MONOTONIC, 0, &shortest, NULL);
        }
    }
    return lap.outcome;
}

int evk_loop_epoll_wait(struct evk_run *run, struct evk_worker *worker)
{
    struct epoll_event events[MAXEVENTS_LIMIT];
    struct lap lap = lap_of(run, worker);
    int batch = (int)batch_of(worker), found = 0;
    while (lap_turn(&lap)) {
        int last = all_retired(run);
        /* Where there was something there is more: a time limit would cost two looks at the clock in the kernel. */
        int count = k_epoll_wait(worker->epoll, events, batch, last || found ? 0 : WAIT_MS);
        if (count < 0)
            RETRY_OR_FAIL("epoll_wait");
        if (count == 0 && last)
            return FINISHED;
        found = count > 0;
        worker->wakeups += count > 0;
        for (int i = 0; i < count; ++i) {
            uint64_t value, index = events[i].data.u64;
            if (UNLIKELY(index >= worker->lane_count || events[i].events != EPOLLIN))
                return broke(run, worker, "event-carries-its-word", index, worker->lane_count, events[i].events);
            struct evk_lane *lane = &worker->lanes[index];
            if (LIKELY(get(lane->received_fd, &value))) {
                /* two waiters of one instance may have read the same counter, one after the other */
                __atomic_add_fetch(&lane->received_sum, value, __ATOMIC_RELAXED);
                worker->received++;
            } else if (errno == EAGAIN) {
                worker->spurious++; /* another waiter of the same instance was faster */
            } else if (errno == EINTR) {
                worker->interrupted++;
            } else {
                return failed(run, worker, "read");
            }
        }
    }
    return lap.outcome;
}

/* ADD, MOD and DEL of the worker's own descriptors, about a third each at random or in turns (variant 1): the kernel
   must agree with a model of the list, which is each lane's `generation` (1: registered). */
int evk_loop_epoll_ctl(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t random = draw(worker), chosen = (uint32_t)random % worker->lane_count;
        if (worker->variant) { /* MOD is followed by DEL, and no call fails */
            chosen = worker->next_lane / 3;
            random = 1ull << 60 | (uint64_t)(worker->next_lane % 3 == 1) << 59;
            worker->next_lane = worker->next_lane + 1 < 3 * worker->lane_count ? worker->next_lane + 1 : 0;
        }
        struct evk_lane *lane = &worker->lanes[worker->first_lane + chosen];
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = random};
        int registered = lane->generation != 0, wrong = random >> 60 == 0; /* one call in 16 must fail */
        int change = random >> 59 & 1 ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;
        int operation = registered == wrong ? EPOLL_CTL_ADD : change;
        int want = !wrong ? 0 : registered ? EEXIST : ENOENT;
        int got = k_epoll_ctl(worker->epoll, operation, lane->fd, &event) < 0 ? errno : 0;
        if (UNLIKELY(got != want)) {
            if (got == ENOMEM || got == ENOSPC || got == EBADF) {
                errno = got;
                return failed(run, worker, "epoll_ctl");
            }
            return broke(run, worker, "result-agrees-with-the-list", (uint64_t)lane->fd, (uint64_t)want, (uint64_t)got);
        }
        if (got == 0) {
            lane->generation = operation != EPOLL_CTL_DEL;
            worker->received++;
        }
        lap_done(&lap);
    }
    return lap.outcome;
}

/* One ready of many: exactly that one is reported, whatever the size of the list. */
int evk_loop_epoll_scan(struct evk_run *run, struct evk_worker *worker)
{
    struct epoll_event events[MAXEVENTS_LIMIT];
    struct lap lap = lap_of(run, worker);
    int batch = (int)batch_of(worker);
    while (lap_next(&lap)) {
        uint64_t index = worker->first_lane + draw(worker) % worker->lane_count, value = 0;
        if (!put(worker->lanes[index].fd, 1))
            RETRY_OR_FAIL("write");
        int count;
        do
            count = k_epoll_wait(worker->epoll, events, batch, 0);
        while (count < 0 && errno == EINTR);
        if (count < 0)
            return failed(run, worker, "epoll_wait");
        if (UNLIKELY(count != 1 || events[0].data.u64 != index))
            return broke(run, worker, "exactly-the-ready-one", index, index, count ? events[0].data.u64 : UINT64_MAX);
        if (UNLIKELY(!get(worker->lanes[index].fd, &value) || value != 1))
            return broke(run, worker, "event-means-readable", index, 1, value);
        lap_done(&lap);
    }
    return lap.outcome;
}

/* An epoll in an epoll: each level reports the next one by its word, the last one the counter. `lanes` are the
   instances from the outermost in; the innermost lane is the counter itself. */
int evk_loop_epoll_nested(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    const struct evk_lane *lanes = worker->lanes;
    uint64_t depth = worker->lane_count - 1;
    while (lap_next(&lap)) {
        uint64_t value = 0;
        if (!put(lanes[depth].fd, worker->ops + 1))
            RETRY_OR_FAIL("write");
        for (uint64_t level = 0; level < depth; ++level) {
            struct epoll_event event;
            int count;
            do
                count = k_epoll_wait(lanes[level].fd, &event, 1, 0);
            while (count < 0 && errno == EINTR);
            if (count < 0)
                return failed(run, worker, "epoll_wait");
            if (UNLIKELY(count != 1 || event.data.u64 != level + 1))
                return broke(run, worker, "each-level-names-the-next", worker->ops, level + 1,
                             count ? event.data.u64 : UINT64_MAX);
        }
        if (UNLIKELY(!get(lanes[depth].fd, &value) || value != worker->ops + 1))
            return broke(run, worker, "counter-arrives", worker->ops, worker->ops + 1, value);
        lap_done(&lap);
    }
    return lap.outcome;
}
