// How numbers and dates are spread: a few equal ranges with their counts.

import { number } from "./dom.js";
import { aggregate } from "./server.js";

const most = 16; // ranges of numbers

/** A step of 1, 2 or 5 times a power of ten that makes at most so many ranges. */
export function niceStep(width, n) {
  const rough = width / n;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((f) => f * power).find((step) => step >= rough * 0.999) || power * 10;
}

const round = (x, step) => Number(x.toFixed(Math.max(0, Math.min(20, 1 - Math.floor(Math.log10(step))))));

/** {buckets: [{from, to, last, label, n}], from, to, unit}, or null without values. */
export async function numbers(env, { path, kind }) {
  const { s } = await aggregate(env, { s: { stats: { field: path } } });
  if (!s.count) return null;
  let step = s.max > s.min ? niceStep(s.max - s.min, most) : Math.max(1, Math.abs(s.min));
  if (kind === "long") step = Math.max(1, step);
  const first = Math.floor(s.min / step) * step;
  const edges = [];
  for (let i = 0; i <= most + 2; i++) {
    edges.push(round(first + i * step, step));
    if (edges[i] > s.max) break;
  }
  const filters = edges.slice(1).map((to, i) => ({ range: { [path]: { gte: edges[i], lt: to } } }));
  const { f } = await aggregate(env, { f: { filters: { filters } } });
  const buckets = f.buckets.map((b, i) => ({
    from: edges[i],
    to: edges[i + 1],
    label: `${number(edges[i])} to below ${number(edges[i + 1])}`,
    n: b.doc_count,
  }));
  return { buckets, from: number(s.min), to: number(s.max), unit: `average ${number(round(s.avg, step))}` };
}

const day = 86400e3;
const intervals = [
  ["hour", 3600e3],
  ["day", day],
  ["week", 7 * day],
  ["month", 30 * day],
  ["quarter", 91 * day],
  ["year", 365 * day],
];

export async function dates(env, { path }) {
  const { min, max } = await aggregate(env, { min: { min: { field: path } }, max: { max: { field: path } } });
  if (min.value === null || min.value === undefined) return null;
  const span = max.value - min.value;
  const [unit] = intervals.find(([, length]) => span / length <= 36) || intervals.at(-1);
  const { h } = await aggregate(env, {
    h: { date_histogram: { field: path, calendar_interval: unit, min_doc_count: span / (365 * day) > 200 ? 1 : 0 } },
  });
  const text = (ms) => new Date(ms).toISOString().slice(0, unit === "hour" ? 16 : 10);
  const all = h.buckets.slice(0, 200);
  const buckets = all.map((b, i) => ({
    from: new Date(b.key).toISOString(),
    to: new Date(all[i + 1]?.key ?? max.value).toISOString(),
    last: i === all.length - 1,
    label: text(b.key),
    n: b.doc_count,
  }));
  return { buckets, from: text(min.value), to: text(max.value), unit: `by ${unit}` };
}
