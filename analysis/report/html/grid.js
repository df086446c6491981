/* SPDX-License-Identifier: MIT */
/*
 * Tables that sort: a button in each heading, aria-sort on it, "show all" below what is long.
 *
 * A column: { name, title, help, unit, value(row), text(row), node(row), share(row) }; without `value`
 * the row's member of that name. `share` draws a bar of that part of the cell's width.
 */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;
	const FIRST = 25;
	const TEXT = { text: true, tree: true };

	function isText(column) {
		return TEXT[column.unit] === true;
	}

	/* A number's column that says of each row another unit: 'row', by the row's member `unit`. */
	function valueOf(column, row) {
		return column.value ? column.value(row) : row[column.name];
	}

	function textOf(column, row) {
		return column.text ? column.text(row) :
			dlt.show(column.unit === 'row' ? row.unit : column.unit, valueOf(column, row));
	}

	function nothing(v) {
		return v === null || v === undefined || v === '';
	}

	/* Unknown ones last, whichever the direction. */
	function comparison(column, falling) {
		const turn = falling ? -1 : 1;
		return function (a, b) {
			const x = valueOf(column, a), y = valueOf(column, b);
			if (nothing(x) || nothing(y))
				return nothing(x) - nothing(y);
			if (typeof x === 'number' && typeof y === 'number')
				return turn * (x - y);
			return turn * String(textOf(column, a)).localeCompare(String(textOf(column, b)), 'en',
				{ numeric: true });
		};
	}

	function cell(column, row, first) {
		const td = el(first ? 'th' : 'td',
			{ scope: first ? 'row' : null, class: isText(column) ? 'text' : 'number' });
		if (column.node) {
			td.append(column.node(row));
			return td;
		}
		const text = textOf(column, row), shown = isText(column) ? dlt.shortName(text) : text;
		if (column.share) {
			const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
			const part = column.share(row);
			bar.style.width = 100 * Math.min(Math.max(part || 0, 0), 1) + '%';
			td.classList.add('barred');
			td.append(bar);
		}
		td.append(el('span', { class: shown.length > 60 ? 'long' : null,
			title: shown !== text || text.length > 60 ? text : null }, shown));
		return td;
	}

	/*
	 * options: { caption, columns, rows, sort, falling, empty, first, fixed }. Returns an element with
	 * `update({ columns, rows })`. `fixed`: the rows are of different kinds, so nothing sorts them.
	 */
	dlt.grid = function (options) {
		const box = el('div', { class: 'grid' });
		const state = { sort: options.sort, falling: options.falling !== false, all: false,
			columns: options.columns, rows: options.rows };

		function sorted() {
			const column = state.columns.find(function (c) {
				return c.name === state.sort;
			});
			return column ? state.rows.slice().sort(comparison(column, state.falling)) : state.rows;
		}

		function sortBy(column) {
			if (state.sort === column.name)
				state.falling = !state.falling;
			else
				state.falling = !isText(column);
			state.sort = column.name;
			draw();
			const again = box.querySelector('[data-column="' + CSS.escape(column.name) + '"]');
			if (again)
				again.focus();
		}

		function heading(column) {
			const on = column.name === state.sort, kind = isText(column) ? 'text' : 'number';
			if (options.fixed)
				return el('th', { scope: 'col', class: kind + ' fixed', title: column.help || null },
					column.title);
			const arrow = el('span', { class: 'arrow', 'aria-hidden': 'true' },
				on ? state.falling ? '▼' : '▲' : '');
			const button = el('button',
				{ type: 'button', 'data-column': column.name, title: column.help || null,
				onclick: function () {
					sortBy(column);
				} }, column.title, arrow);
			return el('th', { scope: 'col', class: kind,
				'aria-sort': on ? state.falling ? 'descending' : 'ascending' : 'none' }, button);
		}

		function body(rows) {
			const part = el('tbody');
			for (const row of rows) {
				const tr = el('tr', { class: options.rowClass ? options.rowClass(row) : null });
				state.columns.forEach(function (column, i) {
					tr.append(cell(column, row, i === 0));
				});
				part.append(tr);
			}
			return part;
		}

		function more(count, shown) {
			const text = state.all ? 'Show fewer' : 'Show all ' + dlt.format.count(count) + ' rows';
			return el('button', { type: 'button', class: 'more', onclick: function () {
				state.all = !state.all;
				draw();
				box.querySelector('.more').focus();
			} }, text, count > shown ?
				el('span', { class: 'muted' }, ' (' + (count - shown) + ' more)') : null);
		}

		function draw() {
			const rows = sorted(), first = options.first || FIRST;
			const shown = state.all || rows.length <= first + 3 ? rows : rows.slice(0, first);

			box.textContent = '';
			if (!rows.length) {
				box.append(el('p', { class: 'none' }, options.empty || 'none'));
				return;
			}
			const head = el('tr');
			for (const column of state.columns)
				head.append(heading(column));
			const table = el('table', null, el('caption', { class: 'hidden' }, options.caption),
				el('thead', null, head),
				body(shown));
			box.append(el('div', { class: 'scroll', tabindex: '0', role: 'region',
				'aria-label': options.caption }, table));
			if (rows.length > first + 3)
				box.append(more(rows.length, shown.length));
			if (options.more)
				box.append(el('p', { class: 'note' },
					dlt.format.count(options.more) + ' more rows are not in this page: ' +
					'-o tables.csv/ has them all.'));
		}

		box.update = function (changes) {
			Object.assign(state, changes);
			draw();
		};
		draw();
		return box;
	};

	/*
	 * Columns of a table of the report, all or those wanted in that order, but for those without any value;
	 * processes go by name.
	 */
	dlt.plainColumns = function (table, wanted) {
		const chosen = wanted ? wanted.map(function (name) {
			return table.columns.find(function (c) {
				return c.name === name;
			});
		}).filter(Boolean) : table.columns;
		return chosen.filter(function (c) {
			return !table.rows.length || table.rows.some(function (row) {
				return !nothing(row[c.name]);
			});
		}).map(function (c) {
			const column = { name: c.name, title: c.title, unit: c.unit, help: c.help };
			if (c.name === 'process') {
				column.unit = 'text';
				column.value = function (row) {
					return row.process === null ? null : dlt.processName(row.process);
				};
			}
			return column;
		});
	};

	dlt.plainGrid = function (name, options) {
		const table = dlt.table(name);
		return dlt.grid(Object.assign({ caption: table.title,
			columns: dlt.plainColumns(table, (options || {}).columns),
			rows: table.rows, more: table.more }, options && options.grid));
	};
})();
