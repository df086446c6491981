/* SPDX-License-Identifier: MIT */
/* A child of vfork that vforks from the same place, as programs do that want no child to wait for; twice. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) int run(const char *program)
{
	pid_t child = vfork(), grandchild;
	int status;

	if (child == 0) {
		grandchild = vfork();
		if (grandchild == 0) {
			execl(program, program, (char *)NULL);
			_exit(127);
		}
		_exit(grandchild > 0 ? 5 : 6);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		printf("%d\n", run("/bin/true"));
	free(malloc(5 << 20));	/* an event */
	return 0;
}
