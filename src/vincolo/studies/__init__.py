"""Many runs of one model: what changes if its numbers do."""

from vincolo.studies.gradients import Gradients, gradients
from vincolo.studies.outputs import Output
from vincolo.studies.plan import Range, Spread
from vincolo.studies.study import Progress, study
from vincolo.studies.sweep import Sweep, Variation, sweep, variation_of
from vincolo.studies.table import Study

__all__ = ["Gradients", "Output", "Progress", "Range", "Spread", "Study", "Sweep", "Variation", "gradients", "study",
           "sweep", "variation_of"]
