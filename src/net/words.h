/* SPDX-License-Identifier: MIT */
/* Words for what the kernel side reports as numbers.  Those of reasons stand in net/judge.h. */
#ifndef PINFOLD_NET_WORDS_H
#define PINFOLD_NET_WORDS_H

const char *net_op_word(unsigned op);
const char *net_proto_word(unsigned proto);

#endif
