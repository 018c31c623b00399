#!/bin/sh
# SPDX-License-Identifier: MIT
# E209: secrets and loader controls in the environment (the runner sets them before it starts the sandbox).
bad=
for v in AWS_SECRET_ACCESS_KEY GITHUB_TOKEN ANTHROPIC_API_KEY SSH_AUTH_SOCK LD_PRELOAD LD_LIBRARY_PATH BASH_ENV PYTHONSTARTUP NODE_OPTIONS GIT_SSH_COMMAND DBUS_SESSION_BUS_ADDRESS DOCKER_HOST; do
  if printenv "$v" >/dev/null 2>&1; then bad="$bad $v"; fi
done
[ -n "$bad" ] && { echo "ESCAPED environment still has:$bad"; exit 1; }
echo "BLOCKED clean environment"; exit 0
