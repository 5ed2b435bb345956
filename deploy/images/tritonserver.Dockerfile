# The binary of a package and NVIDIA's tritonserver 2.51, which the binary's `install` downloads.
# Do not expose this image to untrusted clients: Triton before 2.71 (26.07) has published
# vulnerabilities. From the workspace directory:
#   docker build -f deploy/images/tritonserver.Dockerfile --build-arg PACKAGE=linear \
#     -t registry.example/linear-tritonserver:0.1.0 .
FROM rust:1.95.0-slim-bookworm AS build
ARG PACKAGE=linear
WORKDIR /source
COPY . .
ENV RUSTUP_TOOLCHAIN=1.95.0
ENV RUSTFLAGS="-C target-feature=+crt-static" CARGO_PROFILE_RELEASE_STRIP=symbols
RUN cargo build --release --locked --package "$PACKAGE" --bin "$PACKAGE" --target "$(uname -m)-unknown-linux-gnu" \
    && cp "target/$(uname -m)-unknown-linux-gnu/release/$PACKAGE" /server

# This image has pip, which downloads the wheel.
FROM python:3.11-slim-bookworm AS install
COPY --from=build /server /server
RUN XDG_CACHE_HOME=/cache /server install

FROM debian:bookworm-slim
COPY --from=install /cache/pytriton/tritonserver/2.51.0 /opt/tritonserver
COPY --from=build /server /server
ENV PYTRITON_ENGINE=tritonserver PYTRITON_TRITONSERVER=/opt/tritonserver/bin/tritonserver
# The library for tritonserver is unpacked here. The directory must be writable and not mounted
# noexec.
ENV XDG_CACHE_HOME=/tmp
ENV PYTRITON_TRITON_CONFIG_HTTP_ADDRESS=0.0.0.0 PYTRITON_TRITON_CONFIG_GRPC_ADDRESS=0.0.0.0
EXPOSE 8000 8001 8002
USER 65534:65534
ENTRYPOINT ["/server"]
