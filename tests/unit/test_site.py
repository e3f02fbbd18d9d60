"""The site of the documents: its links lead to its own pages, its reference has every public name with an example."""

import inspect
import sys
from pathlib import Path

import pytest

import vincolo as vc

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def made():
    """The modules that make the site, found beside each other as when it is made."""
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    yield
    sys.path.remove(str(ROOT / "docs" / "site"))
    for name in ("links", "reference", "uses"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("source", "text", "led"), [
    ("docs/guide.md", "[r](../README.md#installation)", "[r](readme.md#installation)"),
    ("docs/guide.md", "[`c.py`](../examples/car.py)", "[`c.py`](gallery/car.md)"),
    ("docs/theory/solver.md", "[e](../events.md) `[not](a/link)`", "[e](../events.md) `[not](a/link)`"),
    ("README.md", "![p](docs/pictures/page.png)", "![p](pictures/page.png)"),
    ("README.md", "[make](Makefile)", "make"),
    ("docs/index.md", "[Reference](reference)", "[Reference](reference/index.md)"),
    ("benchmarks/README.md", "[g](../docs/guide.md)", "[g](guide.md)"),
])
def test_links_lead_to_pages_of_the_site(source, text, led):
    from links import lead

    assert lead(text, source) == led


def test_every_link_of_a_page_made_here_leads_to_a_heading():
    from reference import HEADING, pages, slug

    for page, text in pages().items():
        for target in [part.split(")")[0] for part in text.split("](../")[1:]]:
            name, _, anchor = target.partition("#")
            headings = {slug(heading) for heading in HEADING.findall((ROOT / "docs" / name).read_text())}
            assert anchor in headings, f"{page} points to {target}"


def test_the_reference_has_every_public_name():
    from reference import SPACES, pages

    made = pages()
    spaces = {name for name in vc.__all__ if inspect.ismodule(getattr(vc, name))}
    assert spaces <= set(SPACES)
    for name in set(vc.__all__) - spaces:
        assert f"\n## {name}\n" in made["reference/vincolo.md"]


def test_every_public_name_has_an_example_that_is_run():
    """In the documents, or in docs/reference: tests/examples/test_documents.py runs both."""
    from uses import without

    missing = [".".join(filter(None, name)) for name in without()]
    assert not missing, f"add to docs/reference/*.md: {', '.join(missing)}"


def test_examples_show_the_names_of_their_headings():
    from uses import EXAMPLES, SPACES, Name, examples, page_of, public, used

    assert {page_of(space) for space in SPACES} >= {*EXAMPLES.glob("*.md")}
    for space in SPACES:
        for example in examples(space):
            shown = {name for name, _ in used(example.text)}
            for name in example.names:
                assert name in public(space), f"{space}: {name} is not a public name"
                assert Name(space, name) in shown, f"{space}: the example of {name} does not use it"


def test_what_stands_behind_an_import_or_another_name_is_found():
    from uses import Name, used

    lines = ["import vincolo as vc", "from vincolo.dual import Dual as D", "vc.Sine(1, 2)", "D(1)", "vc.vehicle.sweep"]
    found = {name for name, _ in used("\n".join(["```python", *lines, "```", ""]))}
    assert found == {Name("functions", "Sine"), Name("dual", "Dual"), Name("vehicle", "sweep")}
