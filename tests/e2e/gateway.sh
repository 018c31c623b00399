#!/bin/bash
# SPDX-License-Identifier: MIT
# A gateway drives mixed calls through exec, in parallel, with approvals answered by another process.
. "$(dirname "$0")/lib.sh"
need python3
own_state

export HOME=$T/home
mkdir -p "$HOME"
cat >"$T/c.json" <<EOF
{ security: { sandbox: { mode: "non-main" },
    "exec-approvals": { autoApprove: ["date *", "echo *", "false"], requireApproval: ["cp *", "mv *"],
      deny: ["rm -rf /", "shutdown *"], approvalTimeout: 120000 } },
  agents: { defaults: { sandbox: { workspaceAccess: "rw", scope: "session" } }, list: [
    { id: "main", default: true, workspace: "$WS" },
    { id: "reader", workspace: "$WS", tools: { allow: ["read"], deny: ["exec"] } } ] },
  tools: { elevated: { allowFrom: { telegram: ["7"] } } } }
EOF
check 'of 200 mixed calls each ends as it should, and the record tells each' \
	python3 "$e2e/gateway.py" "$PINFOLD" "$WS" "$T/c.json" "$LOG" "${GATEWAY_CALLS:-200}"
expect 'nothing waits afterwards' '^\[\]$' "$PINFOLD" approve list --json
logged 'elevated commands ran on the host, and that is told' 'ev.event == "tool_execution" and ev.elevated and ev.location == "host"'
logged 'elevated was refused to others' 'ev.event == "tool_execution" and ev.elevated is False and "elevated needs" in ev.refused'
finish
