#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016 # the inner shells expand
# tool: eight levels, the one that decides, and which sessions a session tool may name.
. "$(dirname "$0")/lib.sh"
need python3

config=$T/openclaw.json
export HOME=$T
write_config() { printf '%s\n' "$1" >"$config"; }
tool() { "$PINFOLD" tool check --config "$config" "$@"; }
allows() { check "$1" tool "${@:2}"; }
denies() { status "$1" 77 tool "${@:2}"; }
# answer EXPRESSION WORDS...: of the JSON object v that these words print
answer() {
	local expression=$1
	shift
	"$PINFOLD" "$@" --config "$config" --json >"$T/out" 2>/dev/null
	python3 -c 'import json,sys; v = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), v' "$T/out" "$expression"
}

# record EXPRESSION: of the list of lines `ev` in the record
record() {
	python3 -c 'import json,sys; ev = [json.loads(x) for x in open(sys.argv[1])]; assert eval("(" + sys.argv[2] + ")"), ev' "$T/record" "$1"
}

# ---- the levels ----------------------------------------------------------------------------------------
write_config "{
  tools: {
    profile: 'coding', alsoAllow: ['message'], deny: ['web_fetch'],
    byProvider: { openai: { deny: ['process'] }, 'openai/gpt-5.2': { profile: 'minimal' } },
    sandbox: { tools: { allow: ['group:runtime', 'group:fs'], deny: ['write'] } },
    subagents: { tools: { deny: ['edit'] } },
  },
  agents: {
    defaults: { sandbox: { mode: 'non-main' } },
    list: [
      { id: 'main', default: true },
      { id: 'w', tools: { deny: ['memory_get'], byProvider: { openai: { allow: ['read', 'process', 'exec'] } },
                          sandbox: { tools: { allow: ['read', 'write'] } } } },
    ],
  },
}"
pen=(--agent main --session agent:main:telegram:group:1 --origin channel:telegram)
allows 'nothing takes exec away on the host' exec --agent main
allows 'an alias is the same tool' Bash --agent main
denies '1 the profile' browser --agent main
allows 'but what alsoAllow adds to it' message --agent main
denies '2 the provider'\''s profile' exec --agent main --provider openai/gpt-5.2
denies '3 the global deny' web_fetch --agent main
denies '4 the provider' process --agent main --provider openai/gpt-6
allows 'the model'\''s block stands in place of the provider'\''s' session_status --agent main --provider openai/gpt-5.2
denies '5 the agent' memory_get --agent w
allows 'of another agent' memory_get --agent main
denies '6 the agent'\''s provider' write --agent w --provider openai
allows 'with another provider' write --agent w --provider anthropic
denies '7 the pen' write "${pen[@]}"
allows 'on the host it is allowed' write --agent main
denies '7 the pen: not listed' memory_get "${pen[@]}"
allows '7 the agent'\''s block replaces the global one' write --agent w --session agent:w:telegram:1 --origin channel:telegram
denies '7 and lists less' exec --agent w --session agent:w:telegram:1 --origin channel:telegram
denies '8 the subagent' edit --agent main --subagent
denies '8 a session of that name is one' edit --agent main --session agent:main:subagent:7 --origin cli
allows 'no subagent' edit --agent main
i=0
for case in "browser" "exec --provider openai/gpt-5.2" "web_fetch" "process --provider openai" "memory_get --agent w" \
	"write --agent w --provider openai" "write ${pen[*]}" "edit --subagent"; do
	i=$((i + 1))
	word=$(echo profile providerProfile global provider agent agentProvider sandbox subagent | cut -d' ' -f$i)
	# shellcheck disable=SC2086
	check "check names the level $word" answer "v['verdict'] == 'deny' and v['level'] == '$word' and v['rule'] and v['origin'] and v['fix']" \
		tool check $case
	# shellcheck disable=SC2086
	check "explain marks it among eight" answer "len(v['levels']) == 8 and [l['level'] for l in v['levels'] if l['decided']] == ['$word']" \
		tool explain $case
done
check 'an allowed call has no such level' answer "v['verdict'] == 'allow' and v['level'] is None and v['fix'] == []" tool check exec
check 'explain without a tool tells all of them' answer "len(v) > 50 and {t['tool']: t['level'] for t in v}['web_fetch'] == 'global'" tool explain
expect 'people see the levels, and a mark' '^> 3 global +denied +web_fetch' "$PINFOLD" tool explain --config "$config" --agent main web_fetch
expect 'the rule is told with its place' "openclaw.json:3 \\(tools.deny\\[0\\]\\)" tool web_fetch --agent main

# ---- why ------------------------------------------------------------------------------------------------
status 'why tool: no' 77 "$PINFOLD" why --config "$config" --agent w tool memory_get
check 'why tool: yes' "$PINFOLD" why --config "$config" --agent main tool memory_get
check 'why tool tells all that why tells' answer "set(v) == {'verdict', 'rule', 'origin', 'reason', 'fix'} and v['rule'] == 'web_fetch'" why tool web_fetch
status 'why tool wants a configuration' 64 "$PINFOLD" why tool exec

# ---- what is wrong ----------------------------------------------------------------------------------------
write_config "{tools: {allow: ['read'], alsoAllow: ['exec']}}"
status 'allow beside alsoAllow' 65 tool exec
expect 'says where' 'openclaw.json:1:[0-9]+: tools.alsoAllow' tool exec
write_config "{tools: {byProvider: {openai: {alow: []}}}}"
expect 'an unknown member, with its path' 'tools.byProvider.openai.alow: no such member' tool exec
write_config "{tools: {deny: ['group:fss']}}"
status 'a group that would deny nothing' 65 tool exec
write_config "{agents: {list: [{id: 'a', tools: {deny: ['exec']}}, {id: 'b', default: true}]}}"
denies 'an agent is found in any case' exec --agent A
allows 'without a name it is the default one' exec
status 'an agent that is not there' 65 tool exec --agent c
status 'a tool is wanted' 64 tool
status 'a word that is no tool'\''s name' 65 tool 'a b'
status 'a configuration is wanted' 64 "$PINFOLD" tool check exec

write_config "{tools: {toolGroups: '2026.9', allow: ['group:nodes']}}"
allows 'the larger table' computer
write_config "{tools: {allow: ['group:nodes']}}"
denies 'is not the usual one' computer
write_config "{plugins: {entries: {pinfold: {config: {toolGroups: '2026.9'}}}}, tools: {allow: ['group:nodes']}}"
allows 'it may be chosen where the gateway lets us' computer

# ---- targets ------------------------------------------------------------------------------------------------
write_config "{agents: {defaults: {sandbox: {mode: 'all'}}, list: [{id: 'main', default: true}, {id: 'free', sandbox: {sessionToolsVisibility: 'all'}}]}}"
reg=(--registry "$T/registry")
send=(sessions_send "${reg[@]}" --session agent:main:main --target)
denies 'without a registry nobody spawned anybody' "${send[@]}" agent:main:x
allows 'a session says who spawned it' read "${reg[@]}" --session agent:main:x --parent agent:main:main
allows 'its child too' read "${reg[@]}" --session agent:main:y --parent agent:main:x
allows 'what it spawned is a target' "${send[@]}" agent:main:x
allows 'and what that spawned' "${send[@]}" agent:main:y
allows 'a short name is one of the agent'\''s' "${send[@]}" y
allows 'itself' "${send[@]}" agent:main:main
denies 'another one is not' "${send[@]}" agent:free:main
denies 'nor is who spawned it' sessions_history "${reg[@]}" --session agent:main:x --target agent:main:main
check 'visibility is told as the reason' answer "v['level'] == 'visibility' and 'spawned' in v['rule']" tool check "${send[@]}" agent:free:main
allows 'all: any session' sessions_send "${reg[@]}" --session agent:free:main --target agent:main:main
status 'a parent never changes' 65 tool read "${reg[@]}" --session agent:main:x --parent agent:free:main
status 'nobody is their own ancestor' 65 tool read "${reg[@]}" --session agent:main:main --parent agent:main:y
status 'exec has no target' 65 tool exec "${reg[@]}" --session agent:main:main --target agent:main:x
# ---- the record ----------------------------------------------------------------------------------------
write_config "{tools: {deny: ['browser']}, agents: {list: [{id: 'main', workspace: '$WS',
  sandbox: {mode: 'all', audit: {path: '$T/record'}}}]}}"
call=(--agent main --session agent:main:telegram:1 --origin channel:telegram)
denies 'a tool is refused' browser "${call[@]}" --provider openai
check 'a refusal is in the record, with tool, level and rule' record 'len(ev) == 1 and ev[0]["event"] == "tool_policy"
	and ev[0]["verdict"] == "deny" and ev[0]["tool"] == "browser" and ev[0]["level"] == "global" and ev[0]["rule"] == "browser"'
check '... and with who asked' record 'ev[0]["agent"] == "main" and ev[0]["session"] == "agent:main:telegram:1"
	and ev[0]["channel"] == "telegram" and ev[0]["provider"] == "openai" and "openclaw.json" in ev[0]["origin"]'
allows 'what is allowed' read "${call[@]}"
"$PINFOLD" tool explain --config "$config" "${call[@]}" browser >/dev/null
"$PINFOLD" why --config "$config" --agent main tool browser >/dev/null
check '... and what is only asked about leave no line' record 'len(ev) == 1'
denies 'another record is named' browser "${call[@]}" --log "$T/other"
check '... and has the line alone' test "$(wc -l <"$T/record") $(wc -l <"$T/other")" = '1 1'
denies 'a refusal stands when the record does not open' browser "${call[@]}" --log "$T/no/such"

# exec remembers in the default registry; what this leaves there goes again.
key=e2e-$$-$RANDOM
write_config "{agents: {list: [{id: 'main', workspace: '$WS', sandbox: {mode: 'off'}}]}, 'exec-approvals': {autoApprove: ['true']}}"
check 'exec remembers who spawned its session' "$PINFOLD" exec --config "$config" --agent main --session "$key-child" --parent "$key" --origin cli -- true
allows 'and tool knows it' sessions_send --session "agent:main:$key" --target "$key-child"
denies 'of no other' sessions_send --session agent:main:main --target "$key-child"
rm -f "/run/pinfold/agents/$(printf 'agent:main:%s-child' "$key" | sha256sum | cut -d' ' -f1)"
check 'the registry is the caller'\''s alone' test "$(stat -c %a "$T/registry")" = 700
check 'twenty at once are all remembered' bash -c '
	for i in {1..20}; do "$PINFOLD" tool check --config "$1" --registry "$2" --session "agent:main:p$i" --parent agent:main:main read >/dev/null & done; wait
	for i in {1..20}; do "$PINFOLD" tool check --config "$1" --registry "$2" --session agent:main:main --target "agent:main:p$i" sessions_send >/dev/null || exit 1; done' - "$config" "$T/registry"

finish
