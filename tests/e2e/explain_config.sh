#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold explain`: what holds for a gateway's session, in both shapes and in words.
. "$(dirname "$0")/lib.sh"
need python3

export HOME=$T/home
unset OPENCLAW_STATE_DIR OPENCLAW_HOME
mkdir -p "$HOME"
export STATE=$HOME/.openclaw

cat >"$T/holds.py" <<'EOF'
import json, os, sys
o = json.load(sys.stdin)
STATE = os.environ["STATE"]
if not eval("(" + sys.argv[1] + ")"):
    sys.exit("not true of " + json.dumps(o))
EOF
explain_holds() { "$PINFOLD" explain --json --config "$T/c.json" "${@:2}" | python3 "$T/holds.py" "$1"; }

# explained SENTENCE CONFIG EXPRESSION OPTIONS...: the JSON object is o in the Python expression.
explained() {
	echo "$2" >"$T/c.json"
	check "$1" explain_holds "${@:3}"
}
# real: the same in the gateway's shape.
real() { explained "$1" "$2" "$3" --openclaw "${@:4}"; }

# --- our shape -----------------------------------------------------------------------------------
explained 'every member of the documented shape is there' '{}' 'all(k in o for k in ("mode", "scope",
	"workspaceAccess", "fenceToLane", "sessionToolsVisibility", "isCurrentlySandboxed",
	"sandboxToolPolicy", "elevatedGates", "fixItKeys", "backend", "fences"))'
explained 'without a word everything runs on the host' '{}' 'o["mode"] == "off" and
	o["scope"] == "session" and o["workspaceAccess"] == "none" and
	o["sessionToolsVisibility"] == "spawned" and not o["fenceToLane"] and
	not o["isCurrentlySandboxed"]'
explained 'an agent has its own values over the defaults' '{ agents: { defaults: { sandbox: {
	mode: "all", scope: "shared", workspaceAccess: "rw" } }, list: [{ id: "w", sandbox: {
	mode: "off", sessionToolsVisibility: "all", fenceToLane: true } }] } }' \
	'(o["agent"], o["mode"], o["scope"], o["workspaceAccess"], o["sessionToolsVisibility"],
	o["fenceToLane"]) == ("w", "off", "shared", "rw", "all", True)' --agent W
explained 'each value tells where it stands' '{ agents: { defaults: { sandbox: { mode: "all" } } } }' \
	'o["sources"]["mode"].endswith("c.json:1 (agents.defaults.sandbox.mode)") and
	o["sources"]["scope"] == "default"'
explained 'an agent has tools.sandbox.tools in place of the global ones' '{ tools: { sandbox: { tools: {
	allow: ["group:fs"], deny: ["browser"] } } }, agents: { list: [{ id: "r", tools: { sandbox: {
	tools: { allow: ["read"], deny: ["exec"] } } } }] } }' \
	'o["sandboxToolPolicy"] == {"allow": ["read"], "deny": ["exec"], "source": "agent"}'
explained 'groups are taken apart' '{ tools: { sandbox: { tools: { allow: ["group:fs"],
	deny: ["browser"] } } } }' \
	'o["sandboxToolPolicy"]["allow"] == ["read", "write", "edit", "apply_patch"] and
	o["sandboxToolPolicy"]["source"] == "global"'
explained 'a closed gate has its fix-it key' '{ tools: { elevated: { enabled: false } } }' \
	'{"gate": "enabled", "key": "tools.elevated.enabled"} in o["elevatedGates"]["failures"] and
	"tools.elevated.enabled" in o["fixItKeys"]'
explained 'the lane of a sender is told' '{ agents: { list: [{ id: "a", workspace: "/srv/a",
	sandbox: { mode: "all", workspaceAccess: "rw", fenceToLane: true },
	lanes: { x: { dir: "x", allowed: { telegram: ["1"] } } } }] } }' \
	'o["lane"] == {"name": "x", "decision": "allowed", "directory": "/srv/a/x", "fenced": True}
	and o["workdir"] == "/srv/a/x"' --origin channel:telegram --sender 1
explained 'every fence of this host has its state' '{}' 'all(f["state"] in ("ready", "partial",
	"missing") for f in o["fences"].values()) and "network" in o["fences"] and "files" in o["fences"]'
explained 'a warning of the configuration is told' \
	'{ agents: { defaults: { sandbox: { fenceToLane: true } } } }' \
	'any("seeded files" in w for w in o["warnings"])'

# --- the gateway's shape -------------------------------------------------------------------------
real 'E1: nothing configured' '{}' 'o["sandbox"]["mode"] == "off" and
	not o["sandbox"]["sessionIsSandboxed"] and o["sandbox"]["workspaceSource"] == "direct" and
	o["sandbox"]["runtimeWorkdir"] == STATE + "/workspace" and o["elevated"]["enabled"] and
	not o["elevated"]["allowedByConfig"] and o["sessionKey"] == "agent:main:main"'
real 'E2: non-main leaves the main session on the host' \
	'{ agents: { defaults: { sandbox: { mode: "non-main" } } } }' \
	'not o["sandbox"]["sessionIsSandboxed"] and
	len([k for k in o["fixIt"] if k.endswith("sandbox.mode=off")]) == 2'
real 'E3: and takes another one into the pen' \
	'{ agents: { defaults: { sandbox: { mode: "non-main" } } } }' \
	'o["sandbox"]["sessionIsSandboxed"] and len(o["sandbox"]["workspaceMounts"]) == 1 and
	o["sandbox"]["workspaceMounts"][0]["writable"] and
	o["sandbox"]["workspaceMounts"][0]["hostRoot"].startswith(STATE + "/sandboxes/workspace-")' \
	--session agent:main:telegram:group:42
real 'E4: access ro shows the workspace for reading' '{ agents: { defaults: { sandbox: { mode: "all",
	scope: "session", workspaceAccess: "ro" } } } }' 'o["sessionKey"] == "agent:main:work" and
	[(m["writable"], m["source"]) for m in o["sandbox"]["workspaceMounts"]] ==
	[(False, "workspace"), (False, "agent")]' --session work
real 'E5: the shared scope has one directory' \
	'{ agents: { defaults: { sandbox: { mode: "all", scope: "shared" } } } }' \
	'o["sandbox"]["effectiveHostWorkspaceRoot"] == STATE + "/sandboxes"'
real 'E6: one of two agents' '{ agents: { ownership: "explicit", defaults: { sandbox: { mode: "all" } },
	entries: { a: {}, b: { sandbox: { mode: "off" } } } } }' \
	'o["agentId"] == "b" and not o["sandbox"]["sessionIsSandboxed"]' --agent b
status 'E6: none of two agents is an error' 65 "$PINFOLD" explain --json --config "$T/c.json"
status 'E6: no such agent is an error' 65 "$PINFOLD" explain --json --config "$T/c.json" --agent nosuch
real 'E7: a bind is a mount' '{ agents: { defaults: { workspace: "/srv/ws", sandbox: { mode: "all",
	workspaceAccess: "rw", docker: { dangerouslyAllowExternalBindSources: true,
	binds: ["/srv/ref:/ref:ro"] } } } } }' \
	'[(m["hostRoot"], m["writable"], m["source"]) for m in o["sandbox"]["workspaceMounts"]] ==
	[("/srv/ws", True, "workspace"), ("/srv/ref", False, "bind")]'
real 'E8: elevated switched off' '{ tools: { elevated: { enabled: false } } }' \
	'o["elevated"]["failures"] == [{"gate": "enabled", "key": "tools.elevated.enabled"}]'
real 'E9: nobody is let in' '{}' 'o["elevated"]["failures"] ==
	[{"gate": "allowFrom", "key": "tools.elevated.allowFrom.webchat"}] and
	o["elevated"]["channel"] == "webchat"' --origin channel:webchat --sender 9
real 'E10: the agent closes what the gateway opens' '{ tools: { elevated: { allowFrom: {
	webchat: ["*"] } } }, agents: { entries: { a: { tools: { elevated: { allowFrom: {
	webchat: [] } } } } } } }' 'not o["elevated"]["allowedByConfig"] and
	o["elevated"]["failures"][0]["key"] == "agents.entries.*.tools.elevated.allowFrom.webchat"' \
	--origin channel:webchat --sender 9
real 'E10: or opens it for one' '{ tools: { elevated: { allowFrom: { webchat: ["*"] } } },
	agents: { entries: { a: { tools: { elevated: { allowFrom: { webchat: ["9"] } } } } } } }' \
	'o["elevated"]["allowedByConfig"] and not o["elevated"]["alwaysAllowedByConfig"]' \
	--origin channel:webchat --sender 9
for backend in pinfold local-user; do
	real "E11: the mounts of the backend $backend are its own" "{ agents: { defaults: { workspace: \"$T\",
		sandbox: { mode: \"all\", backend: \"$backend\", workspaceAccess: \"rw\" } } } }" \
		'o["sandbox"]["backend"] == "'$backend'" and o["sandbox"]["runtimeWorkdir"] == "'"$T"'" and
		o["sandbox"]["workspaceMounts"] == [] and o["sandbox"]["sessionIsSandboxed"]'
done
real 'E11: those of docker are told' "{ agents: { defaults: { workspace: \"$T\", sandbox: { mode: \"all\",
	backend: \"docker\", workspaceAccess: \"rw\" } } } }" 'len(o["sandbox"]["workspaceMounts"]) == 1'
real 'E12: a backend is told as it is' '{ agents: { defaults: { sandbox: { backend: "nosuch" } } } }' \
	'o["sandbox"]["backend"] == "nosuch" and "runtimeWorkdir" not in o["sandbox"]'
real 'E13: lists of the pen and where they come from' '{ tools: { sandbox: { tools: {
	allow: ["group:fs"], deny: ["write"] } } } }' 'o["sandbox"]["tools"]["deny"] == ["write"] and
	o["sandbox"]["tools"]["sources"]["allow"]["source"] == "global" and
	o["sandbox"]["tools"]["sources"]["deny"]["source"] == "global"'

# --- the examples of the documentation -----------------------------------------------------------
example() { "$PINFOLD" explain --config "$top/docs/examples/$1.json" "${@:2}"; }
expect 'local-user: everything is in a pen' '^  runs +in a pen' example local-user
expect 'local-user: in the workspace itself' '/data/workspace \(the workspace, read-write\)' example local-user
expect 'restricted: the agent reads and nothing else' '^  tools +read$' example restricted --agent restricted
expect 'restricted: no gate is open' 'closed at tools.elevated.enabled' example restricted --agent restricted
expect 'guarded: a channel is in the pen' 'origin channel:telegram: from outside' \
	example guarded --agent main --session s --origin channel:telegram
expect 'guarded: the operator is not' '^  runs +on the host' \
	example guarded --agent main --session s --origin cli

# --- words ---------------------------------------------------------------------------------------
echo '{ agents: { defaults: { workspace: "/srv/ws", sandbox: { mode: "all", workspaceAccess: "rw" } } } }' >"$T/c.json"
expect 'a person reads where it runs and why' \
	'^  because +mode all \(.*c.json:1 \(agents.defaults.sandbox.mode\)\)' "$PINFOLD" explain --config "$T/c.json"
"$PINFOLD" explain --config "$T/c.json" >"$T/out" 2>&1
absent 'no colour where no terminal is' $'\033' "$T/out"
status 'no configuration is a usage error' 64 "$PINFOLD" explain
status 'words are a usage error' 64 "$PINFOLD" explain --config "$T/c.json" what
echo '{' >"$T/c.json"
status 'a bad configuration is 65' 65 "$PINFOLD" explain --config "$T/c.json"
finish
