/* SPDX-License-Identifier: MIT */
/* A report made by hand, as the analyses would make it, for tests of the writers. */
#ifndef DLT_TESTS_REPORT_FIXTURE_H
#define DLT_TESTS_REPORT_FIXTURE_H

#include <math.h>

#include "analysis/report/table.h"

#define COLUMNS(a) a, sizeof(a) / sizeof(a[0])

static const struct column traces_columns[] = {
	{ "trace", "trace", UNIT_ID, "" }, { "path", "path", UNIT_TEXT, "" },
	{ "name", "name", UNIT_TEXT, "" },
	{ "level", "level", UNIT_TEXT, "" }, { "command", "command", UNIT_TREE, "" },
	{ "begin", "begin", UNIT_TEXT, "" }, { "begin_ns", "begin", UNIT_TEXT, "" },
	{ "duration_ns", "duration", UNIT_NS, "" }, { "events", "events", UNIT_COUNT, "" },
	{ "lost", "lost", UNIT_COUNT, "" }, { "exit", "exit", UNIT_TREE, "" },
};
static const struct column machines_columns[] = {
	{ "trace", "trace", UNIT_ID, "" }, { "host", "host", UNIT_TEXT, "" },
	{ "cpus", "CPUs", UNIT_COUNT, "" }, { "memory_bytes", "memory", UNIT_BYTES, "" },
	{ "cgroup", "cgroup", UNIT_TREE, "" }, { "gpus", "GPUs", UNIT_TREE, "" },
};
static const struct column processes_columns[] = {
	{ "process", "process", UNIT_ID, "" }, { "trace", "trace", UNIT_ID, "" },
	{ "host", "host", UNIT_TEXT, "" }, { "pid", "pid", UNIT_ID, "" },
	{ "parent", "parent", UNIT_ID, "" }, { "rank", "rank", UNIT_ID, "" },
	{ "name", "name", UNIT_TEXT, "" }, { "command", "command", UNIT_TREE, "" },
	{ "frameworks", "frameworks", UNIT_TREE, "" }, { "begin_ns", "begin", UNIT_TIME, "" },
	{ "end_ns", "end", UNIT_TIME, "" }, { "exit", "exit", UNIT_TREE, "" },
	{ "threads_peak", "threads", UNIT_COUNT, "" },
	{ "heap_peak_bytes", "heap peak", UNIT_BYTES, "" },
	{ "heap_end_bytes", "heap end", UNIT_BYTES, "" },
	{ "rss_peak_bytes", "rss peak", UNIT_BYTES, "" },
};
static const struct column threads_columns[] = {
	{ "process", "process", UNIT_ID, "" }, { "thread", "thread", UNIT_ID, "" },
	{ "name", "name", UNIT_TEXT, "" }, { "creator", "creator", UNIT_ID, "" },
	{ "routine", "routine", UNIT_TEXT, "" }, { "begin_ns", "begin", UNIT_TIME, "" },
	{ "end_ns", "end", UNIT_TIME, "" }, { "cpu_ns", "CPU", UNIT_NS, "" },
};
static const struct column breakdown_columns[] = {
	{ "process", "process", UNIT_ID, "" }, { "framework", "framework", UNIT_TEXT, "" },
	{ "layer", "layer", UNIT_TEXT, "" }, { "device", "device", UNIT_TEXT, "" },
	{ "library", "library", UNIT_TEXT, "" }, { "function", "function", UNIT_TEXT, "" },
	{ "kind", "kind", UNIT_TEXT, "" }, { "phase", "phase", UNIT_TEXT, "" },
	{ "calls", "calls", UNIT_COUNT, "" }, { "failed", "failed", UNIT_COUNT, "" },
	{ "total_ns", "total", UNIT_NS, "" }, { "nested_ns", "nested", UNIT_NS, "" },
	{ "mean_ns", "mean", UNIT_NS, "" }, { "median_ns", "median", UNIT_NS, "" },
	{ "min_ns", "min", UNIT_NS, "" }, { "max_ns", "max", UNIT_NS, "" },
	{ "stddev_ns", "deviation", UNIT_NS, "" }, { "p99_ns", "p99", UNIT_NS, "" },
	{ "quantile_error", "error", UNIT_FRACTION, "" }, { "first_ns", "first", UNIT_NS, "" },
	{ "bytes", "bytes", UNIT_BYTES, "" }, { "share", "share", UNIT_FRACTION, "" },
	{ "share_of_wall", "of wall", UNIT_FRACTION, "" },
};
static const struct column shares_columns[] = {
	{ "trace", "trace", UNIT_ID, "" }, { "framework", "framework", UNIT_TEXT, "" },
	{ "layer", "layer", UNIT_TEXT, "" }, { "function", "function", UNIT_TEXT, "" },
	{ "kind", "kind", UNIT_TEXT, "" }, { "calls", "calls", UNIT_COUNT, "" },
	{ "failed", "failed", UNIT_COUNT, "" }, { "total_ns", "total", UNIT_NS, "" },
	{ "mean_ns", "mean", UNIT_NS, "" }, { "p99_ns", "p99", UNIT_NS, "" },
	{ "bytes", "bytes", UNIT_BYTES, "" }, { "share", "share", UNIT_FRACTION, "" },
};
static const struct column heap_columns[] = {
	{ "process", "process", UNIT_ID, "" }, { "allocations", "allocations", UNIT_COUNT, "" },
	{ "frees", "frees", UNIT_COUNT, "" }, { "allocated_bytes", "allocated", UNIT_BYTES, "" },
	{ "freed_bytes", "freed", UNIT_BYTES, "" }, { "live_bytes", "live", UNIT_BYTES, "" },
	{ "peak_bytes", "peak", UNIT_BYTES, "" }, { "peak_error_bytes", "error", UNIT_BYTES, "" },
};
static const struct column failures_columns[] = {
	{ "process", "process", UNIT_ID, "" }, { "kind", "kind", UNIT_TEXT, "" },
	{ "t_ns", "time", UNIT_TIME, "" }, { "text", "text", UNIT_TEXT, "" },
};
static const struct column findings_columns[] = {
	{ "severity", "severity", UNIT_TEXT, "" }, { "text", "text", UNIT_TEXT, "" },
	{ "rule", "rule", UNIT_TEXT, "" }, { "advice", "what to do", UNIT_TEXT, "" },
	{ "evidence", "evidence", UNIT_TREE, "" },
};
static const struct column limits_columns[] = {
	{ "kind", "kind", UNIT_TEXT, "" }, { "process", "process", UNIT_ID, "" },
	{ "text", "text", UNIT_TEXT, "" }, { "value", "value", UNIT_REAL, "" },
};
static const struct column empty_columns[] = { { "process", "process", UNIT_ID, "" } };

/* All tables, no rows. */
static struct report *fixture_empty(void)
{
	struct report *r = report_new();

	report_add_table(r, "traces", "Traces", COLUMNS(traces_columns));
	report_add_table(r, "machines", "Machines", COLUMNS(machines_columns));
	report_add_table(r, "processes", "Processes", COLUMNS(processes_columns));
	report_add_table(r, "threads", "Threads", COLUMNS(threads_columns));
	report_add_table(r, "libraries", "Libraries", COLUMNS(empty_columns));
	report_add_table(r, "coverage", "Coverage", COLUMNS(empty_columns));
	report_add_table(r, "breakdown", "Breakdown", COLUMNS(breakdown_columns));
	report_add_table(r, "shares", "Shares", COLUMNS(shares_columns));
	report_add_table(r, "heap", "Heap", COLUMNS(heap_columns));
	report_add_table(r, "phases", "Phases", COLUMNS(empty_columns));
	report_add_table(r, "iterations", "Iterations", COLUMNS(empty_columns));
	report_add_table(r, "failures", "Failures", COLUMNS(failures_columns));
	report_add_table(r, "findings", "Findings", COLUMNS(findings_columns));
	report_add_table(r, "limits", "Limits", COLUMNS(limits_columns));
	return r;
}

static json_t *fixture_command(const char *model)
{
	return json_pack("[s,s,s,s,s,s]", "python3", "train.py", "--model", model, "--note",
			 "it's done");
}

static void fixture_trace(struct report *r, uint64_t trace, const char *path, const char *framework,
			  const char *version, const char *name)
{
	struct table *t = report_table(r, "traces");

	table_add_row(t);
	table_set_uint(t, "trace", trace);
	table_set_text(t, "path", path);
	table_set_text(t, "name", strncmp(path, "/tmp/", 5) ? path : path + 5);
	table_set_text(t, "level", "calls");
	table_set_tree(t, "command", fixture_command("mobilenet_v2"));
	table_set_text(t, "begin", "2026-03-04T10:24:10.123456789Z");
	table_set_text(t, "begin_ns", "1772619850123456789");
	table_set_uint(t, "duration_ns", 41234567890);
	table_set_uint(t, "events", 1234567);
	table_set_uint(t, "lost", 0);
	table_set_tree(t, "exit", json_pack("{s:i}", "status", 0));
	t = report_table(r, "machines");
	table_add_row(t);
	table_set_uint(t, "trace", trace);
	table_set_text(t, "host", "node7");
	table_set_uint(t, "cpus", 16);
	table_set_uint(t, "memory_bytes", 128ULL << 30);
	t = report_table(r, "processes");
	for (uint64_t i = 0; i < 3; i++) {
		table_add_row(t);
		table_set_uint(t, "process", trace * 10 + i);
		table_set_uint(t, "trace", trace);
		table_set_text(t, "host", "node7");
		table_set_uint(t, "pid", 4711 + i);
		if (i)
			table_set_uint(t, "parent", trace * 10);
		table_set_text(t, "name", name);
		table_set_tree(t, "command", fixture_command("mobilenet_v2"));
		table_set_tree(t, "frameworks", json_pack("[{s:s,s:s,s:s}]", "name", framework,
							  "version", version, "role", "engine"));
		table_set_int(t, "begin_ns", (int64_t)(i * 2000000000));
		table_set_int(t, "end_ns", 41000000000);
		table_set_tree(t, "exit", i == 2 ? json_pack("{s:i}", "signal", 9) :
						   json_pack("{s:i}", "status", 0));
		table_set_uint(t, "threads_peak", 17 - i * 6);
		table_set_uint(t, "heap_peak_bytes", 734003200 >> i);
		table_set_uint(t, "heap_end_bytes", 12345678 >> i);
		table_set_uint(t, "rss_peak_bytes", 2147483648u >> i);
	}
}

static void fixture_threads(struct report *r, uint64_t trace)
{
	static const char *const names[] = { "python3", "pt_autograd_0", "pt_autograd_1",
					     "pt_main_thread", "QueueFeeder" };
	struct table *t = report_table(r, "threads");

	for (uint64_t i = 0; i < 5; i++) {
		table_add_row(t);
		table_set_uint(t, "process", trace * 10);
		table_set_uint(t, "thread", i + 1);
		table_set_text(t, "name", names[i]);
		table_set_text(t, "routine", "/usr/lib/libgomp.so.1+0x1234");
		table_set_int(t, "begin_ns", 0);
		table_set_uint(t, "cpu_ns", 30000000000 / (i + 1));
	}
}

static void fixture_functions(struct report *r, uint64_t trace, const char *framework)
{
	static const struct {
		const char *layer, *function, *kind, *library;
		double share;
		uint64_t calls;
	} f[] = {
		{ "runtime", "cudaLaunchKernel", "launch", "libtorch_cuda.so", 0.612, 1234567 },
		{ "runtime", "cudaMemcpyAsync", "copy", "libtorch_cuda.so", 0.204, 45678 },
		{ "runtime", "cudaStreamSynchronize", "synchronise", "libc10_cuda.so", 0.101, 4567 },
		{ "runtime", "cudaMalloc", "allocate", "libc10_cuda.so", 0.05, 456 },
		{ "runtime", "cudaStreamCreateWithFlags", "initialise", "libcudnn.so", 0.021, 32 },
		{ "runtime", "other", "other", "", 0.012, 999 },
		{ "blas", "sgemm_", "compute", "libtorch_cpu.so", 0.97, 23456 },
		{ "blas", "sgemv_", "compute", "libtorch_cpu.so", 0.03, 345 },
	};
	struct table *s = report_table(r, "shares"), *b = report_table(r, "breakdown");

	for (size_t i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
		struct table *both[] = { s, b };
		uint64_t total = (uint64_t)(12.3e9 * f[i].share);

		table_add_row(s);
		table_add_row(b);
		table_set_uint(s, "trace", trace);
		table_set_uint(b, "process", trace * 10);
		table_set_text(b, "library", f[i].library);
		table_set_uint(b, "nested_ns", total / 10);
		for (size_t k = 0; k < 2; k++) {
			table_set_text(both[k], "framework", framework);
			table_set_text(both[k], "layer", f[i].layer);
			table_set_text(both[k], "function", f[i].function);
			table_set_text(both[k], "kind", f[i].kind);
			table_set_uint(both[k], "calls", f[i].calls);
			table_set_uint(both[k], "failed", i == 3);
			table_set_uint(both[k], "total_ns", total);
			table_set_real(both[k], "mean_ns", (double)total / (double)f[i].calls);
			table_set_real(both[k], "p99_ns", 4.2 * (double)total / (double)f[i].calls);
			table_set_real(both[k], "share", f[i].share);
			if (i == 1)
				table_set_uint(both[k], "bytes", 123456789012);
		}
	}
}

static void fixture_series(struct report *r, uint32_t trace, double scale)
{
	struct series *threads = report_add_series(r, "threads", "Threads", "count", trace, -1, "node7");
	struct series *cpu = report_add_series(r, "cpu_percent", "CPU", "percent", trace, -1, "node7");
	struct series *rss = report_add_series(r, "rss_bytes", "Memory", "bytes", trace, -1, "node7");
	struct series *mine = report_add_series(r, "run_ram_percent", "RAM", "percent", trace, -1, "node7");
	struct series *ram = report_add_series(r, "ram_percent", "RAM", "percent", trace, -1, "node7");
	struct series *heap = report_add_series(r, "heap_bytes", "Heap", "bytes", trace, -1, "node7");
	struct series *one = report_add_series(r, "heap_bytes", "Heap", "bytes", trace,
					       (int64_t)trace * 10, "node7");

	for (int i = 0; i <= 411; i++) {
		int64_t t = (int64_t)i * 100000000;
		double x = i / 411.0, wobble = sin(i * 0.7) * sin(i * 0.13);

		series_add(threads, t, i < 20 ? 1 + i / 2 : i == 200 ? 17 : 11);
		series_add(cpu, t, scale * (i < 20 ? 6.2 : 88 + 9 * wobble));
		series_add(rss, t, scale * (1.8e9 * (1 - exp(-x * 12)) + 3e8 * x));
		series_add(mine, t, scale * (1.4 * (1 - exp(-x * 12)) + 0.2 * x));
		series_add(ram, t, 4 + scale * (1.4 * (1 - exp(-x * 12)) + 0.2 * x));
		series_add(heap, t, scale * (6e8 * (1 - exp(-x * 9)) + 1e8 * fabs(wobble)));
		series_add(one, t, 0.6 * scale * (6e8 * (1 - exp(-x * 9)) + 1e8 * fabs(wobble)));
	}
}

static void fixture_words(struct report *r)
{
	struct table *t = report_table(r, "findings");

	table_add_row(t);
	table_set_text(t, "severity", "problem");
	table_set_text(t, "rule", "died");
	table_set_text(t, "text", "Process 4713 was killed by SIGKILL.");
	table_add_row(t);
	table_set_text(t, "severity", "warning");
	table_set_text(t, "rule", "heap_grows");
	table_set_text(t, "advice", "Look for what is kept.");
	table_set_text(t, "text", "The heap grows: 2.31 MiB a second over the last 30 s, without an end in "
				  "sight. Whoever keeps what each iteration allocates will run out of "
				  "memory after about 14 h.");
	table_set_tree(t, "evidence", json_pack("{s:f}", "bytes_per_second", 2421234.5));
	table_add_row(t);
	table_set_text(t, "severity", "info");
	table_set_text(t, "rule", "device");
	table_set_text(t, "text", "PyTorch 1.13.1 ran on the CPU only.");
	t = report_table(r, "failures");
	table_add_row(t);
	table_set_uint(t, "process", 2);
	table_set_text(t, "kind", "allocation");
	table_set_int(t, "t_ns", 12345678901);
	table_set_text(t, "text", "cudaMalloc of 2.00 GiB failed in python3 (4713)");
	t = report_table(r, "limits");
	table_add_row(t);
	table_set_text(t, "kind", "uncovered");
	table_set_uint(t, "process", 0);
	table_set_text(t, "text", "libcudnn.so carries a CUDA runtime of its own, whose calls are not seen.");
	table_add_row(t);
	table_set_text(t, "kind", "overhead");
	table_set_text(t, "text", "Tracing itself took about 0.123 s, 0.3 % of the run.");
	table_set_real(t, "value", 0.003);
}

static void fixture_heap(struct report *r, uint64_t trace)
{
	struct table *t = report_table(r, "heap");

	for (uint64_t i = 0; i < 3; i++) {
		table_add_row(t);
		table_set_uint(t, "process", trace * 10 + i);
		table_set_uint(t, "allocations", 12345678 >> i);
		table_set_uint(t, "frees", 12300000 >> i);
		table_set_uint(t, "allocated_bytes", 987654321098 >> i);
		table_set_uint(t, "freed_bytes", 987600000000 >> i);
		table_set_uint(t, "live_bytes", 54321098 >> i);
		table_set_uint(t, "peak_bytes", 734003200 >> i);
		table_set_uint(t, "peak_error_bytes", 65536 * 4);
	}
}

/* Two GPUs, of which the first does nothing. */
static void fixture_gpus(struct report *r)
{
	struct series *held = report_add_series(r, "gpu_reserved_bytes", "", "bytes", 0, -1, "node7");

	for (int gpu = 0; gpu < 2; gpu++) {
		struct series *s = report_add_series(r, "gpu_percent", "", "percent", 0, -1, "node7");

		series_of_device(s, gpu ? "GPU 1" : "GPU 0");
		for (int i = 0; i <= 41; i++) {
			series_add(s, (int64_t)i * 1000000000, gpu ? 50 + i % 7 * 7 : 0);
			if (!gpu)
				series_add(held, (int64_t)i * 1000000000, (i < 5 ? i : 5) * 0x1p30);
		}
	}
}

/* One trace of a training. */
static struct report *fixture_one(void)
{
	struct report *r = fixture_empty();

	fixture_trace(r, 0, "/tmp/t", "PyTorch", "1.13.1", "python3");
	fixture_threads(r, 0);
	fixture_functions(r, 0, "PyTorch");
	fixture_series(r, 0, 1);
	fixture_heap(r, 0);
	fixture_words(r);
	fixture_gpus(r);
	return r;
}

/* Two to compare. */
static struct report *fixture_two(void)
{
	struct report *r = fixture_one();

	fixture_trace(r, 1, "/tmp/u", "TensorFlow", "2.21.0", "python3");
	fixture_functions(r, 1, "TensorFlow");
	fixture_series(r, 1, 0.6);
	return r;
}

#define HOSTILE "\033[2J\033]0;x\a<b>&\"',;=\n\t\x80\xff\xc3\x28 \xe2\x80\xae \xc2\x9b" "31m"

/* Wherever a trace brings text, text of the worst kind. */
static struct report *fixture_hostile(void)
{
	struct report *r = fixture_empty();
	struct table *t;

	fixture_trace(r, 0, HOSTILE, "PyTorch", "1.13.1", HOSTILE);
	fixture_functions(r, 0, HOSTILE);
	fixture_series(r, 0, 1);
	t = report_table(r, "shares");
	table_set_text(t, "function", HOSTILE);
	table_set_text(t, "layer", HOSTILE);
	t = report_table(r, "breakdown");
	table_set_text(t, "function", HOSTILE);
	table_set_text(t, "library", HOSTILE);
	t = report_table(r, "threads");
	table_add_row(t);
	table_set_text(t, "name", HOSTILE);
	t = report_table(r, "findings");
	table_add_row(t);
	table_set_text(t, "severity", "problem");
	table_set_text(t, "text", HOSTILE HOSTILE HOSTILE HOSTILE HOSTILE HOSTILE HOSTILE);
	t = report_table(r, "limits");
	table_add_row(t);
	table_set_text(t, "kind", HOSTILE);
	table_set_text(t, "text", HOSTILE);
	return r;
}

#endif
