/* Stress loops on signalfd(2); the signals are blocked in every thread of the process. Stressors are in
   toolkit/stress/signalfd/. A token names its sender (bits 40 and up) and its number. */

#include <sys/wait.h>

#define RECORDS 64
#define TOKEN(sender, number) ((uint64_t)(sender) << 40 | (number))

/* Records read at once; 0 when none is there, -errno (and the failure noted) otherwise. */
static int read_records(struct evk_run *run, struct evk_worker *worker, struct signalfd_siginfo *records)
{
    ssize_t size = k_read(worker->reads, records, RECORDS * sizeof *records);
    if (size >= 0)
        return (int)((size_t)size / sizeof *records);
    if (errno == EAGAIN || errno == EINTR) {
        worker->interrupted += errno == EINTR;
        return 0;
    }
    return failed(run, worker, "read");
}

/* Queued signals of one sender come in order and none is missing; `lanes` count what came from each. */
static void check_order(struct evk_run *run, struct evk_worker *worker, const struct signalfd_siginfo *record)
{
    uint64_t token = record->ssi_ptr, sender = token >> 40, number = token & ((1ull << 40) - 1);
    if (UNLIKELY(sender >= worker->lane_count || record->ssi_signo != (uint32_t)worker->signal)) {
        broke(run, worker, "record-is-of-a-known-sender", token, worker->lane_count, sender);
        return;
    }
    struct evk_lane *lane = &worker->lanes[sender];
    if (UNLIKELY(number != lane->received))
        broke(run, worker, "signals-of-one-sender-in-order", token, lane->received, number);
    lane->received = number + 1;
    worker->received++;
}

/* What sigqueue(3) tells of the sender; it asks the kernel for both each time, which is two calls of three. */
static siginfo_t queued_by_us(int number)
{
    siginfo_t info = {.si_signo = number, .si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_uid = getuid();
    return info;
}

int evk_loop_signal_queue(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    siginfo_t info = queued_by_us(worker->signal);
    while (lap_next(&lap)) {
        info.si_value.sival_ptr = (void *)(uintptr_t)TOKEN(worker->index, worker->sent);
        if (k_sigqueue(&info) < 0) {
            if (errno != EAGAIN)
                return failed(run, worker, "rt_sigqueueinfo");
            worker->again++; /* RLIMIT_SIGPENDING: the receiver has to come round */
            sched_yield();
            lap.turns++;
            if ((lap.turns & 1023) == 0 && now_ns() > lap.slice_end)
                return now_ns() > run->deadline_ns ? FINISHED : AGAIN;
            continue;
        }
        worker->sent++;
        lap_done(&lap);
    }
    return lap.outcome;
}

/* With an epoll the wait is there, else in poll(2). */
static void wait_for_signals(struct lap *lap)
{
    struct evk_worker *worker = lap->worker;
    if (worker->events) {
        struct epoll_event event;
        if (k_epoll_wait(worker->epoll, &event, 1, WAIT_MS) > 0)
            worker->wakeups++;
        else
            lap->turns |= 15;
    } else {
        worker->again++;
        lap_idle(lap, worker->reads);
    }
}

/* A receiver in poll(2) makes every sender pay for waking it; one that naps first (50 us, timer slack) finds a batch. */
static void nap(void)
{
    const struct timespec shortest = {.tv_nsec = 500};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &shortest, NULL);
}

int evk_loop_signal_receive(struct evk_run *run, struct evk_worker *worker)
{
    struct signalfd_siginfo records[RECORDS];
    struct lap lap = lap_of(run, worker);
    int busy = 1;
    while (lap_turn(&lap)) {
        int last = all_retired(run);
        if (worker->events && !last)
            wait_for_signals(&lap);
        int count = read_records(run, worker, records);
        if (count < 0)
            return count;
        for (int i = 0; i < count; ++i)
            check_order(run, worker, &records[i]);
        if (count == 0) {
            worker->spurious += worker->events != 0;
            if (last)
                return FINISHED;
            if (!worker->events && busy)
                nap();
            else if (!worker->events)
                wait_for_signals(&lap);
        }
        busy = count > 0;
    }
    return lap.outcome;
}

/* Standard signals coalesce: of many sent, at least one arrives, and one after the last was sent. */
int evk_loop_signal_send(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    pid_t self = getpid();
    while (lap_next(&lap)) {
        __atomic_add_fetch(&run->issued, 1, __ATOMIC_ACQ_REL);
        if (k_kill(self, worker->signal) < 0)
            return failed(run, worker, "kill");
        worker->sent++;
        lap_done(&lap);
    }
    return lap.outcome;
}

int evk_loop_signal_gather(struct evk_run *run, struct evk_worker *worker)
{
    struct signalfd_siginfo records[RECORDS];
    struct lap lap = lap_of(run, worker);
    while (lap_turn(&lap)) {
        int last = all_retired(run);
        int count = read_records(run, worker, records);
        if (count < 0)
            return count;
        if (count > 0) {
            worker->received += (uint64_t)count;
            worker->received_sum = __atomic_load_n(&run->issued, __ATOMIC_ACQUIRE); /* begun before this one was read */
        } else if (last) {
            return FINISHED;
        } else {
            wait_for_signals(&lap);
        }
    }
    return lap.outcome;
}

/* Signals directed at one thread: each sends to the next and reads its own signalfd, which shows it nothing else. */
static int send_to_thread(struct evk_worker *worker, siginfo_t *info, uint32_t target, uint64_t token)
{
    uint64_t tid;
    while ((tid = __atomic_load_n(&worker->lanes[target].generation, __ATOMIC_ACQUIRE)) == 0)
        sched_yield(); /* it has passed the start barrier and announces itself first thing */
    info->si_value.sival_ptr = (void *)(uintptr_t)token;
    return k_tgsigqueue(info, (pid_t)tid);
}

static int read_directed(struct evk_run *run, struct evk_worker *worker)
{
    struct signalfd_siginfo records[RECORDS];
    uint32_t before = (worker->index + worker->peers - 1) % worker->peers;
    int count = read_records(run, worker, records);
    for (int i = 0; i < count; ++i) {
        uint64_t token = records[i].ssi_ptr, expected = TOKEN(worker->index, worker->received);
        if (UNLIKELY(token >> 40 != worker->index)) {
            broke(run, worker, "only-the-thread-meant-sees-it", token, worker->index, token >> 40);
            return count;
        }
        if (UNLIKELY(token != expected))
            broke(run, worker, "signals-of-one-sender-in-order", token, expected, token);
        worker->received = (token & ((1ull << 40) - 1)) + 1;
        worker->lanes[before].received++;
    }
    return count;
}

int evk_loop_signal_directed(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    uint32_t next = (worker->index + 1) % worker->peers;
    siginfo_t info = queued_by_us(worker->signal);
    __atomic_store_n(&worker->lanes[worker->index].generation, worker->tid, __ATOMIC_RELEASE);
    while (worker->retired == 1 && lap_next(&lap)) {
        int count, full = 0;
        while (send_to_thread(worker, &info, next, TOKEN(next, worker->sent)) < 0) {
            if (errno != EAGAIN)
                return failed(run, worker, "rt_tgsigqueueinfo");
            worker->again++;
            full = 1;
            if ((count = read_directed(run, worker)) < 0)
                return count;
            if (LOAD(run->stop)) {
                lap.outcome = FINISHED;
                break;
            }
            sched_yield();
        }
        if (lap.outcome == FINISHED)
            break;
        worker->sent++;
        lap_done(&lap);
        if ((worker->sent & 15) == 0 || full) {
            if ((count = read_directed(run, worker)) < 0)
                return count;
        }
    }
    if (worker->retired == 1 && lap.outcome == AGAIN)
        return AGAIN;
    evk_retire(run, worker); /* then drain until the others have, too */
    while (lap_turn(&lap)) {
        int last = all_retired(run), count = read_directed(run, worker);
        if (count < 0)
            return count;
        if (count == 0 && last)
            return FINISHED;
        if (count == 0)
            lap_idle(&lap, worker->reads);
    }
    return AGAIN;
}

/* Children end while others do: SIGCHLD coalesces, so each record means "reap until nobody is left". A slot keeps its
   child's number beyond the end. A child in no slot is none of ours: whoever was exec'ed inherits the children of the
   program before, and process 1 gets orphans. */
#define REAPED (1ull << 32)

static uint64_t slot_of_child(const struct evk_worker *worker, pid_t pid)
{
    uint64_t i = 0;
    while (i < worker->slot_count && (worker->slots[i].mark & (REAPED - 1)) != (uint64_t)pid)
        ++i;
    return i;
}

int evk_loop_signal_reap(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = lap_of(run, worker);
    while (lap_next(&lap)) {
        struct signalfd_siginfo records[RECORDS];
        uint64_t left = worker->slot_count;
        for (uint64_t i = 0; i < worker->slot_count; ++i) {
            pid_t pid = fork();
            if (pid == 0)
                _exit((int)(i & 0x7F));
            if (pid < 0)
                return failed(run, worker, "fork");
            worker->slots[i].mark = (uint64_t)pid;
            worker->sent++;
        }
        while (left > 0) {
            struct pollfd one = {.fd = worker->reads, .events = POLLIN};
            if (poll(&one, 1, 5000) == 0)
                return broke(run, worker, "each-child-reaped-once", worker->sent, worker->sent, worker->received);
            int status, count = read_records(run, worker, records);
            pid_t pid;
            if (count < 0)
                return count;
            worker->wakeups += (uint64_t)count;
            while ((pid = k_waitpid(-1, &status, WNOHANG)) > 0) {
                uint64_t i = slot_of_child(worker, pid);
                if (UNLIKELY(i == worker->slot_count))
                    continue;
                if (UNLIKELY(worker->slots[i].mark & REAPED))
                    return broke(run, worker, "each-child-reaped-once", (uint64_t)pid, 0, (uint64_t)pid);
                if (UNLIKELY(!WIFEXITED(status) || WEXITSTATUS(status) != (int)(i & 0x7F)))
                    return broke(run, worker, "status-is-the-childs", (uint64_t)pid, i & 0x7F, (uint64_t)status);
                worker->slots[i].mark |= REAPED;
                worker->received++;
                left--;
            }
            if (pid < 0 && errno == ECHILD && left > 0)
                return broke(run, worker, "each-child-reaped-once", worker->sent, left, 0);
        }
        lap_done(&lap);
    }
    return lap.outcome;
}
