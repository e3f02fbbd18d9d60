"""What analyses, results, states and files give, each a record of its own."""

from vincolo.analyses.idle import IdleFreedom as IdleFreedom
from vincolo.analyses.kinematics import Dragged as Dragged
from vincolo.analyses.kinematics import Range as Range
from vincolo.analyses.linearize import LinearSystem as LinearSystem
from vincolo.analyses.load_sweep import LoadSweep as LoadSweep
from vincolo.analyses.mobility import Mobility as Mobility
from vincolo.analyses.modes import Modes as Modes
from vincolo.analyses.relaxation import Opening as Opening
from vincolo.analyses.relaxation import Relaxation as Relaxation
from vincolo.analyses.run_settings import RunSettings as RunSettings
from vincolo.analyses.static_design import SpringDesign as SpringDesign
from vincolo.analyses.statics import Equilibrium as Equilibrium
from vincolo.analyses.stepper import Stepper as Stepper
from vincolo.channels.channels import Motion as Motion
from vincolo.channels.channels import Reaction as Reaction
from vincolo.formats.document import Document as Document
from vincolo.formats.report import Report as Report
from vincolo.results.happenings import Happening as Happening
from vincolo.results.settings import Settings as Settings
from vincolo.state import Assembly as Assembly
from vincolo.state import Equations as Equations
from vincolo.state import Solution as Solution
