"""Command files of Adams View: the models of Oldani (2010) as written and as printed, and what is not read."""

import warnings

import numpy as np
import pytest

import adams_commands as listings
import vincolo as vc
from adams_commands import HEAD, MCPHERSON, SLIDER_CRANK, command, gravity, joint, marker, part
from vincolo.errors import FileWarning
from vincolo.formats.adams import read_cmd
from vincolo.formats.tree.files import model_data


@pytest.fixture
def read(tmp_path):
    def reader(text, name="model.cmd"):
        path = tmp_path / name
        path.write_text(text)
        return read_cmd(path)
    return reader


def test_the_slider_crank_meets_the_closed_solution(read, tmp_path):
    """As the .adm of the same model, to the four digits that the listing has of its points."""
    document = read(SLIDER_CRANK)
    assert not document.report.left_out
    assert (document.settings.until, document.settings.outputs) == (5.0, 10000)
    assert list(document.model.bodies) == ["PART_2", "PART_3", "PART_4"] and "PART_2.cm" in document.model.frames
    result = document.run(until=1.5, outputs=3)
    assert result["PART_4.x"] - 0.16105 == pytest.approx([2.577935, 2.995617274, 1.366432819, 2.181904025], abs=2e-3)
    assert result["PART_2.wz"] == pytest.approx([0, -5.816504788, -5.289660569, -3.851961368], abs=5e-3)


def test_the_mcpherson_suspension_moves_as_its_digest_says(read):
    """The range of the wheel's height in the second period before 2 s, from an independent program with these data; it
    still settles then: after 3 s the range is -0.001408 to 0.056911."""
    document = read(MCPHERSON)
    assert not document.report.left_out
    result = document.run(until=2.0, outputs=4000)
    late = result["Wheel.z"][result.t >= 1.2]
    assert (late.min(), late.max()) == pytest.approx((-0.001530, 0.056842), abs=1e-6)
    assert any("general_motion_1" in line and "free" in line for line in document.report.unused)


@pytest.mark.parametrize(("text", "first", "bar"), [(SLIDER_CRANK, 6, False), (SLIDER_CRANK, 6, True),
                                                    (MCPHERSON, 1, False)])
def test_a_printed_listing_is_the_same_model(read, text, first, bar):
    plain, page = read(text), read(listings.printed(text, first, bar))
    assert model_data(page.model, page.settings) == model_data(plain.model, plain.settings)
    assert "numbers of lines" in str(page.report) and "numbers of lines" not in str(plain.report)


def test_a_beginning_of_a_word_stands_for_the_only_one_that_is_not_given(read):
    document = read(SLIDER_CRANK.replace("ixx = 0.1", "ix = 0.1"))
    assert model_data(document.model) == model_data(read(SLIDER_CRANK).model)
    assert "ix is taken as ixx" in str(document.report)


def test_locations_are_in_the_axes_they_are_given_in(read):
    """The same marker in the axes of its part, of the ground, and of another part."""
    turned = command("part create rigid_body name_and_position", part_name="A", location="1.0, 2.0, 3.0",
                     orientation="30.0d, 40.0d, 50.0d")
    frame = np.array(vc.Rotation.euler("ZXZ", *np.radians([30, 40, 50])).matrix)
    local = np.array([0.1, 0.2, 0.3])
    there = ", ".join(map(repr, (np.array([1.0, 2.0, 3.0]) + frame @ local).tolist()))
    body = command("part create rigid_body mass_properties", part_name="A", mass="1.0", center_of_mass_marker="A.cm",
                   ixx="0.1", iyy="0.1", izz="0.1")
    own = marker("A.cm", 1, "0.0, 0.0, 0.0").replace(".model_1.", "").replace(
        "location", "relative_to = A &\n    location")
    seen = [marker("A.P", 2, "0.1, 0.2, 0.3", "0d, 0d, 0d").replace("location", "relative_to = A &\n    location"),
            marker("A.P", 2, there, "30.0, 40.0, 50.0")]
    points = [read(HEAD + turned + own + text + body).model.frames["A.P"] for text in seen]
    assert points[1].drawn_point == pytest.approx(points[0].drawn_point, abs=1e-12)
    assert points[1].drawn_axes == pytest.approx(points[0].drawn_axes, abs=1e-12)


def test_forces_motions_and_springs_by_commands(read):
    """A slide led by a motion, one pushed by a force between markers that its function names, one on a spring."""
    text = HEAD + marker("ground.O", 1, "0.0, 0.0, 0.0") + "".join(
        part(name, k, "2.0", "0.1", marker(f"{name}.cm", 10 * k, "0.0, 0.0, 0.5") + marker(f"{name}.S", 10 * k + 1,
                                                                                       "0.0, 0.0, 0.0"))
        + joint("translational", k, f"{name}.S", "ground.O") for k, name in ((2, "A"), (3, "B"), (4, "C")))
    text += command("constraint create motion_generator", motion_name=".model_1.M", joint_name=".model_1.JOINT_2",
                    type_of_freedom="translational", time_derivative="velocity", function='"3*time"')
    text += command("force create direct single_component_force", single_component_force_name=".model_1.F",
                    type_of_freedom="translational", i_marker_name=".model_1.B.cm", j_marker_name=".model_1.ground.O",
                    function='"8*DM(.model_1.B.cm, .model_1.ground.O)"')
    text += command("force create element_like translational_spring_damper", spring_damper_name=".model_1.K",
                    i_marker_name=".model_1.C.cm", j_marker_name=".model_1.ground.O", stiffness="8.0", damping="0.0",
                    preload="0.0", displacement_at_preload="0.4")
    result = read(text).run(until=1.0, outputs=10)
    assert result["A.z"] == pytest.approx(0.5 + 1.5 * result.t**2, abs=1e-8)
    assert result["B.z"] == pytest.approx(0.5 * np.cosh(2 * result.t), abs=1e-7)
    assert result["C.z"] == pytest.approx(0.4 + 0.1 * np.cos(2 * result.t), abs=1e-7)


def test_what_is_not_translated_is_left_out_with_its_line(read):
    text = SLIDER_CRANK + command("contact create", contact_name=".model_1.CONTACT_1", stiffness="1.0E8")
    with pytest.warns(FileWarning, match=r"line \d+: 'contact create' is not translated"):
        document = read(text)
    with pytest.raises(vc.FileError, match="'contact create' is not translated(.|\n)*accept_missing"):
        document.run()
    assert document.report.left_out[0].startswith(f"model.cmd, line {SLIDER_CRANK.count(chr(10)) + 1}: ")


BAD = {
    "no such marker": (SLIDER_CRANK.replace("j_marker_name = .model_1.PART_3.MARKER_9", "j_marker_name = .model_1.X.Y"),
                       "no marker called '.model_1.X.Y'"),
    "no such part": (SLIDER_CRANK.replace("default_coordinate_system = .model_1.PART_3",
                                          "default_coordinate_system = .model_1.PART_9"), "no part called"),
    "twice": (SLIDER_CRANK + joint("fixed", 9, "PART_3.MARKER_9", "PART_2.MARKER_8").replace("JOINT_9", "JOINT_1"),
              "there is already something called"),
    "a parameter twice": (SLIDER_CRANK.replace("mass = 1.0", "mass = 1.0 &\n    mass = 2.0"), "mass is given twice"),
    "a number that is none": (SLIDER_CRANK.replace("mass = 1.0", "mass = (1.0kg)"), "MASS is '1.0kg'"),
    "an angle that is none": (SLIDER_CRANK.replace("270.0d", "abc", 1), "finite number"),
    "units": (SLIDER_CRANK.replace("length = meter", "length = cubit"), "length = 'cubit' is not read"),
    "orientation": (SLIDER_CRANK.replace("body313", "space123"), "orientation_type = 'space123' is not read"),
    "a value is missing": (SLIDER_CRANK.replace("mass = 1.0", "mass = "), "is where a parameter|value is missing"),
    "open quotes": (SLIDER_CRANK.replace('"-10"', '"-10'), "is where a parameter and = should be"),
    "quotes to the end": (SLIDER_CRANK + 'view erase "' + "\n a" * 60, "its quotes are never closed"),
    "open parenthesis": (SLIDER_CRANK.replace("mass = 1.0", "mass = (1.0"), "a parenthesis is not closed"),
    "nothing in it": ("! a comment\n", "there is no command in it"),
    "no text": ("view\0erase", "zero bytes"),
    "no name": (SLIDER_CRANK.replace("    joint_name = .model_1.JOINT_1 &\n", ""), "joint_name is missing"),
    "a freedom that is none": (SLIDER_CRANK.replace("type_of_freedom = rotational", "type_of_freedom = odd"),
                               "'odd' is not a freedom"),
}


@pytest.mark.parametrize("name", BAD)
def test_mistakes_have_their_line(read, name):
    text, message = BAD[name]
    with pytest.raises(vc.FileError, match=message) as caught:
        read(text)
    assert str(caught.value).startswith("model.cmd")


def pieces(text):
    """All commands, each as its words and its parameters."""
    for block in text.split("\n!\n"):
        lines = [line for line in block.split("\n") if line.strip() and not line.startswith("!")]
        yield block, lines


def known(document):
    return repr(model_data(document.model, document.settings)), sorted(document.report.unused), sorted(
        document.report.left_out), sorted(document.report.notes)


SAID_ANYWAY = ("adams_id", "angle = deg", "orientation_type", "coordinate_system_type", "0.0d, 0.0d, 0.0d",
               "= 0.0, 0.0", "xy = 0.0", "zx = 0.0", "yz = 0.0", "gravity = 0.0", "sim_script", "model_name",
               "_mode", "preload")


@pytest.mark.parametrize("text", [
    pytest.param(SLIDER_CRANK, id="slider-crank"), pytest.param(MCPHERSON, id="mcpherson", marks=pytest.mark.slow)])
def test_every_parameter_counts_is_listed_or_is_needed(read, text):
    """Without any one of its lines a command file is another model, says so in the report, or is refused; except where
    a line says what holds anyway."""
    whole, tried = known(read(text)), 0
    idle = ("view", "material", "part attributes", "executive", "simulation", "model", "undo", "variable", "ude modify")
    for block, lines in pieces(text):
        if not lines or lines[0].startswith(idle):
            continue
        for line in lines[1:]:
            if any(said in line for said in SAID_ANYWAY) or (line.startswith("    part_name = ground")):
                continue
            left = [other for other in lines if other is not line]
            left[-1] = left[-1].removesuffix(" &")
            tried += 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    other = known(read(text.replace(block, "\n".join(left), 1)))
            except vc.FileError:
                continue
            assert other != whole, line
    assert tried > 50


def test_gravity_and_names_without_a_model(read):
    text = ("model create model_name = m\npart create rigid_body name_and_position part_name = A\n"
            "marker create marker_name = A.cm relative_to = A\n"
            "part create rigid_body mass_properties part_name = A mass = 2 center_of_mass_marker = A.cm ixx=1 &\n"
            "iyy=1 izz=1\n"
            + gravity("0.0", "0.0", "-9.0"))
    result = read(text).run(until=1.0, outputs=1)
    assert result["A.z"][-1] == pytest.approx(-4.5, abs=1e-9)
