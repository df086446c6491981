/* SPDX-License-Identifier: MIT */
/* Iterations, epochs and phases, as the tables of these names say. */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;

	dlt.section('iterations', function (section) {
		let any = false;
		for (const name of ['iterations', 'epochs', 'phases']) {
			const table = dlt.table(name);
			if (!table.rows.length)
				continue;
			any = true;
			section.append(el('h3', null, table.title), dlt.plainGrid(name, { grid: { first: 12 } }));
		}
		if (!any)
			section.append(el('p', { class: 'none' }, 'Not found: nothing that repeats was clear enough, and the program ' +
				'told of none (dltrace.h, NVTX).'));
		const ranges = dlt.table('ranges');
		if (ranges.rows.length)
			section.append(el('h3', null, 'What the program named'), dlt.plainGrid('ranges', { columns: ['process', 'domain', 'name',
				'kind', 'count', 'total_ns', 'median_ns', 'min_ns', 'max_ns', 'share_of_wall', 'open'],
				grid: { sort: 'total_ns', first: 12 } }));
		return true;
	});
})();
