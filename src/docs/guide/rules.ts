import type { AccountSettings } from '#accounts/settings';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { problemExample } from '#docs/openapi/schemas';
import type { NodeSettings } from '#node/settings';
import type { PriceSettings } from '#prices/settings';

export const errors = (
  basePath: string,
) => `Errors are \`application/problem+json\` (RFC 9457). Rely on \`status\` and \`code\`, \
not on the texts; \`type\` links to [the page of problems](${basePath}/docs/problems), which says how to fix each.

\`\`\`json
${JSON.stringify(problemExample('api_key_missing', basePath), null, 2)}
\`\`\`

\`requestId\` is also in the header \`X-Request-Id\`: the operator finds the request in the log by it. \`errors\` lists the wrong \
parameters, each with what is expected. 429 and 503 have \`Retry-After\`.`;

export function nodeProxy({ node }: GuideSettings): string {
  const state =
    node.urls.length > 0 ? '' : ' This service has no node configured: they answer 503 `node_not_configured`.';
  return `\`/v1/node/…\` passes calls on to a blockchain node: balances, accounts, blocks, the chain's id, transaction search, one transaction, and broadcast. With these a wallet signs and broadcasts with nothing but this service. \
They need a key and are free of charge.${state}

Requests and answers have the shapes of the Cosmos SDK's legacy REST interface, whichever interface the node has. Libraries that take no more than the URL of a node get \`/v1/node\` with the key as its user name. A transaction that the \
chain rejects is a 200 with its \`code\` and \`raw_log\`; a request that the node rejects is the problem \`node_rejected\`, with the \
node's message in \`error\`.`;
}

export const RULES = `Times are in UTC, prices in US dollars unless \`currency\` says otherwise. A request is checked in this order: secrets, path and \
method, key, burst, parameters, allowance.

* Parameter names are case-sensitive; token names and symbols are not. \`GET /v1/tokens\` lists them: the operator may add and remove some. Unknown parameters are ignored.
* A request with a \`mnemonic\` parameter is rejected on every path: a seed phrase never belongs in a URL.
* HEAD is answered and charged like GET, without the body. A method that a path does not have is 405.
* Only the broadcast of a transaction needs a body. A broadcast over 128 KB is rejected, and any other body over 1 MB.`;

export type GuideSettings = { basePath: string } & NodeSettings &
  Pick<AccountSettings, 'burstPerSecond' | 'registration' | 'registrationsPerMinute'> &
  Pick<PriceSettings, 'coingecko' | 'exchangeRatesUrl'>;

export const count = (n: number, noun: string) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const;

/** `every hour`, `every 2 minutes`: a duration (ms) in its largest whole unit. */
export function every(ms: number): string {
  const [unit, noun] = UNITS.find(([size]) => ms % size === 0) ?? [SECOND, 'second'];
  return ms === unit ? `every ${noun}` : `every ${count(ms / unit, noun)}`;
}

export const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
