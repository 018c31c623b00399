#!/bin/bash
# SPDX-License-Identifier: MIT
# What the compiler and the linker were to do for the program, read from the program.
. "$(dirname "$0")/lib.sh"
need readelf nm strings

header=$(readelf -hW "$PINFOLD") segments=$(readelf -lW "$PINFOLD") dynamic=$(readelf -dW "$PINFOLD")
symbols=$(nm -D --undefined-only "$PINFOLD")
is() { expect "$1" "$2" echo "$3"; }    # SENTENCE REGEX TEXT
isnt() { check "$1" bash -c '! grep -qE -- "$1" <<<"$2"' _ "$2" "$3"; }

is 'the program lies at a random address (PIE)' 'Type: +DYN' "$header"
is '... which the kernel is told' 'FLAGS_1.*PIE' "$dynamic"
is 'the stack is not executable' 'GNU_STACK .* RW ' "$segments"
isnt 'no segment is writable and executable' ' (RWE|R?WE) ' "$segments"
is 'relocated data becomes read-only' 'GNU_RELRO' "$segments"
is '... all of it, before the program starts (BIND_NOW)' 'BIND_NOW' "$dynamic"
isnt 'no code is relocated' 'TEXTREL' "$dynamic"
isnt 'libraries come from where the system has them' 'RPATH|RUNPATH' "$dynamic"
is 'stacks are protected' '__stack_chk_fail' "$symbols"
is 'sizes are checked where the compiler knows them (FORTIFY)' '__(memcpy|snprintf|vsnprintf)_chk' "$symbols"
# In our own objects: the libraries that the program holds may do as they like.
check 'nothing that cannot be bounded is called' bash -c \
	'! nm --undefined-only "$1" 2>/dev/null | grep -E " U (gets|strcpy|strcat|sprintf|vsprintf|system|popen)$"' \
	_ "$(dirname "$PINFOLD")/libpinfold.a"
check 'the directory it was built in is not in it' \
	bash -c '! strings -a "$1" | grep -qF -- "$2"' _ "$PINFOLD" "$top"
finish
