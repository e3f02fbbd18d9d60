"""Importing is quick and light, and both kernels give the same numbers."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vincolo
from vincolo import _kernel

HERE = Path(__file__).parents[1]
SOURCE = str(Path(vincolo.__file__).parents[1])


def python(code, **environment):
    """What a fresh interpreter prints."""
    paths = os.pathsep.join([SOURCE, str(HERE), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120,
                         env={**os.environ, "PYTHONPATH": paths, **environment})
    return run.stdout


def test_import_loads_numpy_and_nothing_else_from_outside():
    """What keeps the import quick, whatever the machine; its time is measured by benchmarks/import_time.py."""
    code = "import sys; before = set(sys.modules); import vincolo; print(*sorted(set(sys.modules) - before))"
    packages = {name.partition(".")[0] for name in python(code).split()}
    assert packages - set(sys.stdlib_module_names) == {"numpy", "vincolo"}


def test_import_leaves_solvers_and_files_for_their_first_use():
    """The many small classes of solvers take longer than all else together."""
    code = "import sys, vincolo; print(*{m.split('.')[1] for m in sys.modules if m.startswith('vincolo.')})"
    assert not {"solvers", "formats", "tables", "scene", "plots", "view", "report", "cli"} & set(python(code).split())


def test_import_leaves_the_kernel_for_its_first_use():
    code = "import sys, vincolo; print([m for m in sys.modules if m.startswith('vincolo._core')])"
    assert python(code).strip() == "[]"


def test_everything_promised_is_there():
    for name in vincolo.__all__:
        assert getattr(vincolo, name).__doc__, name
    assert sorted(vincolo.__all__) == sorted(set(vincolo.__all__))


RUN = """
import json, numpy as np, vincolo as vc
from vincolo import _kernel
from mechanisms import build, plans
found = {}
for name, plan in plans().items():
    for integrator in (vc.RK4(step=1e-3), vc.DOP853(rtol=1e-10, atol=1e-12)):
        r = vc.simulate(build(plan), 0.3, outputs=3, integrator=integrator)
        found[f"{name}, {type(integrator).__name__}"] = r.y[:, :-1].tolist()
print(json.dumps([_kernel.core().__name__, found]))
"""


def test_both_kernels_give_the_same_motion():
    portable, results = json.loads(python(RUN, VINCOLO_KERNEL="portable"))
    assert portable == "vincolo._core"
    chosen, others = json.loads(python(RUN, VINCOLO_KERNEL=""))
    if chosen == portable:
        pytest.skip("this processor, or this build, has the portable kernel only")
    for name in results:
        # the same steps give the same numbers; steps chosen by an error estimate may differ by its rounding, and the
        # motions then by the error of the run, about 100 rtol
        tolerance = 1e-10 if name.endswith("RK4") else 1e-8
        for one, two in zip(results[name], others[name], strict=True):
            assert one == pytest.approx(two, abs=tolerance), name


CHOSEN = "from vincolo import _kernel; k = _kernel.core(); print(k.__name__, k.__file__, sep='\\n')"


def test_a_kernel_built_elsewhere_is_named_by_its_file(tmp_path):
    """As kernels with asserts or sanitizers are, beside the installed one."""
    name, file = python(CHOSEN).splitlines()
    elsewhere = tmp_path / Path(file).name
    shutil.copy(file, elsewhere)
    assert python(CHOSEN, VINCOLO_KERNEL=str(elsewhere)).splitlines() == [name, str(elsewhere)]


@pytest.mark.parametrize("kernel", ["nothing.so", "_core.txt"])
def test_a_file_that_is_not_a_kernel_is_refused(kernel, tmp_path, monkeypatch):
    monkeypatch.setenv("VINCOLO_KERNEL", str(tmp_path / kernel))
    (tmp_path / "_core.txt").write_text("text")
    with pytest.raises(ImportError, match=f"VINCOLO_KERNEL is .*{kernel}.*is not a compiled kernel.*leave it empty"):
        _kernel.core.__wrapped__()


def test_a_build_for_one_processor_uses_its_own_kernel(monkeypatch):
    """Without the portable kernel the other one is taken, and a wish for the portable one says what to do."""
    chosen = object()

    def only_avx2(name):
        if name == _kernel.PORTABLE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return chosen

    monkeypatch.setattr(_kernel, "import_module", only_avx2)
    monkeypatch.setenv("VINCOLO_KERNEL", "")
    assert _kernel.core.__wrapped__() is chosen
    monkeypatch.setenv("VINCOLO_KERNEL", "portable")
    with pytest.raises(ImportError, match="asks for the portable kernel.*VINCOLO_INSTRUCTIONS=all"):
        _kernel.core.__wrapped__()


def test_the_kernel_refuses_what_is_out_of_range():
    """The last line of defence behind the model's own checks: no wrong index reaches the memory."""
    kernel = _kernel.core().Kernel()
    kernel.add_body(1.0, [1, 1, 1], [0, 0, 0], 1.0, 1.0)
    eye = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    kernel.add_frame(0, [0, 0, 0], eye)
    origin = [0, 0, 0]
    for add, *arguments in ((kernel.add_frame, 7, origin, eye), (kernel.add_measure, "along", 0, 9, 0, 0, origin),
                            (kernel.add_measure, "along", 0, 0, 5, 0, origin), (kernel.add_quantity, [(3, 1.0)]),
                            (kernel.add_quantity, []), (kernel.add_block, [(0, 0)], False),
                            (kernel.add_function, "nonsense", [], [], []),
                            (kernel.add_function, "spline", [9.0] * 7, [], []),
                            (kernel.add_function, "tape", [], [("add", 0, 0)], []), (kernel.rows, 0.0, [0.0], [])):
        with pytest.raises((ValueError, IndexError, TypeError)):
            add(*arguments)


def test_a_run_outlives_the_model_it_came_from():
    code = """
import gc, vincolo as vc
from linkages import pendulum
def make():
    return vc.simulate(pendulum(), 0.5, outputs=5)
results = [make() for _ in range(20)]
gc.collect()
print(len({tuple(r['O.angle']) for r in results}))
"""
    assert python(code).strip() == "1"
