import type { z } from 'zod';
import type { Log } from '#core/log';
import { UpstreamFailure } from '../failures/failure.ts';
import type { Implausible } from './plausible.ts';

/** Why an item, or one member of an accepted item, was rejected. */
export type Rejection =
  | Implausible
  | 'malformed'
  | 'repeated'
  | 'contradictory'
  | 'out_of_order'
  | `malformed ${string}`;
type Key = string | number;
/** Called for a member whose malformed value was replaced by null. */
type Nulled = (member: string) => void;

type Rules<Item, K extends Key, Value> = {
  /** Parses an item, or returns why it is rejected. Undefined for an item that was not requested. Never throws. */
  read: (value: Value, nulled: Nulled) => Item | Rejection | undefined;
  /** Identifies an item. If several items have the same key, the last one counts. */
  keyOf?: (item: Item) => K;
  /** The requested keys. Items with other keys are ignored. */
  requested?: readonly K[];
};

export type Items<Item, K extends Key = Key> = {
  accepted: Item[];
  missing: K[];
  rejected: ReadonlyMap<Rejection, number>;
};

/** Counts rejections by reason, and adds them to earlier counts. */
export function countRejections(counted?: Items<unknown>['rejected']) {
  const rejected = new Map(counted);
  return {
    rejected,
    reject: (reason: Rejection, times = 1): void => void rejected.set(reason, (rejected.get(reason) ?? 0) + times),
  };
}

/** Sorts the items of a response. A malformed, repeated or implausible item never affects another item. */
export function readItems<Item extends object, K extends Key = Key, Value = unknown>(
  values: Iterable<Value>,
  { read, keyOf, requested }: Rules<Item, K, Value>,
): Items<Item, K> {
  const { rejected, reject } = countRejections();
  const nulled: Nulled = (member) => reject(`malformed ${member}`);
  const wanted = requested && new Set(requested);
  const places = new Map<K, number>();
  const accepted: Item[] = [];
  for (const value of values) {
    const item = read(value, nulled);
    if (item === undefined) continue;
    if (typeof item === 'string') {
      reject(item);
      continue;
    }
    const key = keyOf?.(item);
    if (key !== undefined && wanted && !wanted.has(key)) continue;
    const place = key === undefined ? undefined : places.get(key);
    if (place === undefined) accepted.push(item);
    else {
      reject('repeated');
      accepted[place] = item;
    }
    if (key !== undefined && place === undefined) places.set(key, accepted.length - 1);
  }
  return { accepted, missing: requested?.filter((key) => !places.has(key)) ?? [], rejected };
}

type Shape = Readonly<Record<string, z.ZodType>>;
type Members<S extends Shape> = { [Name in keyof S]: z.output<S[Name]> | null };

/** Parses the optional members of an item. A missing or malformed member is null. */
export function readMembers<S extends Shape>(item: unknown, shape: S, nulled: Nulled): Members<S> {
  const members = Object.entries(shape).map(([name, schema]) => {
    const { [name]: value = null }: Record<string, unknown> = Object(item);
    if (value === null) return [name, null];
    const { success, data } = schema.safeParse(value);
    if (!success) nulled(name);
    return [name, success ? data : null];
  });
  return Object.fromEntries(members) as Members<S>;
}

/** `count` is 0 for the first response of a path that again has no rejected item. */
export type Dropped = (items: { path: string; count: number; reasons: readonly Rejection[] }) => void;
type Recording = { dropped: (upstream: string) => (count: number) => void; log: Log };

/** Counts rejected items. Logs the reasons of a path once, and again when they change or return. */
export function createDropReporter({ dropped, log }: Recording, upstream: string): Dropped {
  const countDropped = dropped(upstream);
  const logged = new Map<string, string>();
  return ({ path, count, reasons }) => {
    const text = reasons.toSorted().join();
    if (count > 0 && logged.get(path) !== text) log.warn({ upstream, dropped: count, path, reasons }, 'items dropped');
    if (count > 0) logged.set(path, text);
    else logged.delete(path);
    countDropped(count);
  };
}

/** Creates the function that reports rejected items. It throws `UpstreamFailure` if all items were rejected. */
export function createItemReport(upstream: string, dropped: Dropped) {
  const faulty = new Set<string>();
  return function reportItems<I extends Items<unknown>>(path: string, items: I): I {
    const reasons = [...items.rejected.keys()];
    const count = items.rejected.values().reduce((sum, times) => sum + times, 0);
    if (count > 0 || faulty.delete(path)) dropped({ path, count, reasons });
    if (count === 0) return items;
    faulty.add(path);
    if (items.accepted.length > 0) return items;
    throw new UpstreamFailure(upstream, 'unexpected', `no usable item: ${reasons.join(', ')}`);
  };
}
