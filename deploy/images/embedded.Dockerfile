# The binary of a package, with the embedded engine, and nothing else. From the folder of the workspace:
#   docker build -f deploy/images/embedded.Dockerfile --build-arg PACKAGE=linear -t registry.example/linear:0.1.0 .
# BINARY is the program, where it has another name, and OPTIONS what cargo is told besides, such as features.
FROM rust:1.95.0-slim-bookworm AS build
ARG PACKAGE=linear
ARG BINARY=$PACKAGE
ARG OPTIONS=
WORKDIR /source
COPY . .
ENV RUSTUP_TOOLCHAIN=1.95.0
# It needs no file of any system, not even that of the C library, and what it relocates is packed.
ENV RUSTFLAGS="-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs"
# Smaller, for some minutes more.
ENV CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1
# What is in no request's way is small rather than fast, and nobody need know where the sources of others were.
RUN RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src/=" \
    cargo build --release --locked --package "$PACKAGE" --bin "$BINARY" $OPTIONS --target "$(uname -m)-unknown-linux-gnu" \
    $(printf -- '--config profile.release.package.%s.opt-level="z" ' clap_builder clap_complete clap_mangen matchers regex-automata \
        regex-syntax ring roff rustls rustls-webpki prost-types toml toml_parser tonic-health tonic-reflection tracing-subscriber \
        winnow) \
    && cp "target/$(uname -m)-unknown-linux-gnu/release/$BINARY" /server

FROM scratch
COPY --from=build /server /server
ENV PYTRITON_ENGINE=embedded
ENV PYTRITON_TRITON_CONFIG_HTTP_ADDRESS=0.0.0.0 PYTRITON_TRITON_CONFIG_GRPC_ADDRESS=0.0.0.0
EXPOSE 8000 8001 8002
USER 65534:65534
ENTRYPOINT ["/server"]
