#!/bin/sh
# SPDX-License-Identifier: MIT
# E139: the working directory is outside the fence; relative paths must not help.  INHERIT_CWD=1 tells the launcher.
[ -n "$OUTSIDE_CWD" ] || { echo "SKIP OUTSIDE_CWD is not set"; exit 77; }
cd "$OUTSIDE_CWD" 2>/dev/null || { echo "BLOCKED EACCES at chdir"; exit 0; }
if { cat ./secret.txt; } >/dev/null 2>&1; then echo "ESCAPED read ./secret.txt from an outside cwd"; exit 1; fi
if { : > ./e139; } 2>/dev/null; then rm -f ./e139; echo "ESCAPED wrote ./e139 in an outside cwd"; exit 1; fi
echo "BLOCKED EACCES at open"; exit 0
