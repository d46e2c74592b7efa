/* A thread's next blocking call of shims.c stores the thread's id in *slot, without the GIL, just before it calls. */

void evk_announce_next(uint32_t *slot);
