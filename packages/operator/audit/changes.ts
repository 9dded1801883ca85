import { DAY } from '../../pages/dates.ts';
import { withDates } from '../../pages/format.ts';

type Values = Readonly<Record<string, unknown>> | null;

const textOf = (value: unknown): string => {
  if (value instanceof Date) return withDates(value.toISOString());
  return typeof value === 'string' ? withDates(value) : JSON.stringify(value);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** The members as texts, those of nested objects with their paths. A member that is null is absent. */
function flat(values: Values, prefix = ''): [name: string, text: string][] {
  return Object.entries(values ?? {}).flatMap(([name, value]): [string, string][] =>
    isObject(value) ? flat(value, `${prefix}${name}.`) : value === null ? [] : [[prefix + name, textOf(value)]],
  );
}

/** Describes each member that differs, such as `limit: 10000 → 20000`. */
export function changesIn(before: Values, after: Values): string[] {
  const old = new Map(flat(before));
  const next = new Map(flat(after));
  const names = [...new Set([...old.keys(), ...next.keys()])].filter((name) => old.get(name) !== next.get(name));
  return names.map((name) => {
    const was = old.get(name);
    const is = next.get(name);
    if (was === undefined) return `${name}: ${is}`;
    return `${name}: ${was} → ${is ?? 'removed'}`;
  });
}

/** The start of a UTC date, `days` later; empty for a text that is not a date. */
function startOf(date: string | undefined, days: number): string {
  const start = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(start) ? '' : new Date(start + days * DAY).toISOString();
}

/** Converts the parameters of the page, whose last date is included, to the parameters of the API. */
export function parametersOf({ from, to, ...others }: Readonly<Record<string, string>>): Record<string, string> {
  return { ...others, from: startOf(from, 0), until: startOf(to, 1) };
}
