"""A model as an FMU for co-simulation, with its sources and a binary for this machine."""

from __future__ import annotations

import platform
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as xml

from vincolo.errors import ModelError
from vincolo.files import appearing
from vincolo.realtime.building import KERNELS, make_shared
from vincolo.realtime.description import description, identifier, token
from vincolo.realtime.project import copied, filled, table_in_c, write_kernel
from vincolo.realtime.sources import C
from vincolo.realtime.table import Plant

COMMON = ("fmu.c",)
BESIDE = ("fmu.h", "table.h", "exports.map")
PLATFORMS = {"2": {"x86_64": "linux64"}, "3": {"x86_64": "x86_64-linux", "aarch64": "aarch64-linux"}}


def write_fmu(plant: Plant, path: Path, version: str = "2", *, instructions: str = "portable") -> None:
    """Writes an FMU of FMI "2" or "3"; "portable" runs on every processor of this kind, "avx2" on newer ones."""
    if version not in PLATFORMS or instructions not in KERNELS:
        raise ModelError(f"export: FMI {version!r} with instructions {instructions!r}; there are FMI "
                         f"{' and '.join(PLATFORMS)}, and {' and '.join(KERNELS)}.")
    place = PLATFORMS[version].get(platform.machine()) if platform.system() == "Linux" else None
    if place is None:
        raise ModelError(f"export: FMUs are built on Linux, not on {platform.system()} {platform.machine()}.\n"
                         "  Use --as c there, and build its sources.")
    program = (*COMMON, f"fmi{version}.c")
    with TemporaryDirectory() as work:
        sources = Path(work) / "sources"
        sources.mkdir()
        units = _write_sources(plant, sources, program)
        binary = make_shared(sources, program, instructions).rename(Path(work) / "model.so")
        for left in sources.rglob("*.o"):
            left.unlink()
        contents = {"modelDescription.xml": description(plant, version, [*program, "table.c", *units])}
        contents |= {f"sources/{file.relative_to(sources)}": file.read_bytes()
                     for file in sorted(sources.rglob("*")) if file.is_file()}
        contents[f"binaries/{place}/{identifier(plant)}.so"] = binary.read_bytes()
        contents["documentation/index.html"] = _page(plant)
        if version == "3":
            contents["sources/buildDescription.xml"] = _build(plant, [*program, "table.c", *units])
    with appearing("export", path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def _write_sources(plant: Plant, folder: Path, program: tuple[str, ...]) -> list[str]:
    """All that the binary is made of; the units of the kernel."""
    options, text = plant.solvers.options(), plant.text()
    units = write_kernel(folder, options["integrator"]["method"], options["formulation"]["kind"])
    for name in (*program, *BESIDE):
        copied(C / name, folder / name)
    (folder / "table.c").write_text(table_in_c(text))
    (folder / "token.h").write_text(f'#define FMU_TOKEN "{token(text)}"\n')
    (folder / "Makefile").write_text(filled("Makefile", plant, units, program, "fmu.mk"))
    return units


def _build(plant: Plant, sources: list[str]) -> bytes:
    """sources/buildDescription.xml of FMI 3."""
    root = xml.Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    made = xml.SubElement(root, "BuildConfiguration", {"modelIdentifier": identifier(plant)})
    for language, ending in (("C11", ".c"), ("C++17", ".cpp")):
        files = xml.SubElement(made, "SourceFileSet", {"language": language})
        for name in sources:
            if name.endswith(ending):
                xml.SubElement(files, "SourceFile", {"name": name})
        for define in ("EIGEN_NO_DEBUG", "VINCOLO_CHOSEN"):
            xml.SubElement(files, "PreprocessorDefinition", {"name": define})
        for folder in (".", "kernel", "eigen"):
            xml.SubElement(files, "IncludeDirectory", {"name": folder})
    xml.indent(root)
    return bytes(xml.tostring(root, encoding="UTF-8", xml_declaration=True))


def _page(plant: Plant) -> bytes:
    """A page that says what it is."""
    root = xml.Element("html")
    body = xml.SubElement(root, "body")
    xml.SubElement(body, "h1").text = plant.system.name
    xml.SubElement(body, "p").text = (f"Exported by vincolo: steps of {plant.step:g} s, "
                                      f"{plant.solvers.integrator.title}, {plant.solvers.told}.")
    return b"<!DOCTYPE html>\n" + bytes(xml.tostring(root, encoding="UTF-8", method="html"))
