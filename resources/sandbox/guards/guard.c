/* Linked with --wrap=main. Calls the program's main and gives the nonce back only if that returns 0, or if the tests
   call the exit that is theirs alone. The nonce is compiled in: nothing that runs before main can read it from a
   descriptor. Then the guard itself ends the process, so that no handler of the program changes its status. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const volatile unsigned char parts[2][32] = {ANNOTATOR_NONCE};

static void give(const void *data, unsigned size, void *unused) {
    for (const char *at = data; size > 0;) {
        long written = syscall(SYS_write, 4, at, (unsigned long)size);
        if (written <= 0) return;
        at += written;
        size -= written;
    }
}

#ifdef COVERAGE
#include <gcov.h>
/* The counts go behind the nonce: a file could be written by anybody. The compiler lists what it counts in a section. */
extern const struct gcov_info *__start_annotator_counts[], *__stop_annotator_counts[];

static void ignore(const char *name, void *unused) {}
static void *room(unsigned size, void *unused) { return malloc(size); }

static void give_counts(void) {
    give("\n", 1, 0);
    for (const struct gcov_info **at = __start_annotator_counts; at < __stop_annotator_counts; at++)
        __gcov_info_to_gcda(*at, ignore, give, room, 0);
}
#else
static void give_counts(void) {}
#endif

/* Tests of a library tell how many checks have passed. */
__attribute__((weak)) long annotator_ran_ANNOTATOR_KEY(void);

extern int __real_main(int, char **, char **);

__attribute__((noreturn)) void annotator_exit_ANNOTATOR_KEY(int status) {
    unsigned char nonce[32];
    status &= 255;
    fflush(NULL);
    if (status == 0) {
        for (int at = 0; at < 32; at++) nonce[at] = parts[0][at] ^ parts[1][at];
        give(nonce, sizeof nonce, 0);
        if (annotator_ran_ANNOTATOR_KEY) {
            char ran[32];
            give(ran, snprintf(ran, sizeof ran, " %ld", annotator_ran_ANNOTATOR_KEY()), 0);
        }
        give_counts();
    }
    for (;;) syscall(SYS_exit_group, status);
}

int __wrap_main(int count, char **values, char **environment) {
    annotator_exit_ANNOTATOR_KEY(__real_main(count, values, environment));
}

/* A program may define the function that assert calls; the linker sends every call here instead. */
__attribute__((noreturn)) void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *where) {
    fflush(NULL);
    dprintf(2, "%s:%u: %s: Assertion `%s' failed.\n", file, line, where, what);
    signal(SIGABRT, SIG_DFL);
    syscall(SYS_kill, syscall(SYS_getpid), SIGABRT);
    for (;;) syscall(SYS_exit_group, 134);
}
