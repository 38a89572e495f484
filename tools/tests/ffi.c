// SPDX-License-Identifier: MIT
/*
 * For ffi_test.sh: the library as another language has it, loaded by name with nothing linked.
 *
 * usage: ffi LIBRARY FUNCTION...     each must be there; some are called
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmudev.h>

static int failed;

static void check(const char *what, bool good)
{
	if (!good) {
		failed = 1;
		printf("%s\n", what);
	}
}

/* The library's function, with the type that the header gives it. */
#define FFI(function) ((__typeof__(function) *)dlsym(lib, #function))

/* An exported function returns what the inline one does. */
static void same_numbers(void *lib)
{
	struct pmudev_slot slot = { .count = 0x1234567890ULL, .shift = 64 - 48 };
	struct pmudev_page page = {
		.time_mult = 3000000000U, .time_shift = 31, .owner = 7, .generation = 3
	};
	struct pmudev_direct direct = { .page = &page, .owner = 7, .generation = 3, .shift = 16 };
	struct pmudev_reader reader = { .mult = (1ULL << 32) * 3 / 2 };
	uint64_t value = 1, times[2];

	check("pmudev_join",
	      FFI(pmudev_join)(&slot, 0x1200000001ULL) == pmudev_join(&slot, 0x1200000001ULL));
	check("pmudev_ns",
	      FFI(pmudev_ns)(&page, 1ULL << 40 | 12345) == pmudev_ns(&page, 1ULL << 40 | 12345));
	check("pmudev_direct_since", FFI(pmudev_direct_since)(&direct, (1ULL << 48) - 5, 7) == 12);
	check("pmudev_direct_holds", FFI(pmudev_direct_holds)(&direct));
	page.generation++;
	check("pmudev_direct_holds is false", !FFI(pmudev_direct_holds)(&direct));
	check("pmudev_reader_ns", FFI(pmudev_reader_ns)(&reader, 1000) == 1500);
	check("pmudev_page_count of another's page",
	      !FFI(pmudev_page_count)(&page, 0, &value) && value == 1);
	check("pmudev_page_counts of another's page",
	      !FFI(pmudev_page_counts)(&page, times, 2, NULL));
	value = FFI(pmudev_clock)();
	FFI(pmudev_isb)();
	check("pmudev_clock", !PMUDEV_CAN_READ || FFI(pmudev_clock)() > value);
}

/* A set that is only a pointer; without the module it is none, and errno says why. */
static void handle(void *lib)
{
	struct pmudev *set;
	char text[256];

	FFI(pmudev_free)(NULL);
	check("pmudev_fd(NULL)", FFI(pmudev_fd)(NULL) == -EFAULT);
	check("pmudev_user_page(NULL)", !FFI(pmudev_user_page)(NULL));
	errno = 0;
	set = FFI(pmudev_new)();
	if (set) {
		uint64_t value;

		check("pmudev_fd", FFI(pmudev_fd)(set) >= 0);
		check("pmudev_user_page", !FFI(pmudev_user_page)(set));
		check("pmudev_read_count", FFI(pmudev_read_count)(set, 0, &value) < 0);
		FFI(pmudev_free)(set);
		return;
	}
	check("pmudev_new: errno", errno == ENOENT || errno == EACCES);
	FFI(pmudev_explain_refusal)(-errno, NULL, text, sizeof(text));
	check("pmudev_new: a sentence", strstr(text, "/dev/pmudev"));
}

int main(int argc, char **argv)
{
	void *lib = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
	int i;

	if (!lib) {
		printf("%s\n", dlerror());
		return 1;
	}
	for (i = 2; i < argc; i++)
		check(argv[i], dlsym(lib, argv[i]));
	if (failed)
		return 1;
	same_numbers(lib);
	handle(lib);
	return failed;
}
