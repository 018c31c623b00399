/* SPDX-License-Identifier: MIT */
/* The head of a file that could not be executed: whatever it holds, texts end and counts hold. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/explain_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct explain_needs needs;
	struct explain_head head;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	explain_read_head(fd, &head);
	assert(memchr(head.interpreter, '\0', sizeof(head.interpreter)));
	assert(memchr(head.argument, '\0', sizeof(head.argument)));
	explain_read_needs(fd, &needs);
	assert(needs.n <= EXPLAIN_NEEDS_MAX);
	for (size_t i = 0; i < needs.n; i++)
		assert(needs.library[i][0] && memchr(needs.library[i], '\0', EXPLAIN_TEXT_MAX));
	close(fd);
	return 0;
}
