/* SPDX-License-Identifier: MIT */
/* The sockets of test_agree_net.c: where they are, what a policy says of them, how they are spelled
 * and tried. */
#ifndef PINFOLD_TESTS_AGREE_UNIX_H
#define PINFOLD_TESTS_AGREE_UNIX_H

#include <sys/mount.h>

#include "agree.h"
#include "agree_net.h"

#define UNIX_RUN "/run/agree" /* below a mount of the test's own */

struct place {
	const char *dir; /* below the base, or absolute */
	bool
	    is_foreign; /* no policy here lets the session write it: entries may name its sockets */
};

static const struct place PLACE[] = {
	{ "ws", false },   { "ws/in", false },   { "ws/shut", false },
	{ "rw", false },   { "rw/shut", false }, { "ro", true },
	{ "ro/in", true }, { "out", true },      { UNIX_RUN, true },
};

static const struct {
	const char *name;
	int type;
} KIND[] = { { "s", SOCK_STREAM }, { "d", SOCK_DGRAM }, { "q", SOCK_SEQPACKET } };

struct unix_world {
	int fd[ARRAY_SIZE(PLACE) * ARRAY_SIZE(KIND) + 1];
	size_t n;
};

static inline void place_path(const struct agree *g, size_t place, char ret[static HOST_MAX])
{
	const char *dir = PLACE[place].dir;

	if (dir[0] == '/')
		snprintf(ret, HOST_MAX, "%s", dir);
	else
		snprintf(ret, HOST_MAX, "%s/%s", g->base, dir);
}

static inline void serve_unix(struct unix_world *w, const char *path, int type)
{
	struct sockaddr_un at;
	socklen_t len = unix_address(path, &at);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_true(type == SOCK_DGRAM || listen(fd, 1024) == 0);
	assert_true(path[0] == '@' || chmod(path, 0666) == 0);
	w->fd[w->n++] = fd;
}

/* Sockets of each kind in each place, with a symlink to each, and one to each directory. */
static inline void make_sockets(struct agree *g, struct unix_world *w)
{
	char dir[HOST_MAX];
	char path[HOST_MAX + 16];
	char link[HOST_MAX + 16];

	assert_int_equal(mount("none", "/run", "tmpfs", 0, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(PLACE); i++) {
		place_path(g, i, dir);
		assert_true(mkdir(dir, 0755) == 0 || errno == EEXIST);
		for (size_t k = 0; k < ARRAY_SIZE(KIND); k++) {
			snprintf(path, sizeof(path), "%s/%s", dir, KIND[k].name);
			snprintf(link, sizeof(link), "%s/l%s", dir, KIND[k].name);
			serve_unix(w, path, KIND[k].type);
			assert_int_equal(symlink(path, link), 0);
			snprintf(link, sizeof(link), "%s/ws/%zu%s", g->base, i, KIND[k].name);
			assert_int_equal(symlink(path, link), 0);
		}
	}
	serve_unix(w, "@pinfold-agree", SOCK_STREAM);
}

/* What came is taken, so that there is room. */
static inline void drain_sockets(const struct unix_world *w)
{
	char byte;

	for (size_t i = 0; i < w->n; i++) {
		int fd;

		while ((fd = accept4(w->fd[i], NULL, NULL, SOCK_CLOEXEC)) >= 0)
			close(fd);
		while (recv(w->fd[i], &byte, 1, MSG_DONTWAIT) >= 0)
			;
	}
}

static inline void list_places(struct agree *g, FILE *f, const char *name, const char *first,
			       const char *second)
{
	const char *dir[] = { first, second };
	bool any = false;

	fprintf(f, "\"%s\": [", name);
	for (size_t i = 0; i < ARRAY_SIZE(dir); i++) {
		if (below(g, 2))
			continue;
		fprintf(f, "%s\"%s/%s\"", any ? ", " : "", g->base, dir[i]);
		any = true;
	}
	fprintf(f, "]");
}

/* Members of a policy. */
static inline void unix_policy(struct agree *g, char *ret, size_t size)
{
	FILE *f = fmemopen(ret, size, "w");
	char dir[HOST_MAX];
	bool any = false;

	assert_non_null(f);
	fprintf(f, "\"filesystem\": {");
	list_places(g, f, "rw", "rw", "ws/in");
	fprintf(f, ", ");
	list_places(g, f, "ro", "ro", "ro/in");
	fprintf(f, ", ");
	list_places(g, f, "deny", "ws/shut", "rw/shut");
	fprintf(f, "}, \"unixSockets\": {\"allow\": [");
	for (size_t i = 0; i < ARRAY_SIZE(PLACE) * ARRAY_SIZE(KIND); i++) {
		const size_t place = i / ARRAY_SIZE(KIND);

		if (!PLACE[place].is_foreign || below(g, 4) != 0)
			continue;
		place_path(g, place, dir);
		fprintf(f, "%s\"%s/%s\"", any ? ", " : "", dir, KIND[i % ARRAY_SIZE(KIND)].name);
		any = true;
	}
	fprintf(f, "]}");
	assert_int_equal(fclose(f), 0);
}

static inline void make_unix_question(struct agree *g, struct question *ret)
{
	const size_t place = below(g, ARRAY_SIZE(PLACE));
	const size_t kind = below(g, ARRAY_SIZE(KIND));
	const char *name = KIND[kind].name;
	char dir[HOST_MAX];

	*ret = (struct question){ .how = ASK_UNIX, .port = (uint16_t)KIND[kind].type };
	ret->mapped = KIND[kind].type == SOCK_DGRAM && below(g, 2);
	place_path(g, place, dir);
	switch (below(g, 8)) {
	case 0:
		snprintf(ret->host, HOST_MAX, "%.60s/l%s", dir, name);
		break;
	case 1:
		snprintf(ret->host, HOST_MAX, "%s/ws/%zu%s", g->base, place, name);
		break;
	case 2:
		snprintf(ret->host, HOST_MAX, "%.60s/./%s", dir, name);
		break;
	case 3:
		snprintf(ret->host, HOST_MAX, "%s/ws/..%.60s/%s", g->base,
			 dir[1] == 't' ? dir + strlen(g->base) : "/out", name);
		break;
	case 4:
		if (below(g, 2)) {
			ret->port = SOCK_STREAM;
			ret->mapped = false;
			snprintf(ret->host, HOST_MAX, "@pinfold-agree");
			break;
		}
		/* fall through */
	default:
		snprintf(ret->host, HOST_MAX, "%.60s/%s", dir, name);
	}
}

#endif
