#define _GNU_SOURCE
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "datagrams are little-endian; add the swaps for this machine"
#endif

#define MAGIC 0x434e4956u /* VINC */

size_t wire_pack(unsigned char *to, uint64_t sequence, double t, const double *numbers, uint32_t count) {
    const uint32_t head[2] = {MAGIC, count};
    memcpy(to, head, 8);
    memcpy(to + 8, &sequence, 8);
    memcpy(to + 16, &t, 8);
    if (count > 0) memcpy(to + WIRE_HEAD, numbers, 8 * (size_t)count);
    return WIRE_HEAD + 8 * (size_t)count;
}

static int all_finite(const double *numbers, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k)
        if (!isfinite(numbers[k])) return 0;
    return 1;
}

/* Whether a datagram comes after the last one. Others are late, repeated or odd, unless as many come in a row that their
 * sender must have begun anew: then they count from there on. */
static int in_order(wire_udp *udp, uint64_t sequence) {
    if (udp->last == 0 || (sequence > udp->last && sequence - udp->last <= WIRE_AHEAD)) {
        if (udp->last > 0) udp->counts.lost += sequence - udp->last - 1;
        udp->last = sequence, udp->others = 0;
        return 1;
    }
    const int follows = udp->others > 0 && sequence > udp->other && sequence - udp->other <= WIRE_AHEAD;
    udp->others = follows ? udp->others + 1 : 1;
    udp->other = sequence;
    if (udp->others < WIRE_RESTART) return 0;
    udp->last = sequence, udp->others = 0;
    ++udp->counts.restarts;
    return 1;
}

int wire_unpack(wire_udp *udp, const unsigned char *from, size_t size, double *numbers, uint32_t count) {
    uint32_t head[2];
    uint64_t sequence;
    double found[WIRE_MOST];
    if (size > WIRE_HEAD + 8 * (size_t)count) return ++udp->counts.oversize, 1;
    if (size != WIRE_HEAD + 8 * (size_t)count || count > WIRE_MOST) return ++udp->counts.garbage, 1;
    memcpy(head, from, 8);
    memcpy(&sequence, from + 8, 8);
    if (head[0] != MAGIC || head[1] != count || sequence == 0) return ++udp->counts.garbage, 1;
    memcpy(found, from + WIRE_HEAD, 8 * (size_t)count);
    if (!all_finite(found, count)) return ++udp->counts.not_finite, 1;
    if (!in_order(udp, sequence)) return ++udp->counts.repeated, 1;
    ++udp->counts.good;
    if (count > 0) memcpy(numbers, found, 8 * (size_t)count);
    return 0;
}

static int address(const char *text, struct sockaddr_in *to) {
    char host[64] = "127.0.0.1";
    const char *port = strrchr(text, ':');
    if (port && (size_t)(port - text) < sizeof host) {
        memcpy(host, text, (size_t)(port - text));
        host[port - text] = 0;
    }
    char *end;
    const long number = strtol(port ? port + 1 : text, &end, 10);
    memset(to, 0, sizeof *to);
    to->sin_family = AF_INET;
    to->sin_port = htons((uint16_t)number);
    if (*end || number < 1 || number > 65535 || inet_pton(AF_INET, host, &to->sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    return 0;
}

int wire_open(wire_udp *udp, const char *listen, const char *send) {
    struct sockaddr_in here, there;
    memset(udp, 0, sizeof *udp);
    udp->socket = -1;
    if (address(listen, &here) || (send && address(send, &there))) return -1;
    udp->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (udp->socket < 0 || bind(udp->socket, (struct sockaddr *)&here, sizeof here)) return -1;
    udp->answers = !send;
    if (send) memcpy(udp->peer, &there, sizeof there), udp->peer_size = sizeof there;
    return 0;
}

int wire_receive(wire_udp *udp, double *numbers, uint32_t count) {
    int good = 0;
    for (int k = 0; k < 1000; ++k) { /* one that sends without end must not hold the step up */
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        const ssize_t got = recvfrom(udp->socket, udp->buffer, sizeof udp->buffer, MSG_TRUNC, (struct sockaddr *)&from, &size);
        if (got < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ++udp->counts.errors; /* a peer that went away */
            if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EBADF) break;
            continue;
        }
        if (wire_unpack(udp, udp->buffer, (size_t)got, numbers, count)) continue;
        ++good;
        if (udp->answers) memcpy(udp->peer, &from, sizeof from), udp->peer_size = sizeof from;
    }
    return good;
}

void wire_send(wire_udp *udp, double t, const double *numbers, uint32_t count) {
    if (!udp->peer_size || count > WIRE_MOST) return;
    const size_t size = wire_pack(udp->buffer, ++udp->sequence, t, numbers, count);
    const ssize_t sent = sendto(udp->socket, udp->buffer, size, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)udp->peer, udp->peer_size);
    if (sent == (ssize_t)size) ++udp->counts.sent;
    else ++udp->counts.not_sent;
}

void wire_close(wire_udp *udp) {
    if (udp->socket >= 0) close(udp->socket);
    udp->socket = -1;
}

static size_t memory_size(uint32_t inputs, uint32_t outputs) { return sizeof(wire_memory) + 8 * ((size_t)inputs + outputs); }

wire_memory *wire_share(const char *name, uint32_t inputs, uint32_t outputs) {
    const size_t size = memory_size(inputs, outputs);
    const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0) return NULL;
    wire_memory *memory = ftruncate(file, (off_t)size) ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return shm_unlink(name), NULL;
    memset(memory, 0, size);
    memory->inputs = inputs, memory->outputs = outputs, memory->magic = MAGIC;
    return memory;
}

int wire_read(wire_memory *memory, double *numbers) {
    double found[WIRE_MOST];
    const uint32_t count = memory->inputs;
    const uint64_t before = memory->input_count;
    __sync_synchronize();
    if (count > WIRE_MOST || before == 0 || before % 2) return 0;
    memcpy(found, memory->numbers, 8 * (size_t)count);
    __sync_synchronize();
    if (memory->input_count != before || !all_finite(found, count)) return 0;
    memcpy(numbers, found, 8 * (size_t)count);
    return 1;
}

void wire_write(wire_memory *memory, double t, const double *numbers) {
    ++memory->output_count;
    __sync_synchronize();
    memory->t = t;
    memcpy(memory->numbers + memory->inputs, numbers, 8 * (size_t)memory->outputs);
    __sync_synchronize();
    ++memory->output_count;
}

void wire_unshare(const char *name, wire_memory *memory) {
    munmap(memory, memory_size(memory->inputs, memory->outputs));
    shm_unlink(name);
}
