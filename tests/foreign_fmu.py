"""An FMU of somebody else: FMI 2.0 in some lines of C that share nothing with ours, an integrator y' = gain u."""

import subprocess
import zipfile

SOURCE = """
#include <stdlib.h>
#include <string.h>
typedef struct { double u, y, gain; } M;
#define F __attribute__((visibility("default")))
F const char* fmi2GetTypesPlatform(void) { return "default"; }
F const char* fmi2GetVersion(void) { return "2.0"; }
F void* fmi2Instantiate(const char* n, int k, const char* g, const char* r, const void* f, int v, int l)
{ (void)n; (void)k; (void)r; (void)f; (void)v; (void)l; if (strcmp(g, "{42}")) return 0;
  M* m = calloc(1, sizeof(M)); m->gain = 1; return m; }
F void fmi2FreeInstance(void* m) { free(m); }
F int fmi2SetDebugLogging(void* m, int l, size_t n, const char* const c[])
{ (void)m; (void)l; (void)n; (void)c; return 0; }
F int fmi2SetupExperiment(void* m, int a, double b, double c, int d, double e)
{ (void)m; (void)a; (void)b; (void)c; (void)d; (void)e; return 0; }
F int fmi2EnterInitializationMode(void* m) { (void)m; return 0; }
F int fmi2ExitInitializationMode(void* m) { (void)m; return 0; }
F int fmi2Terminate(void* m) { (void)m; return 0; }
F int fmi2Reset(void* m) { ((M*)m)->u = ((M*)m)->y = 0; return 0; }
F int fmi2GetReal(void* m, const unsigned r[], size_t n, double v[])
{ for (size_t k = 0; k < n; ++k) v[k] = ((double*)m)[r[k]]; return 0; }
F int fmi2SetReal(void* m, const unsigned r[], size_t n, const double v[])
{ for (size_t k = 0; k < n; ++k) ((double*)m)[r[k]] = v[k]; return 0; }
F int fmi2DoStep(void* p, double t, double h, int n)
{ M* m = p; (void)n; if (t > 0.95) return 3; m->y += h * m->gain * m->u; return 0; }
#define NOT(name) F int name(void) { return 3; }
NOT(fmi2GetInteger) NOT(fmi2GetBoolean) NOT(fmi2GetString) NOT(fmi2SetInteger) NOT(fmi2SetBoolean) NOT(fmi2SetString)
NOT(fmi2GetFMUstate) NOT(fmi2SetFMUstate) NOT(fmi2FreeFMUstate) NOT(fmi2SerializedFMUstateSize)
NOT(fmi2SerializeFMUstate) NOT(fmi2DeSerializeFMUstate) NOT(fmi2GetDirectionalDerivative)
NOT(fmi2SetRealInputDerivatives) NOT(fmi2GetRealOutputDerivatives) NOT(fmi2CancelStep) NOT(fmi2GetStatus)
NOT(fmi2GetRealStatus) NOT(fmi2GetIntegerStatus) NOT(fmi2GetBooleanStatus) NOT(fmi2GetStringStatus)
"""
DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="sum" guid="{42}" numberOfEventIndicators="0">
<CoSimulation modelIdentifier="sum" canHandleVariableCommunicationStepSize="true"/>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="1" causality="output" variability="continuous"><Real/></ScalarVariable>
<ScalarVariable name="gain" valueReference="2" causality="parameter" variability="fixed">
<Real start="1"/></ScalarVariable>
<ScalarVariable name="mode" valueReference="3" causality="input" variability="discrete">
<Integer start="1"/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="2"/></Outputs></ModelStructure>
</fmiModelDescription>
"""


def foreign(folder):
    """The FMU, in a folder."""
    (folder / "sum.c").write_text(SOURCE)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(folder / "sum.so"), str(folder / "sum.c")], check=True,
                   timeout=60)
    with zipfile.ZipFile(folder / "sum.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.write(folder / "sum.so", "binaries/linux64/sum.so")
    return folder / "sum.fmu"
