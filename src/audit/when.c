/* SPDX-License-Identifier: MIT */
#include "audit/when.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

#define US_PER_S 1000000LL
#define S_PER_DAY 86400LL
#define DATE_LEN 10     /* 2026-01-31 */
#define SECONDS_LEN 19  /* 2026-01-31T12:00:00 */
#define AGO_MAX_S 3.2e9 /* a hundred years */

/* n digits, or -1. */
static int digits(const char *at, int n)
{
	int value = 0;

	for (int i = 0; i < n; i++) {
		if (at[i] < '0' || at[i] > '9')
			return -1;
		value = value * 10 + (at[i] - '0');
	}
	return value;
}

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days since 1970-01-01, or -1. */
static int64_t days_of(const char *date)
{
	static const int BEFORE[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 };
	int y = digits(date, 4);
	int m = digits(date + 5, 2);
	int d = digits(date + 8, 2);
	int last;

	if (y < 1970 || m < 1 || m > 12 || d < 1 || date[4] != '-' || date[7] != '-')
		return -1;
	last = BEFORE[m] - BEFORE[m - 1] + (m == 2 && is_leap(y));
	if (d > last)
		return -1;
	y--;
	return (int64_t)y * 365 + y / 4 - y / 100 + y / 400 - 719162 + BEFORE[m - 1] +
	       (m > 2 && is_leap(y + 1)) + d - 1;
}

/* Seconds of the day, or -1.  A leap second counts as the one before. */
static int64_t seconds_of(const char *clock)
{
	int h = digits(clock, 2);
	int m = digits(clock + 3, 2);
	int s = digits(clock + 6, 2);

	if (h < 0 || h > 23 || m < 0 || m > 59 || s < 0 || s > 60 || clock[2] != ':' ||
	    clock[5] != ':')
		return -1;
	return h * 3600LL + m * 60LL + (s == 60 ? 59 : s);
}

/* ".123456" as microseconds; further digits are dropped.  Returns the bytes consumed. */
static size_t fraction(const char *at, const char *end, int64_t *ret_us)
{
	int64_t unit = US_PER_S / 10;
	const char *from = at;

	*ret_us = 0;
	if (at == end || *at != '.')
		return 0;
	for (at++; at < end && *at >= '0' && *at <= '9'; at++) {
		*ret_us += (*at - '0') * unit;
		unit /= 10;
	}
	return (size_t)(at - from);
}

/* "Z" or "+01:00", in seconds east; false: neither. */
static bool offset(const char *at, const char *end, int64_t *ret_s)
{
	int h;
	int m;

	*ret_s = 0;
	if (end - at == 1)
		return *at == 'Z' || *at == 'z';
	if (end - at != 6 || (*at != '+' && *at != '-') || at[3] != ':')
		return false;
	h = digits(at + 1, 2);
	m = digits(at + 4, 2);
	if (h < 0 || h > 23 || m < 0 || m > 59)
		return false;
	*ret_s = (h * 3600LL + m * 60LL) * (*at == '-' ? -1 : 1);
	return true;
}

int when_parse_stamp(const char *text, size_t len, int64_t *ret_us)
{
	const char *end = text + len;
	int64_t days;
	int64_t seconds;
	int64_t part;
	int64_t east;
	size_t n;

	if (len <= SECONDS_LEN ||
	    (text[DATE_LEN] != 'T' && text[DATE_LEN] != 't' && text[DATE_LEN] != ' '))
		return -EINVAL;
	days = days_of(text);
	seconds = seconds_of(text + DATE_LEN + 1);
	n = fraction(text + SECONDS_LEN, end, &part);
	if (days < 0 || seconds < 0 || n == 1 || !offset(text + SECONDS_LEN + n, end, &east))
		return -EINVAL;
	*ret_us = (days * S_PER_DAY + seconds - east) * US_PER_S + part;
	return 0;
}

static int64_t unit_of(char c)
{
	static const struct {
		char letter;
		int64_t seconds;
	} UNITS[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };

	for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++)
		if (UNITS[i].letter == c)
			return UNITS[i].seconds;
	return 0;
}

/* "1d12h": seconds, or -1. */
static int64_t parse_ago(const char *text)
{
	int64_t sum = 0;

	if (!*text)
		return -1;
	while (*text) {
		int64_t n = 0;
		const char *from = text;

		for (; *text >= '0' && *text <= '9' && n < (int64_t)AGO_MAX_S; text++)
			n = n * 10 + (*text - '0');
		if (text == from || !unit_of(*text) || n > (int64_t)AGO_MAX_S / unit_of(*text))
			return -1;
		sum += n * unit_of(*text++);
		if (sum > (int64_t)AGO_MAX_S)
			return -1;
	}
	return sum;
}

int when_parse(const char *text, int64_t now_us, int64_t *ret_us, struct pinfold_error *e)
{
	size_t len = strlen(text);
	int64_t ago;

	if (strcmp(text, "now") == 0) {
		*ret_us = now_us;
		return 0;
	}
	if (len == DATE_LEN && days_of(text) >= 0) {
		*ret_us = days_of(text) * S_PER_DAY * US_PER_S;
		return 0;
	}
	if (when_parse_stamp(text, len, ret_us) == 0)
		return 0;
	ago = parse_ago(text);
	if (ago < 0)
		return err_set(e, -EINVAL,
			       "'%.60s' is no time; write how long ago (2h, 1d12h, 90s), a date, "
			       "or 2026-01-31T12:00:00Z",
			       text);
	*ret_us = now_us - ago * US_PER_S;
	return 0;
}

void when_format(int64_t us, char ret[static WHEN_TEXT_MAX])
{
	time_t seconds = (time_t)(us / US_PER_S);
	struct tm utc;

	ret[0] = '\0';
	if (gmtime_r(&seconds, &utc))
		(void)strftime(ret, WHEN_TEXT_MAX, "%Y-%m-%d %H:%M:%S", &utc);
}

int64_t when_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / 1000;
}
