/* SPDX-License-Identifier: MIT */
/*
 * Who asked for memory as a flame graph that hangs: below each frame what it calls, as wide as what they asked for.
 *
 * A node: { name, depth, parent, sum, count, children }. Sums are those of the table's integers, exact below 2^53; what
 * the page has no rows for is a node of its own. Frames too narrow to be seen are one node, which a click opens.
 */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;
	const NARROW = 3;		/* px; less is shown with its neighbours */
	const NAME_FROM = 36;		/* px of a frame that has a name in it */
	const PADDING = 10;		/* px beside a name, as in page.css */
	const TONES = 3;
	const WEIGHTS = [
		{ bytes: 'peak_bytes', blocks: 'peak_blocks', title: 'At the peak', of: 'at the peak',
			note: 'What was held when the most was live' },
		{ bytes: 'live_bytes', blocks: 'live_blocks', title: 'Held in the end', of: 'in the end',
			note: 'What was asked for and not given back' },
		{ bytes: 'allocated_bytes', blocks: 'allocations', title: 'Asked for in all', of: 'asked for',
			note: 'All that was asked for' },
		{ bytes: 'temporary_bytes', blocks: 'temporary_allocations', title: 'Temporary',
			of: 'temporary', note: 'What a thread gave back before it asked for more' },
	];
	const PARTS = [['heap', 'Heap'], ['gpu', 'GPU'], ['other', 'Pinned and other']];
	const KEYS = 'Below each frame is what it calls. A click makes a frame as wide as the page; ' +
		'on the keyboard the arrows, Enter and Escape.';

	/* ---- the tree ---- */

	function nodeOf(parent, name) {
		return { name: name, depth: parent ? parent.depth + 1 : 0, parent: parent, sum: 0, count: 0,
			children: new Map() };
	}

	function add(node, bytes, blocks) {
		node.sum += bytes;
		node.count = node.count === null || blocks === null ? null : node.count + blocks;
	}

	function child(node, name) {
		if (!node.children.has(name))
			node.children.set(name, nodeOf(node, name));
		return node.children.get(name);
	}

	function addStack(root, names, bytes, blocks) {
		let node = root;
		add(node, bytes, blocks);
		for (const name of names) {
			node = child(node, name);
			add(node, bytes, blocks);
		}
		return node;
	}

	function kindOf(row) {
		return row.memory + (typeof row.device === 'number' ? ' of GPU ' + row.device : '');
	}

	/* Rows of one process and part; several kinds or devices are told apart first. */
	function build(sum, weight) {
		const rows = dlt.rows('memory_stacks').filter(function (row) {
			return row.process === sum.process && row.part_of === sum.memory && row[weight.bytes] > 0;
		});
		const apart = new Set(rows.map(kindOf)).size > 1;
		const root = nodeOf(null, dlt.processName(sum.process) + ': ' + sum.memory);
		for (const row of rows)
			addStack(root, (apart ? [kindOf(row)] : [])
				.concat(row.stack ? row.stack.split(';') : ['unknown']),
				row[weight.bytes], row[weight.blocks]);
		const rest = (sum[weight.bytes] || 0) - root.sum;
		if (rest > 0)
			addStack(root, ['not in this page'], rest, null);
		return root;
	}

	function byWidth(nodes) {
		return Array.from(nodes).sort(function (a, b) {
			return b.sum - a.sum || (a.name < b.name ? -1 : 1);
		});
	}

	function together(node, rest) {
		const others = nodeOf(node, rest.length + ' narrow ones');
		others.others = true;
		for (const one of rest) {
			add(others, one.sum, one.count);
			others.children.set(one.name, one);
		}
		return others;
	}

	/* The frames below one that is so wide: those that can be seen, and the others as one. */
	function seen(node, width) {
		const all = byWidth(node.children.values()), room = Math.floor(width / NARROW);
		let wide = all.findIndex(function (one) {
			return one.sum / node.sum * width < NARROW;
		});
		if (!room)
			return [];
		if (wide < 0 || wide === all.length - 1)
			return all;
		/* Of what was too narrow before, many: else most of it would be in one again. */
		if (node.others)
			wide = Math.max(wide, room);
		return all.slice(0, wide).concat(wide < all.length ? together(node, all.slice(wide)) : []);
	}

	/* ---- names ---- */

	/* Without what stands in <>. */
	function bare(name) {
		let depth = 0, text = '';
		for (const c of name) {
			depth -= c === '>' && depth > 0 ? 1 : 0;
			text += depth ? '' : c;
			depth += c === '<' ? 1 : 0;
		}
		return text;
	}

	const PYTHON = /^(.*?)([^/]*:\d+) (.+)$/;
	const VAGUE = /^(apply|call|redispatch|operator\b)/;	/* the class tells more */
	const UNNAMED = /^(\S+?)(\.so\S*)?\+0x[0-9a-f]+$/;

	/* Of a file that is read it is the file that tells something, of a package's the folder. */
	function moduleForms(name, folder, place) {
		const file = place.startsWith('__init__.') ? folder.replace(/^.*\/(?=.)/, '') + place : place;
		const line = file.replace(/(\/__init__)?\.\w+(:\d+)$/, '$2');
		return [name, folder + place, file, line, line.replace(/:\d+$/, '')];
	}

	/* From the whole name to its heart. */
	function forms(name) {
		const python = PYTHON.exec(name), unnamed = UNNAMED.exec(name);
		if (unnamed)
			return [name, unnamed[1] + (unnamed[2] ? '.so' : ''), unnamed[1]];
		if (python && python[3] === '<module>')
			return moduleForms(name, python[1], python[2]);
		if (python)
			return [name, python[2] + ' ' + python[3], python[3], python[3].replace(/^.*\./, '')];
		const plain = bare(name), parts = plain.split('::'), last = parts.pop(), of = parts.pop();
		if (!of || !last)
			return [name, plain || name];
		return [name, plain, of + '::' + last, VAGUE.test(last) ? of : last];
	}

	const pen = document.createElement('canvas').getContext('2d');
	const lengths = new Map();

	function length(text) {
		if (!lengths.has(text))
			lengths.set(text, pen.measureText(text).width);
		return lengths.get(text);
	}

	function fitting(name, width) {
		const all = forms(name);
		return all.find(function (form) {
			return length(form) <= width;
		}) || all[all.length - 1];
	}

	/* Python and compiled functions have colours of their own; shades tell packages and libraries apart. */
	function tone(node) {
		if (!node.parent || node.others)
			return 'plain';
		const python = PYTHON.test(node.name), from = python ? node.name.replace(/[/:].*$/, '') :
			node.name.replace(/(::|<|\.so|\+0x).*$/, '');
		let hash = 0;
		for (let i = 0; i < from.length; i++)
			hash = (hash * 31 + from.charCodeAt(i)) % 65521;
		return (python ? 'python-' : 'compiled-') + hash % TONES;
	}

	/* ---- the graph ---- */

	function Graph(told, whole) {
		this.box = el('div', { class: 'flame', role: 'tree',
			'aria-label': 'Who asked for memory: the outermost frame first' });
		this.told = told;
		this.whole = whole;
		this.drawn = 0;
		this.cells = [];
	}

	Graph.prototype.show = function (root, weight) {
		this.root = this.zoomed = this.at = root;
		this.weight = weight;
		this.draw();
	};

	Graph.prototype.words = function (node) {
		const blocks = node.count === null ? '' : ', ' + dlt.format.count(node.count) +
			(node.count === 1 ? ' block' : ' blocks');
		return dlt.format.bytes(node.sum) + (node.sum < 1024 ? '' : ' (' + dlt.format.count(node.sum) +
			' B)') + ' ' + this.weight.of + blocks + (node === this.root ? '' : ', ' +
			dlt.format.fraction(node.sum / this.root.sum) + ' of all');
	};

	Graph.prototype.tell = function (node) {
		this.told.textContent = '';
		this.told.append(el('b', { class: 'function' }, node.name), el('br'), this.words(node));
	};

	Graph.prototype.cell = function (node, left, width) {
		const graph = this, pixels = width * this.drawn;
		const box = el('div', { class: 'frame ' + tone(node), role: 'treeitem', tabindex: '-1',
			'aria-level': node.depth + 1, 'aria-label': node.name + ': ' + this.words(node),
			onclick: function () {
				graph.zoom(node);
			},
			onpointerenter: function () {
				graph.tell(node);
			},
			onfocus: function () {
				graph.at = node;
				graph.tell(node);
			} }, pixels < NAME_FROM ? null : fitting(node.name, pixels - PADDING));
		if (node.depth < this.zoomed.depth)
			box.classList.add('outside');
		box.style.left = 100 * left + '%';
		box.style.width = 100 * width + '%';
		box.style.top = 'calc(' + node.depth + ' * var(--frame))';
		this.cells.push({ node: node, left: left, width: width, box: box });
		this.box.append(box);
	};

	Graph.prototype.below = function (node, left, width) {
		if (node.others && node !== this.zoomed)
			return;
		for (const one of seen(node, width * this.drawn)) {
			const part = width * one.sum / node.sum;
			one.depth = node.depth + 1;
			one.shownIn = node;
			this.cell(one, left, part);
			this.below(one, left, part);
			left += part;
		}
	};

	Graph.prototype.draw = function () {
		const focused = this.box.contains(document.activeElement), css = getComputedStyle(this.box);
		this.drawn = this.box.clientWidth || 1000;
		pen.font = css.fontSize + ' ' + css.fontFamily;
		lengths.clear();
		this.cells = [];
		this.box.textContent = '';
		for (const node of this.path(this.zoomed))
			this.cell(node, 0, 1);
		this.below(this.zoomed, 0, 1);
		this.box.style.height = 'calc(' + (1 + Math.max.apply(null, this.cells.map(function (c) {
			return c.node.depth;
		}))) + ' * var(--frame))';
		this.whole.disabled = this.zoomed === this.root;
		if (!this.place())
			this.at = this.zoomed;
		this.place().box.tabIndex = 0;
		if (focused)
			this.place().box.focus({ preventScroll: true });
		this.tell(this.at);
	};

	/* From the outermost to it. */
	Graph.prototype.path = function (node) {
		const list = [];
		for (let at = node; at; at = at.shownIn || at.parent)
			list.unshift(at);
		return list;
	};

	Graph.prototype.place = function () {
		const at = this.at;
		return this.cells.find(function (c) {
			return c.node === at;
		});
	};

	Graph.prototype.zoom = function (node) {
		this.zoomed = this.at = node;
		this.draw();
	};

	/* The frame that a key leads to: the caller, the largest callee, or the next in this row. */
	Graph.prototype.next = function (key) {
		const here = this.place(), step = key === 'ArrowLeft' ? -1 : 1;
		if (key === 'ArrowUp')
			return here.node.shownIn || here.node.parent;
		const row = this.cells.filter(function (c) {
			return key === 'ArrowDown' ? c.node.shownIn === here.node || c.node.parent === here.node :
				c.node.depth === here.node.depth;
		});
		const to = row[key === 'ArrowDown' ? 0 : row.indexOf(here) + step];
		return to && to.node;
	};

	Graph.prototype.key = function (event) {
		const key = event.key;
		let to;
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (key === 'Enter' || key === ' ')
			this.zoom(this.at);
		else if (key === 'Escape' || key === 'Home')
			this.zoom(this.root);
		else if (!key.startsWith('Arrow'))
			return;
		else if ((to = this.next(key))) {
			this.place().box.tabIndex = -1;
			this.at = to;
			this.place().box.tabIndex = 0;
			this.place().box.focus();
		}
		event.preventDefault();
	};

	/* ---- what is chosen ---- */

	function buttons(name, list, state, key, update) {
		const group = el('span', { class: 'buttons', role: 'group', 'aria-label': name });
		for (const one of list)
			group.append(el('button', { type: 'button', 'data-value': one[0], onclick: function () {
				state[key] = one[0];
				update();
			} }, one[1]));
		return group;
	}

	function press(group, value, has) {
		for (const button of group.querySelectorAll('button')) {
			button.setAttribute('aria-pressed', String(button.dataset.value === value));
			button.disabled = !has(button.dataset.value);
		}
	}

	function chooser(processes, state, update) {
		const id = dlt.id('flame'), box = el('select', { id: id, onchange: function () {
			state.process = Number(box.value);
			update();
		} });
		for (const process of processes)
			box.append(el('option', { value: process }, dlt.processName(process)));
		return el('span', { class: 'choice' }, el('label', { for: id }, 'Process'), box);
	}

	function noteOf(sum, weight) {
		return weight.note + (weight.bytes === 'peak_bytes' && typeof sum.peak_ns === 'number' ?
			', ' + dlt.show('ns', sum.peak_ns) + ' after the begin' : '') + (sum.least_bytes > 0 ?
			', in blocks of at least ' + dlt.show('bytes', sum.least_bytes) : '') + '. ' + KEYS;
	}

	function legend() {
		return el('ul', { class: 'kind-list' },
			el('li', null, el('span', { class: 'dot python-0', 'aria-hidden': 'true' }),
				'lines of Python'),
			el('li', null, el('span', { class: 'dot compiled-0', 'aria-hidden': 'true' }),
				'compiled functions'));
	}

	/* '': nothing is known. */
	dlt.flame = function () {
		const sums = dlt.rows('memory_stack_sums').slice().sort(function (a, b) {
			return b.peak_bytes - a.peak_bytes;
		});
		if (!sums.length)
			return '';
		const state = { process: sums[0].process, part: sums[0].memory, weight: 'peak_bytes' };
		const processes = Array.from(new Set(sums.map(function (s) {
			return s.process;
		})));

		function sumOf(part) {
			return sums.find(function (s) {
				return s.process === state.process && s.memory === part;
			});
		}

		const whole = el('button', { type: 'button', onclick: function () {
			graph.zoom(graph.root);
		} }, 'Show all');
		const note = el('p', { class: 'note' }), told = el('p', { class: 'flame-told' });
		const graph = new Graph(told, whole);
		const weights = buttons('What', WEIGHTS.filter(function (w) {
			return w.bytes !== 'temporary_bytes' || sums.some(function (s) {
				return s.temporary_bytes > 0;
			});
		}).map(function (w) {
			return [w.bytes, w.title];
		}), state, 'weight', update);
		const parts = buttons('Memory', PARTS.filter(function (p) {
			return sums.some(function (s) {
				return s.memory === p[0];
			});
		}), state, 'part', update);

		/* What is chosen, or what there is. */
		function update() {
			state.part = sumOf(state.part) ? state.part : PARTS.find(function (p) {
				return sumOf(p[0]);
			})[0];
			const sum = sumOf(state.part);
			const weight = WEIGHTS.find(function (w) {
				return w.bytes === state.weight && sum[w.bytes] > 0;
			}) || WEIGHTS.find(function (w) {
				return sum[w.bytes] > 0;
			}) || WEIGHTS[0];
			state.weight = weight.bytes;
			press(parts, state.part, sumOf);
			press(weights, state.weight, function (bytes) {
				return sum[bytes] > 0;
			});
			note.textContent = noteOf(sum, weight);
			graph.show(build(sum, weight), weight);
		}

		const box = el('div', { class: 'flame-box' }, el('div', { class: 'toolbar' },
			weights, parts.childNodes.length > 1 ? parts : null,
			processes.length > 1 ? chooser(processes, state, update) : null, whole), note, graph.box, told,
			legend());
		graph.box.addEventListener('keydown', function (event) {
			graph.key(event);
		});
		graph.box.addEventListener('pointerleave', function () {
			graph.tell(graph.at);
		});
		new ResizeObserver(function () {
			if (graph.box.clientWidth !== graph.drawn)
				graph.draw();
		}).observe(graph.box);
		update();
		return box;
	};
})();
