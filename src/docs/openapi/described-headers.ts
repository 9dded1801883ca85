import { SOURCE_NAMES } from '#docs/source-list';
import type { Schema } from './schemas.ts';

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
/** The second source of a kind and later ones have their number appended. */
const SOURCE_NAME = `(${SOURCE_NAMES.join('|')})(-([2-9]|[1-9]\\d+))?`;
const LINK = '<[^>]+>; rel="(alternate|related|help)"; title="[^"]+"';

/** All headers that a response may have and that the service defines. */
export const HEADERS = {
  'X-Request-Id': text(
    'Names the request in our log: yours, when it was 1 to 128 characters of `[A-Za-z0-9._-]`, else one made here.',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    '^[A-Za-z0-9._-]{1,128}$',
  ),
  'RateLimit-Policy': text(
    "The limits (draft-ietf-httpapi-ratelimit-headers). `plan`: `q` calls in a period of `w` seconds, the plan's month or year. `burst`, where there is one: `q` requests in a second.",
    '"plan";q=10000;w=2678400, "burst";q=50;w=1',
    '^"plan";q=\\d+;w=\\d+(, "burst";q=\\d+;w=1)?$',
  ),
  RateLimit: text(
    'What is left of the plan: `r` calls at least, for `t` seconds until the period ends. Of `rate_limited`: nothing of the burst limit.',
    '"plan";r=9123;t=86400',
    '^("plan";r=\\d+;t=\\d+|"burst";r=0;t=1)$',
  ),
  ETag: text(
    'A strong validator of the body, the same for every key. Send it in If-None-Match: 304 is free of charge.',
    '"ymSVG-s4UnIXUSNLj1slMS"',
    '^"[!#-~]+"$',
  ),
  'Last-Modified': text(
    'When the newest sample was taken. Send it in If-Modified-Since where you keep no ETag.',
    'Mon, 01 Jan 2024 00:00:00 GMT',
    HTTP_DATE,
  ),
  'Cache-Control': text(
    'How long the answer may be kept, from when its figures were fetched: `Age` comes off it. A window that can never change is `immutable`; a problem is `no-store`, and so is whatever carries a key.',
    'private, max-age=360, stale-while-revalidate=60, stale-if-error=86400',
  ),
  'Cache-Status': text(
    'How the answer was come by (RFC 9211); `ttl` is negative when it is older than it should be.',
    'quotient; hit; ttl=42',
    '^quotient(; ?[a-z-]+(=[^;]+)?)+$',
  ),
  Vary: text('The request headers that the body depends on.', 'Accept, Accept-Encoding'),
  Age: seconds('Seconds since the figures were fetched; left out when they were imported or are long settled.', 17),
  'Quotient-Gaps': text(
    'The spans of the window, from the listing of the token on, that cannot be had: `from/thru`, both included, separated by commas. They are dates for daily points and instants for finer ones. Left out when nothing is missing.',
    '2013-04-28/2024-11-21',
    '^[0-9TZ:.-]+/[0-9TZ:.-]+(, [0-9TZ:.-]+/[0-9TZ:.-]+)*$',
  ),
  'Quotient-Source': text(
    'Who told the figures (`GET /v1/sources`): a list, whoever told most of them first. `solana-rpc-2` is the second of ' +
      'its kind. While another source tells the latest price in place of the first, each has the age of its figures in ' +
      'seconds: `kraken;age=12, coingecko;age=5400`, the price by Kraken and the rest as CoinGecko told it last.',
    SOURCE_NAMES[0],
    `^${SOURCE_NAME}(;age=\\d+)?(, ${SOURCE_NAME}(;age=\\d+)?)*$`,
  ),
  'Quotient-Currency': text(
    'Of figures in another currency than the US dollar: which, and who tells what it is worth. An answer with one rate ' +
      'also has the units for one US dollar, and the date of that rate. Omitted when the figures are in US dollars. ' +
      'A 304 omits it: the value of the stored response remains valid.',
    'eur;rate=0.8632;on=2026-11-20;source=ecb',
    `^[a-z]{3}(;rate=\\d+(\\.\\d+)?;on=\\d{4}-\\d{2}-\\d{2})?;source=(${SOURCE_NAMES.join('|')})$`,
  ),
  Link: text(
    'Related pages and calls (RFC 8288). On answers of the node, the page of an explorer (`alternate`), if the operator has ' +
      'named one. On a registration, the call that renews the key (`related`), and the guide to it (`help`).',
    '<https://explorer.example/tx/E19B011D>; rel="alternate"; title="explorer"',
    `^${LINK}(, ${LINK})*$`,
  ),
  'Retry-After': seconds('Seconds after which a repeat may succeed.', 30),
  Allow: text('The methods that the path takes.', 'GET, HEAD', '^[A-Z]+(, [A-Z]+)*$'),
  'WWW-Authenticate': text('How to present yourself: a key in the header X-API-KEY.', 'ApiKey', '^ApiKey$'),
} as const satisfies Record<string, DescribedHeader>;

type HeaderName = keyof typeof HEADERS;
/** A question mark: the header may be missing. */
export type Occurrence = HeaderName | `${HeaderName}?`;

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

/** Sent before the allowance is checked. */
const BEFORE_PAYMENT = new Set([401, 405, 408, 413, 414, 431]);

function occurring(status: number, isPriced: boolean, own: readonly Occurrence[]): Occurrence[] {
  if (status < 400) return [...(isPriced ? PRICED : (['Cache-Control?'] as const)), ...own];
  // The call may fail after it was charged, and is then refunded.
  const wasAsked = isPriced && !BEFORE_PAYMENT.has(status);
  const allowance: Occurrence[] = wasAsked ? ['RateLimit-Policy?', 'RateLimit?'] : [];
  return ['Cache-Control', ...allowance, ...(BY_STATUS[status] ?? [])];
}

/** `own` are the route's headers. Required and optional use are separate components, declared on first use. */
export function headersOf(
  status: number,
  isPriced: boolean,
  own: readonly Occurrence[],
  declared: Record<string, object>,
): Record<HeaderName, { $ref: string }> {
  const all: Occurrence[] = ['X-Request-Id', ...occurring(status, isPriced, own)];
  const entries = all.map((one) => {
    const [name, component] = [one.replace('?', '') as HeaderName, one.replace('?', '.optional')];
    declared[component] ??= { ...HEADERS[name], required: !one.endsWith('?') };
    return [name, { $ref: `#/components/headers/${component}` }];
  });
  return Object.fromEntries(entries);
}
