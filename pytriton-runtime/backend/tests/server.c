/* Loads a backend like tritonserver, and prints the results of its entry points. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct error {
  int code;
  const char *message;
};

static uint32_t api_major, api_minor;

void *TRITONBACKEND_ApiVersion(uint32_t *major, uint32_t *minor) {
  *major = api_major;
  *minor = api_minor;
  return 0;
}

struct error *TRITONSERVER_ErrorNew(int code, const char *message) {
  struct error *error = malloc(sizeof *error);
  char *copy = 0;
  if (!error || asprintf(&copy, "%s", message) < 0)
    exit(2);
  error->code = code;
  error->message = copy;
  return error;
}

const char *TRITONSERVER_ErrorMessage(struct error *error) { return error->message; }

void TRITONSERVER_ErrorDelete(struct error *error) { free(error); }

static int answers(void *library, const char *name, const char *symbol, void *second) {
  struct error *(*entry)(void *, void *) = dlsym(library, symbol);
  if (!entry) {
    printf("%s: none\n", name);
    return 0;
  }
  struct error *error = entry(0, second);
  if (!error) {
    printf("%s: fine\n", name);
    return 1;
  }
  printf("%s: %d: %s\n", name, error->code, error->message);
  return 0;
}

int main(int count, char **arguments) {
  if (count != 4)
    return 2;
  api_major = atoi(arguments[2]);
  api_minor = atoi(arguments[3]);
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  /* tritonserver does not ask a backend further that has failed here. */
  if (!answers(library, "initialize", "TRITONBACKEND_Initialize", 0))
    return 0;
  answers(library, "attributes", "TRITONBACKEND_GetBackendAttribute", 0);
  answers(library, "ready", "TRITONBACKEND_ModelInstanceReady", 0);
  return 0;
}
