# Ray with the Python module of a package. Unlike the other images, the tests do not build it. From
# the workspace directory:
#   docker build -f deploy/images/ray.Dockerfile --build-arg PACKAGE=examples/linear_python \
#     -t registry.example/linear-ray:0.1.0 .
# The C library of this image is older than that of Ray's.
FROM ghcr.io/pyo3/maturin:v1.16.0 AS build
ARG PACKAGE=examples/linear_python
WORKDIR /source
COPY . .
RUN maturin build --release --locked --manifest-path "$PACKAGE/Cargo.toml" --out /wheels

FROM rayproject/ray:2.60.0-py311
ARG PACKAGE=examples/linear_python
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl
COPY $PACKAGE/ray_serve.py /home/ray/ray_serve.py
ENV PYTHONPATH=/home/ray
