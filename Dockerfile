# The image of broker, agent and command line: Node with the libraries it links, one bundle,
# certificates of public authorities, and nothing else. No shell, no package manager; user 65532.
#
#   make image NODE_DIGEST=sha256:…   (docs/installation.md says how to look it up)
#   docker run --rm bourse version
#
# The digest has no default: a tag may be another image tomorrow, and without one this does not build.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG NODE_DIGEST

FROM ${NODE_IMAGE}@${NODE_DIGEST} AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends make
WORKDIR /src
COPY . .
RUN make build && rm -r dist/bin

FROM ${NODE_IMAGE}@${NODE_DIGEST} AS runtime
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates
COPY tools/gather-runtime /
RUN /gather-runtime /usr/local/bin/node /image

FROM scratch
COPY --from=runtime /image /
COPY --from=runtime /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/dist /app
# A dozen threads with an arena each would hold on to memory that is not in use; and left to itself malloc
# learns from one large block at the start to keep all that follow.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=1048576
USER 65532:65532
WORKDIR /app
EXPOSE 8443 8080 8081
ENTRYPOINT ["/usr/local/bin/node", "/app/bourse.js"]
CMD ["broker"]
