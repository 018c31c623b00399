#!/bin/bash
# SPDX-License-Identifier: MIT
# What the documents show is what the program takes: every policy in them is read, every command line's verb exists.
. "$(dirname "$0")/lib.sh"

n=0
while IFS= read -r file; do
	n=$((n + 1))
	# Exit 65 would be a policy that can't be used.
	status "policy $n of ${file##*/} is one" 77 "$PINFOLD" why -p "$file" connect 198.18.0.9:1
done < <(python3 - "$T" "$top"/README.md "$top"/docs/*.md <<'P'
import re, sys
for doc in sys.argv[2:]:
    for i, block in enumerate(re.findall(r"^```jsonc\n(.*?)^```", open(doc).read(), re.M | re.S)):
        path = f"{sys.argv[1]}/{doc.rsplit('/', 1)[1]}.{i}.json"
        open(path, "w").write(block)
        print(path)
P
)
check 'there were some' test "$n" -ge 5

verbs=$("$PINFOLD" --help | sed -nE 's/^  ([a-z]+) +[A-Z].*/\1/p')
expect 'the program lists its verbs' '^run$' echo "$verbs"
# shellcheck disable=SC2016
unknown=$(grep -ohE '(^ {4}|[`$] |`)(sudo )?pinfold [a-z]+' "$top"/README.md "$top"/docs/*.md |
	sed 's/.*pinfold //' | sort -u | grep -vxF -e "$verbs")
expect 'every verb in the documents exists' '^$' echo "$unknown"
expect 'the bill of materials has every library' '"name": "libseccomp"' "$top/tools/sbom" 0
finish
