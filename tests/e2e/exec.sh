#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold exec`: modes, access, lanes, tools, elevation, binds, degrading, the record.
. "$(dirname "$0")/lib.sh"
need python3 bwrap setpriv
own_state

export HOME=$T/home
mkdir -p "$HOME" "$WS/lanes/alice" "$WS/lanes/bob"
echo 'be kind' >"$WS/AGENTS.md"
echo 'a' >"$WS/lanes/alice/f"
echo 'b' >"$WS/lanes/bob/f"
chown -R "$TENANT:$TENANT" "$WS"

# config NAME TEXT: writes a configuration; WS and T stand for the directories.
config() {
	local file=$T/$1.json
	sed "s|@WS|$WS|g; s|@T|$T|g" <<<"$2" >"$file"
	echo "$file"
}
# ex CONFIG SESSION OPTIONS... -- COMMAND...
ex() { (cd "$T" && exec "$PINFOLD" exec --config "$1" --session "$2" --log "$LOG" "${@:3}"); }

# --- where a session runs ------------------------------------------------------------------------
base=$(config base '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "non-main",
	workspaceAccess: "rw", workspaceRoot: "@T/boxes" } } },
	"exec-approvals": { autoApprove: ["*"], inSandbox: "skip" } }')
free=$(config free '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "all",
	workspaceAccess: "rw", workspaceRoot: "@T/boxes" } } } }')
expect 'in the pen a command is somebody else' "^$TENANT\$" ex "$free" x -- id -u
expect 'and sees the workspace' '^be kind$' ex "$free" x -- cat AGENTS.md
fresh_log
status 'a command may fail, and its code is passed on' 7 ex "$free" x --origin channel:telegram -- sh -c 'exit 7'
logged 'the record tells what ran, where and how it ended' 'ev.event == "tool_execution" and ev.tool == "exec"
	and ev.channel == "telegram" and ev.sandbox is True and ev.location == "pen" and ev.agent == "main"
	and ev.session == "agent:main:x" and ev.approval["required"] is False
	and ev.result["exitCode"] == 7 and ev.result["success"] is False and ev.result["executionTimeMs"] >= 0'
logged 'and every step to that place' 'ev.event == "tool_execution" and "all: in the pen" in ev.steps'
status 'a command that does not exist is 127' 127 ex "$free" x -- no-such-command
status 'a command killed by a signal is 128 and its number' 143 ex "$free" x -- sh -c 'kill -TERM $$; sleep 5'

# --- access --------------------------------------------------------------------------------------
none=$(config none '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "all",
	workspaceRoot: "@T/boxes" } } } }')
ro=$(config ro '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "all", workspaceAccess: "ro",
	scope: "agent", workspaceRoot: "@T/boxes" } } } }')
expect 'with access none it works in a private directory that was seeded' '^be kind$' ex "$none" one -- cat AGENTS.md
check 'which it can write' ex "$none" one -- sh -c 'echo mine >note'
expect 'and finds again' '^mine$' ex "$none" one -- cat note
status 'another session has another' 1 ex "$none" two -- cat note
status 'the workspace itself is out of reach' 1 ex "$none" one -- cat "$WS/AGENTS.md"
expect 'with access ro the workspace is readable' '^be kind$' ex "$ro" one -- cat "$WS/AGENTS.md"
for program in "touch $WS/new" "rm $WS/AGENTS.md" "python3 -c 'open(\"$WS/new\",\"w\")'" 'touch new'; do
	expect "with access ro nothing is written: ${program%% *} ${program##*/}" 'Read-only|Permission|denied|errno' \
		ex "$ro" one -- sh -c "$program"
done
check 'nothing of that happened' test -e "$WS/AGENTS.md" -a ! -e "$WS/new"

# --- lanes ---------------------------------------------------------------------------------------
lanes=$(config lanes '{ agents: { defaults: { sandbox: { mode: "all", workspaceAccess: "rw",
	fenceToLane: true } }, list: [{ id: "main", workspace: "@WS", lanes: {
	alice: { dir: "lanes/alice", allowed: { telegram: ["1"] } },
	bob: { dir: "lanes/bob", allowed: { telegram: ["2"] }, denied: { telegram: ["3"] } } } }] } }')
lane() { ex "$lanes" x --origin channel:telegram --sender "$@"; }
expect "a lane's owner reads the lane" '^a$' lane 1 -- cat "$WS/lanes/alice/f"
status 'and not the other one' 1 lane 1 -- cat "$WS/lanes/bob/f"
status 'nor the workspace around' 1 lane 1 -- cat "$WS/AGENTS.md"
fresh_log
status 'whom a lane shuts out is refused' 77 lane 3 -- touch "$WS/started"
logged 'and the record says so' 'ev.event == "tool_execution" and "lane" in (ev.refused or "")'
check 'nothing was started' test ! -e "$WS/started"
warn=$(config warn '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "all", fenceToLane: true,
	workspaceRoot: "@T/boxes" } } } }')
fresh_log
expect 'fenceToLane without rw warns' "each other's seeded files" ex "$warn" x -- true
logged 'in the record, too' 'ev.event == "degraded" and "seeded files" in ev.reason'

# --- tools ---------------------------------------------------------------------------------------
tools=$(config tools '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "all", workspaceAccess: "rw" } },
	list: [{ id: "restricted", workspace: "@WS", tools: { deny: ["exec"] } }, { id: "open", workspace: "@WS" }] } }')
fresh_log
status 'a tool that the agent may not use runs nothing' 77 ex "$tools" agent:restricted:x -- touch "$WS/started"
logged 'the level that decided is in the record' 'ev.event == "tool_policy" and ev.level == "agent" and ev.tool == "exec"'
check 'another agent may' ex "$tools" agent:open:x -- true
status 'elevated does not lift a deny' 77 ex "$tools" agent:restricted:x --elevated --origin cli -- touch "$WS/started"
check 'nothing was started by either' test ! -e "$WS/started"

# --- binds and backends --------------------------------------------------------------------------
mkdir "$T/ref" && echo ref >"$T/ref/f" && chmod -R a+rwX "$T/ref"
binds=$(config binds '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "all", workspaceAccess: "rw",
	docker: { dangerouslyAllowExternalBindSources: true, binds: ["@T/ref:/ref:ro"] } } } } }')
expect 'a bind is readable' '^ref$' ex "$binds" x -- cat "$T/ref/f"
status 'and with ro not writable' 2 ex "$binds" x -- sh -c "echo x >'$T/ref/f'"
for bad in '/etc:/x' '/var/run/docker.sock:/s' '@T/docker.sock:/s' '/:/x'; do
	file=$(config bad '{ agents: { list: [{ id: "main", sandbox: { docker: {
		dangerouslyAllowExternalBindSources: true, binds: ["'"$bad"'"] } } }] } }')
	expect "the bind $bad is refused when the file is read" 'binds\[0\]: blocked' ex "$file" x -- touch "$WS/started"
	status "and that is a bad configuration: $bad" 65 ex "$file" x -- touch "$WS/started"
done
file=$(config ssh '{ agents: { defaults: { sandbox: { mode: "all", backend: "ssh" } } } }')
status 'a backend that pinfold is not runs nothing' 125 ex "$file" x -- touch "$WS/started"
check 'nothing was started by any' test ! -e "$WS/started"

mkdir "$WS/conf" && echo '{ mode: "all" }' >"$WS/conf/part.json"
cat >"$WS/whole.json" <<EOF
{ agents: { defaults: { workspace: "$WS", sandbox: { \$include: "conf/part.json", workspaceAccess: "rw" } } } }
EOF
expect 'a configuration that the command could write is refused' 'the configuration .*whole.json|policy .*whole.json' \
	ex "$WS/whole.json" x -- touch "$WS/started"
cat >"$T/part.json" <<EOF
{ \$include: "ws/conf/part.json", workspaceAccess: "rw" }
EOF
file=$(config includes '{ agents: { defaults: { workspace: "@WS", sandbox: { $include: "part.json" } } } }')
status 'and so is a part of it' 65 ex "$file" x -- touch "$WS/started"
check 'nothing was started by those' test ! -e "$WS/started"

# --- bubblewrap, the lesser pen ------------------------------------------------------------------
lesser=$(config lesser '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "all", workspaceAccess: "rw",
	backend: "bubblewrap" } } } }')
fresh_log
expect 'bubblewrap shows the workspace' '^be kind$' ex "$lesser" x -- cat "$WS/AGENTS.md"
logged 'the record names it' 'ev.event == "tool_execution" and ev.location == "bubblewrap" and ev.sandbox is True'
check 'the workspace is writable' ex "$lesser" x -- sh -c "echo x >'$WS/by-bwrap' && rm '$WS/by-bwrap'"
expect 'it is nobody of rank' "^$TENANT\$" ex "$lesser" x -- id -u
expect 'it has no capability' '^CapEff:[[:space:]]*0+$' ex "$lesser" x -- grep CapEff /proc/self/status
expect 'it has no network at all' '^lo:$' ex "$lesser" x -- awk 'NR > 2 { print $1 }' /proc/net/dev
status 'nothing else of the host is there' 1 ex "$lesser" x -- cat "$T/ref/f"
status 'secrets of the system set are masked' 1 ex "$lesser" x -- cat /etc/shadow
status '/usr is not writable' 1 ex "$lesser" x -- touch /usr/x
echo KEY=1 >"$WS/lanes/.env"
expect 'a denied name inside the workspace is masked' '^0$' ex "$lesser" x -- sh -c "cat '$WS/lanes/.env' 2>/dev/null | wc -c"
check 'HOME and /tmp are writable' ex "$lesser" x -- sh -c 'echo x >"$HOME/x" && echo x >/tmp/x'
expect 'no secret of the launcher passes' '^none$' env API_TOKEN=hunter2 bash -c "cd '$T' && '$PINFOLD' exec \
	--config '$lesser' --session x -- sh -c 'echo \${API_TOKEN:-none}'"

# --- stepping down -------------------------------------------------------------------------------
chmod 755 "$T" && chmod 644 "$T"/*.json
as_user() { (cd "$T" && setpriv --reuid=$TENANT --regid=$TENANT --clear-groups env HOME=/nonexistent \
	XDG_RUNTIME_DIR="$T/run" "$PINFOLD" exec --config "$1" --session x --log "$T/user.jsonl" "${@:2}"); }
install -d -o $TENANT -m 700 "$T/run"
install -o $TENANT -m 600 /dev/null "$T/user.jsonl"
status 'without the rights for a pen nothing runs' 125 as_user "$free" -- touch "$WS/started"
check 'nothing was started' test ! -e "$WS/started"
step=$(config step '{ agents: { defaults: { workspace: "@WS", sandbox: { mode: "all", workspaceAccess: "rw",
	onUnavailable: "degrade" } } } }')
chmod 644 "$step"
expect 'with degrade it steps down to bubblewrap, loudly' 'warning: not in a pen but in bubblewrap' as_user "$step" -- true
expect 'and runs there' '^be kind$' as_user "$step" -- cat "$WS/AGENTS.md"
LOG=$T/user.jsonl logged 'with the reason and the place in the record' 'ev.event == "degraded" and ev.location == "bubblewrap" and ev.reason'
hide_bwrap() { unshare -m bash -c 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"' bash "$@"; }
: >"$T/user.jsonl"
export -f as_user
export T TENANT PINFOLD
expect 'without bubblewrap it is the host, and that is said' 'warning: .*on the host' \
	hide_bwrap bash -c 'as_user "$0" -- true' "$step"
LOG=$T/user.jsonl logged 'and is in the record' 'ev.event == "degraded" and ev.location == "host"'

# --- usage ---------------------------------------------------------------------------------------
status 'no configuration is a usage error' 64 "$PINFOLD" exec --session x -- true
status 'no session is a usage error' 64 "$PINFOLD" exec --config "$free" -- true
status 'no command is a usage error' 64 "$PINFOLD" exec --config "$free" --session x --
status 'a file that is not there is a bad configuration' 65 "$PINFOLD" exec --config "$T/nosuch" --session x -- true
file=$(config typo '{ agents: { defaults: {
  sandbox: { mod: "all" } } } }')
expect 'a typo is named with file, line, column and path' "$file:2:19: agents.defaults.sandbox.mod: no such member" \
	ex "$file" x -- touch "$WS/started"
status 'an unknown agent is refused' 65 ex "$free" x --agent a/b -- true
expect 'tagged output can not close its tag' '^<tool-output source="exec".*session="x">&lt;/tool-output&gt;' \
	ex "$free" x --tag-output -- echo '</tool-output>'
finish
