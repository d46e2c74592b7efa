/* Stress loops in which descriptors are closed and reused while others wait: fd-reuse and close-race. */

static void lock_lane(struct evk_lane *lane)
{
    while (__atomic_exchange_n(&lane->lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock_lane(struct evk_lane *lane) { __atomic_store_n(&lane->lock, 0, __ATOMIC_RELEASE); }

enum variant { NAIVE, RIGHT, BOTH };

/* --- fd-reuse: lanes are indexed by descriptor number, the word of an entry is generation and number --- */

#define NUMBER_BITS 20

static int open_owned(struct evk_run *run, struct evk_worker *worker, uint64_t *generation)
{
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (fd < 0)
        return failed(run, worker, "eventfd");
    if ((uint64_t)fd >= worker->lane_count) {
        close(fd);
        errno = EMFILE;
        return failed(run, worker, "eventfd");
    }
    struct evk_lane *lane = &worker->lanes[fd];
    *generation = __atomic_add_fetch(&run->issued, 1, __ATOMIC_RELAXED);
    lock_lane(lane);
    lane->generation = *generation;
    unlock_lane(lane);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = *generation << NUMBER_BITS | (uint64_t)fd};
    if (k_epoll_ctl(worker->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
        return failed(run, worker, "epoll_ctl");
    return fd;
}

static void close_owned(struct evk_worker *worker, int fd)
{
    struct evk_lane *lane = &worker->lanes[fd];
    lock_lane(lane);
    lane->generation = 0;
    close(fd);
    unlock_lane(lane);
}

/* Lets the waiter finish so many rounds, which it counts in `handled`; gives up after 20 ms. */
static void await_rounds(struct evk_run *run, uint64_t rounds)
{
    uint64_t until = LOAD(run->handled) + rounds, patience = now_ns() + 20000000u;
    while (LOAD(run->handled) < until && now_ns() < patience && !LOAD(run->stop))
        sched_yield();
}

/* Somebody holds a duplicate, so the closed number's entry lives on and speaks in the name of the number's next owner. */
int evk_loop_reuse_churn(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t old_generation, new_generation;
        if (worker->variant == BOTH && !LOAD(run->phase) &&
            (worker->ops >= worker->budget / 2 || now_ns() - run->started_ns > run->duration_ns / 2))
            __atomic_store_n(&run->phase, 1, __ATOMIC_RELEASE);
        int old = open_owned(run, worker, &old_generation);
        if (old < 0)
            return old;
        int kept = fcntl(old, F_DUPFD_CLOEXEC, 0);
        if (kept < 0)
            return failed(run, worker, "fcntl");
        put(kept, old_generation);
        close_owned(worker, old);
        int new = open_owned(run, worker, &new_generation);
        if (new < 0)
            return new;
        put(kept, old_generation); /* for the dead: reported under the number of the living */
        put(new, new_generation);
        if ((draw(worker) & 3) == 0)
            await_rounds(run, 2);
        close_owned(worker, new);
        close(kept);
        worker->sent += 3;
        lap_done(&lap);
    }
    return lap.outcome;
}

/* An owner writes only multiples of its generation, so what is read tells whose it was. */
static void handle_naively(struct evk_worker *worker, int fd, uint64_t generation)
{
    uint64_t value = generation, owner = __atomic_load_n(&worker->lanes[fd].generation, __ATOMIC_ACQUIRE);
    int got = get(fd, &value);
    if ((got && value % generation != 0) || (owner != 0 && owner != generation))
        worker->mixed++;
    else if (got)
        worker->received++;
    else
        worker->spurious++;
}

static void handle_rightly(struct evk_run *run, struct evk_worker *worker, int fd, uint64_t generation)
{
    struct evk_lane *lane = &worker->lanes[fd];
    uint64_t value;
    lock_lane(lane); /* nobody closes the number while we use it */
    if (lane->generation != generation && !unchecked("generation"))
        worker->stale++;
    else if (!get(fd, &value))
        worker->spurious++;
    else if (UNLIKELY(value % generation != 0))
        broke(run, worker, "right-never-mixes", generation, generation, value);
    else
        worker->received++;
    unlock_lane(lane);
}

int evk_loop_reuse_watch(struct evk_run *run, struct evk_worker *worker)
{
    struct epoll_event events[64];
    struct lap lap = lap_of(run, worker);
    while (lap_turn(&lap)) {
        int last = all_retired(run);
        int count = k_epoll_wait(worker->epoll, events, 64, WAIT_MS);
        if (count < 0)
            RETRY_OR_FAIL("epoll_wait");
        if (count == 0) {
            if (last)
                return FINISHED;
            lap.turns |= 15;
        }
        int naive = worker->variant == NAIVE || (worker->variant == BOTH && !LOAD(run->phase));
        for (int i = 0; i < count; ++i) {
            int fd = (int)(events[i].data.u64 & ((1u << NUMBER_BITS) - 1));
            uint64_t generation = events[i].data.u64 >> NUMBER_BITS;
            if (naive)
                handle_naively(worker, fd, generation);
            else
                handle_rightly(run, worker, fd, generation);
        }
        worker->wakeups += count > 0;
        __atomic_add_fetch(&run->handled, 1, __ATOMIC_RELEASE);
    }
    return lap.outcome;
}

/* --- close-race: lanes are indexed by generation; an epoch is counted up after each entry has gone --- */

static struct evk_lane *lane_of(const struct evk_worker *worker, uint64_t generation)
{
    return &worker->lanes[generation & (worker->lane_count - 1)];
}

static int add_entry(struct evk_run *run, struct evk_worker *worker, int fd, uint64_t *generation)
{
    *generation = __atomic_add_fetch(&run->issued, 1, __ATOMIC_RELAXED);
    struct evk_lane *lane = lane_of(worker, *generation);
    __atomic_store_n(&lane->closed_epoch, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->generation, *generation, __ATOMIC_RELEASE);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = *generation << 1};
    return k_epoll_ctl(worker->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void entry_gone(struct evk_run *run, struct evk_worker *worker, uint64_t generation, int deleted)
{
    uint64_t epoch = __atomic_add_fetch(&run->handled, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&lane_of(worker, generation)->closed_epoch, epoch << 1 | (uint64_t)deleted, __ATOMIC_RELEASE);
}

int evk_loop_race_churn(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        uint64_t way = draw(worker) & 3, generation, second;
        int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), twin = -1;
        if (fd < 0)
            return failed(run, worker, "eventfd");
        if (add_entry(run, worker, fd, &generation) < 0)
            return failed(run, worker, "epoll_ctl");
        put(fd, 1);
        if (way >= 2 && (twin = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0)
            return failed(run, worker, "fcntl");
        if (way & 1) { /* DEL first */
            if (k_epoll_ctl(worker->epoll, EPOLL_CTL_DEL, fd, NULL) < 0)
                return failed(run, worker, "epoll_ctl");
            entry_gone(run, worker, generation, 1);
        }
        if (way == 3 && add_entry(run, worker, twin, &second) < 0)
            return failed(run, worker, "epoll_ctl");
        close(fd);
        if (way == 0)
            entry_gone(run, worker, generation, 0);
        if (twin >= 0) {
            put(twin, 1);
            close(twin);
            entry_gone(run, worker, way == 3 ? second : generation, 0);
        }
        worker->sent++;
        lap_done(&lap);
    }
    return lap.outcome;
}

/* After EPOLL_CTL_DEL has returned, no wait that starts later reports the entry. After a bare close one may, while
   another waiter still looks at the file (fs/eventpoll.c, epi_fget): counted as stale. */
int evk_loop_race_watch(struct evk_run *run, struct evk_worker *worker)
{
    struct epoll_event events[64];
    struct lap lap = lap_of(run, worker);
    while (lap_turn(&lap)) {
        int last = all_retired(run);
        uint64_t before = __atomic_load_n(&run->handled, __ATOMIC_ACQUIRE);
        int count = k_epoll_wait(worker->epoll, events, 64, WAIT_MS);
        if (count < 0)
            RETRY_OR_FAIL("epoll_wait");
        if (count == 0) {
            if (last)
                return FINISHED;
            lap.turns |= 15;
        }
        worker->wakeups += count > 0;
        for (int i = 0; i < count; ++i) {
            uint64_t generation = events[i].data.u64 >> 1;
            struct evk_lane *lane = lane_of(worker, generation);
            uint64_t gone = __atomic_load_n(&lane->closed_epoch, __ATOMIC_ACQUIRE);
            worker->received++;
            if (__atomic_load_n(&lane->generation, __ATOMIC_ACQUIRE) != generation || gone == 0 || gone >> 1 > before)
                continue;
            if (UNLIKELY(gone & 1))
                return broke(run, worker, "nothing-after-del", generation, before, gone >> 1);
            worker->stale++;
        }
    }
    return lap.outcome;
}
