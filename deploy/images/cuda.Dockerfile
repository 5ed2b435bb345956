# The binary of a package on CUDA, with the embedded engine. The tests do not build it, because they
# have no GPU. From the workspace directory:
#   docker build -f deploy/images/cuda.Dockerfile --build-arg PACKAGE=your_package \
#     --build-arg OPTIONS="--features cuda" -t registry.example/linear-cuda:0.1.0 .
# OPTIONS are further options of cargo: here, the feature of your package that enables CUDA in
# candle or ort. COMPUTE_CAP is the compute capability of the GPU: candle compiles its kernels for
# it, because the build has no GPU to ask. CUDA must not be newer than the driver of the nodes.
ARG CUDA=12.8.1

FROM nvidia/cuda:${CUDA}-cudnn-devel-ubuntu24.04 AS build
ARG PACKAGE=linear
ARG BINARY=$PACKAGE
ARG OPTIONS=
ARG COMPUTE_CAP=80
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl gcc libc6-dev pkg-config
RUN curl -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain 1.95.0
ENV PATH=/root/.cargo/bin:$PATH RUSTUP_TOOLCHAIN=1.95.0
WORKDIR /source
COPY . .
# Not static: CUDA's libraries are loaded when the program starts.
RUN CUDA_COMPUTE_CAP="$COMPUTE_CAP" CARGO_PROFILE_RELEASE_STRIP=symbols \
    cargo build --release --locked --package "$PACKAGE" --bin "$BINARY" $OPTIONS && cp "target/release/$BINARY" /server

FROM nvidia/cuda:${CUDA}-cudnn-runtime-ubuntu24.04
COPY --from=build /server /server
ENV PYTRITON_ENGINE=embedded
ENV PYTRITON_TRITON_CONFIG_HTTP_ADDRESS=0.0.0.0 PYTRITON_TRITON_CONFIG_GRPC_ADDRESS=0.0.0.0
EXPOSE 8000 8001 8002
USER 65534:65534
ENTRYPOINT ["/server"]
