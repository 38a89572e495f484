// SPDX-License-Identifier: MIT
/*
 * pmudev_scale() against two other ways to compute the same: __int128 where there is one, and
 * multiplication of long numbers digit by digit, which also 32-bit programs can do.
 */
#include <pmudev.h>

#include "tap.h"

/* Numbers of up to 160 bits, the lowest digit first. */
#define DIGITS 5

struct number {
	uint32_t digit[DIGITS];
};

static struct number multiply(uint64_t a, struct number b)
{
	struct number product = { 0 };
	unsigned int i, j;

	for (i = 0; i < 2; i++) {
		uint64_t carry = 0;

		for (j = 0; i + j < DIGITS; j++) {
			carry += (a >> 32 * i & UINT32_MAX) * b.digit[j] + product.digit[i + j];
			product.digit[i + j] = carry;
			carry >>= 32;
		}
	}
	return product;
}

static struct number add(struct number a, struct number b)
{
	uint64_t carry = 0;
	unsigned int i;

	for (i = 0; i < DIGITS; i++) {
		carry += (uint64_t)a.digit[i] + b.digit[i];
		a.digit[i] = carry;
		carry >>= 32;
	}
	return a;
}

static bool less(struct number a, struct number b)
{
	int i;

	for (i = DIGITS - 1; i >= 0; i--)
		if (a.digit[i] != b.digit[i])
			return a.digit[i] < b.digit[i];
	return false;
}

static struct number number(uint64_t n)
{
	return (struct number){ { n, n >> 32 } };
}

/* Is @whole = floor(value * enabled / running + 1/2), or the highest number if that is higher? */
static bool is_nearest(uint64_t value, uint64_t enabled, uint64_t running, uint64_t whole)
{
	/* 2 * running * whole <= 2 * value * enabled + running < 2 * running * (whole + 1) */
	struct number divisor = multiply(2, number(running));
	struct number twice = multiply(2, multiply(value, number(enabled)));
	struct number dividend = add(twice, number(running));
	struct number least = multiply(whole, divisor);

	if (less(dividend, least))
		return false;
	return whole == UINT64_MAX || less(dividend, add(least, divisor));
}

static bool right(uint64_t value, uint64_t enabled, uint64_t running)
{
	uint64_t whole = 4711;
	bool known = pmudev_scale(value, enabled, running, &whole);

	if (!running)
		return !known && whole == 4711;
	if (!known)
		return false;
	if (running >= enabled)
		return whole == value;
#ifdef __SIZEOF_INT128__
	__uint128_t exact = ((__uint128_t)value * enabled) / running;
	__uint128_t rest = ((__uint128_t)value * enabled) % running;

	exact += rest * 2 >= running;
	if (whole != (exact > UINT64_MAX ? UINT64_MAX : (uint64_t)exact))
		return false;
#endif
	return is_nearest(value, enabled, running, whole);
}

static bool expect(uint64_t value, uint64_t enabled, uint64_t running)
{
	if (right(value, enabled, running))
		return true;
	printf("# %#llx * %#llx / %#llx is wrong\n", (unsigned long long)value,
	       (unsigned long long)enabled, (unsigned long long)running);
	return false;
}

static void test_small(void)
{
	uint64_t value, enabled, running;
	bool fine = true;

	for (value = 0; value < 40; value++)
		for (enabled = 0; enabled < 40; enabled++)
			for (running = 0; running < 40; running++)
				fine &= expect(value, enabled, running);
	ok(fine, "all numbers below 40");
}

/* Each of the numbers around the powers of two with each. */
static void test_edges(void)
{
	uint64_t edge[3 * 64];
	unsigned int nr = 0, i, j, k;
	bool fine = true;

	for (i = 0; i < 64; i += i % 32 < 30 && i % 32 > 1 ? 7 : 1) {
		edge[nr++] = (1ULL << i) - 1;
		edge[nr++] = 1ULL << i;
		edge[nr++] = (1ULL << i) + 1;
	}
	edge[nr++] = UINT64_MAX;
	edge[nr++] = UINT64_MAX - 1;
	for (i = 0; i < nr; i++)
		for (j = 0; j < nr; j++)
			for (k = 0; k < nr; k++)
				fine &= expect(edge[i], edge[j], edge[k]);
	ok(fine, "numbers around powers of two");
}

/* xorshift64*: the same numbers each time */
static uint64_t next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* Of any length, each length as often as the others. */
static uint64_t any(uint64_t *state)
{
	unsigned int shift = next(state) >> 58;

	return next(state) >> shift;
}

static void test_random(void)
{
	uint64_t state = 88172645463325252ULL;
	bool fine = true;
	int i;

	for (i = 0; i < 1000000; i++) {
		uint64_t value = any(&state), enabled = any(&state), running = any(&state);

		if (i % 2 && enabled)
			running %= enabled; /* what a record can have */
		fine &= expect(value, enabled, running);
	}
	ok(fine, "a million others");
}

static void test_meaning(void)
{
	uint64_t whole = 1;

	ok(!pmudev_scale(0, 5, 0, &whole) && whole == 1, "never on a counter: nothing is known");
	ok(!pmudev_scale(7, 0, 0, &whole) && whole == 1, "  nor if it was never enabled");
	ok(pmudev_scale(0, 5, 3, &whole) && whole == 0, "nothing counted: nothing expected");
	ok(pmudev_scale(1000, 300, 100, &whole) && whole == 3000, "a third of the time");
	ok(pmudev_scale(1, 5, 2, &whole) && whole == 3, "a half is rounded up");
	ok(pmudev_scale(1, 7, 3, &whole) && whole == 2, "less is rounded down");
	ok(pmudev_scale(9, 3, 3, &whole) && whole == 9, "all the time: nothing to scale");
	ok(pmudev_scale(9, 3, 4, &whole) && whole == 9, "never less than what was counted");
	ok(pmudev_scale(UINT64_MAX, 2, 1, &whole) && whole == UINT64_MAX, "no overflow");
	/* ten hours at 4 GHz, a hundredth of the time: value * enabled has 84 bits */
	pmudev_scale(1440000000000ULL, 36000000000000ULL, 360000000000ULL, &whole);
	is_number(whole, 144000000000000ULL, "more than 64 bits between");
}

int main(void)
{
	test_meaning();
	test_small();
	test_edges();
	test_random();
	return tap_end();
}
