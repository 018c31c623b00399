# SPDX-License-Identifier: MIT
# One makefile, no recursion but for sanitizers, nothing written outside $(O).  Try `make help`.

NAME    := pinfold
O       ?= build
PREFIX  ?= /usr/local
CLANG   ?= clang
BPFTOOL ?= $(or $(shell command -v bpftool),/usr/sbin/bpftool)
PKGS    := libbpf libseccomp libcjson libidn2 libcap libmd libpsl
VERSION := $(shell sed -n 's/^.define PINFOLD_VERSION "\(.*\)"/\1/p' include/pinfold.h)

comma := ,
# CFLAGS and LDFLAGS belong to whoever builds; what the code needs is below.
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
           -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2 \
           -Wimplicit-fallthrough -Wnull-dereference $(if $(WERROR),-Werror)
HARDEN  := -fstack-protector-strong -fstack-clash-protection -fPIC \
           $(if $(SAN),-fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all,-D_FORTIFY_SOURCE=2)
# The same bytes wherever it is built.
HERE    := -ffile-prefix-map=$(CURDIR)=.
NEED     = $(HERE) -std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc -Ibpf -isystem $(O)/gen \
           $(shell pkg-config --cflags $(PKGS))
LINK    := -pie -Wl,-z,relro,-z,now $(if $(SAN),-fsanitize=$(SAN))
LINK_SO := -Wl,-z,relro,-z,now,-z,defs,--version-script=src/$(NAME).map,-soname,lib$(NAME).so.$(firstword $(subst ., ,$(VERSION)))
LIBS     = $(shell pkg-config --libs $(PKGS))
# The program holds in itself what is slow to load, where there are archives of all of it: looking for ten
# libraries was half of a start (docs/benchmarks.md).  `make STATIC=` leaves them shared.
STATIC  ?= $(if $(SAN),,bpf seccomp psl idn2 unistring md elf z)
ARCHIVE := $(filter /%,$(foreach l,$(STATIC),$(shell $(CC) -print-file-name=lib$(l).a)))
# Newer libelf wants zstd, and says so.
HELD    := $(if $(filter $(words $(STATIC)),$(words $(ARCHIVE))),$(ARCHIVE) -Wl$(comma)--as-needed $(shell pkg-config --static --libs libelf))
BPFLAGS := $(HERE) -target bpf -mcpu=v3 -O2 -g -Wall -Wextra $(if $(WERROR),-Werror) -Ibpf \
           -idirafter /usr/include/$(shell gcc -print-multiarch 2>/dev/null)

SRC  := $(wildcard src/*/*.c)
CLI  := $(patsubst %.c,$(O)/%.o,$(filter src/cli/%,$(SRC)))
CORE := $(filter-out src/cli/%,$(SRC))
SKEL := $(patsubst bpf/%.bpf.c,$(O)/gen/%.skel.h,$(wildcard bpf/*.bpf.c))
UNIT := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/test_*.c))
ROOT := $(patsubst %.c,$(O)/%,$(wildcard tests/root/test_*.c))
FUZZ := $(patsubst %.c,$(O)/%,$(wildcard tests/fuzz/fuzz_*.c))
E2E  := $(filter-out %/lib.sh,$(wildcard tests/e2e/*.sh))
MAN  := $(wildcard docs/man/*.[1-8])
ALLC := $(wildcard src/*/*.[ch] bpf/*.[ch] include/*.h tests/*/*.[ch])

Q   := $(if $(V),,@)
J   := -j$(shell nproc)
say  = $(if $(V),,@printf '  %-5s %s\n' $(1) $@)

all: $(O)/$(NAME)                           ## build the program (the default)

$(O)/$(NAME): $(CLI) $(O)/lib$(NAME).a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LINK) $(LDFLAGS) -o $@ $^ $(HELD) $(LIBS)

$(O)/lib$(NAME).a: $(CORE:%.c=$(O)/%.o)
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The same objects, for programs of others: what src/pinfold.map names, under a version.
$(O)/lib$(NAME).so.$(VERSION): $(CORE:%.c=$(O)/%.o) src/$(NAME).map
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) -shared $(LINK_SO) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS)

$(O)/%.o: %.c | $(SKEL)
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(CC) $(NEED) $(WARN) $(HARDEN) $(CFLAGS) -MD -MP -c -o $@ $<

$(O)/gen/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h)
	$(call say,BPF)
	$(Q)mkdir -p $(@D) && $(CLANG) $(BPFLAGS) -c -o $@.tmp $< && $(BPFTOOL) gen object $@ $@.tmp

$(O)/gen/%.skel.h: $(O)/gen/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst .,_,$*)_bpf > $@

# A test that replaces system calls names them in its first line: /* wrap: open read */
wraps = $(addprefix -Wl$(comma)--wrap=,$(shell sed -n '1s|^/\* wrap: \(.*\) \*/$$|\1|p' $(1)))

$(O)/tests/%: tests/%.c $(O)/lib$(NAME).a
	$(call say,TEST)
	$(Q)mkdir -p $(@D) && $(CC) $(NEED) $(WARN) $(HARDEN) $(CFLAGS) -MD -MP $(LINK) $(call wraps,$<) \
		-o $@ $< $(O)/lib$(NAME).a $(LIBS) -lcmocka

$(O)/tests/fuzz/%: tests/fuzz/%.c $(O)/fuzz/lib$(NAME).a
	$(call say,FUZZ)
	$(Q)mkdir -p $(@D) && $(CLANG) $(NEED) -g -O1 -fsanitize=fuzzer,address,undefined \
		-o $@ $< $(O)/fuzz/lib$(NAME).a $(LIBS)

# Everything but the fuzzers themselves, once; a fuzzer knows what is covered by it.
ifndef SAN
$(O)/fuzz/lib$(NAME).a: $(CORE) | $(SKEL)
	$(Q)$(MAKE) --no-print-directory O=$(O)/fuzz CC=$(CLANG) CFLAGS='-O1 -g' \
		SAN=fuzzer-no-link,address,undefined $@
endif

deps:                                       ## install what building and testing need (apt)
	$(Q)tools/install-deps
tests: $(UNIT) $(ROOT)                      ## build every test program
check: deps                                 ## all tests: unit, unit under ASan and UBSan, root
	$(Q)$(MAKE) --no-print-directory $(J) all tests
	$(Q)$(MAKE) --no-print-directory $(J) O=$(O)/asan SAN=address,undefined unit
	$(Q)tools/run-tests $(O) $(UNIT) $(patsubst $(O)/%,$(O)/asan/%,$(UNIT)) $(ROOT) $(E2E)
unit: $(UNIT)                               ## build the unit tests: no privilege, no network
check-unit: unit                            ## run the unit tests alone
	$(Q)tools/run-tests $(O) $(UNIT)
check-root: all tests                       ## tests that load BPF and fence real processes
	$(Q)tools/run-tests $(O) $(ROOT) $(E2E)
check-kernels: all tests                    ## the same, in part, on Debian's 6.1 and 6.12 (QEMU)
	$(Q)tools/check-kernels $(O)
demo: deps                                  ## the main job, shown on an offline network of its own
	$(Q)$(MAKE) --no-print-directory $(J) all
	$(Q)tools/demo $(O)/$(NAME)
bench: all                                  ## ratios against bare, bubblewrap and firejail
	$(Q)tools/bench $(O)/$(NAME)
fuzz: $(FUZZ)                               ## replay every corpus, then fuzz SECS (60) each
	$(Q)tools/fuzz $(O) $(FUZZ)
lint: $(SKEL)                               ## layers, headers, format, clang-tidy, cppcheck, man
	$(Q)tools/lint "$(NEED)" $(ALLC) -- $(SRC) -- $(MAN)
install: all $(O)/lib$(NAME).so.$(VERSION)   ## honours PREFIX and DESTDIR
	$(Q)tools/install-files install $(O) $(VERSION) "$(PREFIX)" "$(DESTDIR)" "$(LIBS)"
uninstall:                                  ## removes what install put there, and nothing else
	$(Q)tools/install-files uninstall $(O) $(VERSION) "$(PREFIX)" "$(DESTDIR)"
deb: all $(O)/lib$(NAME).so.$(VERSION)      ## a Debian package, in the build directory
	$(Q)tools/package-deb $(O) $(VERSION)
coverage: deps                              ## lines that the unit and root tests reach, by module
	$(Q)$(MAKE) --no-print-directory $(J) O=$(O)/cov STATIC= CFLAGS='-O0 -g --coverage' all tests
	-$(Q)tools/run-tests $(O)/cov $(UNIT:$(O)/%=$(O)/cov/%) $(ROOT:$(O)/%=$(O)/cov/%)
	$(Q)tools/coverage $(O)/cov
reproducible: all                           ## built elsewhere again, it is the same byte for byte
	$(Q)tools/check-reproducible $(O)
sbom:                                       ## what is linked, in which version (CycloneDX)
	$(Q)tools/sbom $(VERSION)
clean:                                      ## remove everything built
	$(Q)rm -rf $(O)
help:
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

-include $(SRC:%.c=$(O)/%.d) $(UNIT:=.d) $(ROOT:=.d)
.PHONY: all deps tests unit check check-unit check-root check-kernels demo bench fuzz lint install uninstall deb coverage reproducible sbom clean help
.DELETE_ON_ERROR:
.SECONDARY:
