const MEMBERS = {
  chart: ['token'],
  hours: ['token'],
  daily: ['token'],
  import: ['token'],
  purge: ['token'],
  missing: ['interval', 'token'],
  candles: ['token', 'interval'],
  'candles-import': ['token', 'interval'],
  'candles-purge': ['token', 'interval'],
  'candles-missing': ['token', 'interval'],
  statistics: ['token'],
  unlisted: ['source', 'token'],
} as const;

type Interval = 'minute' | 'hour' | 'day';
type Text<Members> = Members extends readonly [infer First, ...infer Rest]
  ? `:${First extends 'interval' ? Interval : string}${Text<Rest>}`
  : '';
type Kind = keyof typeof MEMBERS;
export type ResourceOf<Some extends Kind> = { [K in Some]: `${K}${Text<(typeof MEMBERS)[K]>}` }[Some];

/** The latest prices and the samples of a source. The names contain the source's name. */
export type SourceResource = `${string}:latest` | `${string}:${Interval}:${string}`;

/** The name of a row in `Refresh`: the version of the data, the time of the last fetch, and a process's claim. */
export type Resource =
  | ('latest' | 'latest-missing' | 'failover' | 'rates' | 'coins' | 'tokens' | 'announcement' | 'incidents')
  | ('retention' | 'usage-retention' | 'notices:use' | 'notices:end' | 'activity')
  | SourceResource
  | ResourceOf<Kind>;

const OF_SOURCE = ['interval', 'token'] as const;
const INTERVAL = /^(minute|hour|day)$/;

/** For a source's samples, `kind` is the source's name. */
export function readResource(resource: string) {
  const [kind = '', ...values] = resource.split(':');
  const isOfSource = values.length === OF_SOURCE.length && INTERVAL.test(values[0] ?? '');
  const names = Object.hasOwn(MEMBERS, kind) ? MEMBERS[kind as Kind] : isOfSource ? OF_SOURCE : undefined;
  if (names?.length !== values.length) return { kind: resource };
  return { kind, ...Object.fromEntries(names.map((name, i) => [name, values[i]])) } as {
    kind: string;
    token?: string;
    interval?: Interval;
  };
}
