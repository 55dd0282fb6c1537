'use strict';

/** How numbers are written on the page. Everything takes seconds, never milliseconds. */
const Format = {
  /** Whole numbers in groups of three: 1 234 567, with narrow no-break spaces. */
  count(n) {
    return Number.isFinite(n) ? String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u202f') : '–';
  },

  /** As many digits as say something: 0.123 s, 41.93 s, 512.7 s, 12 345 s. */
  seconds(s) {
    if (!Number.isFinite(s)) return '–';
    const size = Math.abs(s);
    if (size >= 1000) return Format.count(s) + ' s';
    return s.toFixed(size < 1 ? 3 : size < 100 ? 2 : 1) + ' s';
  },

  /** Hours and minutes where seconds are hard to grasp; empty below two minutes. */
  clock(s) {
    if (!Number.isFinite(s) || s < 120) return '';
    const minutes = Math.round(s / 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },

  /** For times that are still going on: 9.5 s, 41 s, 3:05 min, 2:05 h. */
  roughly(s) {
    if (!Number.isFinite(s)) return '–';
    if (s < 9.95) return s.toFixed(1) + ' s';
    if (s < 99.5) return Math.round(s) + ' s';
    const two = (n) => String(n).padStart(2, '0');
    if (s < 3600) return `${Math.floor(s / 60)}:${two(Math.floor(s % 60))} min`;
    return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)} h`;
  },

  percent(fraction, digits = 1) {
    return Number.isFinite(fraction) ? (100 * fraction).toFixed(digits) + ' %' : '–';
  },

  /** Four significant digits. */
  number(x) {
    if (!Number.isFinite(x)) return '–';
    if (Math.abs(x) >= 1000) return Format.count(x);
    return String(Number(x.toPrecision(4)));
  },

  bytes(n) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let i = 0;
    for (; n >= 1000 && i < units.length - 1; ++i) n /= 1000;
    return Format.number(n) + ' ' + units[i];
  },

  plural(n, one, many = one + 's') {
    return `${Format.count(n)} ${n === 1 ? one : many}`;
  },

  /** A tick of a time axis whose ticks are `step` seconds apart: 12 s, or 1:05:00 for long runs. */
  tick(s, step, whole) {
    if (whole < 600 || step < 1) {
      const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      return s.toFixed(Math.min(6, digits)) + ' s';
    }
    const two = (n) => String(n).padStart(2, '0');
    const hours = Math.floor(s / 3600);
    const rest = `${Math.floor(s / 60) % 60}`;
    const seconds = two(Math.round(s) % 60);
    return hours > 0 ? `${hours}:${two(rest)}:${seconds}` : `${rest}:${seconds}`;
  },
};

/** A colour or font of the style sheet, so that canvases follow light, dark and print. */
function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/** An element with a class and text; text is never taken as markup. */
function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}
