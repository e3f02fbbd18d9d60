/* The model of this project, as `vincolo export` wrote it */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

extern const char vincolo_table[];
extern const size_t vincolo_table_size;

#endif
