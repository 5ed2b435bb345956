/* Stands before tritonserver's own function, and says that inputs which begin with the least INT64 are in the memory of a
   GPU, where nobody can read them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { GPU = 2 };

typedef void *Function(void *, uint32_t, const void **, uint64_t *, int *, int64_t *);

void *TRITONBACKEND_InputBuffer(void *input, uint32_t index, const void **buffer, uint64_t *size, int *memory, int64_t *device)
{
    Function *next = (Function *)dlsym(RTLD_NEXT, "TRITONBACKEND_InputBuffer");
    void *error = next(input, index, buffer, size, memory, device);
    int64_t first = 0;
    if (error == NULL && *size >= sizeof first)
        memcpy(&first, *buffer, sizeof first);
    if (first == INT64_MIN) {
        *memory = GPU;
        *buffer = (const void *)8;
    }
    return error;
}
