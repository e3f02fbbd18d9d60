"""Paths in space, spectra, comparisons and measured data, against closed forms and numbers worked out by hand."""

import math

import numpy as np
import pytest

import vincolo as vc
from linkages import pendulum
from vincolo.errors import FileError
from vincolo.plots import compare, plot, plot3d, read_measured, spectrum, spectrum_of
from vincolo.plots.draw import labelled_sources
from vincolo.plots.sheet import arrange
from vincolo.plots.space import arrange_space
from vincolo.plots.units import si_of
from vincolo.tables.table import Table
from vincolo.tables.table_files import read_table


def table(t, title="table", **columns):
    return Table(tuple(columns), ("m",) * len(columns), np.asarray(t, dtype=float),
                 {name: np.asarray(values, dtype=float) for name, values in columns.items()}, title)


@pytest.fixture(scope="module")
def result():
    model = pendulum()
    model.frame("tip", model.bodies["bar"], (math.cos(0.3), math.sin(0.3), 0))
    return vc.simulate(model, 1.0, outputs=50)


class TestSpectrum:
    @pytest.mark.parametrize("window", ["hann", "hamming", "blackman", "flattop", "boxcar"])
    def test_a_sine_is_a_peak_of_its_amplitude_at_its_frequency(self, window):
        t = np.linspace(0, 4, 2001)
        found = spectrum_of(table(t, x=5 + 0.3 * np.sin(2 * np.pi * 7.3 * t + 0.4)), ["x"], window)
        k = int(np.argmax(found["x"]))
        # between two of the 8 times finer frequencies a rectangle loses 0.7 % (sinc(1/16)), other windows less; its
        # side lobes add as much again
        assert found["x"][k] == pytest.approx(0.3, rel=0.015 if window == "boxcar" else 0.005)
        flat = 4 if window == "flattop" else 1  # its top is flat over half a frequency of the samples to each side
        assert found.t[k] == pytest.approx(7.3, abs=flat / (8 * 4))
        assert found.t[-1] == pytest.approx(250) and found["x"][0] < 0.01  # half the rate, and without the mean

    def test_two_sines_keep_their_amplitudes(self):
        t = np.linspace(0, 10, 4001)
        found = spectrum_of(table(t, x=2 * np.sin(2 * np.pi * 3 * t) + 0.05 * np.cos(2 * np.pi * 40 * t)), ["x"])
        for f, amplitude in ((3, 2.0), (40, 0.05)):
            near = np.abs(found.t - f) < 0.5
            assert found["x"][near].max() == pytest.approx(amplitude, rel=0.005)

    def test_uneven_samples_are_brought_to_even_ones(self, rng):
        t = np.sort(np.concatenate([[0, 5], rng.uniform(0, 5, 2000)]))
        values = np.sin(2 * np.pi * 4 * t)
        values[100] = np.nan
        found = spectrum_of(table(t, x=values), ["x"])
        k = int(np.argmax(found["x"]))
        assert found["x"][k] == pytest.approx(1.0, rel=0.01) and found.t[k] == pytest.approx(4, abs=0.03)

    def test_the_last_frequency_has_one_side(self):
        """+1, -1, +1, ... has the amplitude 1 at half the rate."""
        found = spectrum_of(table(np.arange(64) / 64, x=(-1.0) ** np.arange(64)), ["x"], "boxcar")
        assert found["x"][-1] == pytest.approx(1.0, rel=1e-12) and found.t[-1] == pytest.approx(32)

    def test_files_and_figures(self, result, tmp_path):
        figure = spectrum([("a", result), ("b", result)], "O.angle", highest=10)
        assert [line.label for line in figure.lines] == ["a", "b"] and max(figure.lines[0].x) <= 10
        assert figure.picture.x_title == "frequency [Hz]" and figure.picture.panels[0].title == "O.angle [rad]"
        path = spectrum(result, ["O.angle", "bar.x"], path=tmp_path / "s.csv")
        heads = path.read_text().split("\n")[0]
        assert heads == "f [Hz],O.angle [rad],bar.x [m]"
        numbers = np.loadtxt(path, delimiter=",", skiprows=1)
        assert np.array_equal(numbers[:, 1], spectrum_of(result, ["O.angle"])["O.angle"])
        assert spectrum(result, "O.angle", path=tmp_path / "s.svg", log=True).read_bytes()[:5] == b"<?xml"

    def test_mistakes(self, result):
        with pytest.raises(vc.ModelError, match="no window 'han'. Did you mean 'hann'"):
            spectrum(result, "O.angle", window="han")
        with pytest.raises(vc.ModelError, match="3 samples; at least 8"):
            spectrum(table([0, 1, 2], x=[0, 1, 2]), "x")
        with pytest.raises(vc.ModelError, match="does not increase at sample 5: 1 s after 3 s"):
            spectrum(table([0, 1, 2, 3, 1, 5, 6, 7, 8], x=range(9)), "x")
        with pytest.raises(vc.ModelError, match="must be positive"):
            spectrum(result, "O.angle", highest=0)
        with pytest.raises(vc.ModelError, match="'x' has 0 finite samples"):
            spectrum(table(range(9), x=[np.nan] * 9), "x")


class TestSpace:
    def helix(self):
        t = np.linspace(0, 2, 101)
        return Table(("tip.x", "tip.y", "tip.z"), ("m",) * 3, t, {"tip.x": np.cos(9 * t), "tip.y": np.sin(9 * t),
                                                                  "tip.z": 0.5 * t}, "helix")

    def test_paths_are_to_scale(self):
        space, _ = arrange_space([("", self.helix())], "tip", "")
        extent = space.limits[:, 1] - space.limits[:, 0]
        assert extent / extent.max() == pytest.approx(space.shape)  # a metre is as long on every axis
        assert space.axis_titles == ("x [m]", "y [m]", "z [m]")
        assert (space.limits[:, 0] < space.paths[0].points.min(axis=0)).all()
        assert (space.limits[:, 1] > space.paths[0].points.max(axis=0)).all()

    def test_figures_hold_the_path_of_a_point(self, result):
        space = plot3d(result, ["tip", "bar"]).picture
        assert [path.label for path in space.paths] == ["tip", "bar"]
        path, points = result.point("tip"), space.paths[0].points
        assert np.array_equal(points, path)
        assert np.hypot(*points[:, :2].T) == pytest.approx(1.0, abs=1e-7)  # it stays on its circle
        assert np.array_equal(space.paths[0].ends, path[[0, -1]])
        assert space.up == "y"  # against gravity, which pulls along -y here

    def test_three_series_are_a_point_too(self, result):
        whole = plot3d(result, ("bar.x", "bar.y", "bar.z"))
        (path,) = whole.picture.paths
        assert np.array_equal(path.points[:, 0], result["bar.x"]) and path.label == "bar.x, bar.y, bar.z"
        mixed = plot3d(result, [("O.angle", "O.angle.rate", "energy.kinetic")])
        assert mixed.picture.axis_titles[2] == "energy.kinetic [J]" and mixed.picture.shape == (1, 1, 1)

    @pytest.mark.parametrize("kind", ["html", "png", "svg", "pdf", "csv"])
    def test_files(self, result, tmp_path, kind):
        path = plot3d([("one", result), ("two", result)], "tip", path=tmp_path / f"p.{kind}", title="</title>$x_1$")
        start = path.read_bytes()[:30]
        assert start.startswith({"html": b"<!doctype", "png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF",
                                 "csv": b"t [s],\"tip.x, one [m]\""}[kind])

    def test_a_point_at_rest_and_gaps_are_drawn(self, tmp_path):
        still = Table(("a.x", "a.y", "a.z"), ("m",) * 3, np.arange(3.0), dict.fromkeys(("a.x", "a.y", "a.z"),
                                                                                       np.ones(3)), "")
        space, _ = arrange_space([("", still)], "a", "")
        assert (space.limits[:, 0] < 1).all() and (space.limits[:, 1] > 1).all()
        lost = Table(still.names, still.units, still.t, dict.fromkeys(still.names, np.full(3, np.nan)), "")
        for source in (still, lost):
            assert plot3d(source, "a", path=tmp_path / "a.png").stat().st_size > 1000

    def test_mistakes(self, result):
        for points, message in (("tipp", "no body or frame called 'tipp'. Did you mean 'tip'"),
                                ([], "no point is named"), (7, "no point is named"),
                                ([("bar.x", "bar.y")], "is not a point"),
                                ([("bar.x", "bar.y", "bar.q")], "no series called 'bar.q'"),
                                (["tip", ("O.angle", "bar.x", "bar.y")], "no axes in common")):
            with pytest.raises(vc.ModelError, match=message):
                plot3d(result, points)
        with pytest.raises(vc.ModelError, match=r"ends in .html, .png, .svg or .pdf"):
            plot3d(result, "tip", path="tip.gif")


class TestComparison:
    t = np.linspace(0, 2 * np.pi, 401)[:-1]  # whole periods, so that means are those of the integrals

    def test_an_offset(self):
        d = compare(table(self.t, x=np.sin(self.t)), table(self.t, x=np.sin(self.t) + 0.1), "x")["x"]
        assert (d.rms, d.mean, d.largest, d.correlation) == pytest.approx((0.1, 0.1, 0.1, 1.0))
        assert d.share == pytest.approx(0.1 / 2, rel=1e-4) and d.samples == 400

    def test_a_factor_and_a_phase(self):
        """sin against 1.5 sin: rms 0.5/sqrt(2), largest at a quarter; sin against cos: correlation 0, rms 1."""
        first = table(self.t, x=np.sin(self.t), y=np.sin(self.t))
        found = compare(first, table(self.t, x=1.5 * np.sin(self.t), y=np.cos(self.t)))
        x, y = found["x"], found["y"]
        assert (x.rms, x.largest, x.correlation, x.mean) == pytest.approx((0.5 / math.sqrt(2), 0.5, 1, 0), abs=1e-12)
        assert x.at == pytest.approx(np.pi / 2)
        assert (y.rms, y.correlation) == pytest.approx((1.0, 0.0), abs=1e-12)
        assert y.largest == pytest.approx(math.sqrt(2), rel=1e-4)
        assert y.at % np.pi == pytest.approx(3 * np.pi / 4)

    def test_other_times_are_interpolated_within_the_overlap(self):
        """A straight line is met exactly whatever the times."""
        a, b = table(np.linspace(0, 10, 71), x=3 * np.linspace(0, 10, 71)), table([2.1, 3.7, 7.9], x=[6.3, 11.1, 23.7])
        found = compare(a, b)
        assert found["x"].largest < 1e-13 and (found.start, found.end) == pytest.approx((15 / 7, 55 / 7))
        assert found["x"].samples == np.count_nonzero((a.t >= 2.1) & (a.t <= 7.9))

    def test_the_largest_error_has_its_time(self):
        spike = np.zeros(400)
        spike[123] = -2.5
        d = compare(table(self.t, x=np.cos(self.t)), table(self.t, x=np.cos(self.t) + spike))["x"]
        assert d.largest == pytest.approx(2.5) and d.at == self.t[123]

    def test_the_table_is_neat(self):
        zero = 0 * self.t
        found = compare(table(self.t, a=self.t, long_name=zero), table(self.t, a=self.t + 1, long_name=zero + 1),
                        labels=("model", "bench"))
        first, heads, *rows = str(found).split("\n")
        assert first.startswith("bench against model, t = 0 to 6.2") and len(rows) == 2
        end = heads.index("rms") + 3  # numbers stand under each other, at the right
        assert all(row[end - 1].isdigit() and row[end] == " " for row in rows)
        assert rows[1].split()[-2:] == ["-", "-"]  # a constant has no range and no correlation

    def test_the_legend_tells_the_errors(self):
        pairs = [("model", table(self.t, x=np.sin(self.t))), ("bench", table(self.t, x=np.sin(self.t) + 0.1))]
        figure = plot(pairs, "x", errors=True)
        assert [line.label for line in figure.lines] == ["model", "bench (rms 0.1 m, 5 %)"]
        with pytest.raises(vc.ModelError, match="errors are those of several results"):
            plot(pairs[0][1], "x", errors=True)

    def test_mistakes(self, result):
        one = table([0, 1, 2], x=[0, 1, 2])
        for a, b, names, message in (
                (one, table([5, 6], x=[0, 1]), "x", "no times in common: 0 to 2 s and 5 to 6 s"),
                (one, table([0, 1], y=[0, 1]), None, "no series of the same name"),
                (one, table([0, 1], y=[0, 1]), "x", "no column called 'x'"),
                (one, "other", "x", "str is neither a result nor a table"),
                (one, table([0, 1, 2], x=[np.nan] * 3), "x", "no finite numbers in common"),
                (one, table([0, 2, 1], x=[0, 1, 2]), "x", "goes back"),
                (result, Table(("O.angle",), ("deg",), result.t, {"O.angle": result["O.angle"]}, "m"), "O.angle",
                 "is in rad in one and in deg")):
            with pytest.raises(vc.ModelError, match=message):
                compare(a, b, names)
        with pytest.raises(vc.ModelError, match="'y' was not compared"):
            compare(one, one)["y"]


class TestNumbersOfPlots:
    def test_one_source_is_the_exported_table(self, result, tmp_path):
        plot(result, ["bar.x", "O.angle"], path=tmp_path / "a.csv")
        assert (tmp_path / "a.csv").read_bytes() == result.export(tmp_path / "b.csv", ["bar.x", "O.angle"]).read_bytes()

    def test_what_it_is_drawn_over_is_there_too(self, result, tmp_path):
        found = read_table(plot(result, "bar.y", against="bar.x", path=tmp_path / "a.csv"))
        assert found.names == ("bar.x", "bar.y") and np.array_equal(found["bar.x"], result["bar.x"])

    def test_several_sources_have_the_union_of_their_times(self, tmp_path):
        pairs = [("a", table([0, 1, 2], x=[1, 2, 3])), ("b", table([1, 1, 3], x=[4, 5, 6])), ("b", table([0], x=[7]))]
        found = read_table(plot(pairs, "x", path=tmp_path / "a.csv"))
        assert found.names == ("x, a", "x, b", "x, b (3)")
        nan = np.nan
        assert np.array_equal(found.t, [0, 1, 1, 2, 3])
        assert np.array_equal(found["x, a"], [1, 2, nan, 3, nan], equal_nan=True)
        assert np.array_equal(found["x, b"], [nan, 4, 5, nan, 6], equal_nan=True)
        assert np.array_equal(found["x, b (3)"], [7, nan, nan, nan, nan], equal_nan=True)

    def test_values_over_decades(self, result, tmp_path):
        sheet = arrange(labelled_sources("plot()", result), "residual.position", "t", "", log=True)
        assert sheet.log and plot(result, "residual.position", log=True).picture.log
        assert plot(result, "residual.position", log=True, path=tmp_path / "r.png").stat().st_size > 5000


NUMBERS = [(0.0, 1.5, -200.0), (0.5, 2.25, 0.001), (1.0, 1e-3, 3.0)]
WAYS = {
    "commas": "t,angle,force\n0,1.5,-200\n0.5,2.25,1e-3\n1,0.001,3\n",
    "semicolons and decimal commas": "t;angle;force\n0,0;1,5;-200\n0,5;2,25;1e-3\n1;0,001;3\n",
    "semicolons and points": "t;angle;force\n0.0;1.5;-200\n0.5;2.25;1E-3\n1;.001;3.\n",
    "tabs": "t\tangle\tforce\n0\t1,5\t-200\n0,5\t2,25\t1e-3\n1\t0,001\t3\n",
    "spaces": "# t   angle force\n 0  1.5  -200\n0.5 2.25 1d-3\n1 0.001   3\n",
    "old line ends": "t,angle,force\r0,1.5,-200\r0.5,2.25,1e-3\r1,0.001,3\r",
    "quotes": '"t","angle","force"\n"0","1.5","-200"\n"0.5","2.25","1e-3"\n"1","0.001","3"\n',
    "other order": "angle;force;t\n1,5;-200;0\n2,25;1e-3;0,5\n0,001;3;1\n",
    "preamble": "Logger 9000;;\nSerial;123\n\nTime;angle;force\n0;1.5;-200\n0.5;2.25;1e-3\n1;0.001;3\n",
    "line of units": "t;angle;force\n[s];[rad];[N]\n0;1,5;-200\n0,5;2,25;1e-3\n1;0,001;3\n",
    "signs at the ends": "t;angle;force;\n0;1.5;-200;\n0.5;2.25;1e-3;\n1;0.001;3;\n\n",
}


class TestMeasured:
    @pytest.mark.parametrize("way", WAYS)
    def test_the_same_numbers_in_every_way_of_writing(self, tmp_path, way):
        (tmp_path / "m.csv").write_bytes(WAYS[way].encode())
        found = read_measured(tmp_path / "m.csv")
        assert found.names == ("angle", "force") and found.title == "m"
        assert np.array_equal(np.column_stack([found.t, found["angle"], found["force"]]), NUMBERS)

    @pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    def test_letters(self, tmp_path, code):
        (tmp_path / "m.csv").write_bytes("Zeit [ms];Größe [µm];Winkel [°]\n0;1;90\n500;2;180\n".encode(code))
        found = read_measured(tmp_path / "m.csv", names={"Winkel": "O.angle"})
        assert found.names == ("Größe", "O.angle") and found.units == ("m", "rad")
        assert found.t == pytest.approx([0, 0.5]) and found["O.angle"] == pytest.approx([np.pi / 2, np.pi])
        assert found["Größe"] == pytest.approx([1e-6, 2e-6])

    def test_units_are_brought_to_those_of_channels(self):
        for text, factor, unit in (("mm", 1e-3, "m"), ("deg/s", np.pi / 180, "rad/s"), ("rpm", np.pi / 30, "rad/s"),
                                   ("mm/s^2", 1e-3, "m/s^2"), ("m/s²", 1, "m/s^2"), ("kN", 1e3, "N"), ("Nm", 1, "N m"),
                                   ("N*mm", 1e-3, "N m"), ("kW", 1e3, "W"), ("1/min", np.pi / 30, "rad/s")):
            assert si_of(text) == (pytest.approx(factor), unit)
        assert si_of("furlong") is None and si_of("") is None

    def test_scale_names_and_shift(self, tmp_path):
        (tmp_path / "m.csv").write_text("n;angle (deg);run (1)\n0;90;1\n100;180;2\n")
        found = read_measured(tmp_path / "m.csv", "n", scale={"n": 0.001, "run (1)": -2}, shift=5)
        assert found.t == pytest.approx([5, 5.1]) and np.array_equal(found["run (1)"], [-2, -4])
        assert found["angle"] == pytest.approx([np.pi / 2, np.pi])
        plain = read_measured(tmp_path / "m.csv", "n", scale={"angle": 1.0})
        assert np.array_equal(plain["angle"], [90, 180])

    def test_empty_cells_are_gaps(self, tmp_path):
        (tmp_path / "m.csv").write_text("t,a,b\n0,1,\n1,NaN,4\n2,3\n")
        found = read_measured(tmp_path / "m.csv")
        assert np.array_equal(found["a"], [1, np.nan, 3], equal_nan=True)
        assert np.array_equal(found["b"], [np.nan, 4, np.nan], equal_nan=True)

    def test_a_result_against_its_own_export_in_degrees(self, result, tmp_path):
        lines = ["Zeit;Winkel [deg]"] + [f"{t:.9f};{math.degrees(a):.9f}".replace(".", ",")
                                         for t, a in zip(result.t, result["O.angle"], strict=True)]
        (tmp_path / "bench.csv").write_text("\n".join(lines))
        measured = read_measured(tmp_path / "bench.csv", names={"Winkel": "O.angle"})
        d = compare(result, measured, "O.angle")["O.angle"]
        assert d.largest < 1e-8 and d.correlation == pytest.approx(1) and d.samples == 51

    @pytest.mark.parametrize(("text", "message"), [
        ("a;b\n1;2\n", r"no line of headings with a column 't'.*\n  The first line is 'a;b'"),
        ("", "no line of headings"),
        ("t;a\n", "no numbers below"),
        ("t;a\n0;1\n1;x7\n", r"line 3, column 'a': 'x7' is not a number"),
        ("t;a\n0;1\n2;1\n1;2\n", "does not increase at sample 3: 1 s after 2 s"),
        ("t;a\n0;1\n;1\n", "does not increase at sample 2: nan"),
        ("t,a\n0,5,1\n", r"line 2: it has 3 values, but there are 2 headings.\n  Commas separate the columns"),
        ("t;a;a\n0;1;2\n", "column 3 is called 'a' like another one"),
        ("t;;b\n0;1;2\n", "column 2 has no name"),
        ("t [furlong];a\n0;1\n", "not a known unit of time"),
        ("t;a\n0;1__0\n", "is not a number"),
        ("\0\0t;a\n0;1\n", "this is not text")])
    def test_mistakes_are_told_with_their_place(self, tmp_path, text, message):
        (tmp_path / "m.csv").write_text(text)
        with pytest.raises(FileError, match=f"m.csv.*{message}"):
            read_measured(tmp_path / "m.csv")

    def test_mistakes_in_what_is_asked_for(self, tmp_path):
        (tmp_path / "m.csv").write_text("t;angle;b\n0;1;2\n")
        for asked, message in (({"scale": {"angel": 2}}, "Did you mean 'angle'"),
                               ({"names": {"b": "angle"}}, "two columns"),
                               ({"time": "tim"}, "no line of headings with a column 'tim'"),
                               ({"scale": {"b": "x"}}, "scale of 'b'"), ({"shift": np.inf}, "shift")):
            with pytest.raises(vc.ModelError, match=message):
                read_measured(tmp_path / "m.csv", **asked)
        for path in (tmp_path / "none.csv", tmp_path):
            with pytest.raises(FileError):
                read_measured(path)

    def test_damaged_files_are_read_or_refused(self, tmp_path, rng):
        path = tmp_path / "m.csv"
        for way in WAYS.values():
            for _ in range(40):
                data = bytearray(way.encode())
                for k in rng.integers(0, len(data), 3):
                    data[k] = rng.choice(list(b'";,\t\n#%\0\xff-e9[]()t '))
                path.write_bytes(bytes(data))
                try:
                    found = read_measured(path)
                except FileError as error:
                    assert str(error).startswith("m.csv")
                else:
                    assert len(found) and np.isfinite(found.t).all()
