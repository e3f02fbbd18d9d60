"""The viewer in the browser: results, runs while they compute, mechanisms moved by the mouse, mode shapes."""

from vincolo.view.live.dragging import drag
from vincolo.view.live.modes import show_modes
from vincolo.view.live.running import watch
from vincolo.view.live.searching import watch_path
from vincolo.view.live.studying import StudyViewer, show_study, watch_study
from vincolo.view.live.viewer import Viewer, show

__all__ = ["StudyViewer", "Viewer", "drag", "show", "show_modes", "show_study", "watch", "watch_path",
           "watch_study"]
