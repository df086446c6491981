/* SPDX-License-Identifier: MIT */
/*
 * Where the time goes: the table `breakdown` by function, library, layer, phase and more, filtered.
 *
 * Layers are never added up: by function and by layer a share is that of the outermost time of its
 * layer among the rows that are looked at; by anything else it is of *own* time, calls less the
 * intercepted calls in them, which counts nothing twice.
 */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;
	const LAYERS = { runtime: 'CUDA runtime', driver: 'CUDA driver', gpu: 'GPU', nccl: 'NCCL', mpi: 'MPI',
		gloo: 'Gloo', network: 'network sockets', blas: 'BLAS',
		dnn: 'oneDNN', openmp: 'OpenMP', opencl: 'OpenCL' };
	const GROUPS = [
		{ id: 'function', title: 'Function', keys: ['layer', 'function'] },
		{ id: 'library', title: 'Library', keys: ['library'] },
		{ id: 'layer', title: 'Layer', keys: ['layer'] },
		{ id: 'phase', title: 'Phase', keys: ['phase'] },
		{ id: 'kind', title: 'Kind of work', keys: ['kind'] },
		{ id: 'framework', title: 'Framework', keys: ['framework'] },
		{ id: 'process', title: 'Process', keys: ['process'] },
		{ id: 'none', title: 'Nothing',
			keys: ['process', 'framework', 'layer', 'library', 'function', 'phase', 'device'] },
	];
	const FILTERS = [['layer', 'Layer'], ['phase', 'Phase'], ['process', 'Process']];
	const state = { group: GROUPS[0], text: '', layer: '', phase: '', process: '', trace: '' };

	function nameOf(key, value) {
		if (value === null || value === undefined || value === '')
			return key === 'library' ? 'unknown' : '–';
		if (key === 'process')
			return dlt.processName(value);
		return key === 'layer' && LAYERS[value] ? LAYERS[value] : key === 'library' ?
			dlt.baseName(value) : String(value);
	}

	dlt.layerName = function (layer) {
		return nameOf('layer', layer);
	};

	function own(row) {
		return row.self_ns || 0;
	}

	/* By phase only calls with a duration; nested ones have own time alone. */
	function byPhase() {
		return dlt.rows('phase_functions').filter(function (row) {
			return row.self_ns !== null;
		}).map(function (row) {
			return Object.assign({ total_ns: row.outer_ns }, row);
		});
	}

	function source() {
		return state.group.id === 'phase' || state.phase !== '' ? byPhase() : dlt.rows('breakdown');
	}

	/* Rows of what is looked at; the text only decides what of it is shown. */
	function looked() {
		return source().filter(function (row) {
			return FILTERS.every(function (f) {
				return state[f[0]] === '' || String(row[f[0]]) === state[f[0]];
			});
		});
	}

	function matches(group) {
		const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
		const text = group.search.toLowerCase();
		return words.every(function (word) {
			return text.indexOf(word) >= 0;
		});
	}

	function empty(row) {
		const group = { first: row, rows: 0, calls: 0, failed: 0, outer: 0, own: 0, bytes: 0,
			total: 0, max: null, min: null, mean: null,
			median: null, p99: null, search: '' };
		for (const key of ['process', 'framework', 'layer', 'library', 'function', 'phase', 'device', 'kind'])
			group[key] = row[key] === undefined ? null : row[key];
		return group;
	}

	function add(group, row) {
		group.rows++;
		group.calls += row.calls || 0;
		group.failed += row.failed || 0;
		group.outer += row.outer_ns === null || row.outer_ns === undefined ? row.total_ns || 0 : row.outer_ns;
		group.own += own(row);
		group.total += row.total_ns || 0;
		group.bytes += row.bytes || 0;
		group.max = typeof row.max_ns === 'number' && (group.max === null || row.max_ns > group.max) ?
			row.max_ns : group.max;
		group.min = typeof row.min_ns === 'number' && (group.min === null || row.min_ns < group.min) ?
			row.min_ns : group.min;
		group.p99 = group.rows === 1 ? row.p99_ns : null;
		group.median = group.rows === 1 ? row.median_ns : null;
		group.waiting = row.waiting;
		if (group.search.length < 4000)
			group.search += [row.function, row.library, nameOf('layer', row.layer), row.kind,
				row.framework].join(' ') + ' ';
	}

	function grouped() {
		const groups = new Map(), layers = new Map();
		let sum = 0;
		for (const row of looked()) {
			const key = JSON.stringify(state.group.keys.map(function (k) {
				return row[k];
			}));
			if (!groups.has(key))
				groups.set(key, empty(row));
			add(groups.get(key), row);
		}
		groups.forEach(function (g) {
			g.mean = g.calls ? g.total / g.calls : null;
			sum += g.own;
			layers.set(g.layer, (layers.get(g.layer) || 0) + g.outer);
		});
		groups.forEach(function (g) {
			const all = byLayer() ? layers.get(g.layer) : sum;
			g.share = all ? (byLayer() ? g.outer : g.own) / all : null;
		});
		return Array.from(groups.values()).filter(matches);
	}

	function byLayer() {
		return state.group.id === 'function' || state.group.id === 'none';
	}

	function column(name, title, unit, help, value) {
		return { name: name, title: title, unit: unit, help: help, value: value };
	}

	function keyColumn(key) {
		const column = { name: key, title: key, unit: 'text', value: function (g) {
			return g[key] === null || g[key] === undefined ? null : nameOf(key, g[key]);
		} };
		if (key === 'function')
			column.node = function (g) {
				return el('span', { class: 'function', title: g.function },
					dlt.shortName(String(g.function)),
					g.waiting ? el('span', { class: 'badge wait',
						title: 'its time is waiting, not work' }, 'wait') : '');
			};
		return column;
	}

	function hasAny(rows, name) {
		return rows.some(function (g) {
			return g[name];
		});
	}

	function columns(rows) {
		const keys = state.group.keys.slice().sort(function (a, b) {
			return (b === 'function') - (a === 'function');
		}).filter(function (key) {
			return state.group.keys.length === 1 || rows.some(function (g) {
				return g[key] !== null && g[key] !== undefined;
			});
		});
		const share = column('share', 'share', 'fraction',
			byLayer() ? 'of the outermost time of its layer, in what is looked at'
			: 'of the time inside all intercepted calls, calls in calls counted once');
		share.share = function (g) {
			return g.share;
		};
		const list = keys.map(keyColumn).concat([share,
			byLayer() ? column('outer', 'time', 'ns', 'of outermost calls') :
				column('own', 'own time', 'ns',
				'inside the calls, less that of intercepted calls in them'),
			column('calls', 'calls', 'count', 'how many'), column('mean', 'mean', 'ns', 'of all calls')]);
		if (byLayer())
			list.push(column('p99', '99 %', 'ns',
				'99 of 100 calls are at most this long; not known for several rows in one'));
		list.push(column('max', 'longest', 'ns', 'the longest call'));
		if (hasAny(rows, 'bytes'))
			list.push(column('bytes', 'bytes', 'bytes', 'asked for or copied'));
		if (hasAny(rows, 'failed'))
			list.push(column('failed', 'failed', 'count', 'calls that returned an error'));
		return list;
	}

	function values(key) {
		const seen = new Map();
		for (const row of key === 'phase' ? byPhase() : dlt.rows('breakdown'))
			if (row[key] !== null && row[key] !== undefined)
				seen.set(String(row[key]), nameOf(key, row[key]));
		return Array.from(seen.entries()).sort(function (a, b) {
			return a[1].localeCompare(b[1], 'en', { numeric: true });
		});
	}

	function controls(update) {
		const bar = el('div', { class: 'toolbar' }),
			groups = el('span', { class: 'buttons', role: 'group', 'aria-label': 'By' },
			el('span', { class: 'muted' }, 'By'));
		for (const group of GROUPS) {
			if (group.id !== 'none' && group.id !== 'function' && !values(group.keys[0]).length)
				continue;
			const button = el('button',
				{ type: 'button', 'aria-pressed': String(group === state.group),
				onclick: function () {
				state.group = group;
				groups.querySelectorAll('button').forEach(function (b) {
					b.setAttribute('aria-pressed', String(b === button));
				});
				update();
			} }, group.title);
			groups.append(button);
		}
		bar.append(groups);
		for (const filter of FILTERS) {
			const options = values(filter[0]);
			if (options.length < 2)
				continue;
			const id = dlt.id('filter'), box = el('select', { id: id, onchange: function () {
				state[filter[0]] = box.value;
				update();
			} }, el('option', { value: '' }, 'all'));
			for (const option of options)
				box.append(el('option', { value: option[0] }, option[1]));
			bar.append(el('span', { class: 'choice' }, el('label', { for: id }, filter[1]), box));
		}
		const id = dlt.id('filter'), text = el('input',
			{ id: id, type: 'search', placeholder: 'cudaMalloc, blas, …', autocomplete: 'off',
			spellcheck: 'false', oninput: function () {
				state.text = text.value;
				update();
			} });
		bar.append(el('span', { class: 'choice' }, el('label', { for: id }, 'Containing'), text));
		return bar;
	}

	/* ---- kinds of work: a bar for each trace and place ---- */

	const KINDS = ['compute', 'launch', 'copy', 'allocate', 'synchronise', 'wait', 'communicate',
		'initialise', 'other', 'transfer'];	/* by tone, in page.css */

	function kindBar(rows, name) {
		const bar = el('div', { class: 'kinds', 'aria-hidden': 'true' }),
			list = el('ul', { class: 'kind-list' });
		for (const row of rows) {
			const tone = KINDS.indexOf(KINDS.includes(row.kind) ? row.kind : 'other'),
				part = el('span', { class: 'kind tone-' + tone, title: row.kind });
			part.style.width = 100 * (row.share || 0) + '%';
			if (row.share > 0.12)
				part.append(el('span', null, row.kind));
			bar.append(part);
			list.append(el('li', null,
				el('span', { class: 'dot kind tone-' + tone, 'aria-hidden': 'true' }), row.kind + ' ',
				el('b', null, dlt.show('fraction', row.share)),
					el('span', { class: 'muted' }, ' ' + dlt.show('ns', row.self_ns) + ', ' +
					dlt.show('count', row.calls) + (row.calls === 1 ? ' call' : ' calls'))));
		}
		return el('div', { class: 'kind-row' }, name ? el('p', { class: 'kind-name' }, name) : '', bar, list);
	}

	function kinds(section) {
		const rows = dlt.rows('kinds'), traces = dlt.rows('traces');
		if (!rows.length)
			return;
		for (const t of traces)
			for (const where of ['host', 'gpu']) {
				const own = rows.filter(function (row) {
					return row.trace === t.trace && row.where === where;
				});
				if (own.length)
					section.append(kindBar(own,
						(traces.length > 1 ? dlt.traceName(t.trace) + ' · ' : '') +
						(where === 'gpu' ? 'on the GPU' : 'in calls of the program')));
			}
	}

	function others(section) {
		const parts = [
			['kernels', ['process', 'kernel', 'library', 'launches', 'grid', 'block', 'total_ns',
				'mean_ns', 'gpu_runs', 'gpu_total_ns',
				'gpu_mean_ns'], 'gpu_total_ns', 'GPU kernels'],
			['graphs', null, 'total_ns', 'CUDA graphs'],
			['gpu_work', ['process', 'device', 'kernels', 'copies', 'bytes', 'kernel_ns',
				'copy_ns', 'busy_ns', 'busy_share', 'idle_gaps',
				'idle_ns', 'longest_idle_ns', 'mean_wait_ns'], 'busy_ns', 'Work of the GPU'],
			['phase_gpu_work', null, 'busy_ns', 'Work of the GPU by phase'],
			['communication', ['process', 'layer', 'communicator', 'rank', 'function', 'calls',
				'bytes', 'total_ns', 'mean_ns', 'max_ns',
				'share_of_wall', 'bytes_per_second'], 'total_ns', 'Communication'],
			['phase_communication', ['process', 'phase', 'layer', 'communicator', 'function', 'calls',
				'bytes', 'total_ns', 'mean_ns', 'share',
				'bytes_per_second'], 'total_ns', 'Communication by phase'],
		];
		for (const part of parts) {
			const table = dlt.table(part[0]);
			if (!table.rows.length)
				continue;
			const names = table.columns.map(function (c) {
				return c.name;
			});
			const columns = part[1] ? dlt.plainColumns(table, part[1]) : dlt.plainColumns(table);
			if (part[0] === 'kernels')
				columns.sort(function (a, b) {
					return (b.name === 'kernel') - (a.name === 'kernel');
				});
			section.append(el('h3', null, part[3]),
				dlt.grid({ caption: part[3], columns: columns, rows: table.rows, more: table.more,
				sort: names.indexOf(part[2]) >= 0 ? part[2] : 'total_ns', first: 12 }));
		}
	}

	dlt.section('breakdown', function (section) {
		const table = dlt.table('breakdown');
		if (!table.rows.length) {
			section.append(el('p', { class: 'none' }, 'No call was recorded that is intercepted.'));
			others(section);
			return true;
		}
		const note = el('p', { class: 'note' }), live = el('p', { class: 'hidden', 'aria-live': 'polite' });
		const grid = dlt.grid({ caption: 'Time by function', columns: [], rows: [], sort: 'share',
			more: table.more,
			empty: 'Nothing fits the filter.' });
		function update() {
			const rows = grouped();
			note.textContent = byLayer() ?
				'A share is of the summed outermost time of its layer in all threads looked at.'
				: 'Own time: inside calls, less that of other calls in them: nothing counts twice.';
			grid.update({ columns: columns(rows), rows: rows, all: false });
			live.textContent = rows.length + ' rows';
		}
		kinds(section);
		section.append(controls(update), note, live, grid);
		update();
		others(section);
		return true;
	});
})();
