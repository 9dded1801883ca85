import type { Coding } from '#services/caching/bodies';
import { readQualities } from './quality-list.ts';

/** In the order in which they are preferred where a caller does not mind. */
const OFFERED = ['br', 'gzip'] as const;

function choose(header: string): Coding {
  const given = new Map(readQualities(header).map(({ name, quality }) => [name, quality]));
  const wildcard = given.get('*') ?? 0;
  let best: Coding = 'identity';
  let quality = given.get('identity') ?? 0;
  for (const coding of OFFERED) {
    const mine = given.get(coding) ?? wildcard;
    const isBetter = best === 'identity' ? mine > 0 && mine >= quality : mine > quality;
    if (isBetter) [best, quality] = [coding, mine];
  }
  return best;
}

/** Callers send few different headers, and each call wants an answer: so many of them are remembered, none longer. */
const REMEMBERED = 256;
const LONGEST = 256;
const chosen = new Map<string, Coding>();

/** The content coding for an `Accept-Encoding` (RFC 9110, 12.5.3). */
export function acceptedCoding(header: string | undefined): Coding {
  if (header === undefined) return 'identity';
  const known = chosen.get(header);
  if (known) return known;
  const coding = choose(header);
  if (chosen.size < REMEMBERED && header.length <= LONGEST) chosen.set(header, coding);
  return coding;
}
