# The image of the broker: Node with the libraries it links, one bundle, certificates of public
# authorities, and nothing else. No shell, no package manager; user 65532.
#
#   docker build -t bourse .
#   docker run --rm bourse version
ARG NODE=node:24-bookworm-slim

FROM ${NODE} AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends make
WORKDIR /src
COPY . .
RUN make build

# What Node needs to run, gathered under one folder: the binary and what it links.
FROM ${NODE} AS runtime
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates
RUN mkdir -p /image/etc/ssl/certs /image/tmp \
  && cp --parents /usr/local/bin/node /etc/ssl/certs/ca-certificates.crt /image \
  && ldd /usr/local/bin/node | grep -o '/[^ ]*' | xargs -I{} cp --parents -L {} /image \
  && echo 'hosts: files dns' > /image/etc/nsswitch.conf \
  && echo 'nonroot:x:65532:65532::/tmp:/sbin/nologin' > /image/etc/passwd \
  && echo 'nonroot:x:65532:' > /image/etc/group \
  && chmod 1777 /image/tmp

FROM scratch
COPY --from=runtime /image /
COPY --from=build /src/dist /app
COPY LICENSE /app/
# A dozen threads with an arena each would hold on to memory that nobody uses.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
USER 65532:65532
WORKDIR /app
EXPOSE 8443 8080 8081
ENTRYPOINT ["/usr/local/bin/node", "/app/bourse.js"]
CMD ["broker"]
