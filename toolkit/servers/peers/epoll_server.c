/* The plain epoll loop in C that the models are compared with: PORT PROCESSES BODY_SIZE. With more than one process each
   has its own SO_REUSEPORT listener. Answers every GET with the same bytes as `evkit serve`; no checks, no accounts. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

static void serve(int listener, const char *answer, size_t size)
{
    static char buffer[65536];
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
                    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
                }
                continue;
            }
            ssize_t got = recv(fd, buffer, sizeof buffer, 0);
            if (got <= 0) {
                if (got == 0 || errno != EAGAIN)
                    close(fd);
                continue;
            }
            char *begin = buffer, *end, *limit = buffer + got;
            while ((end = memmem(begin, (size_t)(limit - begin), "\r\n\r\n", 4))) {
                send(fd, answer, size, MSG_NOSIGNAL);
                begin = end + 4;
            }
        }
    }
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    int port = atoi(arguments[1]), processes = atoi(arguments[2]), body = atoi(arguments[3]);
    static const char text[] = "Hello, world\n";
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
