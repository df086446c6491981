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

	const PARTS = [
		{ table: 'phases', bar: 'duration_ns' },
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
