# Only the binary of a package, with the embedded engine. From the workspace directory:
#   docker build -f deploy/images/embedded.Dockerfile --build-arg PACKAGE=linear \
#     -t registry.example/linear:0.1.0 .
# BINARY is the name of the program, if it differs; OPTIONS are further options of cargo, such as
# features.
FROM rust:1.95.0-slim-bookworm AS build
ARG PACKAGE=linear
ARG BINARY=$PACKAGE
ARG OPTIONS=
WORKDIR /source
COPY . .
ENV RUSTUP_TOOLCHAIN=1.95.0
# The binary is static and has packed relocations.
ENV RUSTFLAGS="-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs"
# Smaller, but the build takes a few minutes longer.
ENV CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1
# Code outside the request path is optimised for size, and source paths of dependencies are removed.
RUN RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src/=" \
    cargo build --release --locked --package "$PACKAGE" --bin "$BINARY" $OPTIONS --target "$(uname -m)-unknown-linux-gnu" \
    $(printf -- '--config profile.release.package.%s.opt-level="z" ' clap clap_builder clap_complete clap_lex clap_mangen matchers \
        prost-types pytriton-runtime pytriton-signature regex-automata regex-lite regex-syntax ring roff rustls rustls-pki-types rustls-webpki \
        tokio-rustls toml toml_parser tonic-health tonic-reflection tracing-subscriber winnow) \
    && cp "target/$(uname -m)-unknown-linux-gnu/release/$BINARY" /server

FROM scratch
COPY --from=build /server /server
ENV PYTRITON_ENGINE=embedded
ENV PYTRITON_TRITON_CONFIG_HTTP_ADDRESS=0.0.0.0 PYTRITON_TRITON_CONFIG_GRPC_ADDRESS=0.0.0.0
EXPOSE 8000 8001 8002
USER 65534:65534
ENTRYPOINT ["/server"]
