#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016 # the inner shells expand
# doctor --config: secrets that others can read or that lie where agents work, and ways past the pen.
. "$(dirname "$0")/lib.sh"
need python3

export HOME=$T/home
unset OPENCLAW_STATE_DIR OPENCLAW_HOME
umask 077
mkdir -p "$HOME" "$T/gw" "$T/agentws"
S=$HOME/.openclaw
config=$T/gw/openclaw.json

write_config() { printf '%s\n' "$1" >"$config"; }
doctor() { "$PINFOLD" doctor --config "$config" "$@"; }
# holes EXPRESSION: of the list h that doctor --json prints
holes() {
	doctor --json >"$T/out" 2>"$T/err"
	python3 -c 'import json,sys; h = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), h' "$T/out" "$1"
}
has() { # CHECK PLACE-END WORDS: a hole of that check whose place ends so, with such words and a fix
	holes "[x for x in h if x['check'] == '$1' and x['place'].endswith('$2') and '$3' in x['detail'] and x['fix'] and x['state'] == 'hole']"
}
has_not() { holes "not [x for x in h if x['check'] == '$1' and x['place'].endswith('$2')]"; }

write_config "{agents: {defaults: {workspace: '$T/agentws'}, list: [{id: 'main'}]}}"
status 'a clean gateway has no holes' 0 doctor
check 'and an empty list' holes 'h == []'
mkdir -p "$S/credentials" "$S/state" "$S/agents/main/agent"
echo K=1 >"$S/.env"
echo '{}' >"$S/credentials/whatsapp.json"
echo '{}' >"$S/agents/main/agent/auth-profiles.json"
echo x >"$S/state/openclaw.sqlite"
check 'state that is the owner'\''s alone is none' holes 'h == []'

# ---- modes ------------------------------------------------------------------------------------------
chmod 644 "$S/.env" "$S/credentials/whatsapp.json" "$S/agents/main/agent/auth-profiles.json" "$S/state/openclaw.sqlite"
check 'what nobody can get to is none either' holes 'h == []'
chmod 755 "$T" "$HOME" "$S" "$S/credentials" "$S/state" "$S/agents" "$S/agents/main" "$S/agents/main/agent"
status 'holes are told by the exit status' 1 doctor
check 'a .env that others can read' has env .openclaw/.env 'every user'
check 'with the fix' holes "[x for x in h if x['fix'] == \"chmod 600 '$S/.env'\"]"
check 'OAuth tokens that others can read' has oauth credentials/whatsapp.json 'every user'
check 'so are the profiles of an agent' has oauth agent/auth-profiles.json 'every user'
check 'state that others can read' has state state/openclaw.sqlite 'every user'
check 'a state directory that is open' has state .openclaw 'open to others'
expect 'people read it as well' "chmod 600 '$S/.env'" doctor
chmod 640 "$S/.env"
check 'a group counts' has env .openclaw/.env 'its group'
chmod 600 "$S/.env"
check 'a closed one is gone' has_not env .openclaw/.env
chmod 700 "$S/credentials"
check 'one behind a closed directory too' has_not oauth credentials/whatsapp.json
rm -rf "$S"

mkdir -m 755 "$T/elsewhere" "$T/elsewhere.update-captures"
check 'another state directory is looked at when it is named' bash -c '! "$PINFOLD" doctor --config "$1" --state-dir "$2" | grep -q "no holes"' - "$config" "$T/elsewhere"
check 'and the captures beside it' bash -c '"$PINFOLD" doctor --config "$1" --state-dir "$2" | grep -q "elsewhere.update-captures"' - "$config" "$T/elsewhere"
check 'OPENCLAW_STATE_DIR names one' bash -c 'OPENCLAW_STATE_DIR=$2 "$PINFOLD" doctor --config "$1" | grep -q "$2"' - "$config" "$T/elsewhere"
echo K=1 >"$T/gw/.env"
chmod 755 "$T/gw"
chmod 644 "$T/gw/.env"
check 'a .env beside the configuration' has env gw/.env 'every user'
rm "$T/gw/.env"

# ---- places ------------------------------------------------------------------------------------------
mkdir -p "$T/agentws/sub/node_modules"
echo K=1 >"$T/agentws/sub/.env"
echo K=1 >"$T/agentws/sub/.env.production"
echo K=1 >"$T/agentws/sub/.env.example"
echo K=1 >"$T/agentws/sub/node_modules/.env"
echo '{}' >"$T/agentws/oauth.json"
check 'a .env inside a workspace' has env agentws/sub/.env 'inside a workspace'
check 'one with a suffix' has env sub/.env.production 'inside a workspace'
check 'not an example' has_not env sub/.env.example
check 'tokens inside a workspace' has oauth agentws/oauth.json 'inside a workspace'
rm -rf "$T/agentws/sub" "$T/agentws/oauth.json"
mkdir -p "$T/agentws/.openclaw"
write_config "{agents: {defaults: {workspace: '$T/agentws'}, list: [{id: 'main'}, {id: 'b', default: true, workspace: '~'}]}}"
mkdir "$S"
check 'a state directory inside a workspace' has state home/.openclaw 'inside the workspace'
rm -rf "$S"
write_config "{agents: {list: [{id: 'main', workspace: '$T/gw'}]}}"
check 'the configuration inside a workspace' has config gw/openclaw.json 'inside the workspace'

# ---- settings ----------------------------------------------------------------------------------------
for host in gateway node; do
	write_config "{tools: {exec: {host: '$host'}}}"
	check "tools.exec.host $host is a hole" has exec-host '(tools.exec.host)' "$host"
done
write_config "{agents: {list: [{id: 'main', tools: {exec: {host: 'gateway'}}}]}}"
check 'an agent'\''s too' has exec-host '(agents.list[0].tools.exec.host)' gateway
write_config "{tools: {exec: {host: 'sandbox'}}}"
check 'host sandbox is none' holes 'h == []'
write_config "{tools: {codeMode: {enabled: 'auto'}}}"
check 'Code Mode without an executor is Node' has code-mode '(tools.codeMode)' Node
write_config "{tools: {codeMode: {enabled: true, executor: 'node'}}}"
check 'Code Mode with Node' has code-mode '(tools.codeMode.executor)' node
check 'with the fix' holes "'quickjs' in h[0]['fix']"
write_config "{tools: {codeMode: true}}"
check 'Code Mode switched on by a word' has code-mode '(tools.codeMode)' Node
write_config "{tools: {codeMode: {enabled: 'auto', executor: 'quickjs'}}}"
check 'QuickJS is none' holes 'h == []'
write_config "{tools: {codeMode: {enabled: false}}}"
check 'Code Mode switched off is none' holes 'h == []'
write_config "{gateway: {auth: {token: 'abcdef'}}}"
chmod 644 "$config"
check 'a configuration with a token that others can read' has config '(gateway.auth.token)' 'can be read by others'
write_config "{gateway: {auth: {token: '\${GATEWAY_TOKEN}'}}}"
check 'one that names a variable is none' holes 'h == []'
chmod 600 "$config"

write_config '{tools: {denny: []}}'
status 'a configuration with a mistake is exit 65' 65 doctor
status 'no such file' 65 "$PINFOLD" doctor --config "$T/nothing"
status '--state-dir alone is a usage error' 64 "$PINFOLD" doctor --state-dir "$T"

finish
