FROM node:26-bookworm-slim AS node

# The symbols of Node are 33 MB, and only a debugger of native code reads them.
FROM node AS program
RUN apt-get update && apt-get install -y --no-install-recommends binutils && strip /usr/local/bin/node && node --version

# Builds the service as JavaScript, and the pages for browsers. This stage has the development dependencies and the
# sources; the image gets neither.
FROM node AS built
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
ARG REVISION=unknown
RUN npm run generate && npm run build
# The simulated data sources of the demo are development tools.
RUN rm -r build/sandbox

# Installs the packages that the service runs on. Prisma's command line and TypeScript are optional peers of its client,
# and the service does not import them. Two thirds of the rest are deleted: the query compilers that the generated client
# does not import, source maps, TypeScript files, which Node does not load from packages, tests and documentation.
FROM node AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts --no-audit --no-fund \
  && find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name '*small_bg.postgresql.mjs' -delete \
  && find node_modules -type f -regex '.*\.\(map\|[cm]?ts\)' -delete \
  && find node_modules -type f -name '*.md' ! -iname 'licen[cs]e*' -delete \
  && find node_modules -type d -regex '.*/\(tests?\|docs\|benchmarks?\|examples\)' -prune -exec rm -r {} +

# Only the Node program is copied. In an image based on Node's, npm, npx, corepack and yarn would remain in the layers.
FROM debian:bookworm-slim
WORKDIR /app
# `docker stop` sends SIGKILL after 10 s: the service finishes its requests and records its calls before that.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data SHUTDOWN_GRACE_MS=9000 \
  METRICS_PORT=off ADMIN_PORT=off
COPY --from=program /usr/local/bin/node /usr/local/bin/node
# Node 26 needs libatomic1. The build stops here if Debian lacks a library that Node needs.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
  && node --version && mkdir --mode=0700 /data && chown 1000:1000 /data
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY prisma/migrations prisma/migrations
COPY --from=built /app/build build
COPY --from=built /app/dist/console dist/console
COPY --from=built /app/dist/operator dist/operator
COPY --from=built /app/dist/client.tgz dist/client.tgz
RUN ln -s /app/build/cli/quotient.js /usr/local/bin/quotient
# The version is the one in package.json; a test compares them.
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="Quotient" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.licenses="MIT"
# A numeric user ID lets an orchestrator verify that it is not root.
USER 1000:1000
# For the embedded database, which is used if DATABASE_URL is not set. The service does not write to any other folder.
VOLUME /data
EXPOSE 8080
# Checks liveness, not readiness: replacing a process that has lost its database would not help, and the process can
# still serve cached data.
# The process listens only after the database is open, so the first healthy state also means ready.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}${process.env.BASE_PATH ?? ''}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The process replaces itself with Node and the service's flags, and keeps process ID 1.
CMD ["quotient", "serve"]
