import { lettersApart, tolerance } from '#core/spelling';

/** A shorter end of a path says too little. */
const SHORTEST_END = 4;

/** The known path that another is meant to be: but for case and slashes, for a letter or two, or for what is before it. */
export function nearestPath(path: string, known: readonly string[]): string | undefined {
  const given = path.toLowerCase().replace(/\/+/g, '/').replace(/\/$/, '');
  const apart = (one: string) => lettersApart(given, one.toLowerCase(), tolerance(one.length));
  const isEnd = (whole: string, end: string) => end.length >= SHORTEST_END && whole.endsWith(end);
  const [nearest] = known
    .map((one) => ({ one, letters: apart(one) }))
    .filter(({ letters }) => letters < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.letters - b.letters);
  return nearest?.one ?? known.find((one) => isEnd(one, given) || isEnd(given, one));
}
