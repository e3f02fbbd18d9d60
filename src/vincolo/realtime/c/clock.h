/* Steps of real time, and how long they took. Nothing here allocates. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

enum clock_policy { CLOCK_STOP, CLOCK_SKIP, CLOCK_CATCH_UP };

#define CLOCK_BINS (64 * 48) /* 64 to each doubling: 1.1 % wide */

typedef struct {
    uint32_t bins[CLOCK_BINS];
    uint64_t count, longest, total; /* ns */
} clock_times;

int64_t clock_now(void); /* ns */
void clock_note(clock_times *times, int64_t ns);
double clock_share(const clock_times *times, double share); /* us that this share of all steps stayed below; 1 for all */
/* Sleeps to *next. If it has passed, `missed` is by how many periods: skipped ones are left out of *next. 1: stop. */
int clock_wait(int64_t *next, int64_t period, enum clock_policy policy, uint64_t *overruns, uint64_t *missed);
/* As the operating system allows: no page of memory goes away, and nothing of lower priority runs before this. What is refused is
 * said on stderr; how many were. */
int clock_take_over(int priority, int cpu);

#endif
