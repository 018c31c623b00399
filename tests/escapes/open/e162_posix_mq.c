/* SPDX-License-Identifier: MIT */
// E162: open an outside POSIX message queue (OUTSIDE_MQ).
#include "esc.h"
#include <mqueue.h>
int main(void)
{
	mqd_t q = mq_open(need("OUTSIDE_MQ"), O_RDWR | O_NONBLOCK);
	if (q == (mqd_t)-1) {
		if (errno == ENOENT)
			blocked_s("ENOENT at mq_open (other IPC namespace)");
		blocked("mq_open");
	}
	if (mq_send(q, "x", 1, 0) < 0 && errno != EAGAIN)
		blocked("mq_send");
	escaped("wrote to an outside queue");
}
