/* Counts what is taken from the heap; for `make counted`, with the C library of GNU */
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static long taken;
long allocations(void);
long allocations(void) { return taken; }
void *malloc(size_t size) { return ++taken, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return ++taken, __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return ++taken, __libc_realloc(memory, size); }
void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) { return ++taken, __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return ++taken, __libc_memalign(alignment, size); }
