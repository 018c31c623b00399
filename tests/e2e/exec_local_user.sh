#!/bin/bash
# SPDX-License-Identifier: MIT
# The local-user backend: who runs, what is handed over, what is closed, and that it never runs elsewhere.
. "$(dirname "$0")/lib.sh"
need python3 setpriv
own_state

export HOME=$T/root-home OPENCLAW_STATE_DIR=$T/state
given=$T/given
mkdir -p "$HOME" "$T/state" "$T/state.update-captures" "$given/sub"
chmod 755 "$T/state" "$T/state.update-captures"
echo token >"$T/state/credentials.json"
echo before >"$T/state.update-captures/old.json"
echo mine >"$given/note" && chmod 600 "$given/note"
echo out >"$T/outside" && chmod 600 "$T/outside"
ln -s "$T/outside" "$given/link"
cat >"$T/c.json" <<EOF
{ agents: { defaults: { workspace: "$given",
    sandbox: { mode: "all", backend: "local-user", scope: "agent", workspaceAccess: "rw" } } },
  tools: { codeMode: { enabled: "auto", executor: "quickjs" },
    sandbox: { tools: { alsoAllow: ["memory_search", "message"] } } },
  plugins: { entries: { "local-user-sandbox": { config: { home: "$T/sandbox-home" } } } } }
EOF
ex() { (cd "$given" && exec "$PINFOLD" exec --config "$T/c.json" --session main --log "$LOG" "$@"); }

expect 'a command is 10001, which needs no account' '^10001 10001$' ex -- sh -c 'echo $(id -u) $(id -g)'
expect 'it works in the workspace itself' "^$given\$" ex -- pwd
check "root's own file was handed over, and is edited" ex -- sh -c 'echo more >>note'
expect 'what it wrote is there for the gateway' '^more$' tail -1 "$given/note"
expect 'what a symlink leads to was not' '^0$' stat -c %u "$T/outside"
status 'and is out of reach' 1 ex -- cat link
expect 'HOME is its own alone' '^10001 700$' stat -c '%u %a' "$T/sandbox-home"
expect 'HOME is told, and writable' "^$T/sandbox-home\$" ex -- sh -c 'echo x >"$HOME/x" && echo "$HOME"'
expect 'the state directory lost group and other access' '^700$' stat -c %a "$T/state"
expect 'and so did the captures beside it' '^700$' stat -c %a "$T/state.update-captures"
for secret in "$T/state/credentials.json" "$T/state.update-captures/old.json" "/proc/$$/environ"; do
	status "out of reach: ${secret#"$T"/}" 1 ex -- cat "$secret"
done
export GATEWAY_TOKEN=hunter2
expect 'nothing of the gateway is in the environment' '^ok none$' ex -- sh -c 'echo ok ${GATEWAY_TOKEN:-none}'
expect 'but PATH, HOME, LANG and what a pen sets' \
	'^HOME LANG LOGNAME PATH PINFOLD_SESSION PWD SHELL TMPDIR USER$' \
	ex -- sh -c 'env | sed "s/=.*//" | grep -v "^_$" | LC_ALL=C sort | tr "\n" " " | sed "s/ $//"'
expect 'PATH is the one of the backend' '^/usr/local/bin:/usr/bin:/bin$' ex -- sh -c 'echo $PATH'
expect "other users' processes are not seen" '^[1-9]$' ex -- sh -c 'ls -d /proc/[0-9]* | wc -l'
expect 'the network is shut' 'EPERM|not permitted' ex -- python3 -c 'import socket
try: socket.create_connection(("198.51.100.1", 80), 2)
except OSError as e: print(e)'
logged 'the record says who ran' 'ev.event == "session_start" and ev.identity["uid"] == 10001 and ev.handover'

# --- a private directory ------------------------------------------------------------------------
sed 's/workspaceAccess: "rw"/workspaceAccess: "none"/' "$T/c.json" >"$T/private.json"
private() { (cd "$given" && exec "$PINFOLD" exec --config "$T/private.json" --session main "$@"); }
status 'a private directory inside the state directory is refused' 125 private -- true
sed -i "s|workspaceAccess: \"none\"|&, workspaceRoot: \"$T/rooms\"|" "$T/private.json"
expect 'one outside is where it works' "^$T/rooms/" private -- sh -c 'echo x >f && pwd'

# --- never elsewhere -----------------------------------------------------------------------------
sed -i 's/mode: "all", backend/onUnavailable: "degrade", mode: "all", backend/' "$T/c.json"
chmod 755 "$T"
as_user() { (cd / && setpriv --reuid=$TENANT --regid=$TENANT --clear-groups env HOME=/nonexistent \
	OPENCLAW_STATE_DIR=/nonexistent "$PINFOLD" exec --config "$T/c.json" --session main "$@"); }
status 'without root it refuses, degrade or not' 125 as_user -- touch "$given/started"
check 'and nothing was started' test ! -e "$given/started"
sed -i 's/"local-user-sandbox": { config: {/& uid: 0,/' "$T/c.json"
expect 'uid 0 is a bad configuration' 'local-user-sandbox.config.uid' ex -- true
finish
