"""Linkages for a purpose: paths, functions and motions, searched for in closed form and checked by the kernel."""

from vincolo.studies.synthesis.four_bar import FourBar
from vincolo.studies.synthesis.function import FunctionLinkage, freudenstein, function_linkage
from vincolo.studies.synthesis.motion import Crank, MotionLinkage, crank_for, cranks_for, motion_linkages
from vincolo.studies.synthesis.path import PathLinkage, path_linkage

__all__ = ["Crank", "FourBar", "FunctionLinkage", "MotionLinkage", "PathLinkage", "crank_for", "cranks_for",
           "freudenstein", "function_linkage", "motion_linkages", "path_linkage"]
