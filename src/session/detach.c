/* SPDX-License-Identifier: MIT */
/* Taking a fence off: whoever serves it is asked first, and what is left of it is removed. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"
#include "net/attached.h"
#include "session/attach.h"

/* The session whose cgroup that is; NULL: none serves it. */
static const char *find_session(const struct json5 *sessions, const char *path)
{
	for (const struct json5 *s = sessions->child; s; s = s->next) {
		const struct json5 *cgroup = json5_member(s, "cgroup");
		const struct json5 *name = json5_member(s, "session");

		if (cgroup && name && cgroup->type == JSON5_STRING && name->type == JSON5_STRING &&
		    strcmp(cgroup->string, path) == 0)
			return name->string;
	}
	return NULL;
}

/* 1: somebody served it, and has ended. */
static int end_server(const struct attach_cgroup *c, struct pinfold_error *e)
{
	auto_free char *text = NULL;
	struct json5 *sessions = NULL;
	const char *name;
	int r = pinfold_sessions(&text, e);

	if (r == 0)
		r = json5_parse(text, strlen(text), "sessions", &sessions, e);
	name = r == 0 ? find_session(sessions, c->path) : NULL;
	if (name) {
		r = pinfold_session_kill(name, e);
		r = r == -ESRCH ? 0 : r;
	}
	r = r == 0 && name ? 1 : r;
	json5_free(sessions);
	return r;
}

static bool has_pins(const struct attach_cgroup *c)
{
	char path[PINS_PATH_MAX];

	attach_pins_path(c->id, path);
	return access(path, F_OK) == 0;
}

int pinfold_detach(const char *cgroup, struct pinfold_error *e)
{
	struct attach_cgroup c = { .fd = -1 };
	bool pinned;
	int served;
	int n;
	int r = attach_cgroup_open(cgroup, &c, e);

	if (r < 0)
		return r;
	pinned = has_pins(&c);
	served = end_server(&c, e);
	/* Whoever served it may have died, or not answer: what it attached is there all the same.
	 */
	n = net_attached_remove(c.fd, e);
	attach_pins_remove(c.id);
	if (n == 0 && served <= 0 && !pinned)
		n = err_set(e, -ENOENT, "%.200s has no fence", c.path);
	close(c.fd);
	return n < 0 ? n : 0;
}
