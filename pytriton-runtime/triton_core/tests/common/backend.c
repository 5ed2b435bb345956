/* A backend for tests. The name of a model selects what it does. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef struct error error;
typedef struct object object;

enum { UNAVAILABLE = 4, CANCELLED = 7, ALL = 1, FINAL = 1 };

/* Functions of Triton, which the process has loaded before. */
extern error *TRITONSERVER_ErrorNew(int, const char *);
extern void TRITONSERVER_ErrorDelete(error *);
extern error *TRITONBACKEND_ModelInstanceModel(object *, object **);
extern error *TRITONBACKEND_ModelName(object *, const char **);
extern error *TRITONBACKEND_ModelInstanceReportStatistics(object *, object *, bool, uint64_t, uint64_t, uint64_t, uint64_t);
extern error *TRITONBACKEND_ModelInstanceReportBatchStatistics(object *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
extern error *TRITONBACKEND_RequestInputByIndex(object *, uint32_t, object **);
extern error *TRITONBACKEND_RequestFlags(object *, uint32_t *);
extern error *TRITONBACKEND_RequestCorrelationId(object *, uint64_t *);
extern error *TRITONBACKEND_RequestCorrelationIdString(object *, const char **);
extern error *TRITONBACKEND_InferenceRequestTimeoutMicroseconds(object *, uint64_t *);
extern error *TRITONBACKEND_RequestIsCancelled(object *, bool *);
extern error *TRITONBACKEND_RequestOutputCount(object *, uint32_t *);
extern error *TRITONBACKEND_RequestParameterCount(object *, uint32_t *);
extern error *TRITONBACKEND_RequestParameter(object *, uint32_t, const char **, int *, const void **);
extern error *TRITONBACKEND_RequestRelease(object *, uint32_t);
extern error *TRITONBACKEND_InputProperties(object *, const char **, int *, const int64_t **, uint32_t *, uint64_t *, uint32_t *);
extern error *TRITONBACKEND_InputBuffer(object *, uint32_t, const void **, uint64_t *, int *, int64_t *);
extern error *TRITONBACKEND_ResponseNew(object **, object *);
extern error *TRITONBACKEND_ResponseFactoryNew(object **, object *);
extern error *TRITONBACKEND_ResponseFactoryDelete(object *);
extern error *TRITONBACKEND_ResponseFactorySendFlags(object *, uint32_t);
extern error *TRITONBACKEND_ResponseNewFromFactory(object **, object *);
extern error *TRITONBACKEND_ResponseOutput(object *, object **, const char *, int, const int64_t *, uint32_t);
extern error *TRITONBACKEND_OutputBuffer(object *, void **, uint64_t, int *, int64_t *);
extern error *TRITONBACKEND_ResponseSetStringParameter(object *, const char *, const char *);
extern error *TRITONBACKEND_ResponseSetIntParameter(object *, const char *, int64_t);
extern error *TRITONBACKEND_ResponseSetBoolParameter(object *, const char *, bool);
extern error *TRITONBACKEND_ResponseSetDoubleParameter(object *, const char *, double);
extern error *TRITONBACKEND_ResponseSend(object *, uint32_t, error *);

static void ignore(error *failed) {
  if (failed)
    TRITONSERVER_ErrorDelete(failed);
}

/* Sends a response. Triton copies the error. */
static void send(object *response, uint32_t flags, error *failed) {
  ignore(TRITONBACKEND_ResponseSend(response, flags, failed));
  ignore(failed);
}

/* Writes an output. If `size` is not that of the shape, the response is invalid. */
static error *output(object *response, int type, const int64_t *shape, uint32_t rank, const void *data, uint64_t size) {
  object *output;
  void *buffer = 0;
  int memory = 0;
  int64_t device = 0;
  error *failed = TRITONBACKEND_ResponseOutput(response, &output, "y", type, shape, rank);
  if (!failed)
    failed = TRITONBACKEND_OutputBuffer(output, &buffer, size, &memory, &device);
  if (!failed && size)
    memcpy(buffer, data, size);
  return failed;
}

/* Copies what a request contains in addition to its inputs into parameters of the response. */
static void describe(object *request, object *response) {
  uint32_t count = 0, flags = 0;
  uint64_t number = 0;
  const char *text = "";
  TRITONBACKEND_RequestFlags(request, &flags);
  TRITONBACKEND_ResponseSetIntParameter(response, "flags", flags);
  error *failed = TRITONBACKEND_RequestCorrelationId(request, &number);
  TRITONBACKEND_ResponseSetIntParameter(response, "correlation", number);
  if (failed) {
    ignore(failed);
    ignore(TRITONBACKEND_RequestCorrelationIdString(request, &text));
    TRITONBACKEND_ResponseSetStringParameter(response, "correlation", text);
  }
  TRITONBACKEND_InferenceRequestTimeoutMicroseconds(request, &number);
  TRITONBACKEND_ResponseSetIntParameter(response, "timeout", number);
  TRITONBACKEND_RequestOutputCount(request, &count);
  TRITONBACKEND_ResponseSetIntParameter(response, "outputs", count);
  TRITONBACKEND_RequestParameterCount(request, &count);
  for (uint32_t index = 0; index < count; index++) {
    const char *name;
    int type;
    const void *value;
    TRITONBACKEND_RequestParameter(request, index, &name, &type, &value);
    if (type == 0)
      TRITONBACKEND_ResponseSetStringParameter(response, name, value);
    if (type == 1)
      TRITONBACKEND_ResponseSetIntParameter(response, name, *(const int64_t *)value);
    if (type == 2)
      TRITONBACKEND_ResponseSetBoolParameter(response, name, *(const bool *)value);
    if (type == 3)
      TRITONBACKEND_ResponseSetDoubleParameter(response, name, *(const double *)value);
  }
}

/* Waits until the request is cancelled, for at most 20 seconds. */
static error *wait(object *request) {
  for (int time = 0; time < 20000; time++) {
    bool cancelled = false;
    ignore(TRITONBACKEND_RequestIsCancelled(request, &cancelled));
    if (cancelled)
      return TRITONSERVER_ErrorNew(CANCELLED, "was cancelled");
    usleep(1000);
  }
  return 0;
}

/* Returns an error with a long message, so that a leak of errors is noticed. */
static error *fail(void) {
  char message[2048];
  memset(message, ' ', sizeof message);
  memcpy(message, "no capacity", 11);
  message[sizeof message - 1] = 0;
  return TRITONSERVER_ErrorNew(UNAVAILABLE, message);
}

/* Sends as many responses as the first element says, until the request is cancelled. The request is
   released in between if that number is odd. */
static void stream(object *request, const float *x) {
  object *factory, *response;
  float count = x[0];
  bool early = (int)count % 2;
  bool cancelled = false;
  ignore(TRITONBACKEND_ResponseFactoryNew(&factory, request));
  if (early)
    ignore(TRITONBACKEND_RequestRelease(request, ALL));
  for (float index = 0; index < count && !cancelled; index++) {
    int64_t shape[] = {1, 1};
    ignore(TRITONBACKEND_ResponseNewFromFactory(&response, factory));
    error *failed = output(response, 11, shape, 2, &index, sizeof index);
    send(response, 0, failed);
    if (!early)
      ignore(TRITONBACKEND_RequestIsCancelled(request, &cancelled));
  }
  ignore(TRITONBACKEND_ResponseFactorySendFlags(factory, FINAL));
  ignore(TRITONBACKEND_ResponseFactoryDelete(factory));
  if (!early)
    ignore(TRITONBACKEND_RequestRelease(request, ALL));
}

static void execute(object *instance, const char *model, object *request) {
  object *input, *response;
  const char *name;
  int type, memory = 0;
  const int64_t *shape;
  uint32_t rank, buffers;
  uint64_t size, part = 0;
  int64_t device = 0;
  const void *data = 0;
  ignore(TRITONBACKEND_RequestInputByIndex(request, 0, &input));
  ignore(TRITONBACKEND_InputProperties(input, &name, &type, &shape, &rank, &size, &buffers));
  if (buffers)
    ignore(TRITONBACKEND_InputBuffer(input, 0, &data, &part, &memory, &device));
  if (!strcmp(model, "Stream")) {
    stream(request, data);
    return;
  }
  error *failed = 0;
  ignore(TRITONBACKEND_ResponseNew(&response, request));
  if (!strcmp(model, "Slow"))
    failed = wait(request);
  if (!strcmp(model, "Fail"))
    failed = fail();
  if (!failed)
    failed = output(response, type, shape, rank, data, strcmp(model, "Short") ? size : size / 2);
  describe(request, response);
  bool succeeded = !failed;
  send(response, FINAL, failed);
  ignore(TRITONBACKEND_ModelInstanceReportStatistics(instance, request, succeeded, 1, 2, 3, 4));
  ignore(TRITONBACKEND_RequestRelease(request, ALL));
}

error *TRITONBACKEND_ModelInstanceExecute(object *instance, object **requests, uint32_t count) {
  object *model;
  const char *name;
  ignore(TRITONBACKEND_ModelInstanceModel(instance, &model));
  ignore(TRITONBACKEND_ModelName(model, &name));
  for (uint32_t index = 0; index < count; index++)
    execute(instance, name, requests[index]);
  ignore(TRITONBACKEND_ModelInstanceReportBatchStatistics(instance, count, 1, 2, 3, 4));
  return 0;
}
