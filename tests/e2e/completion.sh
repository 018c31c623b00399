#!/bin/bash
# SPDX-License-Identifier: MIT
# Completion scripts come from the verb tables, and shells take them.
. "$(dirname "$0")/lib.sh"

"$PINFOLD" completion bash >"$T/bash"
"$PINFOLD" completion zsh >"$T/_pinfold"
"$PINFOLD" completion fish >"$T/fish"
verbs=$("$PINFOLD" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')

check 'bash takes its script' bash -n "$T/bash"
if command -v zsh >/dev/null; then
	check 'zsh takes its script' zsh -n "$T/_pinfold"
else
	skip 'zsh takes its script' 'no zsh here'
fi
if command -v fish >/dev/null; then
	check 'fish takes its script' fish -n "$T/fish"
	expect 'fish completes an option' '^--allow' env HOME="$T" fish -c "source $T/fish; complete -C 'pinfold run --al'"
else
	skip 'fish takes its script' 'no fish here'
	skip 'fish completes an option' 'no fish here'
fi

complete_words() { # WORD...: what bash offers for the last one
	# shellcheck disable=SC2016
	bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pinfold; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$T/bash" "$@"
}
for verb in $verbs; do
	expect "bash completes the verb $verb" "^$verb\$" complete_words pinfold ''
	options=$("$PINFOLD" "$verb" --help | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p' | sort)
	offered=$(complete_words pinfold "$verb" -- | grep -e '^--.' | grep -vx -e --help | sort)
	check "bash offers exactly the options of $verb" test "$options" = "$offered"
done
expect 'bash completes a question of why' '^connect$' complete_words pinfold why conn
expect 'bash completes a file behind an option that takes one' "^$T/ws\$" complete_words pinfold run --rw "$T/w"
expect 'behind -- it completes commands' '^env$' complete_words pinfold run -- env
status 'a shell that is not known is a usage error' 64 "$PINFOLD" completion csh
status 'no shell is a usage error' 64 "$PINFOLD" completion

check 'make install installs all three' make -s -C "$top" install "O=$(dirname "$PINFOLD")" PREFIX=/usr "DESTDIR=$T/dest"
for file in bash-completion/completions/pinfold zsh/site-functions/_pinfold fish/vendor_completions.d/pinfold.fish; do
	check "$file is there" test -s "$T/dest/usr/share/$file"
done

finish
