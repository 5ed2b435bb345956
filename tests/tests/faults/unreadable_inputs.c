/* Replaces tritonserver's own function: inputs that start with the minimum INT64 are reported as GPU
   memory, which the backend cannot read. */
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
