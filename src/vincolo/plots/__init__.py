"""Pictures of results: series over time or over each other, paths in space, spectra, comparisons."""

from vincolo.plots.compare import Comparison, Deviation, compare
from vincolo.plots.draw import plot
from vincolo.plots.figure import Figure
from vincolo.plots.measured import read_measured
from vincolo.plots.paths import plot3d
from vincolo.plots.spectrum import spectrum, spectrum_of
from vincolo.plots.tolerances import plot_band, plot_contributions, plot_histogram

__all__ = ["Comparison", "Deviation", "Figure", "compare", "plot", "plot3d", "plot_band",
           "plot_contributions", "plot_histogram", "read_measured", "spectrum", "spectrum_of"]
