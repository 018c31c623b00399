#!/bin/bash
# SPDX-License-Identifier: MIT
# protectGit: what git runs or obeys can't be changed from inside, and git still works.
. "$(dirname "$0")/lib.sh"
need git python3
refused='^denied (EACCES|EBUSY|EPERM|EROFS|EXDEV|ENOENT)$'
me() { setpriv --reuid=$TENANT --regid=$TENANT --clear-groups env HOME="$T/none" "$@"; }
who='-c user.name=a -c user.email=a@b.test'
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=protocol.file.allow GIT_CONFIG_VALUE_0=always

# --- the repository at the top -------------------------------------------------------------------
me git init -q "$WS" -b main
me git -C "$WS" config core.fileMode true
(cd "$WS" && me sh -c "echo 0 >f" && me git add f && me git $who commit -qm zero)
mkdir "$T/origin" && chown "$TENANT" "$T/origin"
me git clone -q --bare "$WS" "$T/origin/o.git"
me git -C "$WS" remote add origin "$T/origin/o.git"
config=$(cat "$WS/.git/config")
for name in hooks/pre-commit config hooks/pre-commit.sample; do
	expect "the top repository: $name can't be written" "$refused" probe -- write "$WS/.git/$name"
done
for trick in 'mv .git away' 'mv .git/hooks .git/h' 'rm -f .git/config' 'mv .git/config c' \
	'ln .git/config c' 'echo x > c; mv c .git/config' 'rm -rf .git/hooks && test ! -e .git/hooks' \
	'git config core.hooksPath /tmp' 'chmod 777 .git/config' 'ln -sf c .git/config'; do
	expect "the top repository stands: $trick" '^no$' pen -- sh -c \
		"{ $trick; } >/dev/null 2>&1 && echo yes || echo no"
done
check 'its configuration is what it was' test "$(cat "$WS/.git/config")" = "$config"
check 'its hooks are there' test -e "$WS/.git/hooks/pre-commit.sample"
expect 'add, commit, branch, merge, rebase, stash, tag, gc work' '^7$' pen -- sh -ec '
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.test GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.test
	echo 1 >> f; git commit -qam one; git checkout -qb side; echo 2 > g; git add g; git commit -qm two
	git checkout -q main; echo 3 > h; git add h; git commit -qm three; git checkout -q side
	git rebase -q main; git checkout -q main; git merge -q side; git branch -d side >/dev/null
	echo 4 >> f; git stash -q; git stash pop -q; git commit -qam four; git tag v1; git gc -q
	git checkout -q -b other HEAD~1; echo 5 > i; git add i; git commit -qm five; git checkout -q main
	git merge -q --no-edit other; git log --oneline | wc -l'
expect 'fetch and push work' '^ok$' pen --rw "$T/origin" -- sh -ec '
	git push -q origin main; git fetch -q origin; git rev-parse -q --verify origin/main >/dev/null && echo ok'
expect 'git status works' '^## main' pen -- git status -sb

# --- new repositories ----------------------------------------------------------------------------
fresh_log
expect 'git init and git clone make repositories of the session' '^1$' pen -- sh -ec '
	git init -q new; git -C new config a.b c; git clone -q . copy; echo x > copy/.git/hooks/pre-commit
	git init -q --bare b.git; git -C b.git config a.b c; ls copy/.git/hooks/pre-commit | wc -l'

logged 'session_end lists the repositories that were made, and no others' 'ev.event == "session_end" and sorted(
	r.split("/")[-1] for r in ev.repositories) == ["b.git", "copy", "new"]'
expect 'what is planted in an old repository does not stay' '^gone$' bash -c "cd '$WS' && '$PINFOLD' run --quiet --log '$LOG' -- sh -c '
	echo ../evil > .git/commondir; echo x > .git/config.worktree' && test ! -e .git/commondir -a ! -e .git/config.worktree && echo gone"
logged 'and the record tells of it' 'ev.event == "fs_deny" and ev.action == "quarantined" and ev.path.endswith(".git/commondir")'

# --- why ------------------------------------------------------------------------------------------
why() { (cd "$WS" && exec "$PINFOLD" why "$@"); }
for name in config hooks/pre-commit commondir info/attributes; do
	status "why: $name is not writable" 77 why write "$WS/.git/$name"
	status "why: $name is readable" 0 why read "$WS/.git/$name"
done
status 'why: the index is writable' 0 why write "$WS/.git/index"
status 'why: a name of git elsewhere is writable' 0 why write "$WS/config"

# --- linked worktrees ----------------------------------------------------------------------------
main=$T/main
mkdir "$main" && chown "$TENANT" "$main" && me git init -q "$main" -b main
(cd "$main" && me sh -c "echo secret >only-here; echo 0 >f" && me git add f && me git $who commit -qm zero)
me git -C "$main" worktree add -q "$WS/linked" -b linked
me git -C "$main" worktree add -q "$T/origin/neighbour" -b neighbour
linked() { (cd "$WS/linked" && exec "$PINFOLD" run --quiet --log "$LOG" -- "$@"); }
expect 'commit, rebase, stash and log work in a linked worktree' '^3$' linked sh -ec '
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.test GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.test
	echo 1 > g; git add g; git commit -qm one; git checkout -q -b x HEAD~1; echo 2 > h; git add h
	git commit -qm two; git rebase -q linked; echo 3 >> h; git stash -q; git stash pop -q
	git checkout -q -f linked; git merge -q x; git branch -d x >/dev/null; git log --oneline | wc -l'
inside() { (cd "$WS/linked" && cp "$WS/probe" probe && exec "$PINFOLD" run --quiet --log "$LOG" -- python3 probe "$@"); }
for name in config hooks/pre-commit HEAD index worktrees/linked/commondir worktrees/linked/gitdir \
	worktrees/neighbour/HEAD worktrees/new; do
	expect "of the main repository, $name can't be written" "$refused" inside write "$main/.git/$name"
done
expect 'the .git file of a linked worktree stays' "$refused" inside write "$WS/linked/.git"
expect 'its own HEAD is writable' '^ok ' inside write "$main/.git/worktrees/linked/HEAD"
says() { (cd "$WS/linked" && exec "$PINFOLD" why "$@"); }
for name in worktrees/linked/HEAD objects/x refs/heads/x; do
	status "why knows that $name of the main repository is written" 0 says write "$main/.git/$name"
done
for name in config hooks/pre-commit worktrees/linked/commondir worktrees/neighbour/HEAD; do
	status "and that $name is not" 77 says write "$main/.git/$name"
done
status 'it knows that the configuration is read' 0 says read "$main/.git/config"
status 'and the files of the main repository are not' 77 says read "$main/only-here"
me git -C "$main" worktree remove -f "$WS/linked" 2>/dev/null || rm -rf "$WS/linked"
me git -C "$main" worktree prune
me git -C "$main" worktree add -q -f -B linked "$WS/linked" main
expect 'the files of the main repository are out of reach' "$refused" inside read "$main/only-here"
expect 'so are those of another worktree' "$refused" inside read "$T/origin/neighbour/f"

# --- forged .git files ---------------------------------------------------------------------------
for forged in "$main/.git" "$main/.git/worktrees/neighbour" "$T" / "../../main/.git/worktrees/neighbour"; do
	rm -rf "$WS/forged" && mkdir "$WS/forged" && echo "gitdir: $forged" >"$WS/forged/.git"
	cp "$WS/probe" "$WS/forged/probe" && chown -R "$TENANT" "$WS/forged"
	expect "a .git file that says $forged opens nothing" "$refused" bash -c \
		"cd '$WS/forged' && '$PINFOLD' run --quiet --log '$LOG' -- python3 probe read '$main/.git/config'"
done
# What it leads to lies in the workspace itself and names another repository as its main one.
rm -rf "$WS/forged" && mkdir -p "$WS/forged/evil/worktrees/x/refs" "$WS/forged/evil/worktrees/x/objects"
echo "gitdir: evil/worktrees/x" >"$WS/forged/.git"
echo "$WS/forged/.git" >"$WS/forged/evil/worktrees/x/gitdir"
echo "$main/.git" >"$WS/forged/evil/worktrees/x/commondir"
echo 'ref: refs/heads/main' >"$WS/forged/evil/worktrees/x/HEAD"
cp "$WS/probe" "$WS/forged/probe" && chown -R "$TENANT" "$WS/forged"
expect 'a forged worktree opens no other repository' "$refused" bash -c \
	"cd '$WS/forged' && '$PINFOLD' run --quiet --log '$LOG' -- python3 probe read '$main/.git/config'"

# --- submodules as workspaces ---------------------------------------------------------------------
super=$T/super
mkdir "$super" && chown "$TENANT" "$super" && me git init -q "$super" -b main
me git -C "$super" submodule --quiet add "$main" sm 2>/dev/null
me git -C "$super" submodule --quiet add "$main" other 2>/dev/null
me git -C "$super" $who commit -qm s
me git -C "$super" worktree add -q "$T/origin/super2" -b two
me git -C "$T/origin/super2" submodule --quiet update --init sm 2>/dev/null
for at in "$super" "$T/origin/super2"; do
	sub() { (cd "$at/sm" && exec "$PINFOLD" "$@"); }
	expect "in a submodule (${at##*/}) status, log and diff work" '^ok$' sub run --log "$LOG" -- sh -ec '
		git status -s; git log --oneline | grep -q zero; echo 1 >>f; git diff --quiet && exit 1; echo ok'
	dir=$(sub run --quiet --log "$LOG" -- git rev-parse --absolute-git-dir)
	for name in HEAD config hooks/pre-commit objects/x index; do
		status "its metadata is there to be read: $name is not writable" 77 sub why write "$dir/$name"
	done
	status 'which why knows' 0 sub why read "$dir/HEAD"
	cp "$WS/probe" "$at/sm/probe"
	expect 'and nothing changes it' "$refused" sub run --quiet --log "$LOG" -- python3 probe write "$dir/HEAD"
	for name in "$super/.git/config" "$super/.git/HEAD" "$super/.git/modules/other/HEAD" "$super/other/f"; do
		expect "the rest of the superproject is not there: ${name#"$super/"}" "$refused" \
			sub run --quiet --log "$LOG" -- python3 probe read "$name"
	done
	expect 'with --rw of the metadata a commit works, and its configuration is held' '^ok$' \
		sub run --quiet --log "$LOG" --rw "$dir" -- sh -ec "git $who commit -q --allow-empty -m more
		git config a.b c 2>/dev/null && exit 1; echo ok"
done
# The metadata names another tree, or lies where git puts none.
me git -C "$super" config -f .git/modules/other/config core.worktree ../../../elsewhere
cp "$WS/probe" "$super/other/probe"
expect 'metadata that names another tree is not granted' "$refused" bash -c \
	"cd '$super/other' && '$PINFOLD' run --quiet --log '$LOG' -- python3 probe read '$super/.git/modules/other/HEAD'"
mkdir "$T/apart" "$T/apart.git" && chown "$TENANT" "$T/apart" "$T/apart.git"
me git init -q --separate-git-dir "$T/apart.git" "$T/apart/ws"
me git -C "$T/apart/ws" config core.worktree "$T/apart/ws"
cp "$WS/probe" "$T/apart/ws/probe"
expect 'nor is what lies apart, whatever it says' "$refused" bash -c \
	"cd '$T/apart/ws' && '$PINFOLD' run --quiet --log '$LOG' -- python3 probe read '$T/apart.git/HEAD'"
expect 'and git is told what to add' "in '$T/apart.git', which is not granted; to read it, add --ro '$T/apart.git'" \
	bash -c "cd '$T/apart/ws' && '$PINFOLD' run --log '$LOG' -- git status"

# --- a part of a repository ----------------------------------------------------------------------
me mkdir -p "$main/part/deep"
part() { (cd "$main/part/deep" && exec "$PINFOLD" run --log "$LOG" "$@"); }
expect 'in a part of a repository git is told what to add' \
	"is a part of the one in '$main', which is not granted; to read it, add --ro '$main'" part -- git status
expect 'and that is so: git log works then' '^ok$' part --ro "$main" -- sh -ec 'git log --oneline | grep -q zero && echo ok'
expect 'without a fatal error of git nothing is said' '^only this$' part -- sh -c 'echo only this; exit 1'
expect 'a file as standard error has the hint whole, and what comes after it' '^pinfold: git found .*after$' bash -c \
	"cd '$main/part' && { '$PINFOLD' run --log '$LOG' -- git status; echo after; } >'$T/err' 2>&1; grep -v ^fatal '$T/err' | grep -v ^Stop | tr '\n' ' ' | sed 's/ *\$//'"

# --- a large tree, which is still being looked at --------------------------------------------------
python3 - "$main" <<'P'
import os, sys
for d in range(2000):
    os.makedirs(f"{sys.argv[1]}/large/{d % 40}/{d}")
    for f in range(12):
        open(f"{sys.argv[1]}/large/{d % 40}/{d}/{f}", "w").close()
P
large() { (cd "$main" && exec "$PINFOLD" run --quiet --log "$LOG" "$@"); }
expect 'a repository can be made there at once' '^made 20$' large -- sh -ec '
	for i in $(seq 20); do git init -q new$i; echo a >new$i/.git/info/attributes; done; echo "made $i"'
expect 'and in the one that was there hooks can not be' 'ermission denied|ead-only|not permitted|busy' large -- sh -c '
	echo x >.git/hooks/pre-commit; echo y >.git/config'
check 'nothing of that stays' test ! -s "$main/.git/hooks/pre-commit"

# --- the switch ----------------------------------------------------------------------------------
p=$(policy '{"version": 1, "filesystem": {"protectGit": false}}')
expect 'without protectGit hooks are writable' '^ok ' probe -p "$p" -- write "$WS/.git/hooks/pre-commit"

# What the quarantine got from here goes.
grep -o '"movedTo": *"[^"]*"' "$LOG" | sed 's/.*"\(.*\)\/[^/]*"/\1/' | sort -u | while read -r q; do rm -rf "$q"; done
finish
