/* SPDX-License-Identifier: MIT */
/* Processes and their threads as a tree with life lines, and what they hold in memory. */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;
	const OPEN_UP_TO = 40;		/* processes: beyond, the tree begins folded */
	const CHILDREN_MAX = 300;	/* rows under one, shown at once */

	/* Children by parent, roots under null; a parent that is not there, or a circle, makes a root. */
	function forest(rows) {
		const by = new Map(), children = new Map([[null, []]]);
		for (const p of rows)
			by.set(p.process, p);
		function rooted(p) {
			const seen = new Set();
			for (let at = p; at; at = by.get(at.parent)) {
				if (seen.has(at))
					return false;
				seen.add(at);
			}
			return true;
		}
		for (const p of rows) {
			const parent = by.has(p.parent) && p.parent !== p.process && rooted(p) ? p.parent : null;
			if (!children.has(parent))
				children.set(parent, []);
			children.get(parent).push(p);
		}
		children.forEach(function (list) {
			list.sort(function (a, b) {
				return (a.rank === null || a.rank === undefined ? Infinity : a.rank) -
					(b.rank === null || b.rank === undefined ? Infinity : b.rank) ||
						(a.begin_ns || 0) - (b.begin_ns || 0);
			});
		});
		return children;
	}

	/* From `begin` to `end` on the trace's time; what is not known reaches the edge and fades. */
	function lifeLine(begin, end, span, tone, bad) {
		const lane = el('div', { class: 'life' }), bar = el('span', { class: 'life-bar ' + tone });
		const from = begin === null || begin === undefined ? span.begin : begin,
			to = end === null || end === undefined ? span.end : end;
		const left = 100 * Math.min(Math.max((from - span.begin) / (span.end - span.begin), 0), 1);
		const right = 100 * Math.min(Math.max((to - span.begin) / (span.end - span.begin), 0), 1);
		bar.style.left = left + '%';
		bar.style.width = Math.max(right - left, 0) + '%';
		if (end === null || end === undefined)
			bar.classList.add('open');
		lane.append(bar);
		if (bad) {
			const mark = el('span', { class: 'life-end', 'aria-hidden': 'true' }, '✕');
			mark.style.left = right + '%';
			lane.append(mark);
		}
		lane.title = dlt.show('ns', from) + ' to ' +
			(end === null || end === undefined ? 'the end' : dlt.show('ns', to));
		return lane;
	}

	function axis(span) {
		const lane = el('div', { class: 'life axis', 'aria-hidden': 'true' });
		for (const tick of dlt.ticks(span.begin / 1e9, span.end / 1e9, 5, 'clock')) {
			const at = 100 * (tick.v * 1e9 - span.begin) / (span.end - span.begin);
			const mark = el('span', { class: at > 92 ? 'last' : at < 4 ? 'first' : null }, tick.label);
			mark.style.left = at + '%';
			lane.append(mark);
		}
		return lane;
	}

	const NUMBERS = [
		['cpu_ns', 'CPU', 'ns'], ['threads_peak', 'threads at once', 'count'],
		['rss_peak_bytes', 'memory', 'bytes'],
		['heap_peak_bytes', 'heap', 'bytes'],
	];

	function Tree(trace, processes, body, span) {
		this.children = forest(processes);
		this.threads = new Map();
		this.body = body;
		this.span = span;
		this.open = new Set(processes.length <= OPEN_UP_TO ? processes.map(function (p) {
			return p.process;
		}) : []);
		this.shownThreads = new Set();
		for (const t of dlt.rows('threads')) {
			if (!this.threads.has(t.process))
				this.threads.set(t.process, []);
			this.threads.get(t.process).push(t);
		}
	}

	Tree.prototype.toggle = function (set, id, key) {
		if (set.has(id))
			set.delete(id);
		else
			set.add(id);
		this.draw();
		const again = this.body.querySelector('[data-key="' + key + '"]');
		if (again)
			again.focus();
	};

	Tree.prototype.button = function (set, id, key, text, name) {
		const tree = this;
		return el('button', { type: 'button', class: 'fold', 'data-key': key,
			'aria-expanded': String(set.has(id)), 'aria-label': name,
			onclick: function () {
				tree.toggle(set, id, key);
			} }, text);
	};

	Tree.prototype.row = function (level, name, end, line, numbers, kind) {
		const row = el('tr', { class: kind, 'aria-level': level, role: 'row' }),
			first = el('th', { scope: 'row', class: 'text name' });
		first.style.paddingInlineStart = Math.min(level - 1, 12) * 1.1 + 0.4 + 'rem';
		first.append.apply(first, name);
		row.append(first, el('td', { class: 'text' + (end.bad ? ' bad' : '') }, end.text),
			el('td', { class: 'life-cell' }, line));
		for (const n of numbers)
			row.append(el('td', { class: 'number' }, n));
		this.body.append(row);
	};

	Tree.prototype.thread = function (t, level) {
		const name = (t.name || 'thread') + (t.tid === null || t.tid === undefined ? '' : ' (' + t.tid + ')');
		this.row(level, [el('span', { class: 'muted' }, name)], { text: '', bad: false },
			lifeLine(t.begin_ns, t.end_ns, this.span, 'thread', false),
			[dlt.show('ns', t.cpu_ns), '', '', ''], 'of-thread');
	};

	Tree.prototype.process = function (p, level) {
		const children = this.children.get(p.process) || [],
			threads = this.threads.get(p.process) || [], name = [];
		const end = dlt.exit(p.exit);

		name.push(children.length ? this.button(this.open, p.process, 'p' + p.process,
			this.open.has(p.process) ? '▾' : '▸',
			'Processes that ' + dlt.processName(p.process, true) + ' started') :
				el('span', { class: 'fold none' }));
		if (p.rank !== null && p.rank !== undefined)
			name.push(el('span', { class: 'badge rank' }, 'rank ' + p.rank));
		name.push(el('span', { title: dlt.command(p.command) || null }, dlt.baseName(p.name || 'process')),
			el('span', { class: 'muted' }, p.pid === null || p.pid === undefined ? '' : ' ' + p.pid));
		if (threads.length > 1)
			name.push(this.button(this.shownThreads, p.process, 't' + p.process,
				threads.length + ' threads',
				'Threads of ' + dlt.processName(p.process, true)));
		this.row(level, name, end, lifeLine(p.begin_ns, p.end_ns, this.span,
			p.rank === null || p.rank === undefined ? 'plain' : 'ranked',
			end.bad), NUMBERS.map(function (n) {
			return dlt.show(n[2], p[n[0]]);
		}), 'of-process');
		if (this.shownThreads.has(p.process)) {
			for (const t of threads.slice(0, CHILDREN_MAX))
				this.thread(t, level + 1);
			if (threads.length > CHILDREN_MAX)
				this.row(level + 1, [el('span', { class: 'muted' },
					threads.length - CHILDREN_MAX + ' more')], { text: '' }, '',
					['', '', '', ''], '');
		}
		if (this.open.has(p.process))
			this.list(children, level + 1);
	};

	Tree.prototype.list = function (processes, level) {
		for (const p of processes.slice(0, CHILDREN_MAX))
			this.process(p, level);
		if (processes.length > CHILDREN_MAX)
			this.row(level, [el('span', { class: 'muted' },
				processes.length - CHILDREN_MAX + ' more')], { text: '' }, '', ['', '', '', ''], '');
	};

	Tree.prototype.draw = function () {
		this.body.textContent = '';
		this.list(this.children.get(null), 1);
	};

	function treeTable(trace, processes) {
		const span = { begin: 0, end: 1 }, body = el('tbody');
		for (const p of processes) {
			span.begin = Math.min(span.begin, p.begin_ns || 0);
			span.end = Math.max(span.end, p.end_ns || 0, p.begin_ns || 0);
		}
		span.end = Math.max(span.end, trace.duration_ns || 0);
		const head = el('tr', { role: 'row' }, el('th', { class: 'text', scope: 'col' }, 'process'),
			el('th', { class: 'text', scope: 'col' }, 'end'),
			el('th', { class: 'life-cell', scope: 'col' },
				el('span', { class: 'hidden' }, 'life'), axis(span)));
		for (const n of NUMBERS)
			head.append(el('th', { class: 'number', scope: 'col' }, n[1]));
		const table = el('table', { class: 'tree', role: 'treegrid' },
			el('caption', { class: 'hidden' }, 'Processes and their lives'),
			el('thead', null, head), body);
		new Tree(trace, processes, body, span).draw();
		return el('div', { class: 'scroll', tabindex: '0', role: 'region',
			'aria-label': 'Processes and their lives' }, table);
	}

	dlt.section('processes', function (section) {
		const traces = dlt.rows('traces'), table = dlt.table('processes');
		for (const t of traces) {
			const own = table.rows.filter(function (p) {
				return p.trace === t.trace;
			});
			if (traces.length > 1)
				section.append(el('h3', null, dlt.traceName(t.trace)));
			section.append(own.length ? treeTable(t, own) :
				el('p', { class: 'none' }, 'No process is known.'));
		}
		if (table.more)
			section.append(el('p', { class: 'note' },
				dlt.show('count', table.more) + ' more processes are not in this page.'));
		return true;
	});

	dlt.section('memory', function (section) {
		const parts = [
			['heap', ['process', 'peak_bytes', 'live_bytes', 'live_blocks', 'allocations',
				'frees', 'allocated_bytes', 'mapped_bytes', 'inherited_bytes',
				'failed'], 'peak_bytes', 'Heap, in usable bytes'],
			['gpu', null, 'peak_bytes', 'GPU memory by device'],
			['gpu_memory', ['process', 'device', 'kind', 'library', 'peak_bytes', 'live_bytes',
				'allocations', 'frees', 'failed', 'largest_bytes'],
				'peak_bytes', 'GPU memory by kind and library: what is reserved'],
			['memory_stacks', ['process', 'memory', 'where', 'python', 'function', 'peak_bytes',
				'live_bytes', 'allocated_bytes', 'allocations'],
				'peak_bytes', 'Who asked for memory',
				dlt.flame],
		];
		let any = false;
		for (const part of parts) {
			const table = dlt.table(part[0]);
			if (!table.rows.length)
				continue;
			any = true;
			const columns = dlt.plainColumns(table, part[1]);
			for (const column of columns)
				if (column.name === 'function') {
					column.node = function (row) {
						return el('span', { class: 'long' }, dlt.show('text', row.function));
					};
				} else if (column.name === 'peak_bytes') {
					const most = table.rows.reduce(function (m, row) {
						return Math.max(m, row.peak_bytes || 0);
					}, 0);
					column.share = function (row) {
						return most ? row.peak_bytes / most : 0;
					};
				}
			section.append(el('h3', null, part[3]), part[4] ? part[4]() : '',
				dlt.grid({ caption: part[3], columns: columns, rows: table.rows,
				more: table.more, sort: part[2],
				first: 12 }));
		}
		if (!any)
			section.append(el('p', { class: 'none' }, 'Nothing is known of it.'));
		return true;
	});
})();
