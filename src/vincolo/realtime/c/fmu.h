/* What FMUs of both versions of the interface share: an instance is a model, and value references count time, inputs, outputs and
 * parameters, one after the other. */
#ifndef FMU_H
#define FMU_H

#include <stddef.h>
#include <stdint.h>

#include "vincolo.h"

typedef enum { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL, FMU_PENDING } fmu_status;
typedef void (*fmu_log)(void *whom, fmu_status status, const char *category, const char *message);

typedef struct {
    vincolo_model *model;
    fmu_log log;
    void *logger;
    char *name;
    int logging, stopped;
    double start; /* of the model [s] */
} fmu_instance;

/* token: of the description this instance was asked for with; null if it is another */
fmu_instance *fmu_create(const char *name, const char *token, fmu_log log, void *logger, int logging);
void fmu_free(fmu_instance *fmu);
fmu_status fmu_say(const fmu_instance *fmu, fmu_status status, const char *what);
fmu_status fmu_get(fmu_instance *fmu, const uint32_t *references, size_t count, double *values);
fmu_status fmu_set(fmu_instance *fmu, const uint32_t *references, size_t count, const double *values);
fmu_status fmu_begin(fmu_instance *fmu, double start);
/* From where the model stands; size must be a whole number of its steps */
fmu_status fmu_step(fmu_instance *fmu, double from, double size);
fmu_status fmu_reset(fmu_instance *fmu);
/* A state in memory of the caller's: fmu_state_size() bytes */
size_t fmu_state_size(const fmu_instance *fmu);
fmu_status fmu_keep(const fmu_instance *fmu, void *bytes);
fmu_status fmu_restore(fmu_instance *fmu, const void *bytes);
void *fmu_new_state(const fmu_instance *fmu, void *old);

#endif
