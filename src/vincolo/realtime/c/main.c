/* A mechanism in real time: inputs from datagrams, shared memory or a file, a step, outputs. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "clock.h"
#include "csv.h"
#include "table.h"
#include "vincolo.h"
#include "wire.h"

static volatile sig_atomic_t asked_to_end = 0;
static void end(int signal) { asked_to_end = signal; }

enum { DONE = 0, WRONG_USE = 2, STEP_FAILED = 3, OVERRUN = 4, SILENCE = 5 };

typedef struct {
    const char *listen, *send, *memory, *inputs, *log;
    double seconds, silence;
    int real_time, hold, priority, cpu;
    enum clock_policy policy;
} options;

static const char usage[] =
    "usage: %s [options]\n"
    "  --seconds S         how long, in the time of the model; 10 if not given\n"
    "  --free              as fast as it goes, and not in real time\n"
    "  --overrun POLICY    when a step ends late: stop, skip (leave periods out) or catch-up (the default)\n"
    "  --on-failure WHAT   when a step cannot be completed: stop (the default) or hold the last good state\n"
    "  --listen [HOST:]PORT  inputs by datagrams; 127.0.0.1 if no host is given\n"
    "  --send [HOST:]PORT  where outputs go; to whoever sent inputs last if not given\n"
    "  --silence S         stop if no inputs come for so long\n"
    "  --memory NAME       inputs and outputs in shared memory, such as /vincolo\n"
    "  --inputs FILE.csv   inputs of every step, by columns\n"
    "  --log FILE.csv      what happened, written at the end\n"
    "  --priority N        of SCHED_FIFO, 1 to 99; 80 if not given, 0 for none\n"
    "  --cpu N             the processor to run on\n"
    "  --list              names of inputs, outputs and parameters\n";

static double number_of(const char *option, const char *text, double least, double most) {
    char *rest;
    const double x = strtod(text, &rest);
    if (*rest || rest == text || !(x >= least && x <= most)) {
        fprintf(stderr, "error: %s %s: a number from %g to %g is needed\n", option, text, least, most);
        exit(WRONG_USE);
    }
    return x;
}

static int choice_of(const char *option, const char *text, const char *const *known) {
    for (int k = 0; known[k]; ++k)
        if (strcmp(known[k], text) == 0) return k;
    fprintf(stderr, "error: %s %s: it is one of", option, text);
    for (int k = 0; known[k]; ++k) fprintf(stderr, " %s", known[k]);
    fprintf(stderr, "\n");
    exit(WRONG_USE);
}

static void list(const vincolo_model *model) {
    printf("model %s, steps of %g s\n", vincolo_name(model), vincolo_step_size(model));
    for (int k = 0; k < vincolo_input_count(model); ++k) printf("input %s [%s]\n", vincolo_input_name(model, k), vincolo_input_unit(model, k));
    for (int k = 0; k < vincolo_output_count(model); ++k) printf("output %s [%s]\n", vincolo_output_name(model, k), vincolo_output_unit(model, k));
    for (int k = 0; k < vincolo_parameter_count(model); ++k) printf("parameter %s = %.17g\n", vincolo_parameter_name(model, k), vincolo_parameter(model, k));
    exit(DONE);
}

static options asked(int count, char **words, const vincolo_model *model) {
    static const char *const policies[] = {"stop", "skip", "catch-up", NULL}, *const failures[] = {"stop", "hold", NULL};
    options o = {.seconds = 10, .real_time = 1, .priority = 80, .cpu = -1, .policy = CLOCK_CATCH_UP};
    for (int k = 1; k < count; ++k) {
        const char *word = words[k], *next = k + 1 < count ? words[k + 1] : "";
        if (strcmp(word, "--free") == 0) { o.real_time = 0; continue; }
        if (strcmp(word, "--list") == 0) list(model);
        if (strcmp(word, "--help") == 0) { printf(usage, words[0]); exit(DONE); }
        ++k;
        if (strcmp(word, "--seconds") == 0) o.seconds = number_of(word, next, 0, 1e9);
        else if (strcmp(word, "--overrun") == 0) o.policy = (enum clock_policy)choice_of(word, next, policies);
        else if (strcmp(word, "--on-failure") == 0) o.hold = choice_of(word, next, failures);
        else if (strcmp(word, "--listen") == 0) o.listen = next;
        else if (strcmp(word, "--send") == 0) o.send = next;
        else if (strcmp(word, "--silence") == 0) o.silence = number_of(word, next, 0, 1e9);
        else if (strcmp(word, "--memory") == 0) o.memory = next;
        else if (strcmp(word, "--inputs") == 0) o.inputs = next;
        else if (strcmp(word, "--log") == 0) o.log = next;
        else if (strcmp(word, "--priority") == 0) o.priority = (int)number_of(word, next, 0, 99);
        else if (strcmp(word, "--cpu") == 0) o.cpu = (int)number_of(word, next, 0, 1023);
        else {
            fprintf(stderr, "error: %s is unknown\n", word);
            fprintf(stderr, usage, words[0]);
            exit(WRONG_USE);
        }
    }
    return o;
}

/* What surrounds a model while it runs */
typedef struct {
    options o;
    vincolo_model *model;
    wire_udp udp;
    wire_memory *memory;
    csv_series inputs, log;
    clock_times times;
    uint64_t overruns, missed, failed, steps, silent;
    long faults;
} bench;

static int prepare(bench *b, size_t steps) {
    const uint32_t inputs = (uint32_t)vincolo_input_count(b->model), outputs = (uint32_t)vincolo_output_count(b->model);
    if (b->o.listen && wire_open(&b->udp, b->o.listen, b->o.send)) return fprintf(stderr, "error: --listen %s: %s\n", b->o.listen, strerror(errno)), WRONG_USE;
    if (b->o.memory && !(b->memory = wire_share(b->o.memory, inputs, outputs))) return fprintf(stderr, "error: --memory %s: %s\n", b->o.memory, strerror(errno)), WRONG_USE;
    if (b->o.inputs && csv_read_inputs(&b->inputs, b->o.inputs, b->model)) return WRONG_USE;
    if (b->o.log && csv_make_room(&b->log, steps, b->model)) return fprintf(stderr, "error: --log: there is not enough memory for %zu steps\n", steps), WRONG_USE;
    return DONE;
}

static void fetch(bench *b) {
    double *inputs = vincolo_inputs(b->model);
    const uint32_t count = (uint32_t)vincolo_input_count(b->model);
    if (b->o.listen) b->silent = wire_receive(&b->udp, inputs, count) > 0 ? 0 : b->silent + 1;
    if (b->memory) wire_read(b->memory, inputs);
    if (b->steps < b->inputs.rows && count > 0) memcpy(inputs, b->inputs.numbers + b->steps * count, count * sizeof(double));
}

static void hand_over(bench *b) {
    if (b->o.listen) wire_send(&b->udp, vincolo_time(b->model), vincolo_outputs(b->model), (uint32_t)vincolo_output_count(b->model));
    if (b->memory) wire_write(b->memory, vincolo_time(b->model), vincolo_outputs(b->model));
}

static int run(bench *b, size_t steps) {
    struct rusage before, after;
    const double h = vincolo_step_size(b->model);
    const int64_t period = (int64_t)llround(1e9 * h);
    int64_t next = clock_now();
    int result = DONE;
    getrusage(RUSAGE_SELF, &before);
    while (b->steps < steps && !asked_to_end && result == DONE) {
        next += period;
        fetch(b);
        const int64_t begun = clock_now();
        const int status = vincolo_step(b->model);
        const int64_t spent = clock_now() - begun;
        hand_over(b);
        clock_note(&b->times, spent);
        if (b->o.log) csv_note(&b->log, b->model, 1e-3 * (double)spent, status);
        ++b->steps;
        if (status == VINCOLO_STOPPED) break;
        b->failed += status != VINCOLO_OK;
        if (status != VINCOLO_OK && !b->o.hold) result = STEP_FAILED;
        else if (b->o.silence > 0 && (double)b->silent * h > b->o.silence) result = SILENCE;
        else if (b->o.real_time && clock_wait(&next, period, b->o.policy, &b->overruns, &b->missed)) result = OVERRUN;
    }
    getrusage(RUSAGE_SELF, &after);
    b->faults = after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt;
    return result;
}

static void report(const bench *b, int result) {
    const wire_counts *c = &b->udp.counts;
    printf("%llu steps to t = %.9g s: step p50 %.2f, p99 %.2f, p99.99 %.2f, max %.2f us; %llu overruns, %llu periods missed; %llu steps failed; %ld page faults\n",
           (unsigned long long)b->steps, vincolo_time(b->model), clock_share(&b->times, 0.5), clock_share(&b->times, 0.99), clock_share(&b->times, 0.9999),
           clock_share(&b->times, 1), (unsigned long long)b->overruns, (unsigned long long)b->missed, (unsigned long long)b->failed, b->faults);
    if (b->o.listen)
        printf("datagrams: %llu good, %llu lost, %llu late or repeated, %llu garbage, %llu too long, %llu not finite, %llu sent, %llu not sent, %llu restarts of a peer\n",
               (unsigned long long)c->good, (unsigned long long)c->lost, (unsigned long long)c->repeated, (unsigned long long)c->garbage, (unsigned long long)c->oversize,
               (unsigned long long)c->not_finite, (unsigned long long)c->sent, (unsigned long long)c->not_sent, (unsigned long long)c->restarts);
    if (result == STEP_FAILED) fprintf(stderr, "error: the step after t = %.9g s: %s\n", vincolo_time(b->model), vincolo_reason(b->model));
    if (result == OVERRUN) fprintf(stderr, "error: the step to t = %.9g s ended too late\n", vincolo_time(b->model));
    if (result == SILENCE) fprintf(stderr, "error: no inputs came for %g s\n", b->o.silence);
}

#ifdef COUNT_ALLOCATIONS
long allocations(void);
#endif

int main(int count, char **words) {
    static bench b;
    char message[300] = "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (vincolo_create(vincolo_table, vincolo_table_size, &b.model, message, sizeof message) != VINCOLO_OK) {
        fprintf(stderr, "error: %s\n", message);
        return WRONG_USE;
    }
    b.o = asked(count, words, b.model);
    const double wanted = floor(b.o.seconds / vincolo_step_size(b.model) + 0.5);
    const size_t steps = (size_t)(b.o.log && wanted > 1e7 ? 1e7 : wanted);
    int result = prepare(&b, steps);
    if (result != DONE) return result;
    signal(SIGINT, end), signal(SIGTERM, end);
    clock_take_over(b.o.real_time ? b.o.priority : 0, b.o.cpu);
#ifdef COUNT_ALLOCATIONS
    const long before = allocations();
    result = run(&b, steps);
    printf("%ld allocations in %llu steps\n", allocations() - before, (unsigned long long)b.steps);
#else
    result = run(&b, steps);
#endif
    report(&b, result);
    if (b.o.log && csv_write(&b.log, b.o.log, b.model)) result = WRONG_USE;
    if (b.o.listen) wire_close(&b.udp);
    if (b.memory) wire_unshare(b.o.memory, b.memory);
    free(b.log.numbers), free(b.inputs.numbers);
    vincolo_destroy(b.model);
    return result;
}
