import { z } from 'zod';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { codeBlock } from '#docs/markdown';
import { exampleOf, problemExample, type Schema } from '#docs/openapi/schemas';
import { callSamples, EXAMPLE_KEY, EXAMPLE_ORIGIN } from '#docs/reference/code-samples';
import type { NodeSettings } from '#node/node-settings';
import { latestPrice } from '#prices/model/prices-records';
import type { PriceSettings } from '#prices/prices-settings';
import { PLAN_NAMES, PLANS, perPeriod, termInWords } from '#users/plan';
import type { AccountSettings } from '#users/users-settings';
import { count, every } from '#web/format';
import { attributions } from '#web/source-list';

export type GuideSettings = { basePath: string; publicUrl: string | undefined } & NodeSettings &
  Pick<AccountSettings, 'burstPerSecond' | 'registration' | 'registrationsPerMinute'> &
  Pick<PriceSettings, 'coingecko' | 'exchangeRatesUrl'>;

export type ToPage = (path: string, section?: string) => string;

type Guide = { base: string; settings: GuideSettings; to: ToPage };

function thisService(settings: GuideSettings): string {
  const { burstPerSecond, coingecko, exchangeRatesUrl, node } = settings;
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\` allows ${count(PLANS[plan].limit, 'call')} ${perPeriod(plan)}`);
  const burst =
    burstPerSecond > 0
      ? `Each process of the service accepts up to ${count(burstPerSecond, 'request')} per second from you, across all your keys. Free requests count too.`
      : 'The number of requests per second is not limited.';
  const currencies =
    exchangeRatesUrl === undefined
      ? '`usd`, `btc` and `eth`'
      : '`usd`, the reference currencies of the European Central Bank, `btc` and `eth`';
  const nodes =
    node.urls.length > 0
      ? 'The paths under `/v1/node` are available.'
      : 'This service has no node. The paths under `/v1/node` respond with 503 `node_not_configured`.';
  return `The operator of this service has set these limits:

* Plans: ${plans.join('; ')}. The operator can set another limit for you.
* Burst limit: ${burst}
* Currencies: ${currencies}.
* Refresh: While clients request data, the latest prices are fetched ${every(coingecko.schedule.latest)}, and the chart of the last day ${every(coingecko.schedule.chart)}.
* Node: ${nodes}`;
}

const VERIFIED = {
  mail: 'The response is 202, and you receive an email with a link. The link is valid for 24 hours. The key is created when you open the link.',
  member:
    'The link opens the console, which shows the key. Programs send the one-time code in the link to `POST /v1/user/verify`. The member `apiKey` in the response to this call',
};
const OPEN = { mail: 'No email is sent.', member: 'The member `apiKey` in the response' };

function getKey({ base, settings, to }: Guide): string {
  const { registration, registrationsPerMinute } = settings;
  if (registration === 'closed') return 'Registration is closed on this service. Ask the operator for a key.';
  const { mail, member } = registration === 'verified' ? VERIFIED : OPEN;
  const pace =
    registrationsPerMinute > 0
      ? ` The limit is ${registrationsPerMinute} registrations per minute from one IP address.`
      : '';
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\``).join(' or ');
  const terms = PLAN_NAMES.map((plan) => `${termInWords(plan)} on the plan \`${plan}\``).join(' and ');
  return `To register, call \`POST /v1/user/create\` with a name, an email address and a plan (${plans}). ${mail}${pace}

${codeBlock('sh', `curl -X POST '${base}/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly'`)}

${member} is the key: \`qt_\` and 38 letters and digits. Save the key. It is shown only once, because the service stores only its hash.

* The key is valid for ${terms}. It expires at \`validUntil\`. To keep using it, [renew it](${to('plans', 'expiry-and-renewal')}).
* This key is the owner key. It can change and delete the account. Create a [key with fewer rights](${to('keys', 'scopes')}) for each program and [web page](${to('keys', 'use-in-a-web-page')}).
* You can also register in [the console](${settings.basePath}/).`;
}

function firstCall({ base, to }: Guide): string {
  const url = `${base}/v1/prices/latest/token?tokenName=bitcoin`;
  const samples = callSamples({ method: 'GET', url, headers: { 'X-API-KEY': EXAMPLE_KEY } });
  const schema = z.toJSONSchema(latestPrice) as Schema;
  const example = exampleOf(schema, schema.$defs ?? {});
  return `Send the key in the \`X-API-KEY\` header of every request. Replace \`${EXAMPLE_KEY}\` with your key:

${codeBlock('sh', `KEY=${EXAMPLE_KEY}\ncurl -i -H "X-API-KEY: $KEY" '${url}'`)}

In JavaScript:

${codeBlock('js', samples.javascript)}

In Python:

${codeBlock('python', samples.python)}

The response contains the price, the market cap, and the all-time high and low. The response headers contain the [age of the data](${to('prices', 'age-of-a-price')}) and the number of remaining calls. A member that the source does not provide is null.

${codeBlock('json', JSON.stringify(example, null, 2))}

Clients that cannot set this header can [send the key](${to('keys', 'sending-the-key')}) in \`Authorization\`.`;
}

const readHistory = ({ base, to }: Guide) => `Read the prices of the last 30 days as CSV:

${codeBlock('sh', `curl -H "X-API-KEY: $KEY" -H 'Accept: text/csv' \\\n  '${base}/v1/prices/history/days?tokenName=ethereum&days=30'`)}

Read the price at 00:00 UTC on one date, in euros. The format of \`date\` is DD-MM-YYYY or YYYY-MM-DD:

${codeBlock('sh', `curl -H "X-API-KEY: $KEY" \\\n  '${base}/v1/prices/history/date?tokenName=ethereum&date=31-10-2026&currency=eur'`)}

Save the hourly prices of a week to a CSV file. The format of both dates is YYYY-MM-DD:

${codeBlock('sh', `curl -H "X-API-KEY: $KEY" -o ethereum.csv \\\n  '${base}/v1/prices/history/date/range?tokenName=ethereum&fromDate=2026-10-25&thruDate=2026-10-31&interval=hourly&format=csv'`)}

[History, candles and currencies](${to('history')}) describes how far back prices reach. [CSV](${to('api', 'csv')}) describes the columns, and CSV for spreadsheets with a decimal comma.`;

const checkAllowance = ({
  base,
  to,
}: Guide) => `\`GET /v1/user/usage\` returns the number of calls that you have made, the number of calls that you have left, and the time at which the allowance resets. Each 2xx response from a path under \`/v1/prices\` costs one call. \`/v1/prices/latest/tokens\` and \`/v1/prices/stream\` cost one call for every ten tokens, rounded up. All other responses are free.

${codeBlock('sh', `curl -H "X-API-KEY: $KEY" '${base}/v1/user/usage'`)}

[Cost of a call](${to('plans', 'cost-of-a-call')}) describes the cost in detail. If a response has the status 429, wait for the number of seconds in \`Retry-After\`. [429 responses](${to('plans', '429-responses')}) lists the causes and the remedies.`;

const handleErrors = ({
  settings: { basePath },
  to,
}: Guide) => `Errors are \`application/problem+json\` (RFC 9457). In your code, rely on \`status\` and \`code\`, not on the texts. \`type\` is the address of the section in [Problems](${to('problems')}) that describes the cause and the remedy.

${codeBlock('json', JSON.stringify(problemExample('api_key_missing', basePath), null, 2))}

\`requestId\` identifies the request in the operator's log. \`errors\`, if present, lists the invalid parameters with the expected input. Responses with 429 and 503 contain \`Retry-After\`.`;

const nextSteps = ({
  to,
  settings: { basePath },
}: Guide) => `* [API](${to('api')}): parameters, dates, CSV and caching of all endpoints
* [API reference](${to('reference')}): each endpoint, with a form that calls it
* [JavaScript client](${to('client')}): a typed client for browsers and Node
* [AI agents](${to('mcp')}): tools for Claude Code and other agents
* [The console](${basePath}/): prices, charts and your keys in a browser
* [openapi.json](${basePath}/openapi.json): the API description, from which tools generate a client`;

export const SLOGAN = 'Market quotes, on a quota';

export const SUMMARY =
  'An HTTP API for the latest prices, price history and on-chain statistics of crypto tokens, and for ' +
  'access to a blockchain node, with one API key. Prices are in US dollars and other currencies. The ' +
  `tokens are ${BUILT_IN_NAMES.slice(0, -1).join(', ')}, ${BUILT_IN_NAMES.at(-1)} and tokens that the ` +
  'operator adds.';

export const ATTRIBUTION = `${attributions((title, url) => `[${title}](${url})`).join('. ')}.`;

/** In the examples, the placeholder stands for the service's origin: behind a proxy, the service may not know it. */
export const PLACEHOLDER = `In the examples, replace \`${EXAMPLE_ORIGIN}\` with the origin of this service.`;

/** Markdown. The first paragraph is a self-contained summary for llms.txt. */
type Section = { title: string; text: string };

export function gettingStarted(settings: GuideSettings, to: ToPage): Section[] {
  const guide: Guide = { base: `${EXAMPLE_ORIGIN}${settings.basePath}`, settings, to };
  return [
    { title: 'Get a key', text: getKey(guide) },
    { title: 'Make the first call', text: firstCall(guide) },
    { title: 'Read the history', text: readHistory(guide) },
    { title: 'Check your allowance', text: checkAllowance(guide) },
    { title: 'Handle errors', text: handleErrors(guide) },
    { title: 'Limits of this service', text: thisService(settings) },
    { title: 'Next steps', text: nextSteps(guide) },
  ];
}

export const textOf = (sections: readonly Section[]) =>
  sections.map(({ title, text }) => `## ${title}\n\n${text}`).join('\n\n');

export function describeApi(settings: GuideSettings): string {
  const to: ToPage = (path, section) => `${settings.basePath}/docs/${path}${section ? `#${section}` : ''}`;
  return [`${SLOGAN}. ${SUMMARY} ${ATTRIBUTION}`, PLACEHOLDER, textOf(gettingStarted(settings, to))].join('\n\n');
}
