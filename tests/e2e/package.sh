# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The ways it is installed: make install, the shared library, and a Debian package in a clean chroot.
. "$(dirname "$0")/lib.sh"

build=$(dirname "$PINFOLD")
version=$(sed -n 's/^.define PINFOLD_VERSION "\(.*\)"/\1/p' "$top/include/pinfold.h")
mk() { make --no-print-directory -s -C "$top" O="$build" "$@"; }
root=$T/root

check 'make install puts everything below DESTDIR' mk install PREFIX=/usr DESTDIR="$root"
for f in bin/pinfold include/pinfold.h lib/libpinfold.a lib/libpinfold.so.0 lib/pkgconfig/pinfold.pc \
	share/man/man1/pinfold.1 share/bash-completion/completions/pinfold; do
	check "... $f among it" test -e "$root/usr/$f"
done

exported() { nm -D --defined-only "$root/usr/lib/libpinfold.so.0" | sed -n 's/.* T \([a-z_]*\)@.*/\1/p' | sort; }
declared() { sed -nE 's/^[a-z].*[ *](pinfold_[a-z_]+)\(.*/\1/p' "$top"/include/*.h | sort -u; }
check 'the shared library exports what the headers declare, and nothing else' \
	test "$(exported)" = "$(declared)"

build_example() {
	# shellcheck disable=SC2046
	PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$root/usr/lib/pkgconfig sh -c \
		'gcc -o "$1" "$2" $(pkg-config --cflags --libs pinfold)' sh "$T/example" "$top/docs/example.c"
}
check 'a program builds against the installed library by pkg-config' build_example
expect '... and finds it by its soname' 'libpinfold.so.0 => /' env LD_LIBRARY_PATH="$root/usr/lib" ldd "$T/example"

mk uninstall PREFIX=/usr DESTDIR="$root"
check 'make uninstall leaves no file behind' test -z "$(find "$root" ! -type d)"

check 'make deb makes a package' mk deb
deb=$(echo "$build"/pinfold_"$version"_*.deb)
cp "$deb" "$T/first.deb"
mk deb >/dev/null
check 'the same tree makes the same package, byte for byte' cmp "$T/first.deb" "$deb"

# A system with nothing but its essential packages and what the package says that it depends on.
depends=$(dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g; s/ //g')
sources=()
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
	[ -f "$f" ] && sources+=("$f")
done
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
check 'a clean system can be made' mmdebstrap --quiet --variant=essential --include="$depends" \
	"$codename" "$T/clean" "${sources[@]}"
cp "$deb" "$T/clean/pinfold.deb"

# shellcheck disable=SC2016
# in_clean COMMAND...: there, with mounts that go when it ends
in_clean() {
	unshare -m sh -c 'c=$1 && shift && mount --bind "$c" "$c"
		for d in proc sys dev; do mount --rbind /$d "$c/$d" && mount --make-rslave "$c/$d"; done
		mkdir -p "$c/ws" && exec chroot "$c" "$@"' sh "$T/clean" "$@"
}
check 'the package installs there' in_clean dpkg -i /pinfold.deb
expect 'the program starts' "^pinfold $version\$" in_clean pinfold --version
expect 'it holds a command' '^held$' in_clean sh -c 'cd /ws && pinfold run -- sh -c "cat /etc/shadow || echo held"'
check 'the man pages are there' in_clean test -e /usr/share/man/man5/pinfold-policy.5.gz
check 'it can be purged' in_clean dpkg --purge pinfold
expect 'nothing of it stays' '^$' in_clean sh -c 'find / -xdev -path /proc -prune -o -name "*pinfold*" -print | grep -v -e /pinfold.deb -e /var/log/dpkg || true'

# Its files have other owners than root's, which rm in lib.sh need not know.
rm -rf --one-file-system "$T/clean"
finish
