/* accept4(2), recv(2), send(2), shutdown(2) as servers call them: on non-blocking sockets. -errno on failure. */

int evk_accept4(int fd, int flags, void *address, uint32_t *size);
int64_t evk_recv(int fd, void *buffer, uint64_t size, int flags);
int64_t evk_send(int fd, const void *data, uint64_t size, int flags);
int evk_shutdown(int fd, int how);

/* Two fat calls for a server's loop, so that a turn takes the GIL twice and not three times a connection. The data word
   of a connection holds its descriptor in the low EVK_TOKEN_SHIFT bits and something that is not 0 above them. */

#define EVK_TOKEN_SHIFT 24

/* The bytes of an answer, and of the question that it is the known answer to. */
struct evk_answer { uint64_t address; uint64_t size; uint64_t question; uint64_t question_size; };

/* The memory of one turn, room for as many events as a wait may return. Event i has its data word in tokens[i], in
   sizes[i] what recv(2) returned, or -errno, or INT64_MIN when nothing was read, and its bytes in the slab from begins[i]
   on. The slab has `most` bytes for each event; those that came stand close together, so that few pages are touched.
   answers[i] is the address of a struct evk_answer, or 0; sent[i] is what send(2) said to an answer, -errno on failure,
   INT64_MIN where there was none. `answered` counts the usual answers that went out whole, `took_ns` is the time from
   the wait's return until then. */
struct evk_turn {
    uint64_t *pairs;
    uint64_t *tokens;
    int64_t *sizes;
    uint64_t *begins;
    uint64_t *answers;
    int64_t *sent;
    char *slab;
    uint64_t most;
    int64_t answered;
    uint64_t took_ns;
};

void evk_lower_edges(uint64_t *durations, uint64_t count, uint32_t mantissa_bits);
int evk_wait_receive(int epfd, struct evk_turn *turn, int maxevents, int timeout_ms, uint64_t usual, uint32_t rearm);
int evk_answer_rearm(int epfd, struct evk_turn *turn, int count, uint32_t rearm);
