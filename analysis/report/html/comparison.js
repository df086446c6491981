/* SPDX-License-Identifier: MIT */
/* Several traces side by side: groups of repeated runs as columns, and what grew. */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;
	const GROUPS_MAX = 8;
	const NAMES = { total: 'total time', epoch: 'an epoch', iteration: 'an iteration', cpu: 'CPU time',
		rss_peak: 'memory, peak',
		heap_peak: 'heap, peak', gpu_peak: 'GPU memory, peak', threads_peak: 'threads, peak' };

	/* A, B, ... for groups whose names would fill a column each. */
	function letter(i) {
		return String.fromCharCode(65 + i % 26) + (i >= 26 ? Math.floor(i / 26) : '');
	}

	function groupsOf(runs) {
		const groups = new Map();
		for (const run of runs) {
			if (!groups.has(run.group))
				groups.set(run.group, { id: run.group, letter: letter(groups.size),
					name: run.name, traces: [], baseline: false });
			const group = groups.get(run.group);
			group.traces.push(dlt.traceName(run.trace) +
				(run.traces > 1 ? ' and ' + (run.traces - 1) + ' more of its job' : ''));
			group.baseline = group.baseline || run.baseline === 1;
		}
		return groups;
	}

	function legend(groups) {
		const list = el('ul', { class: 'groups' });
		groups.forEach(function (g) {
			list.append(el('li', null, el('span', { class: 'badge' }, g.letter), ' ',
				el('span', null, g.name || 'unnamed'),
				el('span', { class: 'muted' },
					' · ' + (g.traces.length === 1 ? '1 run' : g.traces.length + ' runs') +
					(g.baseline ? ', the baseline' : '') + ' · ' +
						g.traces.slice(0, 4).join(', ') +
						(g.traces.length > 4 ? ', …' : ''))));
		});
		return list;
	}

	function quantityName(quantity) {
		if (NAMES[quantity])
			return NAMES[quantity];
		const parts = String(quantity).split(':');
		return parts.length > 1 ? parts.slice(1).join(':') + ' (' + parts[0] + ')' :
			String(quantity).replace(/_/g, ' ');
	}

	/* One row a quantity, its groups' rows by their number. */
	function pivot(rows) {
		const by = new Map();
		for (const row of rows) {
			if (!by.has(row.quantity))
				by.set(row.quantity, { quantity: row.quantity, of: new Map() });
			by.get(row.quantity).of.set(row.group, row);
		}
		return Array.from(by.values()).filter(function (one) {
			return Array.from(one.of.values()).some(function (row) {
				return row.mean;
			});
		});
	}

	/* "+75.5 %", "−30.1 ms": what is nothing has no sign. */
	function signed(unit, v) {
		if (typeof v !== 'number')
			return dlt.show(unit, v);
		const text = dlt.show(unit, Math.abs(v));
		return (/[1-9]/.test(text) ? v > 0 ? '+' : '−' : '') + text;
	}

	/* Of what has grown tenfold a percentage has only digits: "×12.5". */
	function changed(v) {
		if (typeof v !== 'number' || v < 9)
			return signed('fraction', v);
		return '×' + (v < 98.95 ? (v + 1).toFixed(1) : dlt.show('count', Math.round(v + 1)));
	}

	function change(row) {
		if (typeof row.change !== 'number')
			return null;
		const text = changed(row.change);
		const tested = row.significant === 1 ? 'not by chance (p ' + dlt.format.real(row.p_adjusted) + ')' :
			row.significant === 0 ? 'may be chance (p ' + dlt.format.real(row.p_adjusted) + ')' :
				'not tested: too few runs';
		return el('span', { class: 'change' + (row.significant === 1 ? ' sure' : ''), title: tested },
			text + (row.significant === 1 ? ' *' : ''));
	}

	function value(row) {
		if (!row || row.mean === null || row.mean === undefined)
			return el('span', { class: 'muted' }, '–');
		const box = el('span', null, el('b', null, dlt.show(row.unit, row.mean)));
		if (typeof row.low === 'number')
			box.append(el('span', { class: 'muted interval' },
				' ' + dlt.show(row.unit, row.low) + ' to ' + dlt.show(row.unit, row.high)));
		const mark = change(row);
		if (mark)
			box.append(' ', mark);
		return box;
	}

	function columns(groups) {
		const list = [{ name: 'quantity', title: 'mean of', unit: 'text', text: function (one) {
			return quantityName(one.quantity);
		} }];
		Array.from(groups.values()).slice(0, GROUPS_MAX).forEach(function (g) {
			list.push({ name: 'group' + g.id, title: g.letter + (g.baseline ? ' (baseline)' : ''),
				unit: 'real', help: g.name,
				value: function (one) {
					const row = one.of.get(g.id);
					return row ? row.mean : null;
				},
				node: function (one) {
					return value(one.of.get(g.id));
				} });
		});
		return list;
	}

	function mostChanged(rows) {
		return rows.slice().sort(function (a, b) {
			return Math.abs(b.difference_ns) - Math.abs(a.difference_ns);
		});
	}

	dlt.section('comparison', function (section) {
		const runs = dlt.rows('runs'), changes = dlt.table('changes');
		if (dlt.rows('traces').length < 2 || !runs.length)
			return false;
		const groups = groupsOf(runs), comparison = dlt.table('comparison');
		section.append(legend(groups),
			dlt.grid({ caption: 'Means of the groups', columns: columns(groups),
			rows: pivot(comparison.rows), more: 0,
			first: 16 }), el('p', { class: 'note' },
				'95 % intervals where a group has several runs. Changes are against the baseline; ' +
			'a * says that chance alone hardly makes them.'));
		if (groups.size > GROUPS_MAX)
			section.append(el('p', { class: 'note' },
				groups.size - GROUPS_MAX +
				' more groups are in the table comparison of the other formats.'));
		if (changes.rows.length)
			section.append(el('h3', null, 'What changed'),
				dlt.grid({ caption: 'What changed', rows: mostChanged(changes.rows),
				more: changes.more, first: 12, columns: [{ name: 'name', title: 'what', unit: 'text',
					text: function (row) {
						return row.what === 'layer' ? dlt.layerName(row.name) : row.name;
					} },
					{ name: 'what', title: 'kind', unit: 'text' },
					{ name: 'group', title: 'in', unit: 'text', value: function (row) {
						return groups.has(row.group) ? groups.get(row.group).letter :
							String(row.group);
					} }].concat(dlt.plainColumns(changes,
						['before_ns', 'after_ns', 'difference_ns', 'change', 'p',
						'significant']).map(function (c) {
						return /^(difference_ns|change)$/.test(c.name) ? Object.assign(c,
							{ text: function (row) {
								return c.name === 'change' ? changed(row.change) :
									signed(c.unit, row[c.name]);
							} }) : c;
					})) }));
		return true;
	});
})();
