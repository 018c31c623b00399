#!/bin/bash
# SPDX-License-Identifier: MIT
# The configurations of docs/examples: command lines and tool calls, and their verdicts.
. "$(dirname "$0")/lib.sh"
need python3
own_state

export HOME=$T/home
mkdir -p "$HOME"

# Columns: example, agent, "cmd" or "tool", verdict, subject.
while IFS='|' read -r example agent kind verdict subject; do
	[ -n "$example" ] || continue
	case $verdict in allow) code=0 ;; deny) code=77 ;; ask) code=78 ;; esac
	status "$example, $agent: $kind $subject: $verdict" "$code" "$PINFOLD" why \
		--config "$top/docs/examples/$example.json" --agent "$agent" "$kind" "$subject"
done <<'TABLE'
guarded|main|cmd|allow|ls -la
guarded|main|cmd|allow|ls
guarded|main|cmd|allow|pwd
guarded|main|cmd|allow|whoami
guarded|main|cmd|allow|date
guarded|main|cmd|allow|git status
guarded|main|cmd|allow|git log --oneline
guarded|main|cmd|allow|git diff HEAD
guarded|main|cmd|allow|ls && pwd
guarded|main|cmd|allow|ls | ls
guarded|main|cmd|allow|ls 2>&1
guarded|main|cmd|allow|ls >/dev/null
guarded|main|cmd|ask|date +%s
guarded|main|cmd|ask|git statusx
guarded|main|cmd|ask|rm file
guarded|main|cmd|ask|mv a b
guarded|main|cmd|ask|cp a b
guarded|main|cmd|ask|git push origin main
guarded|main|cmd|ask|git commit -m x
guarded|main|cmd|ask|sudo ls
guarded|main|cmd|ask|curl http://198.51.100.1/
guarded|main|cmd|ask|wget http://198.51.100.1/
guarded|main|cmd|ask|docker ps
guarded|main|cmd|ask|make
guarded|main|cmd|ask|ls; rm x
guarded|main|cmd|ask|ls && curl x
guarded|main|cmd|ask|ls $(rm x)
guarded|main|cmd|ask|ls > out
guarded|main|cmd|ask|PATH=/tmp ls
guarded|main|cmd|ask|./ls
guarded|main|cmd|ask|/tmp/ls
guarded|main|cmd|ask|ls & rm x
guarded|main|cmd|deny|rm -rf /
guarded|main|cmd|deny|rm -fr /
guarded|main|cmd|deny|rm -r -f -- /
guarded|main|cmd|deny|/bin/rm -rf /.
guarded|main|cmd|deny|rm --recursive --force //
guarded|main|cmd|deny|sudo rm -rf /
guarded|main|cmd|deny|ls && rm -rf /
guarded|main|cmd|deny|sh -c 'rm -rf /'
guarded|main|cmd|deny|rm -rf ~
guarded|main|cmd|deny|mkfs /dev/sda1
guarded|main|cmd|deny|dd if=/dev/zero of=/dev/sda
guarded|main|cmd|deny|shutdown -h now
guarded|main|cmd|deny|reboot
guarded|main|cmd|deny|env reboot
guarded|main|tool|allow|exec
guarded|main|tool|allow|browser
guarded|research|tool|allow|read
guarded|research|tool|allow|grep
guarded|research|tool|deny|exec
guarded|research|tool|deny|write
guarded|code-reviewer|tool|allow|glob
guarded|code-reviewer|tool|deny|edit
guarded|code-reviewer|tool|deny|bash
restricted|worker|tool|allow|exec
restricted|worker|tool|allow|apply_patch
restricted|restricted|tool|allow|read
restricted|restricted|tool|deny|exec
restricted|restricted|tool|deny|write
restricted|restricted|tool|deny|apply_patch
local-user|main|tool|allow|exec
local-user|main|tool|allow|memory_search
local-user|main|tool|allow|message
TABLE

# --- and run -------------------------------------------------------------------------------------
# The examples name directories of a real host; here they stand in a directory of the test.
placed() {
	sed "s|/data/|$T/data/|g; s|/srv/agents|$T/agents|g" "$top/docs/examples/$1.json" >"$T/$1.json"
	echo "$T/$1.json"
}
mkdir -p "$T/data/workspace" "$T/agents/worker" "$T/agents/restricted"
chown -R "$TENANT:$TENANT" "$T/agents"
ex() { (cd / && exec "$PINFOLD" exec --config "$(placed "$1")" --log "$LOG" "${@:2}"); }
expect 'local-user runs a command as its user' '^10001$' ex local-user --agent main --session main -- id -u
expect 'restricted: the worker works' '^10001$' ex restricted --agent worker --session s -- id -u
status 'restricted: the other one runs nothing' 77 ex restricted --agent restricted --session s -- id -u
expect 'guarded: what is approved by itself runs in the pen for a channel' '/sandboxes/workspace-' \
	ex guarded --agent main --session s --origin channel:telegram -- pwd
expect 'guarded: and on the host for the operator' '^root$' ex guarded --agent main --session s --origin cli -- whoami
status 'guarded: what is denied does not run' 77 ex guarded --agent main --session s --origin cli -- rm -rf /
logged 'guarded: the record tells' 'ev.event == "tool_execution" and ev.location == "nowhere" and ev.approval["result"] == "denied"'
finish
