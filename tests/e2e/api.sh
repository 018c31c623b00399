#!/bin/bash
# SPDX-License-Identifier: MIT
# The library: the documented example builds against it, runs, and confines.
. "$(dirname "$0")/lib.sh"
need gcc pkg-config
library=$(dirname "$PINFOLD")/libpinfold.a

# The same command as in the example's own comment.
build() {
	# shellcheck disable=SC2046 # words are wanted
	gcc -Wall -Wextra -Werror -I"$top/include" -o "$T/example" "$top/docs/example.c" "$library" \
		$(pkg-config --libs $(sed -n 's/^PKGS *:= *//p' "$top/Makefile"))
}
check 'the example names the libraries of the build' \
	grep -qF "$(sed -n 's/^PKGS *:= *//p' "$top/Makefile")" "$top/docs/example.c"
check 'the example builds against the library' build
run() { (cd "$WS" && "$T/example" "$@"); }
status 'its child runs and its exit code comes back' 7 run sh -c 'echo hi > f; exit 7'
check 'what the child wrote is there' grep -qx hi "$WS/f"
expect 'the child cannot connect out' '^denied EPERM$' run python3 ./probe tcp 198.51.100.20 443
expect 'the child cannot write elsewhere' '^denied ' run python3 ./probe write /etc/x
expect 'the caller itself is not confined' 'still free' run true
expect 'a malformed rule is told in words' 'example: .*non sense' env PINFOLD_EXAMPLE_ALLOW='non sense' "$T/example" true

# --- as C++, alone, and twice ------------------------------------------------------------------------
check 'the header is valid C++' bash -c "echo '#include \"pinfold.h\"' |
	g++ -Wall -Wextra -Werror -I'$top/include' -fsyntax-only -x c++ -"
check 'the header needs nothing before it' bash -c "echo '#include \"pinfold.h\"' |
	gcc -Wall -Wextra -Werror -I'$top/include' -fsyntax-only -x c -"
check 'the library never prints or exits' bash -c "
	! nm -A '$library' 2>/dev/null | grep -E ' U (printf|puts|perror|exit|abort|__printf_chk)\$'"

finish
