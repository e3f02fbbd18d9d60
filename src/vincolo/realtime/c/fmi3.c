/* FMI 3.0 for co-simulation (functions and types as the standard of the Modelica Association names them) */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

#define EXPORT __attribute__((visibility("default")))
#define FUNCTION(NAME, ...) EXPORT fmi3Status NAME(__VA_ARGS__); EXPORT fmi3Status NAME(__VA_ARGS__)

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef const char *fmi3String;
typedef const uint8_t *fmi3Binary;
typedef fmu_status fmi3Status;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3Callback)(void);

/* whom: the logger, and the environment it is called with */
static void say(void *whom, fmu_status status, const char *category, const char *message) {
    void *const *both = whom;
    fmi3LogMessageCallback log;
    memcpy(&log, both, sizeof log);
    if (log) log(both[1], status, category, message);
}

EXPORT const char *fmi3GetVersion(void);
EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String place, bool visible, bool logging, bool events, bool early,
                                                const fmi3ValueReference required[], size_t count, fmi3InstanceEnvironment environment,
                                                fmi3LogMessageCallback log, fmi3Callback update);
EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String place, bool visible, bool logging, bool events, bool early,
                                                const fmi3ValueReference required[], size_t count, fmi3InstanceEnvironment environment,
                                                fmi3LogMessageCallback log, fmi3Callback update) {
    (void)place, (void)visible, (void)events, (void)early, (void)required, (void)count, (void)update;
    void **both = malloc(2 * sizeof *both);
    if (!both) return NULL;
    memcpy(both, &log, sizeof log);
    both[1] = environment;
    fmu_instance *fmu = fmu_create(name, token, say, both, logging);
    if (!fmu) free(both);
    return fmu;
}

EXPORT void fmi3FreeInstance(fmi3Instance c);
EXPORT void fmi3FreeInstance(fmi3Instance c) {
    if (c) free(((fmu_instance *)c)->logger);
    fmu_free(c);
}

#define NO_INSTANCE(NAME, ...) EXPORT fmi3Instance NAME(__VA_ARGS__); EXPORT fmi3Instance NAME(__VA_ARGS__) { return NULL; }
NO_INSTANCE(fmi3InstantiateModelExchange, void)
NO_INSTANCE(fmi3InstantiateScheduledExecution, void)

FUNCTION(fmi3SetDebugLogging, fmi3Instance c, bool on, size_t count, const fmi3String categories[]) {
    (void)count, (void)categories;
    ((fmu_instance *)c)->logging = on;
    return FMU_OK;
}
FUNCTION(fmi3EnterInitializationMode, fmi3Instance c, bool tolerated, double tolerance, double start, bool ends, double stop) {
    (void)tolerated, (void)tolerance, (void)ends, (void)stop;
    return fmu_begin(c, start);
}
FUNCTION(fmi3ExitInitializationMode, fmi3Instance c) { return (void)c, FMU_OK; }
FUNCTION(fmi3EnterStepMode, fmi3Instance c) { return (void)c, FMU_OK; }
FUNCTION(fmi3EnterConfigurationMode, fmi3Instance c) { return (void)c, FMU_OK; }
FUNCTION(fmi3ExitConfigurationMode, fmi3Instance c) { return (void)c, FMU_OK; }
FUNCTION(fmi3Terminate, fmi3Instance c) { return (void)c, FMU_OK; }
FUNCTION(fmi3Reset, fmi3Instance c) { return fmu_reset(c); }

FUNCTION(fmi3GetFloat64, fmi3Instance c, const fmi3ValueReference r[], size_t n, double v[], size_t nv) {
    return n == nv ? fmu_get(c, r, n, v) : fmu_say(c, FMU_ERROR, "all variables are single numbers");
}
FUNCTION(fmi3SetFloat64, fmi3Instance c, const fmi3ValueReference r[], size_t n, const double v[], size_t nv) {
    return n == nv ? fmu_set(c, r, n, v) : fmu_say(c, FMU_ERROR, "all variables are single numbers");
}

#define NONE(NAME, TYPE) \
    FUNCTION(fmi3Get##NAME, fmi3Instance c, const fmi3ValueReference r[], size_t n, TYPE v[], size_t nv) { \
        return (void)r, (void)v, (void)nv, n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "all variables are of type Float64"); \
    } \
    FUNCTION(fmi3Set##NAME, fmi3Instance c, const fmi3ValueReference r[], size_t n, const TYPE v[], size_t nv) { \
        return (void)r, (void)v, (void)nv, n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "all variables are of type Float64"); \
    }
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(Boolean, bool)
NONE(String, fmi3String)

FUNCTION(fmi3GetBinary, fmi3Instance c, const fmi3ValueReference r[], size_t n, size_t sizes[], fmi3Binary v[], size_t nv) {
    return (void)r, (void)sizes, (void)v, (void)nv, n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "all variables are of type Float64");
}
FUNCTION(fmi3SetBinary, fmi3Instance c, const fmi3ValueReference r[], size_t n, const size_t sizes[], const fmi3Binary v[], size_t nv) {
    return (void)r, (void)sizes, (void)v, (void)nv, n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "all variables are of type Float64");
}
FUNCTION(fmi3GetClock, fmi3Instance c, const fmi3ValueReference r[], size_t n, bool v[]) {
    return (void)r, (void)v, n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "there are no clocks");
}
FUNCTION(fmi3SetClock, fmi3Instance c, const fmi3ValueReference r[], size_t n, const bool v[]) {
    return (void)r, (void)v, n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "there are no clocks");
}

FUNCTION(fmi3GetFMUState, fmi3Instance c, fmi3FMUState *state) {
    *state = fmu_new_state(c, *state);
    return *state ? fmu_keep(c, *state) : FMU_ERROR;
}
FUNCTION(fmi3SetFMUState, fmi3Instance c, fmi3FMUState state) { return state ? fmu_restore(c, state) : FMU_ERROR; }
FUNCTION(fmi3FreeFMUState, fmi3Instance c, fmi3FMUState *state) {
    (void)c;
    if (state) free(*state), *state = NULL;
    return FMU_OK;
}
FUNCTION(fmi3SerializedFMUStateSize, fmi3Instance c, fmi3FMUState state, size_t *size) { return (void)state, *size = fmu_state_size(c), FMU_OK; }
FUNCTION(fmi3SerializeFMUState, fmi3Instance c, fmi3FMUState state, uint8_t bytes[], size_t size) {
    if (!state || size < fmu_state_size(c)) return fmu_say(c, FMU_ERROR, "there is not enough room for a state");
    memcpy(bytes, state, fmu_state_size(c));
    return FMU_OK;
}
FUNCTION(fmi3DeserializeFMUState, fmi3Instance c, const uint8_t bytes[], size_t size, fmi3FMUState *state) {
    if (size != fmu_state_size(c) || !(*state = fmu_new_state(c, *state))) return fmu_say(c, FMU_ERROR, "these are not the bytes of a state");
    memcpy(*state, bytes, size);
    return FMU_OK;
}
FUNCTION(fmi3DoStep, fmi3Instance c, double from, double size, bool kept, bool *events, bool *terminates, bool *early, double *last) {
    (void)kept;
    const fmu_status status = fmu_step(c, from, size);
    fmu_instance *fmu = c;
    *events = false, *early = false, *terminates = fmu->stopped != 0, *last = vincolo_time(fmu->model);
    return status == FMU_DISCARD && fmu->stopped ? FMU_OK : status;
}

/* What this FMU does not do; its description says so */
#define REFUSED(NAME) FUNCTION(NAME, fmi3Instance c) { return fmu_say(c, FMU_ERROR, #NAME " is not for this FMU"); }
REFUSED(fmi3EnterEventMode)
REFUSED(fmi3GetNumberOfVariableDependencies)
REFUSED(fmi3GetVariableDependencies)
REFUSED(fmi3GetDirectionalDerivative)
REFUSED(fmi3GetAdjointDerivative)
REFUSED(fmi3GetIntervalDecimal)
REFUSED(fmi3GetIntervalFraction)
REFUSED(fmi3GetShiftDecimal)
REFUSED(fmi3GetShiftFraction)
REFUSED(fmi3SetIntervalDecimal)
REFUSED(fmi3SetIntervalFraction)
REFUSED(fmi3SetShiftDecimal)
REFUSED(fmi3SetShiftFraction)
REFUSED(fmi3EvaluateDiscreteStates)
REFUSED(fmi3UpdateDiscreteStates)
REFUSED(fmi3EnterContinuousTimeMode)
REFUSED(fmi3CompletedIntegratorStep)
REFUSED(fmi3SetTime)
REFUSED(fmi3SetContinuousStates)
REFUSED(fmi3GetContinuousStateDerivatives)
REFUSED(fmi3GetEventIndicators)
REFUSED(fmi3GetContinuousStates)
REFUSED(fmi3GetNominalsOfContinuousStates)
REFUSED(fmi3GetNumberOfEventIndicators)
REFUSED(fmi3GetNumberOfContinuousStates)
REFUSED(fmi3GetOutputDerivatives)
REFUSED(fmi3ActivateModelPartition)
