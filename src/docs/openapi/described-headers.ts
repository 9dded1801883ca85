import { SOURCE_NAMES } from '#web/source-list';
import type { Header, Schema } from './schemas.ts';

type DescribedHeader = { description: string; schema: Schema; example: string | number };

const text = (description: string, example: string, pattern?: string): DescribedHeader => ({
  description,
  schema: { type: 'string', ...(pattern && { pattern }) },
  example,
});

const seconds = (description: string, example: number): DescribedHeader => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

const HTTP_DATE = '^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$';
/** The names of the second and later sources of a kind end in a number. */
const SOURCE_NAME = `(${SOURCE_NAMES.join('|')})(-([2-9]|[1-9]\\d+))?`;
const LINK = '<[^>]+>; rel="(alternate|related|help|next)"; title="[^"]+"';

const HEADERS = {
  'X-Request-Id': text(
    'The ID of the request, as in the log. A client can send its own ID in this header: 1 to 128 characters from `[A-Za-z0-9._-]`.',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    '^[A-Za-z0-9._-]{1,128}$',
  ),
  'RateLimit-Policy': text(
    'The limits (draft-ietf-httpapi-ratelimit-headers). `plan` is the allowance: `q` calls in a period of `w` seconds. `burst`, if enabled, is the limit of `q` requests per second.',
    '"plan";q=10000;w=2678400, "burst";q=50;w=1',
    '^"plan";q=\\d+;w=\\d+(, "burst";q=\\d+;w=1)?$',
  ),
  RateLimit: text(
    'The remaining calls. `r` is the minimum number of calls left, and `t` is the number of seconds until the period ends. A `rate_limited` response contains the burst limit instead, and a `key_limit_exceeded` response contains the daily limit of the key.',
    '"plan";r=9123;t=86400',
    '^("plan";r=\\d+;t=\\d+|"burst";r=0;t=1)$',
  ),
  ETag: text(
    'A strong validator of the body. It is the same for every key. Send it in `If-None-Match`. While calls are left, a 304 response is free.',
    '"ymSVG-s4UnIXUSNLj1slMS"',
    '^"[!#-~]+"$',
  ),
  'Last-Modified': text(
    'The time of the newest sample. If you do not store the `ETag`, send this time in `If-Modified-Since`.',
    'Mon, 01 Jan 2024 00:00:00 GMT',
    HTTP_DATE,
  ),
  'Cache-Control': text(
    'How long to cache the response. `max-age` starts when the data is fetched: subtract `Age` to get the remaining time. Data that never changes is `immutable`. Responses that contain a key, and all problems, are `no-store`.',
    'private, max-age=360, stale-while-revalidate=60, stale-if-error=86400',
  ),
  'Cache-Status': text(
    'How the cache handled the request (RFC 9211). If the data is older than its lifetime, `fwd=stale` is present, and `detail` contains the reason.',
    'quotient; hit; ttl=42',
    '^quotient(; ?[a-z-]+(=[^;]+)?)+$',
  ),
  Vary: text('The request headers that affect the body.', 'Accept, Accept-Encoding'),
  Age: seconds(
    'The number of seconds since the data was fetched. Omitted for imported data and for old data that no longer changes.',
    17,
  ),
  'Quotient-Gaps': text(
    'The parts of the requested period for which data is missing, as `from/thru`, separated by commas. Both ends are included. They are dates for daily points, and times for shorter intervals. The time before the token was listed does not count. Omitted if no data is missing.',
    '2013-04-28/2024-11-21',
    '^[0-9TZ:.-]+/[0-9TZ:.-]+(, [0-9TZ:.-]+/[0-9TZ:.-]+)*$',
  ),
  'Quotient-Source': text(
    'The names of the data sources, as in `GET /v1/sources`. The main source is first. A name such as ' +
      '`solana-rpc-2` is the second source of its kind. While a fallback source provides the latest price, ' +
      'each name has the age of its data in seconds. For example, `kraken;age=12, coingecko;age=5400` means ' +
      'that the price is from Kraken, and all other members are the last values from CoinGecko.',
    SOURCE_NAMES[0],
    `^${SOURCE_NAME}(;age=\\d+)?(, ${SOURCE_NAME}(;age=\\d+)?)*$`,
  ),
  'Quotient-Token': text(
    'The token whose data the response contains, if the operator has set it as the successor of the requested token. If several tokens have successors, the successors are separated by commas.',
    'terra-luna-2',
    '^[a-z0-9._-]+(, [a-z0-9._-]+)*$',
  ),
  'Quotient-Currency': text(
    'The currency of the amounts and the source of its rate. If one rate applies to the whole response, ' +
      '`rate` is the number of units per US dollar, and `on` is the date of the rate. Omitted for US dollars. ' +
      'Also omitted in a 304 response: the header of the stored response remains valid.',
    'eur;rate=0.8632;on=2026-11-20;source=ecb',
    `^[a-z]{3}(;rate=\\d+(\\.\\d+)?;on=\\d{4}-\\d{2}-\\d{2})?;source=(${SOURCE_NAMES.join('|')})$`,
  ),
  'X-Accel-Buffering': text('Asks nginx and other proxies to pass on each event as it arrives.', 'no', '^no$'),
  Link: text(
    'Related pages and calls (RFC 8288). If the operator has configured a block explorer, node responses ' +
      'link to it (`alternate`). A registration response links to the renewal call (`related`) and to its ' +
      'description (`help`). A page of tokens links to the next page (`next`).',
    '<https://explorer.example/tx/E19B011D>; rel="alternate"; title="explorer"',
    `^${LINK}(, ${LINK})*$`,
  ),
  'Retry-After': seconds('The number of seconds to wait before the next attempt.', 30),
  Allow: text('The methods that the path supports.', 'GET, HEAD', '^[A-Z]+(, [A-Z]+)*$'),
  'WWW-Authenticate': text(
    'The authentication scheme. `ApiKey` means a key in the `X-API-KEY` header.',
    'ApiKey',
    '^ApiKey$',
  ),
} as const satisfies Record<string, DescribedHeader>;

type HeaderName = keyof typeof HEADERS;
export type Occurrence = HeaderName | `${HeaderName}?`;

/** A stream has these headers instead of the headers of priced responses, because it is not cached. */
export const STREAMED: Occurrence[] = ['RateLimit-Policy', 'RateLimit', 'X-Accel-Buffering'];

const PRICED: Occurrence[] = [
  'RateLimit-Policy',
  'RateLimit',
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Cache-Status',
  'Vary',
  'Quotient-Source',
  'Age?',
  'Quotient-Gaps?',
];

const BY_STATUS: Readonly<Record<number, Occurrence[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['RateLimit-Policy?', 'RateLimit?', 'Retry-After'],
  502: ['Retry-After?'],
  503: ['Retry-After'],
  504: ['Retry-After?'],
};

/** Responses with these statuses are sent before the allowance is checked. */
const BEFORE_CHARGE = new Set([401, 405, 408, 413, 414, 431]);

function occurring(status: number, isPriced: boolean, own: readonly Occurrence[]): Occurrence[] {
  if (status < 400) {
    const usual: readonly Occurrence[] = isPriced ? PRICED : ['Cache-Control?'];
    return [...usual.filter((header) => !own.includes(`${header}?` as Occurrence)), ...own];
  }
  // A call that fails after it was charged is refunded.
  const isCharged = isPriced && !BEFORE_CHARGE.has(status);
  const allowance: Occurrence[] = isCharged ? ['RateLimit-Policy?', 'RateLimit?'] : [];
  return ['Cache-Control', ...allowance, ...(BY_STATUS[status] ?? [])];
}

/** `own` contains the route's headers. Each header is a component, declared on first use. */
export function headersOf(
  status: number,
  isPriced: boolean,
  own: readonly Occurrence[],
  declared: Record<string, Header>,
): Record<HeaderName, { $ref: string }> {
  const all: Occurrence[] = ['X-Request-Id', ...occurring(status, isPriced, own)];
  const entries = all.map((occurrence) => {
    const name = occurrence.replace('?', '') as HeaderName;
    const component = occurrence.replace('?', '.optional');
    declared[component] ??= { ...HEADERS[name], required: !occurrence.endsWith('?') };
    return [name, { $ref: `#/components/headers/${component}` }];
  });
  return Object.fromEntries(entries);
}
