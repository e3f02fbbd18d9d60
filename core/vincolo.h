/* The kernel for programs in C: a mechanism from a table, stepped with inputs and outputs.
 *
 * vincolo_create() reads a table that `vincolo export` wrote; nothing is allocated after it until vincolo_destroy(), and nothing is
 * thrown ever. A step that cannot be completed returns why, and the model stays at the last good state, with all that was set. Two
 * models are independent of each other; one model is for one thread at a time. Units are SI. */
#ifndef VINCOLO_H
#define VINCOLO_H

#include <stddef.h>

#if defined(__GNUC__) && !defined(VINCOLO_PRIVATE)
#define VINCOLO_API __attribute__((visibility("default")))
#else
#define VINCOLO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vincolo_model vincolo_model;

enum {
    VINCOLO_OK = 0,
    VINCOLO_STOPPED = 1,   /* an event has stopped the run: no further step until another state is set */
    VINCOLO_BAD_INPUT = 2, /* an input is infinite or not a number: nothing was done */
    VINCOLO_FAILED = 3,    /* the step cannot be completed: vincolo_reason() */
    VINCOLO_TOO_LONG = 4,  /* the step needs more evaluations than it may make */
    VINCOLO_BAD_TABLE = 5, /* what was read is no table of this version, or is damaged */
    VINCOLO_NO_MEMORY = 6,
    VINCOLO_WRONG_CALL = 7 /* a null pointer, or a number of nothing */
};

/* Text and size of a table; `message` gets why it failed, at most `room` bytes with the zero. It may be null. */
VINCOLO_API int vincolo_create(const char *table, size_t size, vincolo_model **model, char *message, size_t room);
VINCOLO_API void vincolo_destroy(vincolo_model *model);

/* One step of vincolo_step_size() seconds with the inputs as they are; then the outputs are new. */
VINCOLO_API int vincolo_step(vincolo_model *model);
VINCOLO_API double vincolo_time(const vincolo_model *model);
VINCOLO_API double vincolo_step_size(const vincolo_model *model);
/* The most evaluations of accelerations in one step; 100,000 if it is not set. Looked at between the integrator's own steps,
 * each of which has caps of its own. */
VINCOLO_API int vincolo_set_cap(vincolo_model *model, long evaluations);
/* Why the last step failed, in two or three words */
VINCOLO_API const char *vincolo_reason(const vincolo_model *model);
VINCOLO_API const char *vincolo_status_text(int status);

/* Arrays that live as long as the model: inputs are written, outputs read, in place. Names and units are null for no such number. */
VINCOLO_API const char *vincolo_name(const vincolo_model *model);
VINCOLO_API int vincolo_input_count(const vincolo_model *model);
VINCOLO_API double *vincolo_inputs(vincolo_model *model);
VINCOLO_API const char *vincolo_input_name(const vincolo_model *model, int number);
VINCOLO_API const char *vincolo_input_unit(const vincolo_model *model, int number);
VINCOLO_API int vincolo_output_count(const vincolo_model *model);
VINCOLO_API const double *vincolo_outputs(const vincolo_model *model);
VINCOLO_API const char *vincolo_output_name(const vincolo_model *model, int number);
VINCOLO_API const char *vincolo_output_unit(const vincolo_model *model, int number);

/* Numbers that may be changed between steps */
VINCOLO_API int vincolo_parameter_count(const vincolo_model *model);
VINCOLO_API const char *vincolo_parameter_name(const vincolo_model *model, int number);
VINCOLO_API double vincolo_parameter(const vincolo_model *model, int number);
VINCOLO_API int vincolo_set_parameter(vincolo_model *model, int number, double value);

/* Everything a model knows, as vincolo_state_size() numbers; what is set goes on as it did, to the last bit. */
VINCOLO_API size_t vincolo_state_size(const vincolo_model *model);
VINCOLO_API int vincolo_get_state(const vincolo_model *model, double *state);
VINCOLO_API int vincolo_set_state(vincolo_model *model, const double *state);
VINCOLO_API int vincolo_reset(vincolo_model *model);

#ifdef __cplusplus
}
#endif
#endif
