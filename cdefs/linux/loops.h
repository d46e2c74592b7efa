/* Hot loops of `evkit ... stress`. Each `evk_loop_` call runs one slice of at most 50 ms without the GIL and returns
   1 (call again), 0 (finished) or -errno (`call` names the system call). Python sets the first block of a worker,
   C counts in the others; a run is memory shared by all its workers, threads or processes. */

#define EVK_BUCKETS 3840
#define EVK_SLICE_NS 50000000

struct evk_histogram {
    uint64_t count;
    uint64_t sum;
    uint64_t minimum;
    uint64_t maximum;
    uint64_t buckets[EVK_BUCKETS];
};

/* One per descriptor (or sender) of a run: what went in and what came out, each on a cache line of its own. */
struct evk_lane {
    int32_t fd;
    int32_t unused_word_;
    uint64_t sent;
    uint64_t sent_sum;
    uint64_t unused_[5];
    uint64_t received;
    uint64_t received_sum;
    uint64_t generation;
    uint64_t closed_epoch;
    int32_t lock;
    int32_t received_fd;
    uint64_t unused_too_[3];
};

/* A token under way: `mark` is its number plus one until somebody handles it. */
struct evk_slot {
    uint64_t mark;
    uint64_t sent_ns;
};

struct evk_run {
    uint32_t stop;
    uint32_t abort;
    uint32_t parties;
    uint32_t go;
    uint32_t phase;
    uint32_t unused_word_;
    uint64_t duration_ns;
    uint64_t started_ns;
    uint64_t deadline_ns;
    uint64_t unused_[2];
    uint32_t arrived;
    uint32_t producers;
    uint64_t unused_too_[7];
    uint64_t issued;
    uint64_t unused_as_well_[7];
    uint64_t handled;
    uint64_t unused_at_last_[7];
};

struct evk_worker {
    uint32_t index;
    uint32_t peers;
    int32_t reads;
    int32_t writes;
    int32_t epoll;
    int32_t signal;
    uint32_t timed;
    uint32_t maxevents;
    uint32_t events;
    uint32_t variant;
    uint64_t budget;
    uint64_t pace_ns;
    uint64_t seed;
    struct evk_lane *lanes;
    uint64_t lane_count;
    struct evk_slot *slots;
    uint64_t slot_count;
    uint64_t first_lane;

    uint64_t random;
    uint64_t next_lane;
    uint64_t next_ns;
    uint64_t tid;
    uint64_t began_ns;
    uint64_t ended_ns;

    uint64_t ops;
    uint64_t sent;
    uint64_t received;
    uint64_t sent_sum;
    uint64_t received_sum;
    uint64_t wakeups;
    uint64_t spurious;
    uint64_t again;
    uint64_t interrupted;
    uint64_t stale;
    uint64_t mixed;

    int32_t error;
    uint32_t retired;
    const char *call;
    const char *broken;
    uint64_t token;
    uint64_t expected;
    uint64_t observed;

    struct evk_histogram latency;
};

void evk_arrive(struct evk_run *run, struct evk_worker *worker);
void evk_retire(struct evk_run *run, struct evk_worker *worker);
void evk_record(struct evk_histogram *histogram, uint64_t ns);
uint32_t evk_bucket_of(uint64_t ns);
uint64_t evk_now_ns(void);

int evk_loop_eventfd_ping(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_serve(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_return(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_add(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_drain(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_give(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_take(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_wake(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_woken(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_fill(struct evk_run *run, struct evk_worker *worker);
int evk_loop_eventfd_empty(struct evk_run *run, struct evk_worker *worker);

int evk_loop_epoll_write(struct evk_run *run, struct evk_worker *worker);
int evk_loop_epoll_wait(struct evk_run *run, struct evk_worker *worker);
int evk_loop_epoll_ctl(struct evk_run *run, struct evk_worker *worker);
int evk_loop_epoll_scan(struct evk_run *run, struct evk_worker *worker);
int evk_loop_epoll_nested(struct evk_run *run, struct evk_worker *worker);
int evk_loop_handoff_send(struct evk_run *run, struct evk_worker *worker);
int evk_loop_handoff_take(struct evk_run *run, struct evk_worker *worker);
int evk_loop_storm_connect(struct evk_run *run, struct evk_worker *worker);
int evk_loop_storm_accept(struct evk_run *run, struct evk_worker *worker);
int evk_storm_listen(uint64_t number, int backlog);

int evk_loop_reuse_churn(struct evk_run *run, struct evk_worker *worker);
int evk_loop_reuse_watch(struct evk_run *run, struct evk_worker *worker);
int evk_loop_race_churn(struct evk_run *run, struct evk_worker *worker);
int evk_loop_race_watch(struct evk_run *run, struct evk_worker *worker);

int evk_loop_signal_queue(struct evk_run *run, struct evk_worker *worker);
int evk_loop_signal_receive(struct evk_run *run, struct evk_worker *worker);
int evk_loop_signal_send(struct evk_run *run, struct evk_worker *worker);
int evk_loop_signal_gather(struct evk_run *run, struct evk_worker *worker);
int evk_loop_signal_directed(struct evk_run *run, struct evk_worker *worker);
int evk_loop_signal_reap(struct evk_run *run, struct evk_worker *worker);
