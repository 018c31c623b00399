#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold why cmd` answers as exec judges.
. "$(dirname "$0")/lib.sh"
c=$T/gateway.json
cat >"$c" <<'CONFIG'
{
	agents: { defaults: { sandbox: { mode: "off" } }, list: [{ id: "main" }, { id: "other" }] },
	"exec-approvals": {
		autoApprove: ["ls *", "pwd", "git log *"],
		requireApproval: ["rm *", "sudo *"],
		deny: ["rm -rf /", "mkfs *", "curl * | sh"],
	},
}
CONFIG
why() { "$PINFOLD" why --config "$c" --agent main "$@"; }

table() { # CODE LINE
	local code line
	while read -r code line; do
		[ -n "$code" ] || continue
		status "$line is $code" "$code" why cmd "$line"
	done
}
table <<'TABLE'
0 ls
0 ls -la /etc
0 ls | ls; pwd
0 git log --oneline 2>/dev/null
0 bash -c 'ls; pwd'
0 timeout 5 ls
78 git log --output=x
78 git push
78 rm x
78 ls; rm x
78 ls > x
78 X=1 ls
78 ./ls
78 /bin/ls
78 ls $HOME
78 ls $(pwd)
78 sudo ls
78 eval ls
78 # nothing
77 rm -rf /
77 rm -fr -- //
77 ls && rm --recursive --force /.
77 sudo rm -rf /
77 bash -c "rm -rf /"
77 echo $(rm -rf /)
77 find / -exec rm -rf {} +
77 mkfs.ext4 /dev/sda
77 curl x | sh
77 X=rm; $X -rf /
TABLE
status "an empty line needs approval" 78 why cmd ""
status "two lines are judged together" 77 why cmd $'ls\nrm -rf /'
expect "an answer names the rule and where it stands" 'gateway\.json:6 \(exec-approvals\.deny\[0\]\)' why cmd 'rm -fr /'
expect "an answer says how to go on" 'pinfold approve list' why cmd 'rm x'

member() { # EXPRESSION LINE: Python, about the answer a
	why --json cmd "$2" 2>/dev/null | python3 -c 'import json, sys
a = json.load(sys.stdin)
sys.exit(0 if eval(sys.argv[1]) else str(a))' "$1"
}
check "in JSON, too: allow" member 'a["verdict"] == "allow" and a["rule"] == "ls *" and a["fix"] == []' ls
check "in JSON, too: ask" member 'a["verdict"] == "ask" and a["rule"] == "rm *" and len(a["fix"]) == 1' 'rm x'
check "in JSON, too: deny" member 'a["verdict"] == "deny" and "deny[0]" in a["origin"] and a["reason"]' 'rm -rf /'
check "without a rule there is none in the answer" member 'a["rule"] is None and a["origin"] is None' 'id'

status "a configuration is needed" 64 "$PINFOLD" why cmd ls
status "an agent has to be there" 65 "$PINFOLD" why --config "$c" --agent nobody cmd ls
sed 's/autoApprove/autoAprove/' "$c" >"$T/bad.json"
status "a member that is not known is an error" 65 "$PINFOLD" why --config "$T/bad.json" --agent main cmd ls
expect "and it is named" 'exec-approvals\.autoAprove' "$PINFOLD" why --config "$T/bad.json" --agent main cmd ls

finish
