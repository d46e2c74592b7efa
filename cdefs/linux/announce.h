/* A thread's next blocking call of shims.c stores the thread's id in *slot, without the GIL, just before it calls. */

void evk_announce_next(uint32_t *slot);

/* sched_yield(2), with the GIL released as in every call here: os.sched_yield keeps it before Python 3.12. */

void evk_yield(void);
