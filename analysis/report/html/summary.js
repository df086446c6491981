/* SPDX-License-Identifier: MIT */
/* The head of the page, the findings in words, what was run, failures and limits. */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;
	const traces = dlt.rows('traces');
	const ALIKE = 3;	/* findings of one kind: beyond, one stands for them */
	const SEVERITIES = {
		problem: { mark: '✕', word: 'Problem', words: 'problems' },
		warning: { mark: '▲', word: 'Warning', words: 'warnings' },
		info: { mark: 'i', word: 'Note', words: 'notes' },
	};

	/* One that works in any process works; the others last. */
	function frameworks(trace) {
		const working = [], idle = [];
		for (const p of dlt.rows('processes'))
			if (p.trace === trace)
				for (const f of p.frameworks || []) {
					const name = f.name + (f.version ? ' ' + f.version : '');
					const list = f.state === 'imported' ? idle : working;
					if (list.indexOf(name) < 0)
						list.push(name);
				}
		return working.concat(idle.filter(function (name) {
			return working.indexOf(name) < 0;
		}).map(function (name) {
			return name + ' (only imported)';
		}));
	}

	dlt.frameworks = frameworks;

	/* What tells a trace from others: so much of its path. */
	dlt.traceName = function (index) {
		const t = traces.find(function (row) {
			return row.trace === index;
		});
		return t && t.name ? t.name : 'trace ' + index;
	};

	function severity(f) {
		return SEVERITIES[f.severity] ? f.severity : 'info';
	}

	function counts() {
		const parts = [];
		for (const name of Object.keys(SEVERITIES)) {
			const n = dlt.rows('findings').filter(function (f) {
				return severity(f) === name;
			}).length;
			if (n)
				parts.push(n + ' ' + (n === 1 ? SEVERITIES[name].word.toLowerCase() :
					SEVERITIES[name].words));
		}
		return parts.length ? parts.join(', ') : 'nothing unusual';
	}

	/* As one would tell it: without the folders in which programs and scripts lie. */
	function shortCommand(words) {
		return Array.isArray(words) ? dlt.command(words.map(function (word) {
			return /^\/[^ ]*$/.test(word) ? dlt.baseName(word) : word;
		})) : '';
	}

	/* A script given as an argument, or a long list of files: whole it stands below, in what was run. */
	function withoutMiddle(text) {
		const most = 240, end = 80;

		return text.length <= most ? text : text.slice(0, most - end) + '…' + text.slice(-end);
	}

	function shown(t) {
		return t.to_ns === null || t.to_ns === undefined ? '' :
			', of which ' + dlt.show('ns', t.from_ns) + ' to ' + dlt.show('ns', t.to_ns) + ' are shown,';
	}

	function head() {
		const t = traces[0] || {};
		const exit = dlt.exit(t.exit), verdict = document.getElementById('verdict');
		const heading = document.getElementById('title');
		const title = traces.length > 1 ? traces.length + ' traces compared' :
			shortCommand(t.command) || t.name || 'a trace';

		heading.textContent = '';
		heading.title = title;
		heading.append.apply(heading, dlt.words(withoutMiddle(title)));
		document.getElementById('program').textContent = 'Written by ' + dlt.data.program;
		if (traces.length === 1) {
			verdict.append('Ran ', el('b', null, dlt.show('ns', t.duration_ns)), shown(t),
				' and ended with ', el('b', { class: exit.bad ? 'bad' : 'good' }, exit.text), ' · ');
		}
		verdict.append(el('a', { href: '#findings' }, counts()));
	}

	/* ---- tiles: what one wants to know first ---- */

	function peak(name) {
		let best = null;
		for (const s of dlt.data.series)
			if (s.process === null && s.name === name)
				for (const v of s.v)
					if (v !== null && (best === null || v > best))
						best = v;
		return best;
	}

	function mean(name) {
		const s = dlt.data.series.find(function (one) {
			return one.process === null && one.name === name;
		});
		return s ? s.mean : null;
	}

	/* Of the process that the curve is of; where there is none, the most of any. */
	function iterations() {
		const rows = dlt.rows('iterations').filter(function (row) {
			return row.count > 0;
		});
		const curve = dlt.data.series.find(function (s) {
			return s.process === null && s.name === 'iteration_ns';
		});
		const row = rows.reduce(function (best, one) {
			if (curve && curve.of === one.process)
				return one;
			return best && (best.count >= one.count || (curve && curve.of === best.process)) ? best : one;
		}, null);
		return row ? { value: dlt.show('count', row.count),
			remark: (row.median_ns ? dlt.show('ns', row.median_ns) + ' each' : '') +
				(rows.length > 1 ? ', ' + dlt.processName(row.process, true) : '') } : null;
	}

	function tile(title, value, remark) {
		return value === null || value === undefined ? null
			: el('div', { class: 'tile' }, el('span', { class: 'tile-title' }, title),
				el('span', { class: 'tile-value' }, value),
				el('span', { class: 'tile-remark' }, remark || ''));
	}

	function curveTile(title, name, unit, remark) {
		const v = peak(name);
		return v === null || (v === 0 && name.startsWith('gpu')) ? null :
			tile(title, dlt.show(unit, v), remark || 'at most');
	}

	function tiles() {
		const box = document.getElementById('tiles'), cpu = mean('cpu_percent'), found = iterations();
		const processes = dlt.rows('processes').length + dlt.table('processes').more;

		if (traces.length !== 1)
			return;
		for (const one of [
			tile('Time', dlt.show('ns', traces[0].duration_ns), ''),
			found ? tile('Iterations', found.value, found.remark) : null,
			cpu === null ? null : tile('CPU', dlt.show('percent', cpu), 'of the machine, mean'),
			curveTile('Memory', 'rss_bytes', 'bytes'),
			curveTile('GPU memory', 'gpu_reserved_bytes', 'bytes', 'reserved, at most'),
			mean('gpu_busy_percent') === null ? null :
				tile('GPU busy', dlt.show('percent', mean('gpu_busy_percent')), 'mean'),
			curveTile('Threads', 'threads', 'count'),
			tile('Processes', dlt.show('count', processes), ''),
		])
			if (one)
				box.append(one);
	}

	/* ---- findings ---- */

	function span(evidence) {
		const keys = [['begin_ns', 'end_ns'], ['since_ns', 'until_ns'], ['t_ns', null],
			['since_ns', null], ['at_ns', null]];
		for (const pair of keys) {
			const from = evidence[pair[0]], to = pair[1] === null ? from : evidence[pair[1]];
			if (typeof from === 'number' && typeof to === 'number')
				return [from, to];
		}
		return null;
	}

	function evidenceList(evidence) {
		const list = el('dl', { class: 'evidence' });
		for (const key of Object.keys(evidence))
			list.append(el('div', null, el('dt', null, dlt.label(key).text),
				el('dd', null, dlt.value(key, evidence[key]))));
		return list;
	}

	function capital(text) {
		return text.charAt(0).toUpperCase() + text.slice(1);
	}

	/* Other columns that a finding has are told under their title: words in a line, numbers below. */
	function finding(f, columns) {
		const kind = SEVERITIES[severity(f)], evidence = f.evidence || {};
		const card = el('li', { class: 'card ' + severity(f) },
			el('p', { class: 'finding' },
				el('span', { class: 'badge' }, el('span', { 'aria-hidden': 'true' }, kind.mark + ' '),
				kind.word), ' ', el('span', null, f.text)));
		const facts = traces.length > 1 && typeof f.trace === 'number' ? [dlt.traceName(f.trace)] : [];
		for (const c of columns) {
			const known = f[c.name] !== null && f[c.name] !== undefined && f[c.name] !== '';
			if (known && c.unit === 'text')
				card.append(el('p', { class: 'advice' },
					el('b', null, capital(c.title) + ': '), f[c.name]));
			else if (known)
				facts.push(c.title + ' ' + dlt.show(c.unit, f[c.name]));
		}
		const foot = el('div', { class: 'foot' });
		if (facts.length)
			foot.append(el('span', { class: 'muted' }, facts.join(' · ')));
		if (Object.keys(evidence).length)
			foot.append(el('details', null, el('summary', null, 'Evidence'), evidenceList(evidence)));
		const when = span(Object.assign({}, f, evidence));
		if (when && dlt.data.series.length)
			foot.append(el('button', { type: 'button', class: 'link', onclick: function () {
				dlt.showTime(when[0] / 1e9, when[1] / 1e9,
					f.process === undefined ? evidence.process : f.process);
			} }, 'Show it over time'));
		if (foot.childNodes.length)
			card.append(foot);
		return card;
	}

	/* Findings of one rule stand together, in the order of the first; so do those that differ in numbers. */
	function groups(rows) {
		const alike = new Map();
		for (const f of rows) {
			const key = severity(f) + ' ' + (f.rule || String(f.text).replace(/[\d.,]+/g, '#'));
			if (!alike.has(key))
				alike.set(key, []);
			alike.get(key).push(f);
		}
		return Array.from(alike.values());
	}

	/* Made when they are asked for. */
	function rest(findings, columns) {
		const list = el('ul', { class: 'cards' }), part = el('details', { ontoggle: function () {
			if (part.open && !list.childNodes.length)
				for (const f of findings)
					list.append(finding(f, columns));
		} }, el('summary', null, findings.length + ' more like this'), list);
		return el('li', { class: 'alike' }, part);
	}

	dlt.section('findings', function (section) {
		const table = dlt.table('findings');
		const columns = table.columns.filter(function (c) {
			return ['severity', 'text', 'evidence', 'trace', 'process', 'rule'].indexOf(c.name) < 0;
		});
		const list = el('ul', { class: 'cards' });

		head();
		tiles();
		for (const alike of groups(table.rows)) {
			const few = alike.length > ALIKE ? 1 : alike.length;
			for (const f of alike.slice(0, few))
				list.append(finding(f, columns));
			if (alike.length > few)
				list.append(rest(alike.slice(few), columns));
		}
		section.append(table.rows.length ? list :
			el('p', { class: 'none' }, 'Nothing unusual.'));
		if (table.more)
			section.append(el('p', { class: 'note' },
				dlt.show('count', table.more) + ' more are not in this page.'));
		return true;
	});

	/* ---- what was run ---- */

	function fact(list, title, value) {
		if (value !== null && value !== undefined && value !== '' && value !== '–')
			list.append(el('div', null, el('dt', null, title), el('dd', null, value)));
	}

	function machine(m) {
		const parts = [];
		if (m.cpus)
			parts.push(m.cpus + (m.cpus === 1 ? ' core' : ' cores'));
		if (m.memory_bytes)
			parts.push(dlt.show('bytes', m.memory_bytes));
		for (const gpu of m.gpus || [])
			parts.push(typeof gpu === 'object' ? gpu.name || 'GPU' : String(gpu));
		return (m.host || 'a machine') + (parts.length ? ': ' + parts.join(', ') : '');
	}

	function ranks(trace) {
		const seen = new Set();
		for (const p of dlt.rows('processes'))
			if (p.trace === trace && p.rank !== null && p.rank !== undefined)
				seen.add(p.rank);
		return seen.size ? String(seen.size) : '';
	}

	function run(t) {
		const list = el('dl', { class: 'facts' }), exit = dlt.exit(t.exit);
		const where = dlt.rows('machines').filter(function (m) {
			return m.trace === t.trace;
		}).map(machine);

		fact(list, 'Command', el.apply(null,
			['code', null].concat(dlt.words(dlt.command(t.command) || 'unknown'))));
		fact(list, 'Frameworks', frameworks(t.trace).join(', '));
		fact(list, where.length > 1 ? 'Machines' : 'Machine', where.join(' · '));
		fact(list, 'Ranks', ranks(t.trace));
		fact(list, 'Began', t.begin ? t.begin.replace('T', ' ').replace(/\.\d+/, '') : '');
		fact(list, 'Took', dlt.show('ns', t.duration_ns));
		fact(list, 'Ended', el('span', { class: exit.bad ? 'bad' : null }, exit.text));
		fact(list, 'Recorded', [t.level ? 'level ' + t.level : '', dlt.show('count', t.events) + ' events',
			t.lost === null || t.lost === undefined ? 'lost ones unknown' :
				dlt.show('count', t.lost) + ' lost'].filter(Boolean).join(', '));
		fact(list, 'Trace', el('code', null, t.path || ''));
		return list;
	}

	/* Of many runs a line each: what they are compared for comes next. */
	function folded(t) {
		return el('details', null, el('summary', null, dlt.traceName(t.trace),
			el('span', { class: 'muted' }, ' ' + dlt.show('ns', t.duration_ns))), run(t));
	}

	dlt.section('run', function (section) {
		for (const t of traces) {
			if (traces.length === 2)
				section.append(el('h3', null, dlt.traceName(t.trace)));
			section.append(traces.length > 2 ? folded(t) : run(t));
		}
		return true;
	});

	/* ---- failures and limits ---- */

	dlt.section('failures', function (section) {
		const table = dlt.table('failures');
		if (!table.rows.length) {
			section.append(el('p', { class: 'none' },
				'No allocation failed, no call failed, nothing was killed.'));
			return true;
		}
		/* What kind it is, and with which code, stands in the words; the thread is in --table failures. */
		section.append(dlt.plainGrid('failures', { columns: ['process', 't_ns', 'phase', 'text', 'function',
			'library', 'count', 'size_bytes', 'live_bytes', 'free_bytes', 'total_bytes', 'holders'],
		grid: { sort: 't_ns', falling: false } }));
		return true;
	});

	/* ---- what the report says of itself ---- */

	function tally(rows) {
		const counts = new Map();
		for (const row of rows)
			counts.set(row.result, (counts.get(row.result) || 0) + 1);
		return Array.from(counts.entries()).map(function (pair) {
			return pair[1] + ' ' + pair[0];
		}).join(', ');
	}

	function checks(section) {
		const table = dlt.table('checks');
		if (!table.rows.length)
			return;
		const failed = table.rows.some(function (row) {
			return row.result === 'failed';
		});
		section.append(el('details', { open: failed },
			el('summary', null, 'Checks of the trace against itself: ',
			el('b', { class: failed ? 'bad' : null }, tally(table.rows))),
		dlt.grid({ caption: 'Checks', rows: table.rows, more: table.more, sort: 'result', falling: false,
			first: 20, columns: dlt.plainColumns(table,
				['title', 'result', 'text', 'compared', 'off']) })));
	}

	function exactness(section) {
		const table = dlt.table('exactness');
		if (!table.rows.length)
			return;
		const columns = dlt.plainColumns(table, ['numbers', 'exactness', 'error', 'text', 'where']);
		for (const column of columns)
			if (column.name === 'error')
				column.text = function (row) {
					if (typeof row.error !== 'number')
						return '–';
					return dlt.format[row.unit] ? dlt.show(row.unit, row.error) :
						dlt.show('count', row.error) + (row.unit ? ' ' + row.unit : '');
				};
		section.append(el('details', null,
			el('summary', null, 'Which numbers are exact, which sampled, and their error'),
			dlt.grid({ caption: 'Exactness', columns: columns, rows: table.rows, first: 40 })));
	}

	dlt.section('limits', function (section) {
		const table = dlt.table('limits'), kinds = new Map();
		for (const row of table.rows) {
			if (!kinds.has(row.kind))
				kinds.set(row.kind, []);
			kinds.get(row.kind).push(row);
		}
		const list = el('ul', { class: 'limits' });
		kinds.forEach(function (rows, kind) {
			const lines = rows.map(function (row) {
				const whose = traces.length > 1 && typeof row.trace === 'number' ?
					el('span', { class: 'muted' }, dlt.traceName(row.trace) + ': ') : null;
				return el('li', null, whose, row.text);
			});
			const few = lines.splice(0, 6), part = el('ul', null);
			part.append.apply(part, few);
			const item = el('li', null, el('span', { class: 'badge' }, kind), part);
			if (lines.length) {
				const rest = el('ul', null);
				rest.append.apply(rest, lines);
				item.append(el('details', null, el('summary', null, lines.length + ' more'), rest));
			}
			list.append(item);
		});
		section.append(table.rows.length ? list : el('p', { class: 'none' }, 'Nothing is known that does.'));
		exactness(section);
		checks(section);
		return true;
	});
})();
