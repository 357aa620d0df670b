/* Runs a schedule as it is written, without a renderer: slowly, in double, with
 * every index checked against its buffer, every value against its stage, and all
 * memory poisoned first. What tests compare with tn_interp_run. */
#ifndef TN_TESTS_LOOP_INTERP_H
#define TN_TESTS_LOOP_INTERP_H

#include "ir/interp.h"
#include "schedule/schedule.h"

/* options->run_op runs CALL steps; inputs and outputs as for tn_interp_run. */
TN_MUST_USE tn_status tn_loop_interp_run(const tn_schedule *schedule,
                                         const tn_interp_options *options,
                                         const tn_tensor *const *inputs, tn_tensor *const *outputs);

#endif
