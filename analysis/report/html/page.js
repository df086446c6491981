/* SPDX-License-Identifier: MIT */
/* The page: sections in order, the way between them, colours that follow the reader, print. */
(function () {
	'use strict';

	const dlt = window.dlt, el = dlt.el;
	/* What a section shows already, or what other formats are for. */
	const SHOWN = ['traces', 'machines', 'processes', 'threads', 'findings', 'failures',
		'limits', 'breakdown', 'kernels', 'graphs', 'gpu_work', 'phase_gpu_work',
		'communication', 'phase_communication', 'heap', 'gpu', 'gpu_memory', 'memory_stacks',
		'iterations',
		'epochs', 'phases', 'phase_functions', 'ranges', 'marks', 'shares',
		'slow_iterations', 'comparison', 'changes', 'runs', 'kinds', 'exactness', 'checks'];

	/* Tables that no section knows: made when they are opened. */
	dlt.section('more', function (section) {
		let any = false;
		for (const name of Object.keys(dlt.data.tables)) {
			const table = dlt.table(name);
			if (SHOWN.indexOf(name) >= 0 || !table.rows.length)
				continue;
			any = true;
			const part = el('details', { ontoggle: function () {
				if (part.open && part.childNodes.length === 1)
					part.append(dlt.plainGrid(name));
			} }, el('summary', null, table.title || name,
				el('span', { class: 'muted' }, ' ' + table.rows.length)));
			section.append(part);
		}
		return any;
	});

	const order = Array.from(document.querySelectorAll('main > section')).map(function (section) {
		return section.id;
	});

	function fill(section) {
		const found = dlt.sections.find(function (one) {
			return one.id === section.id;
		});
		let shown = false;
		try {
			shown = found ? found.fill(section) : false;
		} catch (error) {
			section.append(el('p', { class: 'card problem' },
				'This part could not be drawn: ' + error.message));
			console.error(error);
			shown = true;
		}
		section.hidden = !shown;
		if (shown)
			document.getElementById('nav').append(el('li', null,
				el('a', { href: '#' + section.id },
				section.dataset.nav || section.querySelector('h2').textContent)));
	}

	for (const id of order)
		fill(document.getElementById(id));

	/* Which section is read now. */
	if (window.IntersectionObserver) {
		const watch = new IntersectionObserver(function (entries) {
			for (const entry of entries)
				if (entry.isIntersecting)
					for (const a of document.querySelectorAll('#nav a')) {
						if (a.getAttribute('href') === '#' + entry.target.id)
							a.setAttribute('aria-current', 'true');
						else
							a.removeAttribute('aria-current');
					}
		}, { rootMargin: '-20% 0px -70% 0px' });
		for (const id of order)
			watch.observe(document.getElementById(id));
	}

	/* ---- colours and print ---- */

	function redraw(all) {
		if (dlt.redrawCurves)
			dlt.redrawCurves(all);
	}

	window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', function () {
		redraw(false);
	});
	window.addEventListener('beforeprint', function () {
		dlt.printing = true;
		document.documentElement.classList.add('printing');
		redraw(true);
	});
	window.addEventListener('afterprint', function () {
		dlt.printing = false;
		document.documentElement.classList.remove('printing');
		redraw(false);
	});
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
