/* SPDX-License-Identifier: MIT */
/* Curves on one axis of time: panels by what they measure, one window, one cursor for all. */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;

	/* Panels in order; a series goes to the first that names it. `unless`: not beside that one. */
	const PANELS = [
		{ title: 'Threads', unit: 'count', step: true, names: ['threads', 'runnable'] },
		{ title: 'CPU', unit: 'percent', names: ['cpu_percent', 'cpu_limit_percent', 'machine_cpu_percent'] },
		{ title: 'CPU, cores', unit: 'cores', names: ['cpu_cores'], unless: 'cpu_percent' },
		{ title: 'Memory of the machine', unit: 'percent', names: ['run_ram_percent', 'ram_percent'] },
		{ title: 'Memory', unit: 'bytes',
			names: ['rss_bytes', 'pss_bytes', 'rss_file_bytes', 'rss_shmem_bytes', 'cgroup_bytes'] },
		{ title: 'Heap and mappings', unit: 'bytes',
			names: ['heap_bytes', 'mapped_bytes', 'pinned_bytes', 'registered_bytes'] },
		{ title: 'GPU memory', unit: 'bytes', step: true,
			names: ['gpu_reserved_bytes', 'gpu_used_bytes', 'gpu_nvml_bytes', 'gpu_device_bytes',
			'gpu_async_bytes', 'gpu_physical_bytes', 'gpu_array_bytes', 'gpu_managed_bytes',
				'opencl_bytes'] },
		{ title: 'GPU memory by library', unit: 'bytes', step: true, names: ['gpu_library_bytes'] },
		{ title: 'GPU utilisation', unit: 'percent', names: ['gpu_percent', 'gpu_busy_percent'] },
		{ title: 'One iteration', unit: 'ns', names: ['iteration_ns'] },
		{ title: 'Power', unit: 'watts', names: ['gpu_watts', 'cpu_watts'] },
	];
	const SHORT = { threads: 'threads', runnable: 'runnable tasks', cpu_percent: 'the run',
		cpu_limit_percent: 'of its limit',
		machine_cpu_percent: 'everybody', cpu_cores: 'cores', run_ram_percent: 'the run',
			ram_percent: 'everybody',
		rss_bytes: 'resident', pss_bytes: 'proportional', rss_file_bytes: 'files', rss_shmem_bytes: 'shared',
		cgroup_bytes: 'cgroup', heap_bytes: 'live heap', mapped_bytes: 'mappings',
			pinned_bytes: 'page-locked',
		registered_bytes: 'registered', gpu_reserved_bytes: 'reserved', gpu_used_bytes: 'in use, by all',
		gpu_nvml_bytes: 'NVML', gpu_percent: 'utilisation', gpu_busy_percent: 'busy',
			gpu_watts: 'GPU', cpu_watts: 'CPU',
		iteration_ns: 'an iteration' };
	/* What the machine does, beside the run: drawn thin and grey. */
	const CONTEXT = ['runnable', 'machine_cpu_percent', 'ram_percent', 'cgroup_bytes', 'gpu_used_bytes'];
	const LINES_MAX = 8;
	const PAPER = [680, 120];	/* of a panel in print: within the margins of A4 and Letter */

	const curves = { begin: 0, end: 1, from: 0, to: 1, at: null, panels: [], whose: 'run', trace: null };
	let place, strip, readout, said, list;

	/* ---- which series ---- */

	function ofTrace(s) {
		return curves.trace === null || s.trace === curves.trace;
	}

	function wanted(s, panel) {
		if (panel.names.indexOf(s.name) < 0 || !ofTrace(s) || !s.v.length)
			return false;
		if (curves.whose === 'run')
			return s.process === null;
		if (curves.whose === 'each')
			return s.process !== null && s.name === firstOfProcesses(panel);
		return s.process === curves.whose;
	}

	function firstOfProcesses(panel) {
		return panel.names.find(function (name) {
			return dlt.data.series.some(function (s) {
				return s.process !== null && s.name === name && ofTrace(s);
			});
		});
	}

	function label(s, several) {
		const parts = [];
		if (curves.trace === null && dlt.rows('traces').length > 1)
			parts.push(dlt.traceName(s.trace));
		if (curves.whose === 'each')
			parts.push(dlt.processName(s.process, true));
		else
			parts.push(s.library || SHORT[s.name] || s.title);
		if (s.of !== undefined && dlt.data.series.some(function (other) {
			return other.name === s.name && other.process !== null && other.process !== s.of;
		}))
			parts.push(dlt.processName(s.of, true));
		if (s.device)
			parts.push(s.device);
		if (several && s.host)
			parts.push(s.host);
		return parts.join(' · ');
	}

	function linesOf(panel) {
		let found = dlt.data.series.filter(function (s) {
			return wanted(s, panel);
		});
		if (found.length > LINES_MAX)
			found = found.sort(function (a, b) {
				return dlt.extremes(b).max - dlt.extremes(a).max;
			}).slice(0, LINES_MAX);
		const twice = found.some(function (s, i) {
			return found.some(function (other, k) {
				return k < i && label(other, false) === label(s, false);
			});
		});
		let colour = 0;
		return found.map(function (s) {
			const context = CONTEXT.indexOf(s.name) >= 0 && found.length > 1;
			return { label: label(s, twice), help: s.title, series: s, context: context,
				colour: context ? -1 : colour++ };
		});
	}

	/* Series that no panel names get one by their unit. */
	function others() {
		const known = new Set(), rest = new Map();
		for (const panel of PANELS)
			for (const name of panel.names)
				known.add(name);
		for (const s of dlt.data.series)
			if (!known.has(s.name)) {
				if (!rest.has(s.name))
					rest.set(s.name, { title: s.title,
						unit: s.unit === 'ns' ? 'ns' : s.unit, names: [s.name] });
			}
		return Array.from(rest.values());
	}

	/* ---- marks of phases, epochs and iterations ---- */

	function inTrace(row) {
		if (row.trace !== undefined)
			return ofTrace(row);
		const p = dlt.process(row.process);
		return !p || ofTrace(p);
	}

	function spans(name) {
		return dlt.rows(name).filter(function (row) {
			return typeof row.begin_ns === 'number' && typeof row.end_ns === 'number' && inTrace(row);
		});
	}

	/* { from, to, label, kind } in seconds: phases, and epochs of a table or of marks. */
	function bands() {
		const found = [];
		for (const row of spans('phases'))
			found.push({ from: row.begin_ns / 1e9, to: row.end_ns / 1e9, label: String(row.phase),
				kind: 'phase', process: row.process });
		for (const row of spans('epochs'))
			found.push({ from: row.begin_ns / 1e9, to: row.end_ns / 1e9,
				label: 'epoch ' + (row.epoch || row.number || ''), kind: 'epoch',
				process: row.process });
		if (!found.some(function (b) {
			return b.kind === 'epoch';
		})) {
			const marks = dlt.rows('marks').filter(function (m) {
				return m.kind === 'epoch' && inTrace(m);
			});
			marks.forEach(function (m, i) {
				found.push({ from: m.t_ns / 1e9,
					to: i + 1 < marks.length ? marks[i + 1].t_ns / 1e9 : curves.end,
					kind: 'epoch',
					label: m.name || 'epoch ' + m.number, process: m.process });
			});
		}
		/* Those of one process: the others' are much the same. */
		const first = found.length ? found[0].process : null, shift = dlt.shiftOf(first);
		return found.filter(function (b) {
			return b.process === first;
		}).slice(0, 500).map(function (b) {
			return Object.assign(b, { from: b.from + shift, to: b.to + shift });
		});
	}

	let shownBands = [];

	function drawStrip() {
		const width = curves.to - curves.from;
		strip.textContent = '';
		for (const kind of ['phase', 'epoch']) {
			const lane = el('div', { class: 'lane ' + kind });
			shownBands.forEach(function (b, i) {
				const from = Math.max(b.from, curves.from), to = Math.min(b.to, curves.to);
				if (b.kind !== kind || to <= from)
					return;
				const part = el('span', { class: 'band tone' + i % 2,
					title: b.label + ': ' + dlt.show('ns', (b.to - b.from) * 1e9) }, b.label);
				part.style.left = 100 * (from - curves.from) / width + '%';
				part.style.width = 100 * (to - from) / width + '%';
				lane.append(part);
			});
			if (lane.childNodes.length)
				strip.append(lane);
		}
		strip.hidden = !strip.childNodes.length;
	}

	curves.underlay = function (context, area, graph) {
		context.save();
		context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--mark').trim();
		context.setLineDash([2, 3]);
		for (const b of shownBands)
			if (b.from > curves.from && b.from < curves.to) {
				const x = Math.round(graph.toDomXCoord(b.from)) + 0.5;
				context.beginPath();
				context.moveTo(x, area.y);
				context.lineTo(x, area.y + area.h);
				context.stroke();
			}
		context.restore();
	};

	/* ---- window and cursor ---- */

	curves.setWindow = function (from, to) {
		const all = curves.end - curves.begin, least = Math.max(all * 1e-6, 1e-6);
		if (to - from < least) {
			from = (from + to - least) / 2;
			to = from + least;
		}
		if (to - from >= all) {
			from = curves.begin;
			to = curves.end;
		}
		if (from < curves.begin) {
			to += curves.begin - from;
			from = curves.begin;
		}
		if (to > curves.end) {
			from -= to - curves.end;
			to = curves.end;
		}
		curves.from = Math.max(from, curves.begin);
		curves.to = to;
		for (const panel of curves.panels)
			panel.window(curves.from, curves.to);
		drawStrip();
		say();
	};

	let saying = null;

	/* To those who listen: not at each step, but where the cursor rests. */
	function announce() {
		clearTimeout(saying);
		saying = setTimeout(function () {
			said.textContent = curves.at === null ? '' : readout.textContent + ': ' +
				Array.from(list.querySelectorAll('.legend button')).slice(0, 12).map(function (b) {
					return b.textContent;
				}).join(', ');
		}, 600);
	}

	function say() {
		const whole = curves.from === curves.begin && curves.to === curves.end;
		readout.textContent = (curves.at === null ? '' : 'at ' +
			dlt.show('ns', Math.round(curves.at * 1e9)) + ' · ') +
			(whole ? 'all ' : dlt.show('ns', curves.from * 1e9) + ' to ' +
				dlt.show('ns', curves.to * 1e9) + ', ') +
			dlt.show('ns', (curves.to - curves.from) * 1e9);
	}

	curves.setCursor = function (x) {
		curves.at = x === null ? null : Math.min(Math.max(x, curves.from), curves.to);
		for (const panel of curves.panels)
			panel.cursor(curves.at);
		say();
		announce();
	};

	function zoom(factor) {
		const inside = curves.at !== null && curves.at >= curves.from && curves.at <= curves.to;
		const middle = inside ? curves.at : (curves.from + curves.to) / 2;
		const part = (middle - curves.from) / (curves.to - curves.from),
			width = (curves.to - curves.from) * factor;
		curves.setWindow(middle - width * part, middle + width * (1 - part));
	}

	function move(part) {
		const step = (curves.to - curves.from) * part;
		curves.setWindow(curves.from + step, curves.to + step);
	}

	function step(part) {
		const from = curves.at === null ? part > 0 ? curves.from : curves.to : curves.at,
			width = curves.to - curves.from;
		const x = from + width * part;
		if (x > curves.to || x < curves.from)
			move(part > 0 ? 0.5 : -0.5);
		curves.setCursor(x);
	}

	const KEYS = {
		ArrowRight: function (shift) {
			step(shift ? 0.1 : 0.01);
		},
		ArrowLeft: function (shift) {
			step(shift ? -0.1 : -0.01);
		},
		'+': function () {
			zoom(0.5);
		},
		'=': function () {
			zoom(0.5);
		},
		'-': function () {
			zoom(2);
		},
		'0': function () {
			curves.setWindow(curves.begin, curves.end);
		},
		Home: function () {
			curves.setCursor(curves.from);
		},
		End: function () {
			curves.setCursor(curves.to);
		},
		Escape: function () {
			curves.setCursor(null);
			curves.setWindow(curves.begin, curves.end);
		},
	};

	function key(event) {
		if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === 'SELECT' ||
			!KEYS[event.key])
			return;
		KEYS[event.key](event.shiftKey);
		event.preventDefault();
	}

	/* ---- the section ---- */

	/* Of a part of the time that, else all that there is. */
	function findEnd() {
		const whole = [], parts = [];
		let end = 0, begin = 0;
		for (const t of dlt.rows('traces').filter(ofTrace))
			(typeof t.to_ns === 'number' ? parts : whole).push(t);
		if (parts.length && !whole.length) {
			begin = Math.min.apply(null, parts.map(function (t) {
				return t.from_ns / 1e9 + dlt.shift(t.trace);
			}));
			end = Math.max.apply(null, parts.map(function (t) {
				return t.to_ns / 1e9 + dlt.shift(t.trace);
			}));
		}
		for (const t of whole)
			if (t.duration_ns > 0)
				end = Math.max(end, t.duration_ns / 1e9 + dlt.shift(t.trace));
		for (const s of dlt.data.series)
			if (whole.length && ofTrace(s) && s.v.length) {
				const times = dlt.times(s);
				end = Math.max(end, times[times.length - 1]);
				begin = Math.min(begin, times[0]);
			}
		curves.begin = begin;
		curves.end = end > begin ? end : begin + 1;
		curves.from = curves.begin;
		curves.to = curves.end;
	}

	let seen = null;

	/* A panel is drawn when it comes near what is looked at. */
	function watch(panel) {
		if (!window.IntersectionObserver) {
			panel.draw();
			return;
		}
		if (!seen)
			seen = new IntersectionObserver(function (entries) {
				for (const entry of entries)
					if (entry.isIntersecting) {
						seen.unobserve(entry.target);
						entry.target.draw();
					}
			}, { rootMargin: '400px' });
		panel.element.draw = panel.draw;
		seen.observe(panel.element);
	}

	function build() {
		for (const panel of curves.panels)
			if (panel.graph)
				panel.graph.destroy();
		curves.panels = [];
		curves.at = null;
		findEnd();
		shownBands = bands();
		list.textContent = '';
		for (const what of PANELS.concat(others())) {
			const lines = linesOf(what);
			if (!lines.length || (what.unless && linesOf({ names: [what.unless] }).length))
				continue;
			const panel = dlt.panel({ title: what.title, unit: what.unit, step: what.step,
				lines: lines }, curves);
			curves.panels.push(panel);
			list.append(panel.element);
			panel.cursor(null);
			watch(panel);
		}
		if (!curves.panels.length)
			list.append(el('p', { class: 'none' }, 'No curves of it.'));
		drawStrip();
		say();
		table();
	}

	function table() {
		const rows = [];
		for (const s of dlt.data.series)
			if (ofTrace(s) && s.v.length && (curves.whose === 'each' ? s.process !== null :
				s.process === (curves.whose === 'run' ? null : curves.whose)))
				rows.push(s);
		place.textContent = '';
		place.append(dlt.grid({ caption: 'The curves in numbers', rows: rows, first: 40, columns: [
			{ name: 'title', title: 'curve', unit: 'text', text: function (s) {
				return [s.title, s.library, s.device].filter(Boolean).join(' · ');
			} },
			{ name: 'whose', title: 'of', unit: 'text', value: function (s) {
				return s.process === null ? s.host || 'the run' : dlt.processName(s.process);
			} },
		].concat([['min', 'min'], ['mean', 'mean'], ['max', 'max']].map(function (pair) {
			return { name: pair[0], title: pair[1], unit: 'real', value: function (s) {
				return pair[0] === 'mean' ? s.mean : dlt.extremes(s)[pair[0]];
			}, text: function (s) {
				return dlt.show(s.unit, pair[0] === 'mean' ? s.mean : dlt.extremes(s)[pair[0]]);
			} };
		})) }));
	}

	function choices() {
		const options = [['run', 'the run']];
		const withCurves = new Set();
		for (const s of dlt.data.series)
			if (s.process !== null && ofTrace(s))
				withCurves.add(s.process);
		if (withCurves.size > 1)
			options.push(['each', 'its processes, the largest side by side']);
		for (const p of dlt.rows('processes'))
			if (withCurves.has(p.process) && options.length < 300)
				options.push([String(p.process), dlt.processName(p.process)]);
		return options;
	}

	function select(title, options, chosen) {
		const id = dlt.id('choice'), box = el('select', { id: id, onchange: function () {
			chosen(box.value);
		} });
		for (const option of options)
			box.append(el('option', { value: option[0] }, option[1]));
		return el('span', { class: 'choice' }, el('label', { for: id }, title), box);
	}

	function setWhose(value) {
		curves.whose = value === 'run' || value === 'each' ? value : Number(value);
		build();
	}

	function button(text, name, act) {
		return el('button', { type: 'button', title: name, 'aria-label': name, onclick: act }, text);
	}

	function toolbar() {
		const bar = el('div', { class: 'toolbar' }), traces = dlt.rows('traces');
		let whose = select('Of', choices(), setWhose);
		if (traces.length > 1)
			bar.append(select('Trace', [['', 'all, side by side']].concat(traces.map(function (t) {
				return [String(t.trace), dlt.traceName(t.trace)];
			})), function (value) {
				curves.trace = value === '' ? null : Number(value);
				curves.whose = 'run';
				const other = select('Of', choices(), setWhose);
				whose.replaceWith(other);
				whose = other;
				build();
			}));
		bar.append(whose, el('span', { class: 'buttons' },
			button('+', 'Zoom in', function () {
				zoom(0.5);
			}), button('−', 'Zoom out', function () {
				zoom(2);
			}), button('◀', 'Earlier', function () {
				move(-0.5);
			}), button('▶', 'Later', function () {
				move(0.5);
			}), button('All', 'All of the time', function () {
				curves.setWindow(curves.begin, curves.end);
			})), readout);
		return bar;
	}

	/* Others lead here: a time, and whose curves. */
	dlt.showTime = function (from, to, process) {
		const box = document.querySelector('#curves select:last-of-type');
		const choice = document.querySelectorAll('#curves .choice select');
		const own = choice[choice.length - 1];
		if (box && own && process !== undefined && Array.from(own.options).some(function (o) {
			return o.value === String(process);
		})) {
			own.value = String(process);
			setWhose(String(process));
		}
		const width = Math.max(to - from, (curves.end - curves.begin) / 20), shift = dlt.shiftOf(process);
		from += shift;
		to += shift;
		curves.setWindow(from - width, to + width);
		curves.setCursor(from);
		document.getElementById('curves').scrollIntoView();
		list.focus({ preventScroll: true });
	};

	dlt.redrawCurves = function (all) {
		if (!strip)
			return;
		for (const panel of curves.panels) {
			if (all)
				panel.draw();
			panel.resize(dlt.printing ? PAPER[0] : 0, PAPER[1]);
			panel.redraw();
		}
		strip.style.width = dlt.printing ? PAPER[0] - 81 + 'px' : '';
	};

	dlt.curves = curves;

	dlt.section('curves', function (section) {
		if (!dlt.data.series.length)
			return false;
		strip = el('div', { class: 'strip', 'aria-hidden': 'true' });
		readout = el('output', { class: 'readout' });
		said = el('p', { class: 'hidden', 'aria-live': 'polite' });
		list = el('div', { class: 'panels', tabindex: '0', role: 'group', 'aria-describedby': 'curves-keys',
			'aria-label': 'Curves over time', onkeydown: key });
		place = el('div', null);
		section.append(el('p', { class: 'note', id: 'curves-keys' },
			'Each point keeps the largest and smallest reading of its time. ' +
			'Draw with the mouse to zoom, double-click for all. Keys: ← → move the cursor ' +
			'(⇧ faster), + − zoom, 0 shows all, Esc takes the cursor away.'),
		toolbar(), strip, said, list,
		dlt.data.series_left_out ? el('p', { class: 'note' },
			dlt.show('count', dlt.data.series_left_out) + ' curves of processes are not ' +
			'in this page: --process or --rank choose others.') : '',
		el('details', null, el('summary', null, 'The curves in numbers'), place));
		build();
		return true;
	});
})();
