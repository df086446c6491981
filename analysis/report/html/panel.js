/* SPDX-License-Identifier: MIT */
/*
 * One panel of curves: a dygraph, its heading and its legend, which shows the values at the cursor.
 *
 * A line is { label, series, colour, context }; times are seconds since the job's begin. Panels share
 * what curves.js owns: the window of time and the cursor.
 */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;
	const Y_WIDTH = 70;
	/* Okabe and Ito's colours; the dash differs too, and the last two are for what is left. */
	const LIGHT = ['#0072b2', '#d55e00', '#007d5b', '#a8437e', '#b07d00', '#2a93c4', '#59626b', '#000000'];
	const DARK = ['#56b4e9', '#ff8c42', '#2cc99a', '#e39ac4', '#f0c04a', '#9ad4f5', '#a5b0bb', '#ffffff'];
	const DASHES = [null, [8, 3], [3, 3], [8, 3, 2, 3], [12, 4], [2, 5], [5, 2, 2, 2, 2, 2], [1, 2]];

	/* The plugins that write HTML of their own are not needed, nor what asks for inline styles. */
	const Plugins = window.Dygraph.Plugins || {};
	window.Dygraph.PLUGINS = (window.Dygraph.PLUGINS || []).filter(function (plugin) {
		return plugin === Plugins.Grid || plugin === Plugins.Axes;
	});

	dlt.darkMode = function () {
		return !dlt.printing && window.matchMedia('(prefers-color-scheme: dark)').matches;
	};

	/* i < 0: what is there for comparison only, as what others on the machine do. */
	dlt.colour = function (i) {
		const all = dlt.darkMode() ? DARK : LIGHT;
		return i < 0 ? all[6] : all[i % all.length];
	};

	dlt.dash = function (i) {
		return i < 0 ? null : DASHES[i % DASHES.length];
	};

	/* Times of a series in seconds, decoded once. */
	dlt.times = function (s) {
		if (!s.x) {
			const shift = dlt.shift(s.trace);
			let at = 0;
			s.x = s.t.map(function (step) {
				at += step;
				return at / 1e6 + shift;
			});
		}
		return s.x;
	};

	/* The last point at or before x; -1: none. */
	function before(x, times) {
		let low = 0, high = times.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (times[middle] <= x)
				low = middle + 1;
			else
				high = middle;
		}
		return low - 1;
	}

	/* What holds at x: a value lasts until the next, the last for 2 % of the time on. */
	dlt.valueAt = function (s, x, slack) {
		const times = dlt.times(s), i = before(x, times);
		if (i < 0 || (i === times.length - 1 && x > times[i] + slack))
			return null;
		return s.v[i];
	};

	dlt.extremes = function (s) {
		if (s.max === undefined) {
			s.min = null;
			s.max = null;
			for (const v of s.v)
				if (v !== null) {
					s.min = s.min === null || v < s.min ? v : s.min;
					s.max = s.max === null || v > s.max ? v : s.max;
				}
		}
		return s;
	};

	/* ---- axes ---- */

	const DECIMAL = [1, 2, 5, 10];
	const CLOCK = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];

	const DURATION = [{ ns: 1e9, name: 's' }, { ns: 1e6, name: 'ms' }, { ns: 1e3, name: 'µs' },
		{ ns: 1, name: 'ns' }];

	function niceStep(span, count, unit) {
		const raw = span / Math.max(count, 1);
		let base = unit === 'bytes' ? Math.pow(2, Math.floor(Math.log2(raw))) :
			Math.pow(10, Math.floor(Math.log10(raw)));
		if (unit === 'bytes')
			return base >= raw ? base : 2 * base;
		if (unit === 'clock' && raw > 1)
			return CLOCK.find(function (step) {
				return step >= raw;
			}) || Math.ceil(raw / 86400) * 86400;
		base *= DECIMAL.find(function (m) {
			return base * m >= raw * 0.999;
		}) || 10;
		return unit === 'count' ? Math.max(1, base) : base;
	}

	/* One form for all of an axis that reaches `to`. */
	function tickText(v, step, unit, to) {
		if (unit === 'clock')
			return to >= 120 && step >= 1 ? clockText(v, step, to) : plain(v, step) + ' s';
		if (unit === 'bytes')
			return dlt.format.bytes(v).replace(/\.0+ /, ' ');
		if (unit === 'ns') {
			const of = DURATION.find(function (one) {
				return to >= one.ns;
			}) || DURATION[DURATION.length - 1];
			return plain(v / of.ns, step / of.ns) + ' ' + of.name;
		}
		return plain(v, step) + (unit === 'percent' ? ' %' : unit === 'watts' ? ' W' : '');
	}

	function plain(v, step) {
		return v.toFixed(Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))));
	}

	/* "4:30 min", "1:05 h". */
	function clockText(v, step, to) {
		const s = Math.round(v), two = function (n) {
			return String(n).padStart(2, '0');
		};
		if (to >= 7200)
			return Math.floor(s / 3600) + ':' + two(Math.floor(s / 60) % 60) +
				(step < 60 ? ':' + two(s % 60) : '') + ' h';
		return Math.floor(s / 60) + (step < 60 ? ':' + two(s % 60) : '') + ' min';
	}

	dlt.ticks = function (from, to, count, unit) {
		const list = [];
		if (!(to > from))
			return list;
		const step = niceStep(to - from, count, unit);
		for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9 && list.length < 100; i++)
			list.push({ v: i * step, label: tickText(i * step, step, unit, to) });
		return list;
	};

	function ticker(unit, room) {
		return function (from, to, pixels) {
			return dlt.ticks(from, to,
				Math.max(unit === 'clock' ? 3 : 2, Math.floor(pixels / room)), unit);
		};
	}

	/* ---- the panel ---- */

	/* [x, y1, y2, ...]: all times, null where a line has no point, NaN where it has a gap. */
	function rowsOf(lines) {
		const all = [];
		for (const line of lines)
			for (const x of dlt.times(line.series))
				all.push(x);
		all.sort(function (a, b) {
			return a - b;
		});
		const rows = [], next = lines.map(function () {
			return 0;
		});
		for (let i = 0; i < all.length; i++) {
			if (i && all[i] === all[i - 1])
				continue;
			const row = [all[i]];
			lines.forEach(function (line, k) {
				const times = dlt.times(line.series);
				let v = null;
				for (; next[k] < times.length && times[next[k]] === all[i]; next[k]++)
					v = line.series.v[next[k]] === null ? NaN : line.series.v[next[k]];
				row.push(v);
			});
			rows.push(row);
		}
		return rows.length === 1 ? [rows[0], [rows[0][0] + 1e-9].concat(rows[0].slice(1))] : rows;
	}

	function swatch(line) {
		const dash = dlt.dash(line.colour),
			picture = dlt.svg('svg', { width: 26, height: 8, 'aria-hidden': 'true', class: 'swatch' },
			dlt.svg('line', { x1: 0, y1: 4, x2: 26, y2: 4,
				'stroke-width': line.context ? 1.2 : 2.5,
				'stroke-dasharray': dash ? dash.join(' ') : 'none' }));
		picture.firstChild.setAttribute('stroke', dlt.colour(line.colour));
		return picture;
	}

	/* { title, help, unit, step, lines } in `curves`; has draw(), window(), cursor(), redraw(). */
	dlt.panel = function (what, curves) {
		const plot = el('div', { class: 'plot' }), mark = el('div', { class: 'cursor', hidden: true }),
			stretch = el('div', { class: 'stretch', hidden: true });
		const legend = el('ul', { class: 'legend' });
		const box = el('div', { class: 'panel' },
			el('div', { class: 'panel-head' }, el('h3', null, what.title), legend),
			el('div', { class: 'plot-box' }, plot, mark, stretch));
		const panel = { element: box, graph: null, visible: what.lines.map(function () {
			return true;
		}) };
		const values = [];

		what.lines.forEach(function (line, i) {
			const value = el('span', { class: 'value' });
			const button = el('button',
				{ type: 'button', 'aria-pressed': 'true', title: line.help || null,
				onclick: function () {
				panel.visible[i] = !panel.visible[i];
				button.setAttribute('aria-pressed', String(panel.visible[i]));
				if (panel.graph)
					panel.graph.setVisibility(i, panel.visible[i]);
				panel.window(curves.from, curves.to);
			} }, swatch(line), el('span', null, line.label), value);
			values.push(value);
			legend.append(el('li', null, button));
		});

		/* From 0 to what is largest in the window. */
		function range(from, to) {
			let top = 0, bottom = 0;
			what.lines.forEach(function (line, i) {
				if (!panel.visible[i])
					return;
				const times = dlt.times(line.series), v = line.series.v;
				for (let k = Math.max(0, before(from, times)); k < v.length &&
					(times[k] <= to || k === 0); k++) {
					/* Samples that come late let a machine seem busier than it can be. */
					const high = line.context && what.unit === 'percent' ?
						Math.min(v[k], 100) : v[k];
					top = high > top ? high : top;
					bottom = v[k] < bottom ? v[k] : bottom;
				}
			});
			return [bottom * 1.05, top > 0 ? top * 1.06 : 1];
		}

		function style() {
			const css = getComputedStyle(document.documentElement);
			return { gridLineColor: css.getPropertyValue('--grid').trim(),
				axisLineColor: css.getPropertyValue('--line').trim() };
		}

		function seriesOptions() {
			const options = {};
			what.lines.forEach(function (line, i) {
				options['y' + i] = { color: dlt.colour(line.colour),
					strokePattern: dlt.dash(line.colour),
					strokeWidth: line.context ? 1 : 1.8 };
			});
			return options;
		}

		panel.draw = function () {
			if (panel.graph)
				return;
			panel.graph = new window.Dygraph(plot, rowsOf(what.lines), Object.assign({
				labels: ['t'].concat(what.lines.map(function (line, i) {
					return 'y' + i;
				})),
				series: seriesOptions(), legend: 'never', connectSeparatedPoints: true,
					stepPlot: what.step === true,
				highlightCircleSize: 0, rightGap: 8, xRangePad: 0, axisLabelFontSize: 12,
					labelsDiv: null, visibility: panel.visible.slice(),
				interactionModel: {}, dateWindow: [curves.from, curves.to],
					valueRange: range(curves.from, curves.to),
				axes: { x: { ticker: ticker('clock', 76), axisLabelWidth: 80, axisTickSize: 7,
					drawGrid: true },
					y: { ticker: ticker(what.unit, 32), axisLabelWidth: Y_WIDTH } },
				underlayCallback: curves.underlay,
			}, style()));
			panel.cursor(curves.at);
		};

		panel.window = function (from, to) {
			if (panel.graph)
				panel.graph.updateOptions({ dateWindow: [from, to], valueRange: range(from, to) });
			panel.cursor(curves.at);
		};

		/* As wide as paper, or (no width) as its place. */
		panel.resize = function (width, height) {
			const size = width ? width + 'px' : '';
			if (plot.style.width === size || !panel.graph)
				return;
			plot.style.width = size;
			plot.style.height = width ? height + 'px' : '';
			panel.graph.resize();
		};

		/* Colours of another scheme. */
		panel.redraw = function () {
			if (panel.graph)
				panel.graph.updateOptions(Object.assign({ series: seriesOptions() }, style()));
			legend.querySelectorAll('svg line').forEach(function (line, i) {
				line.setAttribute('stroke', dlt.colour(what.lines[i].colour));
			});
		};

		panel.cursor = function (x) {
			what.lines.forEach(function (line, i) {
				const v = x === null ? dlt.extremes(line.series).max :
					dlt.valueAt(line.series, x, (curves.end - curves.begin) / 50);
				values[i].textContent = (x === null ? 'max ' : '') + dlt.show(what.unit, v);
			});
			mark.hidden = x === null || !panel.graph || x < curves.from || x > curves.to;
			if (!mark.hidden)
				mark.style.left = panel.graph.toDomXCoord(x) + 'px';
		};

		/* A mouse draws a stretch to zoom into; a finger scrolls the page and sets the cursor by a tap. */
		let drag = null;

		function place(event) {
			return panel.graph.toDataXCoord(event.clientX - plot.getBoundingClientRect().left);
		}

		function showDrag(to) {
			const a = panel.graph.toDomXCoord(Math.min(drag, to)),
				b = panel.graph.toDomXCoord(Math.max(drag, to));
			stretch.hidden = b - a < 4;
			stretch.style.left = a + 'px';
			stretch.style.width = b - a + 'px';
			return b - a >= 4;
		}

		plot.addEventListener('pointerdown', function (event) {
			if (!panel.graph || event.button !== 0)
				return;
			curves.setCursor(place(event));
			if (event.pointerType !== 'mouse')
				return;
			drag = place(event);
			plot.setPointerCapture(event.pointerId);
			event.preventDefault();
		});
		plot.addEventListener('pointermove', function (event) {
			if (!panel.graph || event.pointerType !== 'mouse')
				return;
			curves.setCursor(place(event));
			if (drag !== null)
				showDrag(place(event));
		});
		plot.addEventListener('pointerup', function (event) {
			const from = drag;
			if (from !== null && showDrag(place(event)))
				curves.setWindow(Math.min(from, place(event)), Math.max(from, place(event)));
			drag = null;
			stretch.hidden = true;
		});
		plot.addEventListener('dblclick', function () {
			curves.setWindow(curves.begin, curves.end);
		});
		return panel;
	};
})();
