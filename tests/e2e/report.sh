#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold report`: one page that loads nothing, and in which everything from the record is text.
. "$(dirname "$0")/lib.sh"

R=$T/audit.jsonl
# line EVENT SESSION SECOND MEMBERS
line() {
	printf '{"v":1,"ts":"2026-03-01T12:%02d:%02d.000000Z","seq":1,"event":"%s","session":"%s","agent":"coder"%s}\n' \
		$(($3 / 60)) $(($3 % 60)) "$1" "$2" "${4:+,$4}"
}
deny='"verdict":"deny"'
{
	line session_start a1b2 1 '"argv":["sh","-c","echo </script><img src=x onerror=alert(1)> & \"q\""],"policy":"p.json"'
	line net_allow a1b2 2 '"dst":"198.51.100.10","port":443,"proto":"tcp","name":"api.test","op":"connect","rule":"*.test","origin":"p.json:3","reason":"name"'
	for i in 3 4 5; do
		line net_deny a1b2 $i '"dst":"203.0.113.7","port":443,"proto":"tcp","op":"connect","reason":"unmatched","count":10,"advice":"add it",'"$deny"
	done
	line net_deny a1b2 6 '"dst":"203.0.113.8","port":443,"proto":"tcp","name":"</script><script>alert(1)</script>.test","op":"connect","reason":"unmatched",'"$deny"
	line net_deny a1b2 7 '"dst":"169.254.169.254","port":80,"proto":"tcp","op":"connect","reason":"metadata","verdict":"would_deny"'
	line dns_deny a1b2 8 '"name":"a\u202eb\"onmouseover=x y='"'"'z","type":"A","reason":"unmatched",'"$deny"
	line fs_deny a1b2 9 '"path":"/srv/</td></table><h1>x","op":"fs.read_file","reason":"rule",'"$deny"
	line unix_deny a1b2 10 '"path":"/run/docker.sock","op":"connect","reason":"unix",'"$deny"
	line dns_vouch a1b2 11 '"name":"api.test","type":"A","addrs":["198.51.100.10","198.51.100.11"],"ttl":60'
	line session_end a1b2 12 '"exitCode":3'
	printf 'torn\n'
} >"$R"
p=$(policy '{"version": 1, "workspace": "'"$WS"'", "network": {"allowOutbound": ["*.test", "unused.test:443"]}}')
page() { python3 "$e2e/page.py" "$T/r.html" "$@"; }

check 'a page is made' "$PINFOLD" report -o "$T/r.html" --log "$R" -p "$p"
check 'which only its maker can read' test "$(stat -c %a "$T/r.html")" = 600
check 'and leaves nothing else' test -z "$(find "$T" -name 'r.html.*')"
for c in well_formed loads_nothing one_style walkable readable; do
	case $c in
	well_formed) s='the page is well-formed' ;;
	loads_nothing) s='it loads nothing and runs nothing' ;;
	one_style) s='its policy allows its own style and nothing else' ;;
	walkable) s='it has landmarks, captions, scopes and labels' ;;
	readable) s='every ink has the contrast AA on every ground, in light, dark and print' ;;
	esac
	check "$s" page $c
done
check 'a script in a name stays text' page says '</script><script>alert(1)</script>.test:443'
check 'so does an element in a path' page says '/srv/</td></table><h1>x'
check 'and one in a command' page says 'echo </script><img src=x onerror=alert(1)> & "q"'
check 'a mark that turns text round is shown as ?' page says $'a?b"onmouseover=x y=\'z'
check 'no such mark is in the page' python3 -c '
import sys; t = open(sys.argv[1], encoding="utf-8").read()
assert not any(c in t for c in "\u202e\u200f\x1b\x7f")' "$T/r.html"
check 'the refused destination is told' page says '203.0.113.7:443'
check 'the reached one by its name' page says 'api.test:443'
check 'the addresses of a name' page says '198.51.100.11'
check 'the session and its end' page says 'exit 3'
check 'a denied file with the reason' page says 'an entry of the policy refuses it'
check 'an entry that nothing used is to be removed' page says 'Remove what nothing used'
check 'a pattern that one host used is to be named' page says 'Name the hosts instead of a pattern or a range'
check 'an entry for any port too' page says 'Name the ports'
check 'who reached for metadata is worth a look' page says "a cloud's metadata service: "
check 'what was refused again and again wants a decision' page says 'Decide about what is refused again and again'
check 'a torn line is told' page says '1 broken, 0 forged, 0 damaged files'
cat >"$T/golden" <<'G'
pinfold report
Over time
What to tighten
Network
Files and sockets
Sessions
Unused entries of the policy
G
headings() { grep -oE '<h[12][^>]*>[^<]*' "$T/r.html" | sed 's/.*>//'; }
check 'the sections stand in their order' diff "$T/golden" <(headings)

check 'to standard output it is the same page' cmp "$T/r.html" <("$PINFOLD" report -o - --log "$R" -p "$p")
"$PINFOLD" report -o "$T/r.html" --log "$R" --verdict allow
check 'filters hold' bash -c "! grep -q 203.0.113.7 '$T/r.html'"
: >"$T/empty"
"$PINFOLD" report -o "$T/r.html" --log "$T/empty"
check 'an empty record is a page as well' page well_formed
check 'that says so' page says 'The record holds no session.'
ln -s "$T/elsewhere" "$T/link.html"
"$PINFOLD" report -o "$T/link.html" --log "$R"
check 'a symlink at its place is replaced, not followed' test ! -e "$T/elsewhere" -a ! -L "$T/link.html"
status 'without -o it is a usage error' 64 "$PINFOLD" report --log "$R"
status 'a record that is not there is an error' 64 "$PINFOLD" report -o "$T/none.html" --log "$T/none"
check 'and leaves no page' test -z "$(find "$T" -name 'none.html*')"
finish
