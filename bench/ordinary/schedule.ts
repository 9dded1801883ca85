/** A call that is to be made so many ms after the beginning, whatever has become of those before it. */
export type Call = { at: number; key: string };

const anyOf = (keys: readonly string[]) => keys[Math.floor(Math.random() * keys.length)] as string;

/** Calls that come at random, so many a second, for so many ms: each key in turn, or any of them. */
export function atRandom(
  keys: readonly string[],
  { rate, from = 0, ms, inTurn = false }: { rate: number; from?: number; ms: number; inTurn?: boolean },
): Call[] {
  const calls: Call[] = [];
  const gap = () => (-Math.log(1 - Math.random()) * 1000) / rate;
  for (let at = from + gap(); at < from + ms; at += gap())
    calls.push({ at, key: inTurn ? (keys[calls.length % keys.length] as string) : anyOf(keys) });
  return calls;
}

/** One call with each key, about so many ms apart: early or late at random, by up to a quarter of that. */
export function apart(keys: readonly string[], { ms, from = 0 }: { ms: number; from?: number }): Call[] {
  return keys.map((key, i) => ({ key, at: from + (i + Math.random() / 2) * ms }));
}

/** As many calls at once for each of these. */
export const pages = (calls: readonly Call[], size: number): Call[] =>
  calls.flatMap((call) => Array.from({ length: size }, () => call));
