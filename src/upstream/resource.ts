const MEMBERS = {
  chart: ['token'],
  hours: ['token'],
  daily: ['token'],
  import: ['token'],
  purge: ['token'],
  kraken: ['interval', 'token'],
  candles: ['token', 'interval'],
  'candles-import': ['token', 'interval'],
  'candles-purge': ['token', 'interval'],
  statistics: ['token'],
  unlisted: ['source', 'token'],
} as const;

type Interval = 'minute' | 'hour' | 'day';
type Text<Members> = Members extends readonly [infer First, ...infer Rest]
  ? `:${First extends 'interval' ? Interval : string}${Text<Rest>}`
  : '';
type Kind = keyof typeof MEMBERS;
export type ResourceOf<Some extends Kind> = { [K in Some]: `${K}${Text<(typeof MEMBERS)[K]>}` }[Some];

/** The name of a row of `Refresh`, which stores the data's version, the last fetch, and a process's claim. */
export type Resource =
  | ('latest' | 'kraken:latest' | 'failover' | 'rates' | 'tokens' | 'announcement' | 'incidents')
  | ('retention' | 'usage-retention' | 'notices:use' | 'notices:end' | 'activity')
  | ResourceOf<Kind>;

export function readResource(resource: string) {
  const [kind = '', ...values] = resource.split(':');
  const names = Object.hasOwn(MEMBERS, kind) ? MEMBERS[kind as Kind] : undefined;
  if (names?.length !== values.length) return { kind: resource };
  return { kind, ...Object.fromEntries(names.map((name, i) => [name, values[i]])) } as {
    kind: string;
    token?: string;
    interval?: Interval;
  };
}
