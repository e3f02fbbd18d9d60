"""Complete programs that solve the equations of a model: one description, printed as C, Fortran and Python."""
