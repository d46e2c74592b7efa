/* What did not fit a call's result, until the caller comes for it with the place that it was given. Between the two
   Python may run a signal's handler, which may make such calls itself, and be interrupted in turn: a stack, as deep as
   handlers nest. Whom an exception kept from coming leaves a row behind, which the next below takes off with its own.
   In memory of each thread's own, not in its static TLS, of which a process has less than two kilobytes to spare for
   everything that it loads. */

#include <pthread.h>
#include <stdlib.h>

#define KEPT 512
#define NO_MEMORY KEPT
#define EVK_COUNT_KEPT (-1000)

struct kept {
    uint64_t pair[2];
    int result;
};

struct shelf {
    unsigned depth;
    struct kept rows[KEPT];
};

static pthread_key_t shelf_key;

__attribute__((constructor)) static void make_shelf_key(void) { pthread_key_create(&shelf_key, free); }

static int keep(uint64_t first, uint64_t second, int result)
{
    struct shelf *shelf = pthread_getspecific(shelf_key);
    if (!shelf) {
        shelf = calloc(1, sizeof *shelf);
        if (!shelf || pthread_setspecific(shelf_key, shelf) != 0) {
            free(shelf);
            return NO_MEMORY;
        }
    }
    unsigned place = shelf->depth++ % KEPT;
    shelf->rows[place] = (struct kept){{first, second}, result};
    return (int)place;
}

static struct kept look_at(int place)
{
    struct shelf *shelf = pthread_getspecific(shelf_key);
    return shelf && place >= 0 && place < KEPT ? shelf->rows[place] : (struct kept){{0, 0}, -ENOMEM};
}

static struct kept take(int place)
{
    struct shelf *shelf = pthread_getspecific(shelf_key);
    struct kept row = look_at(place);
    if (shelf && place < KEPT)
        shelf->depth -= (shelf->depth - 1 - (unsigned)place) % KEPT + 1;
    return row;
}
