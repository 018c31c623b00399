/* SPDX-License-Identifier: MIT */
/* The worker's half of the channel: what it tells the supervisor. */
#ifndef PINFOLD_DNS_NOTES_H
#define PINFOLD_DNS_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "dns/msg.h"
#include "dns/worker.h"

struct dns_answer;
struct dns_question;

#define DNS_FOLDS_MAX 256     /* refused names that are told apart at one time */
#define DNS_REFUSED_RATE 100u /* notes about refusals a second; the rest is counted */
#define DNS_FOLD_MS 1000

/* One refused name: told at once, then at most once a second. */
struct dns_fold {
	uint64_t hash;
	uint64_t told_ms;
	uint32_t untold;
	uint16_t type;
	uint16_t refusal;
	char name[DNS_NAME_PRINT_MAX];
};

struct dns_notes {
	int channel; /* borrowed */
	uint64_t seed;
	uint64_t window_ms; /* when the current second began */
	uint32_t told;      /* notes about refusals in this second */
	uint32_t lost;      /* refusals that no note told */
	uint32_t waiting;   /* folds with something untold */
	struct dns_fold fold[DNS_FOLDS_MAX];
};

/* name is what dns_name_print() made of the refused name. */
void dns_notes_refused(struct dns_notes *n, const char *name, uint16_t type,
		       enum dns_refusal refusal, uint64_t now_ms);

/* Tells what was folded or lost, once it is due; true: something is still untold. */
bool dns_notes_tick(struct dns_notes *n, uint64_t now_ms);

/* -EAGAIN: the channel is full, try again; -EPIPE: the supervisor is gone. */
int dns_notes_vouch(const struct dns_notes *n, uint32_t id, const struct dns_question *q,
		    const struct dns_answer *a);

#endif
