/* SPDX-License-Identifier: MIT */
/*
 * Opens FILE by each function that opens, so that it reads only, once with each; then in ways that
 * are no reading of data. Prints what each gave, as errno's number or 0.
 *
 *	opens FOLDER FILE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* fcntl.h declares them where it calls them. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

static void tell(const char *what, int fd)
{
	printf("%s %d\n", what, fd < 0 ? errno : 0);
	if (fd >= 0)
		close(fd);
}

static void tell_file(const char *what, FILE *file)
{
	printf("%s %d\n", what, file ? 0 : errno);
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	const char *folder = argv[1], *file = argv[2];
	int at = argc > 2 ? open(folder, O_PATH | O_DIRECTORY) : -1;

	if (at < 0)
		return 1;
	if (chdir(folder) < 0)
		return 1;
	tell("open", open(file, O_RDONLY));
	tell("open64", open64(file, O_RDONLY | O_CLOEXEC));
	tell("__open_2", __open_2(file, O_RDONLY));
	tell("__open64_2", __open64_2(file, O_RDONLY));
	tell("openat", openat(AT_FDCWD, file, O_RDONLY));
	tell("openat64", openat64(AT_FDCWD, file, O_RDONLY));
	tell_file("fopen", fopen(file, "r"));
	tell_file("fopen64", fopen64(file, "rbe"));
	tell("relative to a folder", openat(at, file, O_RDONLY));

	tell("written", open(file, O_RDWR));
	tell("made", open("made", O_RDONLY | O_CREAT, 0600));
	tell("none", open("none", O_RDONLY));
	tell("folder", open(".", O_RDONLY));
	tell("of the system", open("/proc/self/stat", O_RDONLY));
	tell("program", open("program.py", O_RDONLY));
	tell_file("written", fopen(file, "r+"));
	tell_file("none", fopen("none", "r"));
	fflush(stdout);
	if (vfork() == 0)
		_exit(open(file, O_RDONLY) < 0);
	wait(NULL);
	close(at);
	return 0;
}
