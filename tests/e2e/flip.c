/* SPDX-License-Identifier: MIT */
/* flip PLAIN SECRET: opens a path that another thread keeps changing from one to the other.  Both
 * have the same length.  Prints how often the secret was read, and how often the kernel refused. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[4096];
static atomic_bool over;

static void *flip(void *data)
{
	char *const *name = data;
	size_t len = strlen(name[0]);

	for (unsigned i = 0; !atomic_load(&over); i++)
		memcpy(path, name[i & 1], len);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned secret = 0;
	unsigned plain = 0;
	unsigned refused = 0;
	pthread_t thread;
	char text[16];

	if (argc != 3 || strlen(argv[1]) != strlen(argv[2]))
		return 2;
	memcpy(path, argv[1], strlen(argv[1]));
	pthread_create(&thread, NULL, flip, argv + 1);
	for (int i = 0; i < 2000; i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

		refused += fd < 0 && errno == EPERM;
		secret += n > 0 && memcmp(text, "secret", 6) == 0;
		plain += n > 0 && memcmp(text, "secret", 6) != 0;
		if (fd >= 0)
			close(fd);
	}
	atomic_store(&over, 1);
	pthread_join(thread, NULL);
	printf("secret %u plain %s refused %s\n", secret, plain ? "some" : "none",
	       refused ? "some" : "none");
	return 0;
}
