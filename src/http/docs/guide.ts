import { z } from 'zod';
import { DAY, HOUR, MINUTE, SECOND } from '#domain/clock';
import { CSV_HEADER } from '#domain/market/text/series-csv';
import { BUILT_IN_NAMES } from '#domain/market/token';
import { PLAN_NAMES, PLANS } from '#domain/quota/plan';
import { latestPrice } from '#domain/records/prices';
import { attributions } from '#domain/source-list';
import type { Settings } from '#settings';
import { HEADERS } from './described-headers.ts';
import { callSamples, EXAMPLE_KEY, EXAMPLE_ORIGIN } from './reference/code-samples.ts';
import { exampleOf, type NamedSchemas, problemExample, type Schema } from './schema-examples.ts';

/** What the guide tells of the service that runs. */
export type GuideSettings = Pick<
  Settings,
  'basePath' | 'burstPerSecond' | 'registration' | 'registrationsPerMinute' | 'node' | 'coingecko'
>;

/** A part of the guide, in Markdown; its first paragraph says the essence, and can stand alone. */
export type Section = { id: string; title: string; text: string };

export const SLOGAN = 'Market quotes, on a quota';

export const SUMMARY =
  'The latest prices, price history and on-chain statistics of ' +
  `${BUILT_IN_NAMES.slice(0, -1).join(', ')}, ${BUILT_IN_NAMES.at(-1)} and whatever the operator adds, in US dollars and other currencies, ` +
  'and the calls of a blockchain node, over HTTP and with one API key.';

export const ATTRIBUTION = `${attributions((title, url) => `[${title}](${url})`).join('. ')}.`;

const count = (n: number, noun: string) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const;

/** `every hour`, `every 2 minutes`: of a duration (ms), in the largest unit of which it is a multiple. */
function every(ms: number): string {
  const [unit, noun] = UNITS.find(([size]) => ms % size === 0) ?? [SECOND, 'second'];
  return ms === unit ? `every ${noun}` : `every ${count(ms / unit, noun)}`;
}

/** How often a plan's months come round. */
const PERIODS = { 1: 'a month', 12: 'a year' } as const;

function gettingKey(base: string, { registration, registrationsPerMinute }: GuideSettings): string {
  if (registration === 'closed') {
    return 'Registration is closed on this service: ask the operator for a key.';
  }
  const pace =
    registrationsPerMinute > 0
      ? ` One address can register at most ${registrationsPerMinute} times a minute.`
      : '';
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\``).join(' or ');
  return `Register with a name, an e-mail address and a plan (${plans}): \`POST /v1/user/create\`. No e-mail is sent.${pace}

\`\`\`sh
curl -X POST '${base}/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly'
\`\`\`

The member \`apiKey\` of the answer is the key: \`qt_\` and 38 letters and digits. It is shown only once, since the service \
stores just its hash: save it. \`POST /v1/user/rotate\` replaces it by a new one.

It is the owner key: whoever has it can change and erase the account. For a web page or a script make a key of its own, \
which can only read prices (\`scopes=prices\`) or call the node (\`scopes=node\`), and share in the same allowance:

\`\`\`sh
curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/keys?label=shop%20window&scopes=prices'
\`\`\`

\`GET /v1/user/keys\` lists your keys with when each was last used, and \`DELETE /v1/user/keys/{id}\` ends one.`;
}

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

function firstCall(base: string): string {
  const url = `${base}/v1/prices/latest/token?tokenName=bitcoin`;
  const samples = callSamples({ method: 'GET', url, headers: { 'X-API-KEY': EXAMPLE_KEY } });
  const schema = z.toJSONSchema(latestPrice) as Schema;
  const answer = exampleOf(schema, schema.$defs as NamedSchemas);
  return `Send the key in the header \`X-API-KEY\` with every call.

${fenced('sh', `KEY=${EXAMPLE_KEY}\ncurl -i -H "X-API-KEY: $KEY" '${url}'`)}

In JavaScript:

${fenced('js', samples.javascript)}

In Python:

${fenced('python', samples.python)}

The answer has the price, the market cap, and the all-time high and low; its headers have the age of the figures and the number of calls that you have left.

${fenced('json', JSON.stringify(answer, null, 2))}

\`GET /v1/prices/latest/tokens\` has up to 100 tokens in one call, and the change of each in 24 hours, \`change_24h\`: in per cent, against the \
sample nearest to 24 hours ago, and null when none is within 30 minutes of that.

Where a client can send no such header, the key is taken from \`Authorization\` too: as Bearer token, or with Basic as the user \
name, the password being empty (\`curl -u "$KEY:"\`, or a URL like \`${base.replace('://', `://${EXAMPLE_KEY}:@`)}/v1/node\`). \
Two that differ are refused.`;
}

const TOO_MANY_REQUESTS = `Read \`code\`, and wait for the seconds in \`Retry-After\`: a 429 has one of two reasons.

* \`quota_exceeded\`: the calls of your period are used up, or fewer are left than this call costs. \`GET /v1/user/usage\` says when the next period begins; it is free.
* \`rate_limited\`: too many requests at once. Spread them; free ones count too.

To use fewer calls, ask for several tokens at once with \`/v1/prices/latest/tokens\`, send \`If-None-Match\`, and keep an answer as long as \`Cache-Control\` says.`;

const leakedKey = (
  base: string,
) => `Replace the owner key by a new one: \`POST /v1/user/rotate\`. With \`graceSeconds=0\` the old key ends at once; without it, after five \
minutes in which it can still read. Usage, plan and validity stay, and so do your other keys.

${fenced('sh', `curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/rotate?graceSeconds=0'`)}

The answer has the new key, once: save it. A key that you made with \`POST /v1/user/keys\` ends with \`DELETE /v1/user/keys/{id}\`, \
in which \`id\` is its number in \`GET /v1/user/keys\`, where you also see when it was last used. If you have lost the owner key, \`POST /v1/user/recover\` mails a way to a new one.`;

function limits({ burstPerSecond }: GuideSettings): string {
  const plans = PLAN_NAMES.map((plan) => {
    const { limit, months } = PLANS[plan];
    return `\`${plan}\` allows ${count(limit, 'call')} ${PERIODS[months]}`;
  });
  const burst =
    burstPerSecond > 0
      ? `You may send ${count(burstPerSecond, 'request')} a second to one process, over all your keys and including free ones. Beyond that the answer is 429 \`rate_limited\`.`
      : 'The number of requests per second is not limited.';
  return `${plans.join('; ')}; the operator may have set another limit for you. Periods start when you register, or \
when you renew an expired key. Only 2xx answers from paths under \`/v1/prices\` are charged, one call each, \`/v1/prices/latest/tokens\` one for each ten tokens begun: 304, 4xx and 5xx are free, and so \
are the paths of users, tokens and the node.

* \`RateLimit-Policy: ${HEADERS['RateLimit-Policy'].example}\` is the allowance, \`q\` calls in a period of \`w\` seconds, and the burst limit. \`RateLimit: \
${HEADERS.RateLimit.example}\` is what is left: \`r\` calls, and \`t\` seconds until the period ends. A 429 has both.
* When no calls are left, or fewer than a call costs, the answer is 429 \`quota_exceeded\` with the seconds to wait in \`Retry-After\`.
* ${burst}
* \`GET /v1/user/usage\` has the calls of each day, and is free.`;
}

function freshness({ coingecko: { schedule } }: GuideSettings): string {
  return `While there are requests for them, the latest prices are fetched ${every(schedule.latest)} and the chart of the last day \
${every(schedule.chart)}, less often when the upstream call budget runs low. While CoinGecko is unavailable you get the last good \
answer: \`Age\` is its age in seconds.

* \`Cache-Status: ${HEADERS['Cache-Status'].example}\` says where the answer came from: \`ttl\` is the seconds \
until it is due for a refresh, negative when overdue; with \`fwd=stale\`, \`detail\` is the reason.
* \`ETag\` identifies the answer. Send it back in \`If-None-Match\`: if nothing has changed you get a 304, free of charge; so you do for its \`Last-Modified\` in \`If-Modified-Since\`.
* \`Cache-Control\` says how long to cache the answer, counted from when its figures were fetched: \`Age\` of it is over. Data that no longer changes is \`immutable\`: never request it again.
* \`Quotient-Gaps\` lists the parts of a history that are not available; \`Quotient-Source\` names \
who told the figures; \`GET /v1/sources\` has their terms, and the attribution to show.`;
}

const history = (
  base: string,
) => `\`/v1/prices/history/…\` takes a date, a number of days back, or a range of dates. \
With \`Accept: text/csv\` or \`format=csv\` the answer is CSV for a spreadsheet, for the same charge, with the columns \`${CSV_HEADER}\`, \
and \`source\` where several sources have told it.
\`/v1/prices/history/ohlc\` has candles of Kraken in place of samples, of five minutes, an hour or a day, each at its beginning.

With \`currency\` (or \`vs_currency\`) any price path tells its figures in another currency: \`eur\` and the other reference \
currencies of the European Central Bank, by the rate of each figure's own date, or \`btc\` and \`eth\`. \`Quotient-Currency\` says which, and \
CSV in another currency than the US dollar has it as its last column.

The last 30 days as CSV:

\`\`\`sh
curl -H "X-API-KEY: $KEY" -H 'Accept: text/csv' \\
  '${base}/v1/prices/history/days?tokenName=ethereum&days=30'
\`\`\`

The hours of one day, in a file:

\`\`\`sh
curl -H "X-API-KEY: $KEY" -o ethereum.csv \\
  '${base}/v1/prices/history/date/range?tokenName=ethereum&fromDate=2026-01-31&thruDate=2026-01-31&interval=hourly&format=csv'
\`\`\``;

const errors = (
  basePath: string,
) => `Errors are \`application/problem+json\` (RFC 9457). Rely on \`status\` and \`code\`, \
not on the texts; \`type\` links to [the page of problems](${basePath}/docs/problems), which says how to fix each.

\`\`\`json
${JSON.stringify(problemExample('api_key_missing', basePath), null, 2)}
\`\`\`

\`requestId\` is also in the header \`X-Request-Id\`: the operator finds the request in the log by it. \`errors\` lists the wrong \
parameters, each with what is expected. 429 and 503 have \`Retry-After\`.`;

function nodeProxy({ node }: GuideSettings): string {
  const state =
    node.urls.length > 0
      ? ''
      : ' This service has no node configured: they answer 503 `node_not_configured`.';
  return `\`/v1/node/…\` passes calls on to a blockchain node: balances, accounts, blocks, the chain's id, transaction search, one transaction, and broadcast. With these a wallet signs and broadcasts with nothing but this service. \
They need a key and are free of charge.${state}

Requests and answers have the shapes of the Cosmos SDK's legacy REST interface, whichever interface the node has. Libraries that take no more than the URL of a node get \`/v1/node\` with the key as its user name. A transaction that the \
chain rejects is a 200 with its \`code\` and \`raw_log\`; a request that the node rejects is the problem \`node_rejected\`, with the \
node's message in \`error\`.`;
}

const RULES = `Times are in UTC, prices in US dollars unless \`currency\` says otherwise. A request is checked in this order: secrets, path and \
method, key, burst, parameters, allowance.

* Parameter names are case-sensitive; token names and symbols are not. \`GET /v1/tokens\` lists them: the operator may add and remove some. Unknown parameters are ignored.
* A request with a \`mnemonic\` parameter is rejected on every path: a seed phrase never belongs in a URL.
* HEAD is answered and charged like GET, without the body. A method that a path does not have is 405.
* Only the broadcast of a transaction needs a body. A broadcast over 128 KB is rejected, and any other body over 1 MB.`;

/** What a newcomer needs to know, in the order in which they need it, of a service with these settings. */
export function guide(settings: GuideSettings): Section[] {
  const { basePath } = settings;
  const base = `${EXAMPLE_ORIGIN}${basePath}`;
  return [
    { id: 'key', title: 'Get a key', text: gettingKey(base, settings) },
    { id: 'first-call', title: 'The first call', text: firstCall(base) },
    { id: 'history', title: 'History and CSV', text: history(base) },
    { id: 'limits', title: 'Limits', text: limits(settings) },
    { id: 'too-many-requests', title: 'Why a 429', text: TOO_MANY_REQUESTS },
    { id: 'leaked-key', title: 'A key has leaked', text: leakedKey(base) },
    { id: 'freshness', title: 'Freshness', text: freshness(settings) },
    { id: 'errors', title: 'Errors', text: errors(basePath) },
    { id: 'node', title: 'The node', text: nodeProxy(settings) },
    { id: 'rules', title: 'Rules for all paths', text: RULES },
  ];
}

/** The guide as one Markdown text: the `description` of the interface description. */
export function guideText(settings: GuideSettings): string {
  const sections = guide(settings).map(({ title, text }) => `## ${title}\n\n${text}`);
  const placeholder = `In the examples, replace \`${EXAMPLE_ORIGIN}\` by the origin of this service.`;
  return [`${SLOGAN}. ${SUMMARY} ${ATTRIBUTION}`, placeholder, ...sections].join('\n\n');
}
