import type { InputFault } from '#core/problems';
import { lettersApart, tolerance } from '#core/spelling';

/** What other services call the same. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  thruDate: ['toDate', 'endDate', 'to'],
  fromDate: ['startDate', 'from'],
  tokenName: ['token', 'coin', 'id', 'symbol'],
  tokenNames: ['tokens', 'coins', 'ids', 'symbols'],
  token: ['tokenName', 'coin', 'id', 'symbol'],
};

/** In how many letters a name differs from a known one, upper and lower case aside; Infinity where that is too many. */
const apart = (name: string, known: string): number =>
  lettersApart(name.toLowerCase(), known.toLowerCase(), tolerance(known.length));

/** The known name that another is but for upper and lower case, or for a letter or two. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const [first] = known.toSorted((a, b) => apart(name, a) - apart(name, b));
  return first !== undefined && apart(name, first) < Number.POSITIVE_INFINITY ? first : undefined;
}

/** The known parameter that one of another name is meant to be, if there is one; nothing of what was sent is repeated. */
function faultOf(name: string, known: readonly string[], given: readonly string[]): InputFault | undefined {
  const nearly = nearest(name, known);
  const same = known.find((one) => OTHER_NAMES[one]?.includes(name) && !given.includes(one));
  const right = nearly ?? same;
  if (right === undefined) return undefined;
  const message = nearly ? 'is misspelt' : `is not called ${name} here`;
  return { location: `query.${right}`, message, fix: `name the parameter ${right}, just so` };
}

/** Of the parameters that a route does not know those that somebody means all the same: misspelt, or as others call them. */
export const misspeltParameters = (given: readonly string[], known: readonly string[]): InputFault[] =>
  given.filter((name) => !known.includes(name)).flatMap((name) => faultOf(name, known, given) ?? []);
