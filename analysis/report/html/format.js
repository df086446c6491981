/* SPDX-License-Identifier: MIT */
/* Numbers for people, by the rules of format.c: three significant digits and a unit that fits. */
(function () {
	'use strict';

	const dlt = window.dlt;
	const TIMES = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];
	const SIZES = [[1, 'B'], [1024, 'KiB'], [Math.pow(1024, 2), 'MiB'], [Math.pow(1024, 3), 'GiB'],
		[Math.pow(1024, 4), 'TiB'], [Math.pow(1024, 5), 'PiB']];

	function digits(v) {
		const a = Math.abs(v);
		if (a === Math.floor(a) && a < 1e15)
			return v.toFixed(0);
		return v.toFixed(a < 9.995 ? 2 : a < 99.95 ? 1 : 0);
	}

	function scaled(v, scales, limit) {
		let i = 0;
		while (i + 1 < scales.length && Math.abs(v) / scales[i][0] >= limit - 0.5)
			i++;
		const scale = scales[i][0], a = Math.abs(v) / scale;
		let number = digits(v / scale);
		if (i && number.indexOf('.') < 0 && a < 99.95)
			number = (v / scale).toFixed(a < 9.995 ? 2 : 1);
		return number + ' ' + scales[i][1];
	}

	function two(n) {
		return (n < 10 ? '0' : '') + n;
	}

	const format = dlt.format = {
		ns: function (v) {
			if (Math.abs(v) < 119.95e9)
				return scaled(v, TIMES, 1000);
			const s = Math.floor(Math.min(Math.abs(v) / 1e9 + 0.5, 1e15)), sign = v < 0 ? '-' : '';
			if (s < 3600)
				return sign + Math.floor(s / 60) + ' min ' + two(s % 60) + ' s';
			return sign + Math.floor(s / 3600) + ' h ' + two(Math.floor(s / 60) % 60) + ' min';
		},
		bytes: function (v) {
			return scaled(v, SIZES, 1024);
		},
		count: function (v) {
			if (Math.abs(v) > 1e20)
				return '–';
			if (Math.abs(v) < 100 && v !== Math.floor(v))
				return format.real(v);
			return v.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');
		},
		percent: function (v) {
			if (v > 0 && v < 0.05)
				return '<0.1 %';
			if (Math.abs(v) > 1e6)
				return v.toPrecision(3) + ' %';
			return v.toFixed(Math.abs(v) < 99.95 ? 1 : 0) + ' %';
		},
		fraction: function (v) {
			return format.percent(v * 100);
		},
		real: function (v) {
			if (v !== 0 && (Math.abs(v) < 0.01 || Math.abs(v) >= 1e15))
				return String(Number(v.toPrecision(3)));
			return digits(v);
		},
		id: function (v) {
			return String(v);
		},
		watts: function (v) {
			return digits(v) + ' W';
		},
		cores: function (v) {
			return digits(v);
		},
	};
	format.time = format.ns;

	/* What a tree says in one line. */
	function brief(value) {
		if (Array.isArray(value)) {
			const some = value.slice(0, 8).map(brief).join(', ');
			return value.length > 8 ? some + ', … (' + value.length + ')' : some;
		}
		if (value && typeof value === 'object')
			return Object.keys(value).map(function (key) {
				return dlt.label(key).text + ' ' + dlt.value(key, value[key]);
			}).join(', ');
		return String(value);
	}

	/* A value in a unit; unknown is "–". */
	dlt.show = function (unit, value) {
		if (value === null || value === undefined)
			return '–';
		if (typeof value === 'number')
			return (format[unit] || format.real)(value);
		return typeof value === 'object' ? brief(value) : String(value);
	};

	const SUFFIXES = [['_per_second', 'bytes'], ['_ns', 'ns'], ['_bytes', 'bytes'], ['_percent', 'percent'],
		['_share', 'fraction'], ['_fraction', 'fraction']];

	/* What a key of an object says about its value: { text, unit, rate }. */
	dlt.label = function (key) {
		if (key === 'share')
			return { text: key, unit: 'fraction' };
		for (const suffix of SUFFIXES)
			if (key.endsWith(suffix[0])) {
				const rate = suffix[0] === '_per_second';
				const rest = key.slice(0, -suffix[0].length);
				return { text: (rest === 't' ? 'at' : rest.replace(/_/g, ' ')) +
					(rate ? ' a second' : ''),
					unit: rate && rest !== 'bytes' ? 'real' : suffix[1] };
			}
		return { text: key.replace(/_/g, ' '), unit: /^bytes$|_bytes$/.test(key) ? 'bytes' : 'count' };
	};

	dlt.value = function (key, value) {
		if (key === 'process' && typeof value === 'number')
			return dlt.processName(value);
		return dlt.show(dlt.label(key).unit, value);
	};
})();
