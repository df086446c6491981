/* SPDX-License-Identifier: MIT */
/*
 * Prints what /proc/self/stat says of this process, through a stream, but for what differs from run to run: with one
 * thread, with up to eleven more, in forked and vforked children, and read again.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void *stay(void *unused)
{
	pause();
	return unused;
}

/* The name, the number of threads, how many fields there are, and whether it is one whole line. */
static void show(const char *what, const char *line)
{
	const char *name = strchr(line, '('), *p = strrchr(line, ')');
	int threads = 0, fields = 2;

	printf("%s: mine %d, name %.*s,", what, atoi(line) == getpid(), (int)(p + 1 - name), name);
	while ((p = strchr(p, ' ')) && p[1] != ' ' && p[1] != '\n')
		if (p++, ++fields == 20)
			threads = atoi(p);
	printf(" threads %d, fields %d, ends %d\n", threads, fields, line[strlen(line) - 1] == '\n');
}

static void by_stream(const char *what, FILE *file)
{
	char line[1024] = "";
	long read;

	if (!file || !fgets(line, sizeof(line), file)) {
		puts("cannot be read");
		return;
	}
	show(what, line);
	read = ftell(file);
	printf("%ld bytes too many, then %d\n", read - (long)strlen(line), getc(file));
}

static void one(const char *what)
{
	FILE *file = fopen("/proc/self/stat", "r");

	by_stream(what, file);
	fclose(file);
}

int main(void)
{
	static char again[1024];
	pthread_t thread;
	FILE *file;
	pid_t child;

	setvbuf(stdout, NULL, _IONBF, 0);
	prctl(PR_SET_NAME, "a (b) 1 2 3)");
	one("alone");
	child = fork();
	if (child == 0) {
		one("a child");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	child = vfork();
	if (child == 0) {
		one("a vforked child");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	file = fopen("/proc/self/stat", "re");
	printf("closed on exec %d, offset %ld\n", fcntl(fileno(file), F_GETFD), ftell(file));
	printf("%zu\n", fread(again, 1, 5, file));
	rewind(file);
	by_stream("once more", file);
	fclose(file);
	for (int i = 1; i < 12; i++) {
		if (pthread_create(&thread, NULL, stay, NULL))
			return 1;
		one("with threads");
	}
	return 0;
}
