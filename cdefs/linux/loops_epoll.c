/* Stress loops on epoll(7) with one writer or one state a worker: wait, ctl, ready-scan, nested.
   Stressors of the same names are in toolkit/stress/epoll/. */

#define MAXEVENTS_LIMIT 1024

static inline uint32_t batch_of(const struct evk_worker *worker)
{
    return worker->maxevents < MAXEVENTS_LIMIT ? worker->maxevents : MAXEVENTS_LIMIT;
}

/* Readers on another CPU are done in microseconds: worth spinning for. Readers that wait for a CPU need ours; sleeping
   gives it away for 50 us (timer slack), sched_yield(2) beside busy neighbours for milliseconds. */
static void await_readers(uint64_t tries)
{
    const struct timespec shortest = {.tv_nsec = 500};
    if (tries < 64)
        for (volatile int i = 0; i < 200; ++i)
            ;
    else
        clock_nanosleep(CLOCK_MONOTONIC, 0, &shortest, NULL);
}

/* Whether every lane of the block that begins at `next_lane` was read since it was written. */
static int block_read(const struct evk_worker *worker)
{
    for (uint64_t i = worker->next_lane; i < worker->next_lane + worker->block; ++i)
        if (__atomic_load_n(&worker->lanes[i].received, __ATOMIC_ACQUIRE) != worker->lanes[i].sent)
            return 0;
    return 1;
}

/* perf bench epoll's topology: one writer goes round all descriptors, waiters read what is ready. The word of an entry
   is the index of its lane, which keeps count of both sides; nothing is written before the last value was read. */
int evk_loop_epoll_write(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    uint64_t tries = 0, blocks = worker->lane_count / worker->block;
    while (lap_next(&lap)) {
        if (worker->next_lane == worker->lane_count)
            worker->next_lane = 0;
        if (worker->next_lane % worker->block == 0 && !block_read(worker)) { /* a trickle would be a wake-up an event */
            worker->next_lane += worker->block;
            if (++tries % blocks == 0)
                await_readers(tries / blocks);
            continue;
        }
        tries = 0;
        struct evk_lane *lane = &worker->lanes[worker->next_lane++];
        uint64_t value = lane->generation = 1 + (draw(worker) & 0xFF);
        lane->sent++;
        lane->sent_sum += value;
        while (!put(lane->fd, value)) {
            if (errno != EINTR)
                return failed(run, worker, "write");
            worker->interrupted++;
        }
        worker->sent++;
        lap_done(&lap);
    }
    return lap.outcome;
}

int evk_loop_epoll_wait(struct evk_run *run, struct evk_worker *worker)
{
    struct epoll_event events[MAXEVENTS_LIMIT];
    struct lap lap = lap_of(run, worker);
    int batch = (int)batch_of(worker);
    while (lap_turn(&lap)) {
        int last = all_retired(run);
        int count = k_epoll_wait(worker->epoll, events, batch, last ? 0 : WAIT_MS);
        if (count < 0)
            RETRY_OR_FAIL("epoll_wait");
        if (count == 0 && last)
            return FINISHED;
        worker->wakeups += count > 0;
        for (int i = 0; i < count; ++i) {
            uint64_t value, index = events[i].data.u64;
            if (UNLIKELY(index >= worker->lane_count || events[i].events != EPOLLIN))
                return broke(run, worker, "event-carries-its-word", index, worker->lane_count, events[i].events);
            struct evk_lane *lane = &worker->lanes[index];
            if (get(lane->fd, &value)) {
                if (UNLIKELY(value != lane->generation))
                    broke(run, worker, "each-read-is-one-write", index, lane->generation, value);
                lane->received_sum += value; /* ours alone until `received` says that it was read */
                __atomic_store_n(&lane->received, lane->received + 1, __ATOMIC_RELEASE);
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
