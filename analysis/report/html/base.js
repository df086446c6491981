/* SPDX-License-Identifier: MIT */
/*
 * The data of the page, and the few functions by which everything else makes elements.
 *
 * Whatever comes from a trace becomes a text node or an attribute's value, never HTML: nothing here
 * parses any, and the policy below makes plain text of what dygraphs hands to innerHTML.
 */
(function () {
	'use strict';

	if (window.trustedTypes)
		window.trustedTypes.createPolicy('default', {
			createHTML: function (text) {
				return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
			},
		});

	const data = JSON.parse(document.getElementById('data').textContent);
	const dlt = window.dlt = { data: data, sections: [] };
	const objects = new Map();

	/* A table: { name, title, columns: [{ name, title, unit, help }], rows: [object], more }. */
	dlt.table = function (name) {
		if (!objects.has(name)) {
			const raw = Object.prototype.hasOwnProperty.call(data.tables, name) ? data.tables[name]
				: { title: name, columns: [], rows: [], more: 0 };
			const columns = raw.columns.map(function (c) {
				return { name: c[0], title: c[1], unit: c[2], help: c[3] };
			});
			const rows = raw.rows.map(function (cells) {
				const row = {};
				for (let i = 0; i < columns.length; i++)
					row[columns[i].name] = cells[i];
				return row;
			});
			objects.set(name, { name: name, title: raw.title, columns: columns, rows: rows,
				more: raw.more });
		}
		return objects.get(name);
	};

	/* What a table shows of a kernel's name; anything else as it is. */
	dlt.shortName = function (name) {
		return Object.prototype.hasOwnProperty.call(data.short_names, name) ? data.short_names[name] : name;
	};

	dlt.rows = function (name) {
		return dlt.table(name).rows;
	};

	/* el('p', { class: 'x', onclick: f }, 'text', child): attributes by name, `on...` are listeners. */
	dlt.el = function (tag, attributes) {
		const node = document.createElement(tag);
		for (const key of Object.keys(attributes || {})) {
			const value = attributes[key];
			if (value === null || value === undefined || value === false)
				continue;
			if (key.startsWith('on'))
				node.addEventListener(key.slice(2), value);
			else
				node.setAttribute(key, value === true ? '' : value);
		}
		for (let i = 2; i < arguments.length; i++)
			if (arguments[i] !== null && arguments[i] !== undefined)
				node.append(arguments[i]);
		return node;
	};

	const SVG = 'http://www.w3.org/2000/svg';
	dlt.svg = function (tag, attributes) {
		const node = document.createElementNS(SVG, tag);
		for (const key of Object.keys(attributes))
			node.setAttribute(key, attributes[key]);
		for (let i = 2; i < arguments.length; i++)
			node.append(arguments[i]);
		return node;
	};

	let ids = 0;
	dlt.id = function (prefix) {
		return prefix + '-' + ++ids;
	};

	/* ---- names ---- */

	const processes = new Map();
	for (const p of dlt.rows('processes'))
		processes.set(p.process, p);

	dlt.process = function (id) {
		return processes.get(id);
	};

	/* Seconds to add to times of a trace, so that hosts of one job are on one axis. */
	dlt.shift = function (trace) {
		const t = dlt.rows('traces').find(function (row) {
			return row.trace === trace;
		});
		return t && t.shift_ns ? t.shift_ns / 1e9 : 0;
	};

	dlt.shiftOf = function (process) {
		const p = processes.get(process);
		return p ? dlt.shift(p.trace) : 0;
	};

	dlt.baseName = function (path) {
		return String(path).replace(/\/+$/, '').replace(/^.*\//, '') || String(path);
	};

	/* "python3 (1234)", with its rank where it has one, and its trace where that is not told beside. */
	dlt.processName = function (id, toldBeside) {
		const p = processes.get(id);
		if (!p)
			return id === null || id === undefined ? 'the run' : 'process ' + id;
		const name = (dlt.rows('traces').length > 1 && !toldBeside ? dlt.traceName(p.trace) + ': ' : '') +
			dlt.baseName(p.name || 'process') +
			(p.pid === null || p.pid === undefined ? '' : ' (' + p.pid + ')');
		return p.rank === null || p.rank === undefined ? name : 'rank ' + p.rank + ' · ' + name;
	};

	/* A line that breaks between words only, as the browser takes a hyphen of an option for a place to break. */
	dlt.words = function (text) {
		return String(text).split(/( +)/).map(function (part, i) {
			return i % 2 ? part : dlt.el('span', { class: 'word' }, part);
		});
	};

	/* A command line as one would type it. */
	dlt.command = function (words) {
		if (!Array.isArray(words))
			return words ? String(words) : '';
		return words.map(function (word) {
			const text = String(word);
			return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text + "'";
		}).join(' ');
	};

	const signals = { 1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE',
		9: 'SIGKILL', 11: 'SIGSEGV', 13: 'SIGPIPE', 14: 'SIGALRM', 15: 'SIGTERM' };

	/* { text, bad } of an exit. */
	dlt.exit = function (exit) {
		if (!exit || exit.unknown)
			return { text: 'end unknown', bad: false };
		if (exit.signal !== undefined && exit.signal !== null)
			return { text: signals[exit.signal] || 'signal ' + exit.signal, bad: true };
		return { text: 'exit ' + exit.status, bad: exit.status !== 0 };
	};

	/* Sections register themselves; page.js calls them in order. */
	dlt.section = function (id, fill) {
		dlt.sections.push({ id: id, fill: fill });
	};
})();
