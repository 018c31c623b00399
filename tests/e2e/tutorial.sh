#!/bin/bash
# SPDX-License-Identifier: MIT
# The tutorial, typed as it stands: each command, and what the text says that it prints.
. "$(dirname "$0")/lib.sh"
lab
# A /run of our own: only our sessions are in it.
mount -t tmpfs none /run

[ ! -e /tmp/tutorial ] || { echo 'Bail out! /tmp/tutorial exists' && exit 1; }
trap 'rm -rf /tmp/tutorial; clean_up' EXIT
chmod 755 "$T"
cd "$T" || exit 1
PATH=$(dirname "$PINFOLD"):$PATH timeout 300 python3 "$e2e/console.py" "$top/docs/tutorial.md"
