/* Numbers to and from other programs: datagrams, and memory that is shared. Nothing here allocates or waits. */
#ifndef WIRE_H
#define WIRE_H

#include <stddef.h>
#include <stdint.h>

/* A datagram: "VINC", how many numbers, the number of the datagram, a time [s], the numbers; little-endian. */
#define WIRE_HEAD 24
#define WIRE_AHEAD 1000000 /* numbers that a datagram may be ahead of the last one */
#define WIRE_RESTART 8     /* datagrams in a row with other numbers than expected: their sender began anew */
#define WIRE_MOST 4096 /* numbers in one datagram */

/* What came in, since the beginning */
typedef struct {
    uint64_t good, garbage, oversize, repeated, lost, not_finite, errors, sent, not_sent, restarts;
} wire_counts;

typedef struct {
    int socket, answers; /* answers: to whoever sent last */
    char peer[128];      /* an address, as the system has it */
    unsigned peer_size;
    uint64_t last, sequence;
    uint64_t other;  /* the last number that was not expected */
    unsigned others; /* how many such numbers came in a row */
    unsigned char buffer[WIRE_HEAD + 8 * WIRE_MOST + 1];
    wire_counts counts;
} wire_udp;

size_t wire_pack(unsigned char *to, uint64_t sequence, double t, const double *numbers, uint32_t count);
/* 0: good; otherwise what is wrong is counted and the numbers stay as they are */
int wire_unpack(wire_udp *udp, const unsigned char *from, size_t size, double *numbers, uint32_t count);

/* listen and send are HOST:PORT or a port alone, which is on this machine; send may be null. 0, or -1 with errno */
int wire_open(wire_udp *udp, const char *listen, const char *send);
/* Takes the newest numbers of all datagrams that have come; how many good ones there were */
int wire_receive(wire_udp *udp, double *numbers, uint32_t count);
void wire_send(wire_udp *udp, double t, const double *numbers, uint32_t count);
void wire_close(wire_udp *udp);

/* Memory that is shared under a name: inputs are written by others, outputs here; each has a count that is odd while it is
 * being written. */
typedef struct {
    uint32_t magic, inputs, outputs, reserved;
    volatile uint64_t input_count, output_count;
    double t;
    double numbers[]; /* inputs, then outputs */
} wire_memory;

wire_memory *wire_share(const char *name, uint32_t inputs, uint32_t outputs);
int wire_read(wire_memory *memory, double *numbers); /* 1 if they were whole and finite; otherwise nothing is changed */
void wire_write(wire_memory *memory, double t, const double *numbers);
void wire_unshare(const char *name, wire_memory *memory);

#endif
