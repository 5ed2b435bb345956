/* Replaces the system's own function, and keeps connections open that gRPC clients have closed. tritonserver
   2.51 does so if a call was cancelled during its response, because it loses the call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef int Function(int);

/* The port of gRPC on the command line of this process; -1 where there is none. */
static int grpc_port(void)
{
    static const char flag[] = "--grpc-port=";
    char line[1 << 16];
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length = file ? fread(line, 1, sizeof line, file) : 0;
    if (file)
        fclose(file);
    char *found = memmem(line, length, flag, sizeof flag - 1);
    return found ? atoi(found + sizeof flag - 1) : -1;
}

static int is_closed_by_a_client_of_grpc(int descriptor)
{
    struct tcp_info info = {0};
    struct sockaddr_in address = {0};
    socklen_t size = sizeof info, length = sizeof address;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return 0;
    if (info.tcpi_state == TCP_LISTEN || info.tcpi_state == TCP_ESTABLISHED)
        return 0;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0)
        return 0;
    return ntohs(address.sin_port) == grpc_port();
}

/* Whether the descriptor is the first one of its socket that is to be closed: others are lent for a moment. */
static int is_first(int descriptor)
{
    static ino_t seen[64];
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return 0;
    for (size_t slot = 0; slot < sizeof seen / sizeof *seen; slot++) {
        ino_t none = 0;
        if (__atomic_compare_exchange_n(&seen[slot], &none, status.st_ino, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return 1;
        if (none == status.st_ino)
            return 0;
    }
    return 0;
}

int close(int descriptor)
{
    if (is_closed_by_a_client_of_grpc(descriptor) && is_first(descriptor))
        return 0;
    return ((Function *)dlsym(RTLD_NEXT, "close"))(descriptor);
}
