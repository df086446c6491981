/* SPDX-License-Identifier: MIT */
/* Hashes the content of a trace. */
#include "analysis/fingerprint.h"

#include <errno.h>

#ifdef HAVE_LIBCRYPTO

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "analysis/report/memory.h"

#define PORTION (1 << 20)	/* bytes read at once */

/* nftw() hands nothing through. */
static struct {
	char **paths;		/* owned; with "./" for the folder itself */
	size_t count, capacity;
	size_t skip;		/* bytes of the folder's own path */
} found;

static int add_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char *name;

	(void)ftw;
	if (type != FTW_F || !S_ISREG(st->st_mode))
		return 0;
	if (found.count == found.capacity) {
		found.capacity = found.capacity ? 2 * found.capacity : 64;
		found.paths = need(reallocarray(found.paths, found.capacity, sizeof(*found.paths)));
	}
	path += found.skip;
	path += strspn(path, "/");
	if (asprintf(&name, "./%s", path) < 0)
		need(NULL);
	found.paths[found.count++] = name;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void to_hex(EVP_MD_CTX *ctx, char *hex)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned size = 0;

	EVP_DigestFinal_ex(ctx, digest, &size);
	for (unsigned i = 0; i < size && i < 32; i++)
		sprintf(hex + 2 * i, "%02x", digest[i]);
}

static int hash_file(int folder, const char *path, char *hex, uint64_t *bytes, void (*progress)(void))
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	EVP_MD_CTX *ctx = need(EVP_MD_CTX_new());
	char *buffer = need(malloc(PORTION));
	ssize_t n = -1;

	EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);
	while (fd >= 0 && (n = read(fd, buffer, PORTION)) > 0) {
		EVP_DigestUpdate(ctx, buffer, (size_t)n);
		*bytes += (uint64_t)n;
		progress();
	}
	if (n < 0)
		err = -errno;
	else
		to_hex(ctx, hex);
	if (fd >= 0)
		close(fd);
	free(buffer);
	EVP_MD_CTX_free(ctx);
	return err;
}

/* A line as sha256sum writes it: a name with such characters is escaped, and the line marked. */
static void add_line(EVP_MD_CTX *ctx, const char *hex, const char *name)
{
	if (strpbrk(name, "\\\n\r"))
		EVP_DigestUpdate(ctx, "\\", 1);
	EVP_DigestUpdate(ctx, hex, 64);
	EVP_DigestUpdate(ctx, "  ", 2);
	for (; *name; name++) {
		const char *escaped = *name == '\\' ? "\\\\" : *name == '\n' ? "\\n" :
				      *name == '\r' ? "\\r" : NULL;

		EVP_DigestUpdate(ctx, escaped ? escaped : name, escaped ? 2 : 1);
	}
	EVP_DigestUpdate(ctx, "\n", 1);
}

static int hash_folder(const char *path, struct fingerprint *f, void (*progress)(void))
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = folder < 0 ? -errno : 0;
	EVP_MD_CTX *ctx = need(EVP_MD_CTX_new());

	found.count = 0;
	found.skip = strlen(path);
	if (!err && nftw(path, add_file, 16, FTW_PHYS))
		err = -errno;
	if (found.count)
		qsort(found.paths, found.count, sizeof(*found.paths), compare);
	EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);
	for (size_t i = 0; i < found.count; i++) {
		char hex[65] = "";

		if (!err)
			err = hash_file(folder, found.paths[i], hex, &f->bytes, progress);
		add_line(ctx, hex, found.paths[i]);
		free(found.paths[i]);
	}
	f->files = found.count;
	to_hex(ctx, f->hex);
	EVP_MD_CTX_free(ctx);
	if (folder >= 0)
		close(folder);
	return err;
}

int fingerprint_of(const char *path, struct fingerprint *f, void (*progress)(void))
{
	struct stat st;

	*f = (struct fingerprint){ .files = 0 };
	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return hash_folder(path, f, progress);
	f->files = 1;
	return hash_file(AT_FDCWD, path, f->hex, &f->bytes, progress);
}

#else

int fingerprint_of(const char *path, struct fingerprint *f, void (*progress)(void))
{
	(void)path;
	(void)progress;
	*f = (struct fingerprint){ .files = 0 };
	return -ENOTSUP;
}

#endif
