# The image of broker, agent and command line: Node with the libraries it links, one bundle,
# certificates of public authorities, and nothing else. No shell, no package manager; user 65532.
#
#   docker build -t bourse .
#   docker run --rm bourse version
ARG NODE=node:24-bookworm-slim

FROM ${NODE} AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends make
WORKDIR /src
COPY . .
RUN make build

FROM ${NODE} AS runtime
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates
COPY tools/gather-runtime /
RUN /gather-runtime /usr/local/bin/node /image

FROM scratch
COPY --from=runtime /image /
COPY --from=runtime /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/dist /app
COPY LICENSE /app/
# A dozen threads with an arena each would hold on to memory that nobody uses; and left to itself malloc
# learns from one large block at the start to keep all that follow.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=1048576
USER 65532:65532
WORKDIR /app
EXPOSE 8443 8080 8081
ENTRYPOINT ["/usr/local/bin/node", "/app/bourse.js"]
CMD ["broker"]
