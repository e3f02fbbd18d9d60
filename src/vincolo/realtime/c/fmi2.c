/* FMI 2.0 for co-simulation (functions and types as the standard of the Modelica Association names them) */
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

#define EXPORT __attribute__((visibility("default")))

typedef void *fmi2Component;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef fmu_status fmi2Status;
typedef int fmi2Type, fmi2StatusKind;

typedef struct {
    void (*logger)(void *, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(void *, fmi2Status);
    void *componentEnvironment;
} fmi2CallbackFunctions;

enum { fmi2CoSimulation = 1, fmi2LastSuccessfulTime = 2, fmi2Terminated = 3 };

static void say(void *whom, fmu_status status, const char *category, const char *message) {
    const fmi2CallbackFunctions *f = whom;
    if (f && f->logger) f->logger(f->componentEnvironment, "vincolo", status, category, "%s", message);
}

#define FUNCTION(NAME, ...) EXPORT fmi2Status NAME(__VA_ARGS__); EXPORT fmi2Status NAME(__VA_ARGS__)

EXPORT const char *fmi2GetTypesPlatform(void);
EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void);
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String place, const fmi2CallbackFunctions *f, fmi2Boolean visible, fmi2Boolean logging);
EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String place, const fmi2CallbackFunctions *f, fmi2Boolean visible, fmi2Boolean logging) {
    (void)place, (void)visible;
    if (type != fmi2CoSimulation) return say((void *)f, FMU_ERROR, "logStatusError", "this FMU is for co-simulation"), NULL;
    return fmu_create(name, guid, say, (void *)f, logging);
}

EXPORT void fmi2FreeInstance(fmi2Component c);
EXPORT void fmi2FreeInstance(fmi2Component c) { fmu_free(c); }

FUNCTION(fmi2SetDebugLogging, fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]) {
    (void)count, (void)categories;
    ((fmu_instance *)c)->logging = on;
    return FMU_OK;
}
FUNCTION(fmi2SetupExperiment, fmi2Component c, fmi2Boolean tolerated, fmi2Real tolerance, fmi2Real start, fmi2Boolean ends, fmi2Real stop) {
    (void)tolerated, (void)tolerance, (void)ends, (void)stop;
    return fmu_begin(c, start);
}
FUNCTION(fmi2EnterInitializationMode, fmi2Component c) { return (void)c, FMU_OK; }
FUNCTION(fmi2ExitInitializationMode, fmi2Component c) { return (void)c, FMU_OK; }
FUNCTION(fmi2Terminate, fmi2Component c) { return (void)c, FMU_OK; }
FUNCTION(fmi2Reset, fmi2Component c) { return fmu_reset(c); }
FUNCTION(fmi2GetReal, fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[]) { return fmu_get(c, r, n, v); }
FUNCTION(fmi2SetReal, fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[]) { return fmu_set(c, r, n, v); }

#define NONE(NAME, TYPE) \
    FUNCTION(NAME, fmi2Component c, const fmi2ValueReference r[], size_t n, TYPE v[]) { \
        return (void)r, (void)v, n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "all variables are real"); \
    }
NONE(fmi2GetInteger, fmi2Integer)
NONE(fmi2SetInteger, const fmi2Integer)
NONE(fmi2GetBoolean, fmi2Boolean)
NONE(fmi2SetBoolean, const fmi2Boolean)
NONE(fmi2GetString, fmi2String)
NONE(fmi2SetString, const fmi2String)

FUNCTION(fmi2GetFMUstate, fmi2Component c, fmi2FMUstate *state) {
    *state = fmu_new_state(c, *state);
    return *state ? fmu_keep(c, *state) : FMU_ERROR;
}
FUNCTION(fmi2SetFMUstate, fmi2Component c, fmi2FMUstate state) { return state ? fmu_restore(c, state) : FMU_ERROR; }
FUNCTION(fmi2FreeFMUstate, fmi2Component c, fmi2FMUstate *state) {
    (void)c;
    if (state) free(*state), *state = NULL;
    return FMU_OK;
}
FUNCTION(fmi2SerializedFMUstateSize, fmi2Component c, fmi2FMUstate state, size_t *size) { return (void)state, *size = fmu_state_size(c), FMU_OK; }
FUNCTION(fmi2SerializeFMUstate, fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    if (!state || size < fmu_state_size(c)) return fmu_say(c, FMU_ERROR, "there is not enough room for a state");
    memcpy(bytes, state, fmu_state_size(c));
    return FMU_OK;
}
FUNCTION(fmi2DeSerializeFMUstate, fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    if (size != fmu_state_size(c) || !(*state = fmu_new_state(c, *state))) return fmu_say(c, FMU_ERROR, "these are not the bytes of a state");
    memcpy(*state, bytes, size);
    return FMU_OK;
}
FUNCTION(fmi2GetDirectionalDerivative, fmi2Component c, const fmi2ValueReference z[], size_t nz, const fmi2ValueReference v[], size_t nv, const fmi2Real dv[], fmi2Real dz[]) {
    return (void)z, (void)nz, (void)v, (void)nv, (void)dv, (void)dz, fmu_say(c, FMU_ERROR, "there are no directional derivatives");
}
FUNCTION(fmi2SetRealInputDerivatives, fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer order[], const fmi2Real v[]) {
    return (void)r, (void)n, (void)order, (void)v, fmu_say(c, FMU_ERROR, "inputs have no derivatives");
}
FUNCTION(fmi2GetRealOutputDerivatives, fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer order[], fmi2Real v[]) {
    return (void)r, (void)n, (void)order, (void)v, fmu_say(c, FMU_ERROR, "outputs have no derivatives");
}
FUNCTION(fmi2DoStep, fmi2Component c, fmi2Real from, fmi2Real size, fmi2Boolean kept) { return (void)kept, fmu_step(c, from, size); }
FUNCTION(fmi2CancelStep, fmi2Component c) { return fmu_say(c, FMU_ERROR, "no step is under way"); }
FUNCTION(fmi2GetStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Status *status) { return (void)kind, (void)status, fmu_say(c, FMU_DISCARD, "no step is under way"); }
FUNCTION(fmi2GetRealStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime) return FMU_DISCARD;
    *value = vincolo_time(((fmu_instance *)c)->model);
    return FMU_OK;
}
FUNCTION(fmi2GetIntegerStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) { return (void)c, (void)kind, (void)value, FMU_DISCARD; }
FUNCTION(fmi2GetBooleanStatus, fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    if (kind != fmi2Terminated) return FMU_DISCARD;
    *value = ((fmu_instance *)c)->stopped;
    return FMU_OK;
}
FUNCTION(fmi2GetStringStatus, fmi2Component c, const fmi2StatusKind kind, fmi2String *value) { return (void)c, (void)kind, (void)value, FMU_DISCARD; }
