#!/usr/bin/env bash
# Runs docker-compose.yml, each of its two profiles from nothing: the worked example of the README, containers that are killed
# under load, stops, and an upgrade. Says what it saw, and takes all down again; two tags of the image stay.
# Needs: an engine with Docker's API (DOCKER_HOST, or Docker's own socket), `docker compose` or `docker-compose` of version
# 2.24 or newer, the images of docker-compose.yml or a registry that has them, bash, curl, node, 8 GiB of memory.
#   test/real/containers.sh             both profiles
#   test/real/containers.sh single      one of them: single, cluster
set -euo pipefail
cd "$(dirname "$0")/../.."

if docker compose version >/dev/null 2>&1; then
  export COMPOSE='docker compose'
else
  export COMPOSE=docker-compose
  command -v docker-compose >/dev/null || { echo 'there is neither `docker compose` nor `docker-compose`' >&2; exit 1; }
fi

for stack in "${@:-single cluster}"; do
  # a word a stack
  for name in $stack; do node --import tsx test/real/containers/main.ts "$name"; done
done
