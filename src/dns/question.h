/* SPDX-License-Identifier: MIT */
/* What a client asks. */
#ifndef PINFOLD_DNS_QUESTION_H
#define PINFOLD_DNS_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/name.h"
#include "dns/msg.h"

struct dns_question {
	struct dns_name name; /* as asked, case kept; len 0: the message had no usable question */
	char text[NAME_BUF];  /* canonical; "" when the name has no such form */
	uint16_t type;
	uint16_t id;
	bool wants_recursion;
	bool edns;
	uint16_t udp_size; /* the largest datagram that the client takes */
};

/* Reads a client's message.  0: a question.  -EBADMSG: not even worth an answer.  A positive
 * number: answer with that RCODE (enum dns_rcode); *ret then says to what. */
int dns_question_parse(const uint8_t *msg, size_t len, struct dns_question *ret);

/* The same, for a question of our own making: name is canonical. */
int dns_question_make(const char *name, uint16_t type, struct dns_question *ret);

#endif
