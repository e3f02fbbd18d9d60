#define _GNU_SOURCE
#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int input_number(const vincolo_model *model, const char *name) {
    for (int k = 0; k < vincolo_input_count(model); ++k)
        if (strcmp(vincolo_input_name(model, k), name) == 0) return k;
    return -1;
}

static int complain(const char *file, size_t line, const char *what) {
    fprintf(stderr, "error: %s, line %zu: %s\n", file, line, what);
    return -1;
}

/* Which input each column is; -1 for t, outputs and others */
static int read_head(char *line, const vincolo_model *model, int *columns, int most) {
    int count = 0;
    char *place = NULL;
    for (char *word = strtok_r(line, ",\r\n", &place); word && count < most; word = strtok_r(NULL, ",\r\n", &place)) columns[count++] = input_number(model, word);
    return count;
}

static int read_row(char *line, const int *columns, int count, double *row) {
    for (int k = 0; k < count; ++k) {
        char *end;
        const double x = strtod(line, &end);
        if (end == line || (*end != ',' && *end != '\n' && *end != '\r' && *end)) return -1;
        if (columns[k] >= 0 && !isfinite(x)) return -1;
        if (columns[k] >= 0) row[columns[k]] = x;
        if (k + 1 < count && *end != ',') return -1;
        line = end + 1;
    }
    return 0;
}

int csv_read_inputs(csv_series *series, const char *file, vincolo_model *model) {
    memset(series, 0, sizeof *series);
    series->width = (size_t)vincolo_input_count(model);
    FILE *in = fopen(file, "r");
    if (!in) return complain(file, 0, strerror(errno));
    int columns[4096], count = 0, wrong = 0;
    char *line = NULL;
    size_t size = 0, number = 0;
    while (!wrong && getline(&line, &size, in) > 0) {
        if (++number == 1) {
            count = read_head(line, model, columns, 4096);
            continue;
        }
        if (series->rows == series->room) {
            series->room = 2 * series->room + 1024;
            double *more = realloc(series->numbers, series->room * (series->width ? series->width : 1) * sizeof(double));
            if (!more) wrong = complain(file, number, "there is not enough memory");
            else series->numbers = more;
        }
        if (wrong) break;
        double *row = series->numbers + series->rows++ * series->width;
        if (series->width > 0) memcpy(row, vincolo_inputs(model), series->width * sizeof(double));
        if (read_row(line, columns, count, row)) wrong = complain(file, number, "a number is missing or not finite");
    }
    if (!wrong && number == 0) wrong = complain(file, 0, "it is empty");
    free(line);
    fclose(in);
    return wrong;
}

int csv_make_room(csv_series *series, size_t rows, const vincolo_model *model) {
    series->width = 3 + (size_t)vincolo_input_count(model) + (size_t)vincolo_output_count(model);
    series->rows = 0, series->room = rows;
    series->numbers = malloc((rows ? rows : 1) * series->width * sizeof(double));
    if (series->numbers) memset(series->numbers, 0, rows * series->width * sizeof(double)); /* so that its pages are there */
    return series->numbers ? 0 : -1;
}

void csv_note(csv_series *series, vincolo_model *model, double microseconds, int status) {
    if (series->rows >= series->room) return;
    double *to = series->numbers + series->rows++ * series->width;
    const size_t inputs = (size_t)vincolo_input_count(model), outputs = (size_t)vincolo_output_count(model);
    *to++ = vincolo_time(model);
    if (inputs > 0) memcpy(to, vincolo_inputs(model), inputs * sizeof(double));
    if (outputs > 0) memcpy(to + inputs, vincolo_outputs(model), outputs * sizeof(double));
    to[inputs + outputs] = microseconds, to[inputs + outputs + 1] = status;
}

int csv_write(const csv_series *series, const char *file, const vincolo_model *model) {
    FILE *out = fopen(file, "w");
    if (!out) return complain(file, 0, strerror(errno));
    fprintf(out, "t");
    for (int k = 0; k < vincolo_input_count(model); ++k) fprintf(out, ",%s", vincolo_input_name(model, k));
    for (int k = 0; k < vincolo_output_count(model); ++k) fprintf(out, ",%s", vincolo_output_name(model, k));
    fprintf(out, ",step us,status\n");
    for (size_t r = 0; r < series->rows; ++r)
        for (size_t k = 0; k < series->width; ++k)
            fprintf(out, "%.17g%c", series->numbers[r * series->width + k], k + 1 < series->width ? ',' : '\n');
    return fclose(out) ? complain(file, 0, strerror(errno)) : 0;
}
