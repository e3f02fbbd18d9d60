"""Memory does not grow with the number of variants."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys, resource
import vincolo as vc

def tiny(x, y):
    return x * y

count = int(sys.argv[1])
found = vc.study(tiny, {"x": (0, 1), "y": (0, 1)}, "p", plan="random", samples=count, folder=sys.argv[2], how="serial",
                 progress=False)
assert found.complete and len(found) == count and abs(float(found.values[-1, 0]) - found.variant(-1)["p"]) == 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@pytest.mark.slow
def test_a_million_tiny_variants_need_no_more_memory_than_ten_thousand(tmp_path):
    used = {}
    for count in (10_000, 1_000_000):
        done = subprocess.run([sys.executable, "-c", PROGRAM, str(count), str(tmp_path / str(count))], check=True,
                              capture_output=True, text=True, timeout=900)
        used[count] = float(done.stdout)
    print(used)  # MB; the table itself, 8 MB, is a file that is looked at
    assert used[1_000_000] < used[10_000] + 16
