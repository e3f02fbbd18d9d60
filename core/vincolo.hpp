// The kernel as a library, without Python: everything a program needs to make a mechanism, run it and read it.
//
//   Builder    makes a System from plain tables: bodies, frames, measures between frames, quantities (sums of measures), blocks of
//              rows that hold quantities, laws and loads. Each call returns a number by which later ones refer to it.
//   Run        a simulation: made of a System, options, a state and the times to record; advance() goes on for some evaluations,
//              state() and time() tell where it stands, samples() what was recorded. It keeps a reference to the System.
//   Pacer      a run taken from outside in steps of one size: inputs, a step, outputs.
//   Observer   reads a state: accelerations, reactions, forces, energies, residuals of all rows.
//   Kinematics motion by drives alone.
//   read_table makes all of it from a file that `vincolo export` wrote; vincolo.h is the same for programs in C.
//   Closure    closes positions and velocities, with values asked for and wished for.
//
// A state is body_size (13) numbers for each body, place by place as system.hpp names them: position of the centre of mass (at_r),
// quaternion with the scalar first (at_p), velocity (at_v) and angular velocity (at_w), all in world axes; then one number, the
// work done so far. Units are SI. Wrong tables and options throw std::invalid_argument or std::out_of_range when they are given;
// advance() throws nothing and allocates nothing: how a run ended is its status.
//
// tests/kernel/slider_crank.cpp is a whole program.
#pragma once
#include "builder.hpp"
#include "closure.hpp"
#include "kinematics.hpp"
#include "observer.hpp"
#include "pacer.hpp"
#include "table.hpp"
