# NVIDIA's image with the functions of a package as a native backend. From the workspace directory:
#   docker build -f deploy/images/native.Dockerfile --build-arg PACKAGE=native_backend \
#     -t registry.example/identity-native:0.1.0 .
FROM rust:1.95.0-slim-bookworm AS build
ARG PACKAGE=native_backend
WORKDIR /source
COPY . .
ENV RUSTUP_TOOLCHAIN=1.95.0
RUN cargo run --release --locked --package "$PACKAGE" -- repository /serve --native

# Releases before 26.07 have published vulnerabilities (CVE-2026-16497).
FROM nvcr.io/nvidia/tritonserver:26.11-py3
COPY --from=build /serve/backends /opt/tritonserver/backends
COPY --from=build /serve/models /models
EXPOSE 8000 8001 8002
USER 65534:65534
CMD ["tritonserver", "--backend-directory=/opt/tritonserver/backends", "--model-repository=/models", "--exit-timeout-secs=25"]
