/** The members of the names of resources that have any, in their order. */
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

/** A resource with members, such as `kraken:hour:bitcoin`. */
export type ResourceOf<Some extends Kind> = { [K in Some]: `${K}${Text<(typeof MEMBERS)[K]>}` }[Some];

/**
 * The name of a row of `Refresh`, which has the version of what is stored, the instant of the last fetch, and the claim
 * of the process that is at work on it.
 */
export type Resource =
  | ('latest' | 'kraken:latest' | 'failover' | 'rates' | 'tokens')
  | ('retention' | 'usage-retention' | 'notices:use' | 'notices:end')
  | ResourceOf<Kind>;

/** The kind of a resource, which is its name where it has no members, and its members. */
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
