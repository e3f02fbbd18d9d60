/* Series as text: columns t, inputs and outputs. All of a series is in memory while steps are made; it is read before the first one
 * and written after the last. */
#ifndef CSV_H
#define CSV_H

#include <stddef.h>

#include "vincolo.h"

typedef struct {
    double *numbers;
    size_t rows, room, width;
} csv_series;

/* Inputs of each step from a file whose first line names them; inputs without a column keep their start. 0, or -1 as said on stderr */
int csv_read_inputs(csv_series *series, const char *file, vincolo_model *model);
/* Room for a record of t, inputs, outputs, microseconds and status of every step */
int csv_make_room(csv_series *series, size_t rows, const vincolo_model *model);
void csv_note(csv_series *series, vincolo_model *model, double microseconds, int status);
int csv_write(const csv_series *series, const char *file, const vincolo_model *model);

#endif
