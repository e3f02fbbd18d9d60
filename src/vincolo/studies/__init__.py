"""Many runs of one model: what changes if its numbers do, which of them matter, and which are best."""

from vincolo.studies.calibrate import Calibrated, calibrate
from vincolo.studies.gradients import Gradients, gradients
from vincolo.studies.influence import Influence, influence
from vincolo.studies.optimise import Optimum, optimise
from vincolo.studies.outputs import Output
from vincolo.studies.plan import Range, Spread
from vincolo.studies.study import Progress, study
from vincolo.studies.sweep import Sweep, Variation, sweep, variation_of
from vincolo.studies.table import Study

__all__ = ["Calibrated", "Gradients", "Influence", "Optimum", "Output", "Progress", "Range", "Spread", "Study", "Sweep",
           "Variation", "calibrate", "gradients", "influence", "optimise", "study", "sweep", "variation_of"]
