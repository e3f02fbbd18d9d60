#define _GNU_SOURCE
#include "fmu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "token.h"

fmu_status fmu_say(const fmu_instance *fmu, fmu_status status, const char *what) {
    if (fmu->log && (fmu->logging || status >= FMU_DISCARD)) fmu->log(fmu->logger, status, status >= FMU_DISCARD ? "logStatusError" : "logStatusWarning", what);
    return status;
}

fmu_instance *fmu_create(const char *name, const char *token, fmu_log log, void *logger, int logging) {
    fmu_instance said = {.log = log, .logger = logger, .logging = logging};
    char message[300] = "";
    if (!token || strcmp(token, FMU_TOKEN) != 0) return fmu_say(&said, FMU_ERROR, "the description is of another FMU: its token differs"), NULL;
    fmu_instance *fmu = calloc(1, sizeof *fmu);
    if (!fmu) return fmu_say(&said, FMU_ERROR, "there is not enough memory"), NULL;
    *fmu = said;
    fmu->name = strdup(name ? name : "");
    if (!fmu->name || vincolo_create(vincolo_table, vincolo_table_size, &fmu->model, message, sizeof message) != VINCOLO_OK) {
        fmu_say(&said, FMU_ERROR, message);
        return fmu_free(fmu), NULL;
    }
    fmu->start = vincolo_time(fmu->model);
    return fmu;
}

void fmu_free(fmu_instance *fmu) {
    if (!fmu) return;
    if (fmu->model) vincolo_destroy(fmu->model);
    free(fmu->name);
    free(fmu);
}

fmu_status fmu_get(fmu_instance *fmu, const uint32_t *references, size_t count, double *values) {
    const uint32_t inputs = (uint32_t)vincolo_input_count(fmu->model), outputs = (uint32_t)vincolo_output_count(fmu->model);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t n = references[k];
        if (n == 0) values[k] = vincolo_time(fmu->model);
        else if (n <= inputs) values[k] = vincolo_inputs(fmu->model)[n - 1];
        else if (n <= inputs + outputs) values[k] = vincolo_outputs(fmu->model)[n - 1 - inputs];
        else if (n <= inputs + outputs + (uint32_t)vincolo_parameter_count(fmu->model)) values[k] = vincolo_parameter(fmu->model, (int)(n - 1 - inputs - outputs));
        else return fmu_say(fmu, FMU_ERROR, "a value reference of nothing was asked for");
    }
    return FMU_OK;
}

fmu_status fmu_set(fmu_instance *fmu, const uint32_t *references, size_t count, const double *values) {
    const uint32_t inputs = (uint32_t)vincolo_input_count(fmu->model), outputs = (uint32_t)vincolo_output_count(fmu->model);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t n = references[k];
        if (!isfinite(values[k])) return fmu_say(fmu, FMU_ERROR, "a value that is not finite was set; the one before stays");
        if (n >= 1 && n <= inputs) vincolo_inputs(fmu->model)[n - 1] = values[k];
        else if (n <= inputs + outputs || vincolo_set_parameter(fmu->model, (int)(n - 1 - inputs - outputs), values[k]) != VINCOLO_OK)
            return fmu_say(fmu, FMU_ERROR, "only inputs, parameters and states can be set");
    }
    return FMU_OK;
}

fmu_status fmu_begin(fmu_instance *fmu, double start) {
    if (fabs(start - fmu->start) <= 1e-9 * vincolo_step_size(fmu->model)) return FMU_OK;
    char message[160];
    snprintf(message, sizeof message, "the start is %.9g s, but the model was exported at its state of %.9g s", start, fmu->start);
    return fmu_say(fmu, FMU_ERROR, message);
}

fmu_status fmu_step(fmu_instance *fmu, double from, double size) {
    const double step = vincolo_step_size(fmu->model), steps = floor(size / step + 0.5);
    char message[200];
    if (!(steps >= 1) || fabs(steps * step - size) > 1e-6 * step) {
        snprintf(message, sizeof message, "a step of %.9g s is not a whole number of the model's, which are of %.9g s", size, step);
        return fmu_say(fmu, FMU_ERROR, message);
    }
    if (fabs(from - vincolo_time(fmu->model)) > 1e-6 * step) {
        snprintf(message, sizeof message, "a step from %.9g s was asked for, but the model stands at %.9g s", from, vincolo_time(fmu->model));
        return fmu_say(fmu, FMU_ERROR, message);
    }
    for (double k = 0; k < steps; ++k) {
        const int status = vincolo_step(fmu->model);
        if (status == VINCOLO_OK) continue;
        fmu->stopped = status == VINCOLO_STOPPED;
        snprintf(message, sizeof message, "at t = %.9g s: %s (%s)", vincolo_time(fmu->model), vincolo_status_text(status), vincolo_reason(fmu->model));
        return fmu_say(fmu, FMU_DISCARD, message);
    }
    return FMU_OK;
}

fmu_status fmu_reset(fmu_instance *fmu) {
    fmu->stopped = 0;
    return vincolo_reset(fmu->model) == VINCOLO_OK ? FMU_OK : FMU_ERROR;
}

size_t fmu_state_size(const fmu_instance *fmu) { return vincolo_state_size(fmu->model) * sizeof(double); }

/* Callers' bytes need not be aligned as numbers are */
fmu_status fmu_keep(const fmu_instance *fmu, void *bytes) {
    double *numbers = malloc(fmu_state_size(fmu));
    if (!numbers) return FMU_ERROR;
    vincolo_get_state(fmu->model, numbers);
    memcpy(bytes, numbers, fmu_state_size(fmu));
    free(numbers);
    return FMU_OK;
}

fmu_status fmu_restore(fmu_instance *fmu, const void *bytes) {
    double *numbers = malloc(fmu_state_size(fmu));
    if (!numbers) return FMU_ERROR;
    memcpy(numbers, bytes, fmu_state_size(fmu));
    const int status = vincolo_set_state(fmu->model, numbers);
    fmu->stopped = numbers[2] != 0;
    free(numbers);
    return status == VINCOLO_OK ? FMU_OK : fmu_say(fmu, FMU_ERROR, "this is no state of this model");
}

void *fmu_new_state(const fmu_instance *fmu, void *old) { return old ? old : malloc(fmu_state_size(fmu)); }
