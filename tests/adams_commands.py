"""Command files of Adams View: the two models of Oldani (2010), appendices A.2 and A.4, and pages that print them."""

from __future__ import annotations

HEAD = """defaults units & ! of the model
    length = meter &
    angle = deg &
    force = newton &
    mass = kg &
    time = sec
!
defaults units &
    coordinate_system_type = cartesian &
    orientation_type = body313
!
!----- Model -----!
!
model create &
    model_name = model_1
!
view erase
!
material create &
    material_name = .model_1.steel &
    adams_id = 1 &
    density = 7801.0
!
defaults model &
    part_name = ground
!
"""
TAIL = """executive_control set numerical_integration_parameters &
    model_name = model_1 &
    integrator_type = constant_bdf &
    hinit_time_step = 5.0E-004
!
simulation script create &
    sim_script_name = .model_1.Last_Sim &
    commands = &
        "simulation single_run transient type=auto_select end_time=5.0 step_size=5.0E-004 model_name=.model_1 static=no"
!
model display &
    model_name = model_1
"""


def command(words: str, **parameters: str) -> str:
    """One command, a line for each parameter."""
    lines = [words, *(f"    {name} = {value}" for name, value in parameters.items())]
    return " &\n".join(lines) + "\n!\n"


def marker(name: str, number: int, location: str, orientation: str = "0.0d, 0.0d, 0.0d") -> str:
    return command("marker create", marker_name=f".model_1.{name}", adams_id=str(number), location=location,
                   orientation=orientation)


def part(name: str, number: int, mass: str, inertia: str, markers: str, location: str = "0.0, 0.0, 0.0") -> str:
    """A part with markers in its own axes, and its centre of mass the marker cm."""
    moments = {"ixx": inertia, "iyy": inertia, "izz": inertia, "ixy": "0.0", "izx": "0.0", "iyz": "0.0"}
    own = f".model_1.{name}"
    return (command("defaults coordinate_system", default_coordinate_system=".model_1.ground")
            + command("part create rigid_body name_and_position", part_name=own, adams_id=str(number),
                      location=location, orientation="0.0d, 0.0d, 0.0d")
            + command("defaults coordinate_system", default_coordinate_system=own) + markers
            + command("part create rigid_body mass_properties", part_name=own, mass=mass,
                      center_of_mass_marker=f"{own}.cm", **moments)
            + command("part attributes", part_name=own, color="RED", name_visibility="off"))


def joint(kind: str, number: int, i: str, j: str) -> str:
    return command(f"constraint create joint {kind}", joint_name=f".model_1.JOINT_{number}", adams_id=str(number),
                   i_marker_name=f".model_1.{i}", j_marker_name=f".model_1.{j}")


def gravity(x: str, y: str, z: str) -> str:
    return command("force create body gravitational", gravity_field_name="gravity", x_component_gravity=x,
                   y_component_gravity=y, z_component_gravity=z)


def values(instance: str, **given: str) -> str:
    kinds = {"(": "object_value", '"': "string_value"}
    return "".join(command("variable modify", variable_name=f".model_1.{instance}.{name}",
                           **{kinds.get(value[0], "real_value"): value}) for name, value in given.items())


def instance(name: str, definition: str, **given: str) -> str:
    return command("ude create instance", instance_name=f".model_1.{name}", definition_name=definition,
                   location="0.0, 0.0, 0.0", orientation="0.0, 0.0, 0.0") + values(name, **given) + command(
        "ude modify instance", instance_name=f".model_1.{name}")


SLIDER_CRANK = HEAD + (
    marker("ground.MARKER_19", 19, "0.0, 0.0, 0.0") + marker("ground.MARKER_10", 10, "0.0, 0.0, 0.0")
    + marker("ground.MARKER_16", 16, "2.73895, 0.0, 0.0", "270.0d, 90.0000000178d, 180.0d")
    + part("PART_2", 2, "1.0", "0.1", marker("PART_2.cm", 20, "0.35355, 0.35355, 0.0")
           + marker("PART_2.MARKER_18", 18, "0.0, 0.0, 0.0") + marker("PART_2.MARKER_8", 8, "0.7071, 0.7071, 0.0")
           + marker("PART_2.MARKER_11", 11, "0.0, 0.0, 0.0"))
    + part("PART_3", 3, "2.0", "0.2", marker("PART_3.cm", 21, "1.6425, 0.35355, 0.0")
           + marker("PART_3.MARKER_9", 9, "0.7071, 0.7071, 0.0") + marker("PART_3.MARKER_14", 14, "2.5779, 0.0, 0.0"))
    + part("PART_4", 4, "4.0", "0.3", marker("PART_4.cm", 22, "2.73895, 0.0, 0.0")
           + marker("PART_4.MARKER_15", 15, "2.5779, 0.0, 0.0")
           + marker("PART_4.MARKER_17", 17, "2.73895, 0.0, 0.0", "270.0d, 90.0000000178d, 180.0d"))
    + joint("spherical", 1, "PART_2.MARKER_8", "PART_3.MARKER_9")
    + joint("spherical", 2, "ground.MARKER_10", "PART_2.MARKER_11")
    + joint("spherical", 3, "PART_3.MARKER_14", "PART_4.MARKER_15")
    + joint("cylindrical", 4, "ground.MARKER_16", "PART_4.MARKER_17")
    + command("force create direct single_component_force", single_component_force_name=".model_1.SFORCE_1",
              adams_id="1", type_of_freedom="rotational", i_marker_name=".model_1.PART_2.MARKER_18",
              j_marker_name=".model_1.ground.MARKER_19", action_only="on", function='""')
    + gravity("0.0", "-9.80665", "0.0")
    + command("force modify direct single_component_force", single_component_force_name=".model_1.SFORCE_1",
              function='"-10"')) + TAIL

STRUT = "356.7295120768d, 162.6919927171d, 67.0851060288d"
TOP = "0.46, -0.18, 0.47"
LINEAR = {"stiffness_mode": '"linear"', "damping_mode": '"linear"', "free_length_mode": '"Constant_Value"',
          "preload": "0.0", "i_dynamic_visibility": '"On"'}
FREE = {f"{kind}{k}_{what}": value for kind in "tr" for k in "123"
        for what, value in (("type", "0"), ("func", '"0 * time"'), ("ic_disp", "0.0"), ("ic_velo", "0.0"))}
MCPHERSON = HEAD + (
    marker("ground.MARKER_57", 57, "0.27, -5.0E-003, -1.0E-002", "88.9390883097d, 92.1207331226d, 0.0d")
    + marker("ground.MARKER_77", 77, "0.47, 6.0E-002, 9.0E-002")
    + marker("ground.MARKER_93", 93, "0.452, -0.41, -0.43", "0.0d, 180.0d, 0.0d") + marker("ground.MARKER_99", 99, TOP)
    + part("Lower_arm", 8, "4.6", "0.1",
           marker("Lower_arm.cm", 87, "0.4162012549, -0.168540764, -2.7081527958E-002")
           + marker("Lower_arm.MARKER_58", 58, "0.27, -5.0E-003, -1.0E-002", "88.9390883097d, 92.1207331226d, 0.0d")
           + marker("Lower_arm.MARKER_73", 73, "0.45, -0.33, -4.0E-002")
           + marker("Lower_arm.MARKER_105", 105, "0.4496366251, -0.3293439065, -4.9287928994E-002"))
    + part("Snodo", 13, "1.0", "0.1", marker("Snodo.cm", 103, TOP, "270.0d, 90.0d, 90.0d")
           + marker("Snodo.MARKER_100", 100, TOP) + marker("Snodo.MARKER_101", 101, TOP, STRUT)
           + marker("Snodo.MARKER_104", 104, TOP))
    + part("Steering_Rod", 10, "12.1", "0.25", marker("Steering_Rod.MARKER_102", 102, TOP, STRUT)
           + marker("Steering_Rod.cm", 89, "0.4630090362, -0.2796688292, 0.1641816967")
           + marker("Steering_Rod.MARKER_74", 74, "0.45, -0.33, -4.0E-002")
           + marker("Steering_Rod.MARKER_76", 76, "0.56, -0.3, 6.0E-002")
           + marker("Steering_Rod.MARKER_83", 83, "0.452, -0.41, 2.0E-002", "180.0d, 90.0d, 180.0d"))
    + part("PART_12", 12, "1.0E-002", "1.0E-004", marker("PART_12.cm", 97, "0.452, -0.41, -0.43")
           + marker("PART_12.MARKER_94", 94, "0.452, -0.41, -0.43", "0.0d, 180.0d, 0.0d")
           + marker("PART_12.MARKER_96", 96, "0.452, -0.41, -0.33"))
    + part("Wheel", 6, "25.0", "0.1", marker("Wheel.cm", 45, "0.452, -0.51, 2.0E-002")
           + marker("Wheel.MARKER_95", 95, "0.452, -0.51, 2.0E-002")
           + marker("Wheel.MARKER_84", 84, "0.452, -0.51, 2.0E-002", "180.0d, 90.0d, 180.0d"), "0.0, 0.1, 0.0")
    + part("Tie_Rod", 11, "1.0", "0.1", marker("Tie_Rod.MARKER_75", 75, "0.56, -0.3, 6.0E-002")
           + marker("Tie_Rod.MARKER_78", 78, "0.47, 6.0E-002, 9.0E-002")
           + marker("Tie_Rod.cm", 90, "0.515, -0.12, 7.5E-002"))
    + joint("revolute", 10, "ground.MARKER_57", "Lower_arm.MARKER_58")
    + joint("translational", 19, "ground.MARKER_93", "PART_12.MARKER_94")
    + joint("spherical", 14, "Lower_arm.MARKER_73", "Steering_Rod.MARKER_74")
    + joint("spherical", 20, "ground.MARKER_99", "Snodo.MARKER_100")
    + joint("spherical", 15, "Tie_Rod.MARKER_75", "Steering_Rod.MARKER_76")
    + joint("spherical", 16, "ground.MARKER_77", "Tie_Rod.MARKER_78")
    + joint("cylindrical", 21, "Snodo.MARKER_101", "Steering_Rod.MARKER_102")
    + joint("revolute", 18, "Steering_Rod.MARKER_83", "Wheel.MARKER_84")
    + command("defaults coordinate_system", default_coordinate_system=".model_1.ground")
    + "undo begin_block suppress = yes\n!\n"
    + instance("SPRING_1", ".MDI.Forces.spring", i_marker="(.model_1.Snodo.MARKER_104)",
               j_marker="(.model_1.Lower_arm.MARKER_105)", stiffness_coefficient="4.22E+004",
               damping_coefficient="2700.0", free_length="0.4815", **LINEAR)
    + instance("general_motion_2", ".MDI.Constraints.general_motion", i_marker="(.model_1.ground.MARKER_93)",
               j_marker="(.model_1.PART_12.MARKER_94)", constraint="(.model_1.JOINT_19)",
               **{**FREE, "t3_type": "1", "t3_func": '"0.03*sin(5*PI*time)"'})
    + instance("SPRING_2", ".MDI.Forces.spring", i_marker="(.model_1.Wheel.MARKER_95)",
               j_marker="(.model_1.PART_12.MARKER_96)", stiffness_coefficient="2.0E+005",
               damping_coefficient="8.0E+004", free_length="0.35", **LINEAR)
    + instance("general_motion_1", ".MDI.Constraints.general_motion", i_marker="(.model_1.Snodo.MARKER_101)",
               j_marker="(.model_1.Steering_Rod.MARKER_102)", constraint="(.model_1.JOINT_21)", **FREE)
    + gravity("0.0", "0.0", "-9.80665")) + TAIL


def printed(text: str, first: int, bar: bool = False) -> str:
    """The file as a document prints it: every tenth line numbered, pages of 47 lines, long lines broken."""
    found: list[str] = ["```"]
    for k, line in enumerate(text.split("\n"), 1):
        number = f"{k} {'| ' if bar and k > 300 else ''}" if k % 10 == first else ""
        if len(line) > 100:
            cut = line.index("model_name=.") + len("model_name=.")
            found += [number + line[:cut], "        " + line[cut:]]
        else:
            found.append(number + line)
        if k % 47 == 0:
            found += ["", "```", "", "```", ""]
    return "\n".join([*found, "```"])
