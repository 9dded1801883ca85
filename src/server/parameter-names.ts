import { editDistance, tolerance } from '#core/forms/record-fields';
import type { InputFault } from '#core/problems';

/** Parameters of this API with the same meaning, the preferred parameter first, and their names in other services. */
type Meaning = {
  own: readonly string[];
  others: readonly string[];
  /** Set if the parameters of this API accept different values, so that they cannot replace each other. */
  hasForms?: true;
  /** On a path that has one of these parameters but none of `own`, all names are rejected, even the names in `own`. */
  alsoWith?: readonly string[];
};

const words = (...lines: readonly string[]): string[] => lines.join(' ').split(' ');

const DATES = ['fromDate', 'thruDate', 'date', 'days'];
const MARKET = ['currency', 'tokenName', 'tokenNames', 'token', ...DATES];

/**
 * A path with one of these parameters rejects all other names in this table. If it ignored `vs_currencies=eur` or
 * `from`, the response would contain data that the client did not request.
 */
const MARKET_MEANINGS: readonly Meaning[] = [
  {
    own: ['currency'],
    alsoWith: MARKET,
    others: words(
      'vs_currency vs_currencies vs currencies convert convert_id convert_to tsym tsyms quote quotes quoteId quoteAsset',
      'quote_currency counter_currency to_currency fiat fiat_currency target target_currency reference_currency',
    ),
  },
  {
    own: ['tokenName', 'tokenNames', 'token'],
    alsoWith: MARKET,
    others: words(
      'tokens coin coins coin_id coin_ids id ids symbol symbols slug fsym fsyms pair currency_pair base baseId',
      'baseAsset base_currency from_currency asset assets ticker tickers',
    ),
  },
  {
    own: ['fromDate', 'date', 'days'],
    hasForms: true,
    alsoWith: MARKET,
    others: words('from start startDate startTime startAt time_start since from_date after'),
  },
  {
    own: ['thruDate', 'date', 'days'],
    hasForms: true,
    alsoWith: MARKET,
    others: words('to end toDate endDate endTime endAt time_end until toTs ts timestamp time before'),
  },
  {
    own: ['interval'],
    alsoWith: ['days'],
    others: words('granularity resolution timeframe timePeriod period aggregate'),
  },
  // All dates are in UTC.
  { own: [], alsoWith: DATES, others: words('timezone tz utc_offset') },
];

/** If other names for the terms of a key were ignored, the key would be valid for longer or for more than intended. */
const TERMS_OF_KEYS: readonly Meaning[] = [
  { own: ['graceSeconds'], others: words('grace gracePeriod overlap') },
  { own: ['expiresAt'], others: words('expires expiry expires_in expiration expiration_date ttl valid_until') },
  { own: ['dailyLimit'], others: words('limit daily quota rate_limit max_calls remaining') },
  { own: ['allowedOrigins'], others: words('origin origins domains allowed_domains referrers allowed_referrers') },
  { own: ['scopes'], others: words('permission permissions roles') },
  { own: ['label'], others: ['name'] },
];

/** Removes from a name what clients add by mistake: `amp;` from an escaped `&`, and the brackets of a list. */
const plain = (name: string): string => name.replace(/^amp;/, '').replace(/\[\w{0,20}\]$/, '');

/** Converts a name in any notation to one form: `quoteCurrency`, `quote_currency` and `Quote-Currency` are the same. */
const folded = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/** Each meaning with its other names in folded form. Bodies can contain the terms of keys, but no market parameters. */
const withFolded = (meanings: readonly Meaning[]) =>
  meanings.map((meaning) => ({ ...meaning, folded: new Set(meaning.others.map(folded)) }));
const IN_BODIES = withFolded(TERMS_OF_KEYS);
const ELSEWHERE = [...withFolded(MARKET_MEANINGS), ...IN_BODIES];

/** The edit distance between two names, ignoring case. Infinity if the distance is too large. */
const apart = (name: string, parameter: string): number =>
  editDistance(name.toLowerCase(), parameter.toLowerCase(), tolerance(parameter.length));

function nearest(name: string, parameters: readonly string[]): string | undefined {
  const [first] = parameters.toSorted((a, b) => apart(name, a) - apart(name, b));
  return first !== undefined && apart(name, first) < Number.POSITIVE_INFINITY ? first : undefined;
}

/** The words for the names in a place, and for the part of the API that accepts them. */
const NOUNS: Readonly<Record<string, { noun: string; of: string }>> = {
  body: { noun: 'member', of: 'path' },
  arguments: { noun: 'argument', of: 'tool' },
};

const fault = (place: string, name: string, message: string, fix: string): InputFault[] => [
  { location: `${place}.${name}`, message, fix },
];

/** Suggests a supported parameter for an unknown name. Never repeats submitted text, except names in the table. */
function faultOf(place: string, sent: string, parameters: readonly string[]): InputFault[] {
  const name = plain(sent);
  const { noun, of } = NOUNS[place] ?? { noun: 'parameter', of: 'path' };
  const near = nearest(name, parameters);
  if (near !== undefined) return fault(place, near, 'is misspelled', `use the ${noun} name ${near}`);
  for (const { own, hasForms, alsoWith = [], ...names } of place === 'body' ? IN_BODIES : ELSEWHERE) {
    const isOwn = own.includes(name);
    if (!isOwn && !names.folded.has(folded(name))) continue;
    const other = isOwn ? name : (names.others.find((candidate) => folded(candidate) === folded(name)) ?? name);
    const [right, ...further] = own.filter((parameter) => parameters.includes(parameter));
    if (right !== undefined && !(isOwn && hasForms))
      return fault(place, right, `was sent as ${other}`, `use the ${noun} name ${right}`);
    if (!parameters.some((parameter) => alsoWith.includes(parameter))) continue;
    const fix = right === undefined ? 'omit it' : `use ${[right, ...further].join(' or ')}`;
    return fault(place, other, `is not accepted by this ${of}`, fix);
  }
  return [];
}

/** Reports misspelled names, and names from other services. */
export const misspeltIn = (place: string, sent: readonly string[], parameters: readonly string[]): InputFault[] =>
  place === 'path'
    ? []
    : sent.filter((name) => !parameters.includes(name)).flatMap((name) => faultOf(place, name, parameters));
