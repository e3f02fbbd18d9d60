#define _GNU_SOURCE
#include "clock.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

int64_t clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void clock_note(clock_times *times, int64_t ns) {
    int power;
    const double part = frexp((double)(ns > 0 ? ns : 1), &power); /* 1/2 to 1 */
    int bin = 64 * power + (int)((part - 0.5) * 128);
    if (bin >= CLOCK_BINS) bin = CLOCK_BINS - 1;
    ++times->bins[bin];
    ++times->count;
    times->total += (uint64_t)(ns > 0 ? ns : 0);
    if (ns > 0 && (uint64_t)ns > times->longest) times->longest = (uint64_t)ns;
}

double clock_share(const clock_times *times, double share) {
    uint64_t below = 0;
    const double wanted = share * (double)times->count;
    for (int bin = 0; bin < CLOCK_BINS; ++bin) {
        below += times->bins[bin];
        if (below > 0 && (double)below >= wanted) {
            const double edge = ldexp(0.5 + (bin % 64 + 1) / 128.0, bin / 64) / 1000;
            const double longest = (double)times->longest / 1000;
            return edge < longest ? edge : longest;
        }
    }
    return (double)times->longest / 1000;
}

int clock_wait(int64_t *next, int64_t period, enum clock_policy policy, uint64_t *overruns, uint64_t *missed) {
    const int64_t late = clock_now() - *next;
    if (late > 0) {
        ++*overruns;
        if (policy == CLOCK_STOP) return 1;
        if (policy == CLOCK_CATCH_UP) return 0;
        const int64_t periods = late / period + 1;
        *missed += (uint64_t)periods;
        *next += periods * period;
    }
    const struct timespec at = {(time_t)(*next / 1000000000), (long)(*next % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {}
    return 0;
}

/* Pages of the stack that steps may use are there from now on */
static void touch_stack(void) {
    volatile char pages[512 * 1024];
    for (size_t k = 0; k < sizeof pages; k += 1024) pages[k] = 1;
}

int clock_take_over(int priority, int cpu) {
    int refused = 0;
    const struct sched_param order = {.sched_priority = priority};
    if (cpu >= 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (sched_setaffinity(0, sizeof one, &one)) ++refused, fprintf(stderr, "note: processor %d cannot be had: %s\n", cpu, strerror(errno));
    }
    if (mlockall(MCL_CURRENT | MCL_FUTURE)) ++refused, fprintf(stderr, "note: memory cannot be locked: %s\n", strerror(errno));
    if (priority > 0 && sched_setscheduler(0, SCHED_FIFO, &order))
        ++refused, fprintf(stderr, "note: priority %d cannot be had: %s\n", priority, strerror(errno));
    touch_stack();
    return refused;
}
