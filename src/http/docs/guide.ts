import { DAY, HOUR, MINUTE, SECOND } from '../domain/clock.ts';
import { PLAN_NAMES, PLANS } from '../domain/plan.ts';
import { TOKEN_NAMES } from '../domain/token.ts';
import type { Settings } from '../settings.ts';
import { HEADERS } from './described-headers.ts';
import { problemExample } from './examples.ts';

/** What the guide tells of the service that runs. */
export type GuideSettings = Pick<
  Settings,
  'basePath' | 'burstPerSecond' | 'registration' | 'registrationsPerMinute' | 'node' | 'coingecko'
>;

/** A part of the guide, in Markdown; its first paragraph says the essence, and can stand alone. */
export type Section = { id: string; title: string; text: string };

/** Stands in the examples for the origin of the service, which only its reader knows for certain. */
export const EXAMPLE_ORIGIN = 'https://quotient.example';

export const SLOGAN = 'Market quotes, on a quota';

export const SUMMARY =
  'The latest prices, price history and on-chain statistics of ' +
  `${TOKEN_NAMES.slice(0, -1).join(', ')} and ${TOKEN_NAMES.at(-1)} in US dollars, and the calls of a blockchain ` +
  'node, over HTTP and with one API key.';

export const ATTRIBUTION = 'Data provided by [CoinGecko](https://www.coingecko.com).';

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
    return 'Nobody registers here by themselves: ask the operator of this service for a key.';
  }
  const pace =
    registrationsPerMinute > 0
      ? ` One address registers ${registrationsPerMinute} times a minute at most.`
      : '';
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\``).join(' or ');
  return `Register with a name, an e-mail address and a plan (${plans}): \`POST /v1/user/create\`. No e-mail is sent, and \
nothing is asked in return.${pace}

\`\`\`sh
curl -X POST '${base}/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly'
\`\`\`

The member \`apiKey\` of the answer is the key: \`qt_\` and 38 letters and digits. It is shown this once, and only a hash \
of it is kept: write it down. \`POST /v1/user/rotate\` gives another in its place.`;
}

function limits({ burstPerSecond }: GuideSettings): string {
  const plans = PLAN_NAMES.map((plan) => {
    const { limit, months } = PLANS[plan];
    return `\`${plan}\` allows ${count(limit, 'call')} ${PERIODS[months]}`;
  });
  const burst =
    burstPerSecond > 0
      ? `A key may send ${count(burstPerSecond, 'request')} a second to one process, free ones too: what comes faster is 429 \`rate_limited\`.`
      : 'How fast calls come is not limited.';
  return `${plans.join('; ')}; an operator may have set another limit for you. Periods are counted from the moment you \
registered, or renewed after a lapse. Only an answer with 2xx from a path under \`/v1/prices\` is charged, one call each: 304, 4xx and 5xx are free, and so \
are the paths of users, tokens and the node.

* \`RateLimit-Policy: ${HEADERS['RateLimit-Policy'].example}\` tells the allowance \`q\` of a period of \`w\` seconds; \`RateLimit: \
${HEADERS.RateLimit.example}\` that \`r\` calls are left in it, and \`t\` seconds.
* When all are spent: 429 \`quota_exceeded\`, and \`Retry-After\` tells the seconds to wait.
* ${burst}
* \`GET /v1/user/usage\` tells what was used, day by day, and costs nothing.`;
}

function freshness({ coingecko: { timetable } }: GuideSettings): string {
  return `While somebody asks, the latest prices are fetched ${every(timetable.latest)} and the chart of the last day \
${every(timetable.chart)}, less often when the budget of calls runs low. While CoinGecko cannot be asked you get the last good \
answer: \`Age\` tells the seconds since it was fetched.

* \`Cache-Status: ${HEADERS['Cache-Status'].example}\` tells how the answer was come by: \`ttl\` is the seconds \
that it is still good for, negative when it is older than it should be; \`fwd=stale\` comes with why in \`detail\`.
* \`ETag\` names the answer. Send it back in \`If-None-Match\`: 304 if nothing has changed, free of charge.
* \`Cache-Control\` tells how long to keep it. What is long settled is \`immutable\`: never ask for it again.
* \`Quotient-Gaps\` names the spans of a history that cannot be had; \`Quotient-Source\` who told the statistics.`;
}

const history = (
  base: string,
) => `\`/v1/prices/history/…\` answers by date, by so many days back, or from one date thru another. \
With \`Accept: text/csv\` it comes as CSV for the same charge, with the columns \`date,price,market_cap,total_volume\`.

\`\`\`sh
curl -H "X-API-KEY: $KEY" -H 'Accept: text/csv' \\
  '${base}/v1/prices/history/days?tokenName=ethereum&days=30'
\`\`\``;

const errors = (
  basePath: string,
) => `What goes wrong is told as \`application/problem+json\` (RFC 9457). Rely on \`status\` and \`code\`, \
not on the words; the member \`type\` leads to [the page of problems](${basePath}/docs/problems), which tells what to do about each.

\`\`\`json
${JSON.stringify(problemExample('api_key_missing', basePath), null, 2)}
\`\`\`

\`requestId\` is the header \`X-Request-Id\` too: it finds the request in the operator's log. A wrong parameter is named in \
\`errors\`, with what is wanted there. 429 and 503 come with \`Retry-After\`.`;

function nodeProxy({ node }: GuideSettings): string {
  const state =
    node.urls.length > 0
      ? ''
      : ' On this service no node is configured: they answer 503 `node_not_configured`.';
  return `\`/v1/node/…\` hands four calls on to a blockchain node: balances, search for transactions, one transaction, and broadcast. \
They need a key and are free of charge.${state}

Their shapes are those of the Cosmos SDK's legacy interface, whichever dialect the node speaks. A transaction that the chain \
refuses is a 200 with its \`code\` and \`raw_log\`; a request that the node refuses is the problem \`node_rejected\`, with the node's \
words in \`error\`.`;
}

const RULES = `Times are UTC, figures of money in US dollars. A request is checked in this order: a secret in it, path and \
method, key, burst, parameters, allowance.

* Names of parameters are case-sensitive, names of tokens are not. A parameter that a path does not know is ignored.
* A request that carries a \`mnemonic\` parameter, to any path, is refused: a seed phrase never belongs in a URL.
* HEAD is answered, and charged, like GET, without the body. Another method than those a path knows is 405.
* A body is neither needed nor read, but to broadcast a transaction; over 1 MB it is refused.`;

/** What a newcomer needs to know, in the order in which they need it, of a service with these settings. */
export function guide(settings: GuideSettings): Section[] {
  const { basePath } = settings;
  const base = `${EXAMPLE_ORIGIN}${basePath}`;
  const firstCall = `Send the key in the header \`X-API-KEY\` with every call.

\`\`\`sh
KEY=qt_your_key
curl -i -H "X-API-KEY: $KEY" '${base}/v1/prices/latest/token?tokenName=bitcoin'
\`\`\`

The body has the price, its market capitalisation and its extremes; the headers tell how old they are and how many calls you \
have left.`;
  return [
    { id: 'key', title: 'Get a key', text: gettingKey(base, settings) },
    { id: 'first-call', title: 'The first call', text: firstCall },
    { id: 'history', title: 'History, and CSV', text: history(base) },
    { id: 'limits', title: 'Limits', text: limits(settings) },
    { id: 'freshness', title: 'Freshness', text: freshness(settings) },
    { id: 'errors', title: 'Errors', text: errors(basePath) },
    { id: 'node', title: 'The node', text: nodeProxy(settings) },
    { id: 'rules', title: 'What holds everywhere', text: RULES },
  ];
}

/** The guide as one Markdown text: the `description` of the interface description. */
export function guideText(settings: GuideSettings): string {
  const sections = guide(settings).map(({ title, text }) => `## ${title}\n\n${text}`);
  const placeholder = `In the examples \`${EXAMPLE_ORIGIN}\` stands for the origin of this service.`;
  return [`${SLOGAN}. ${SUMMARY} ${ATTRIBUTION}`, placeholder, ...sections].join('\n\n');
}
