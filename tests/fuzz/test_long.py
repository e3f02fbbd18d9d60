"""Ten minutes of fuzzing of all readers; VINCOLO_FUZZ_SECONDS gives another time, VINCOLO_FUZZ_SEED another seed."""

import os

import pytest
from fuzzer import campaign

SECONDS = float(os.environ.get("VINCOLO_FUZZ_SECONDS", "600"))
SEED = int(os.environ.get("VINCOLO_FUZZ_SEED", "7"))


@pytest.mark.slow
def test_no_input_makes_a_reader_fail(tmp_path):
    found = campaign(tmp_path, [], SECONDS, SEED)
    print(found)  # with the seed, and with the folders of inputs that fail
    assert found.runs > 0
    assert not found.failures, str(found)
