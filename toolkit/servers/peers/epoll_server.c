/* The plain epoll loop in C that the models are compared with: PORT PROCESSES BODY_SIZE. With more than one process each
   has its own SO_REUSEPORT listener. Parses every request (http_request.h) and answers it with the bytes that `evkit serve`
   answers GET / with: one recv and one send a request, level-triggered, as the reactor. No accounts and no deadlines; a bad
   request is closed without a word. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http_request.h"

static int listen_on(int port)
{
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 4096) < 0) {
        perror("listen");
        exit(1);
    }
    return fd;
}

/* What has come of a request that is not complete, by descriptor: rare, so that it costs a plain request nothing. */
static struct { char *bytes; size_t size; uint64_t body_left; } rest[65536];

static void end(int fd)
{
    free(rest[fd].bytes);
    memset(&rest[fd], 0, sizeof rest[fd]);
    close(fd);
}

/* The whole answer; 0 when the peer is gone. A peer whose window is full is waited for: these answers fit it. */
static int send_whole(int fd, const char *answer, size_t size)
{
    while (size) {
        ssize_t sent = send(fd, answer, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        else if (sent < 0)
            return 0;
        else
            answer += sent, size -= (size_t)sent;
    }
    return 1;
}

/* Answers every whole request in the bytes that have come and keeps what is left; 0 when the connection is to end. */
static int answer_all(int fd, const char *at, const char *limit, const char *answer, size_t size)
{
    for (;;) {
        uint64_t skipped = rest[fd].body_left;
        if (skipped > (uint64_t)(limit - at))
            skipped = (uint64_t)(limit - at);
        rest[fd].body_left -= skipped;
        at += skipped;
        struct request request;
        long head = at < limit ? parse_head(at, limit, &request) : INCOMPLETE;
        if (head == BAD)
            return 0;
        if (head == INCOMPLETE)
            break;
        if (!send_whole(fd, answer, size) || !request.keep_alive)
            return 0;
        at += head;
        rest[fd].body_left = request.body;
    }
    char *kept = NULL;
    if (at < limit && !(kept = malloc((size_t)(limit - at))))
        return 0;
    if (kept)
        memcpy(kept, at, (size_t)(limit - at));
    free(rest[fd].bytes);
    rest[fd].bytes = kept;
    rest[fd].size = (size_t)(limit - at);
    return 1;
}

static void serve(int listener, const char *answer, size_t size)
{
    static char buffer[131072];
    struct epoll_event events[64], event = {.events = EPOLLIN, .data.fd = listener};
    int epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < count; ++i) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    event.data.fd = fd;
                    if (fd >= 65536 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0)
                        close(fd);
                }
                continue;
            }
            size_t kept = rest[fd].size;
            if (kept > 65536) {
                end(fd);
                continue;
            }
            if (kept)
                memcpy(buffer, rest[fd].bytes, kept);
            ssize_t got = recv(fd, buffer + kept, 65536, 0);
            if (got > 0 ? !answer_all(fd, buffer, buffer + kept + got, answer, size) : got == 0 || errno != EAGAIN)
                end(fd);
        }
    }
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    int port = atoi(arguments[1]), processes = atoi(arguments[2]), body = atoi(arguments[3]);
    static const char text[] = "Hello, world\n";
    prepare_parser();
    char *answer = malloc((size_t)body + 128);
    int head = sprintf(answer, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Type: text/plain\r\n\r\n", body);
    for (int i = 0; i < body; ++i)
        answer[head + i] = text[i % (int)(sizeof text - 1)];
    int listener = listen_on(port);
    if (!port) {
        struct sockaddr_in address;
        socklen_t size = sizeof address;
        getsockname(listener, (struct sockaddr *)&address, &size);
        port = ntohs(address.sin_port);
    }
    for (int i = 1; i < processes; ++i)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(listener);
            serve(listen_on(port), answer, (size_t)(head + body));
        }
    printf("%d\n", port);
    fflush(stdout);
    serve(listener, answer, (size_t)(head + body));
}
