/* SPDX-License-Identifier: MIT */
/* Iterations, epochs and phases, as the tables of these names say. */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;

	function found(row) {
		return typeof row.count === 'number';
	}

	/* What the report says of each in words; those without a result are told together. */
	function words(section, rows) {
		const list = el('ul', { class: 'cards plain' }), missing = rows.filter(function (row) {
			return !found(row);
		});
		for (const row of rows.filter(found).slice(0, 8))
			if (row.text)
				list.append(el('li', { class: 'card' },
					el('p', null, el('b', null, dlt.processName(row.process) + ': '), row.text)));
		if (list.childNodes.length)
			section.append(list);
		if (missing.length && missing.length < rows.length)
			section.append(el('p', { class: 'note' },
				'Not found in ' + missing.length +
				(missing.length === 1 ? ' process: ' : ' processes: ') +
				missing.slice(0, 5).map(function (row) {
					return dlt.processName(row.process);
				}).join(', ') + (missing.length > 5 ? ', …' : '') + '.'));
	}

	function nothing(section, rows) {
		const said = rows.length === 1 && rows[0].text ?
			String(rows[0].text).replace(/^not found:? */i, '') : '';
		section.append(el('p', { class: 'none' }, 'Not found: ' + (said ||
			'nothing repeats clearly enough, and the program tells of no steps (dltrace.h, NVTX)') + '.'));
	}

	/* Bars for a column, by its largest value. */
	function barred(columns, name, rows) {
		const most = rows.reduce(function (m, row) {
			return Math.max(m, row[name] || 0);
		}, 0);
		for (const column of columns)
			if (column.name === name)
				column.share = function (row) {
					return most ? row[name] / most : 0;
				};
		return columns;
	}

	/* ---- phases: one column each, since there are few of them and much to say of each ---- */

	const SUMS = { ns: true, count: true, bytes: true }, NO_PARTS = /^border_ns$|_peak_bytes$/;

	/* A row of what a column of the table says, with the part that each phase has of it as a bar. */
	function quantity(column, rows) {
		const values = rows.map(function (row) {
			return row[column.name];
		});
		const all = values.reduce(function (sum, value) {
			return sum + (typeof value === 'number' ? value : 0);
		}, 0);
		return { what: column.title, help: column.help, unit: column.unit, values: values,
			all: SUMS[column.unit] && !NO_PARTS.test(column.name) ? all : 0 };
	}

	function phaseColumn(row, i) {
		const column = { name: 'phase' + i, title: row.phase, unit: 'row', help: row.how };
		column.value = function (one) {
			return one.values[i];
		};
		column.share = function (one) {
			return one.all ? one.values[i] / one.all : 0;
		};
		return column;
	}

	function phasesOf(section, table, rows) {
		const quantities = table.columns.filter(function (c) {
			return ['process', 'phase', 'how'].indexOf(c.name) < 0;
		}).map(function (c) {
			return quantity(c, rows);
		}).filter(function (one) {
			return one.values.some(function (v) {	/* what it never did takes no room */
				return v;
			});
		});
		const what = { name: 'what', title: dlt.processName(rows[0].process), unit: 'text',
			node: function (one) {
				return el('span', { title: one.help || null }, one.what);
			} };
		section.append(dlt.grid({ caption: table.title + ' of ' + what.title, fixed: true,
			rows: quantities, first: quantities.length, columns: [what].concat(rows.map(phaseColumn)) }),
			el('p', { class: 'note' }, rows.map(function (row) {
				return row.phase + ': ' + row.how;
			}).join('; ') + '.'));
	}

	/* Few processes have phases of their own: ranks. The first ones stand for the others. */
	function phases(section) {
		const table = dlt.table('phases'), by = new Map(), most = 4;
		for (const row of table.rows)
			by.set(row.process, (by.get(row.process) || []).concat([row]));
		if (!by.size)
			return;
		section.append(el('h3', null, table.title));
		Array.from(by.values()).slice(0, most).forEach(function (rows) {
			phasesOf(section, table, rows);
		});
		if (by.size > most)
			section.append(el('p', { class: 'note' }, dlt.format.count(by.size - most) +
				' more processes have phases; --table phases has them all.'));
	}

	const PARTS = [
		{ table: 'epochs', bar: 'median_ns' },
		{ table: 'slow_iterations', bar: 'extra_ns', sort: 'extra_ns' },
	];

	dlt.section('iterations', function (section) {
		const table = dlt.table('iterations'), rows = table.rows.filter(found);

		if (rows.length) {
			words(section, table.rows);
			section.append(dlt.grid({ caption: 'Iterations', rows: rows, more: table.more,
				columns: dlt.plainColumns(table, ['process', 'count',
				'median_ns', 'stddev_ns', 'p95_ns', 'max_ns',
					'per_second', 'warm_up', 'slow', 'evaluations', 'how',
				'confidence']) }));
		} else {
			nothing(section, table.rows);
		}
		phases(section);
		for (const part of PARTS) {
			const one = dlt.table(part.table);
			if (one.rows.length)
				section.append(el('h3', null, one.title),
					dlt.grid({ caption: one.title, rows: one.rows, more: one.more,
					sort: part.sort, first: 12,
					columns: barred(dlt.plainColumns(one), part.bar, one.rows) }));
		}
		const ranges = dlt.table('ranges');
		if (ranges.rows.length)
			section.append(el('h3', null, 'What the program named'),
				dlt.plainGrid('ranges', { columns: ['process', 'domain', 'name',
				'kind', 'count', 'total_ns', 'median_ns', 'min_ns', 'max_ns', 'share_of_wall',
					'open'],
				grid: { sort: 'total_ns', first: 12 } }));
		return true;
	});
})();
