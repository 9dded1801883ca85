/** A call at a scheduled time, in ms after the start. The time does not depend on earlier calls. */
export type Call = { at: number; key: string };

const anyOf = (keys: readonly string[]) => keys[Math.floor(Math.random() * keys.length)] as string;

/** Calls at random times, at an average rate per second, with keys that rotate or are chosen at random. */
export function atRandom(
  keys: readonly string[],
  { rate, from = 0, ms, rotate = false }: { rate: number; from?: number; ms: number; rotate?: boolean },
): Call[] {
  const calls: Call[] = [];
  const gap = () => (-Math.log(1 - Math.random()) * 1000) / rate;
  for (let at = from + gap(); at < from + ms; at += gap())
    calls.push({ at, key: rotate ? (keys[calls.length % keys.length] as string) : anyOf(keys) });
  return calls;
}

/** One call with each key, at intervals of `ms`. A random delay of up to half an interval is added to each call. */
export function spaced(keys: readonly string[], { ms, from = 0 }: { ms: number; from?: number }): Call[] {
  return keys.map((key, i) => ({ key, at: from + (i + Math.random() / 2) * ms }));
}

/** Replaces each call with `size` simultaneous calls. */
export const pages = (calls: readonly Call[], size: number): Call[] =>
  calls.flatMap((call) => Array.from({ length: size }, () => call));
