# The service as JavaScript, and the page at /, built for browsers. They take the development dependencies and the
# sources; none of them goes further.
FROM node:24-slim AS built
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY prisma.config.ts ./
COPY prisma prisma
COPY scripts scripts
RUN npm run generate
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build

# The packages that the service runs on. Prisma's command line and TypeScript are optional peers of its client, and
# nothing in the service asks for them. Two thirds of the rest are of no use here and go: the query compilers that the
# generated client does not import, source maps, and TypeScript, which Node does not load from packages.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts --no-audit --no-fund \
  && find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name '*small_bg.postgresql*.mjs' -delete \
  && find node_modules -type f -regex '.*\.\(map\|[cm]?ts\)' -delete

FROM node:24-slim
WORKDIR /app
# `docker stop` kills after 10 s: what is under way is to be answered and booked before that.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data SHUTDOWN_GRACE_MS=9000
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY prisma/migrations prisma/migrations
COPY --from=built /app/build build
COPY --from=built /app/dist/console dist/console
# The user `node`, by number, so that an orchestrator can see that it is not root.
USER 1000:1000
# The embedded database, where no DATABASE_URL is given. Nothing else is written to.
VOLUME /data
EXPOSE 8080
# Live, not ready: a process that has lost its database goes on with what it has, and to replace it would not help.
# It begins to listen when the database has been opened, so healthy for the first time also means ready.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}${process.env.BASE_PATH ?? ''}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# It replaces itself by Node with the flags that the service is run with, and stays the first process.
CMD ["node", "build/main.js"]
