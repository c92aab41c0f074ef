/* Linked with --wrap=main: reads the nonce before the program's own constructors run, and writes it back only if main
   returns 0. A program that calls exit never gets there. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char nonce[128];
static ssize_t length;

__attribute__((constructor(101))) static void annotator_read_nonce(void) {
    length = read(3, nonce, sizeof nonce);
    close(3);
}

extern int __real_main(int, char **, char **);

int __wrap_main(int count, char **values, char **environment) {
    int status = __real_main(count, values, environment);
    fflush(NULL);
    if (status == 0 && length > 0) {
        ssize_t written = write(4, nonce, (size_t)length);
        (void)written;
    }
    memset(nonce, 0, sizeof nonce);
    return status;
}
