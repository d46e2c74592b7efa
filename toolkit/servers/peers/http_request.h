/* One HTTP/1.x request head, as strictly as llhttp in httptools reads it: method and field names of token characters, a
   target without blanks, HTTP/1.0 or 1.1, CR LF, no control characters in values, Content-Length of digits only (RFC 9112).
   Bodies are told by Content-Length; a Transfer-Encoding is not served here. */

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { INCOMPLETE = 0, BAD = -1 };

struct request {
    uint64_t body;
    int keep_alive;
};

static unsigned char token_character[256];

static void prepare_parser(void)
{
    for (const char *at = "!#$%&'*+-.^_`|~"; *at; ++at)
        token_character[(unsigned char)*at] = 1;
    for (int i = 0; i < 128; ++i)
        if (isalnum(i))
            token_character[i] = 1;
}

static int named(const char *begin, const char *end, const char *name)
{
    return (size_t)(end - begin) == strlen(name) && strncasecmp(begin, name, (size_t)(end - begin)) == 0;
}

static int parse_value(struct request *request, const char *name, const char *colon, const char *value, const char *end)
{
    for (const char *at = value; at < end; ++at)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 127)
            return BAD;
    if (named(name, colon, "content-length")) {
        if (value == end || end - value > 18)
            return BAD;
        for (request->body = 0; value < end; ++value) {
            if (!isdigit((unsigned char)*value))
                return BAD;
            request->body = request->body * 10 + (uint64_t)(*value - '0');
        }
    } else if (named(name, colon, "connection")) {
        if (named(value, end, "close"))
            request->keep_alive = 0;
        else if (named(value, end, "keep-alive"))
            request->keep_alive = 1;
    } else if (named(name, colon, "transfer-encoding"))
        return BAD;
    return 1;
}

/* The size of the head at `begin`, or INCOMPLETE or BAD. */
static long parse_head(const char *begin, const char *limit, struct request *request)
{
    const char *at = begin;
    while (at < limit && token_character[(unsigned char)*at])
        ++at;
    if (at == limit)
        return INCOMPLETE;
    if (at == begin || *at++ != ' ')
        return BAD;
    const char *target = at;
    while (at < limit && (unsigned char)*at > ' ' && *at != 127)
        ++at;
    if (limit - at < (long)sizeof " HTTP/1.1\r\n" - 1)
        return INCOMPLETE;
    if (at == target || memcmp(at, " HTTP/1.", 8) || (at[8] != '0' && at[8] != '1') || at[9] != '\r' || at[10] != '\n')
        return BAD;
    *request = (struct request){.keep_alive = at[8] == '1'};
    for (at += 11;;) {
        if (limit - at < 2)
            return INCOMPLETE;
        if (at[0] == '\r')
            return at[1] == '\n' ? at + 2 - begin : BAD;
        const char *name = at;
        while (at < limit && token_character[(unsigned char)*at])
            ++at;
        if (at == limit)
            return INCOMPLETE;
        const char *colon = at;
        if (colon == name || *at++ != ':')
            return BAD;
        const char *end = memchr(at, '\r', (size_t)(limit - at));
        if (!end || end + 1 == limit)
            return INCOMPLETE;
        if (end[1] != '\n')
            return BAD;
        const char *last = end;
        while (at < last && (*at == ' ' || *at == '\t'))
            ++at;
        while (last > at && (last[-1] == ' ' || last[-1] == '\t'))
            --last;
        if (parse_value(request, name, colon, at, last) == BAD)
            return BAD;
        at = end + 2;
    }
}
