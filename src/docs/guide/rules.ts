import type { AccountSettings } from '#accounts/settings';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { problemExample } from '#docs/openapi/schemas';
import type { NodeSettings } from '#node/settings';
import type { PriceSettings } from '#prices/settings';

export const errors = (
  basePath: string,
) => `Errors are \`application/problem+json\` (RFC 9457). In your code, rely on \`status\` and \`code\`, \
not on the texts. \`type\` links to [the problem page](${basePath}/docs/problems), which describes the cause and remedy of each code.

\`\`\`json
${JSON.stringify(problemExample('api_key_missing', basePath), null, 2)}
\`\`\`

\`requestId\`, which is also in the header \`X-Request-Id\`, identifies the request in the operator's log. \`errors\` lists the invalid \
parameters with the expected input. Responses with 429 and 503 contain \`Retry-After\`.`;

export function nodeProxy({ node }: GuideSettings): string {
  const state =
    node.urls.length > 0
      ? ''
      : ' This service has no node configured, so these endpoints respond with 503 `node_not_configured`.';
  return `\`/v1/node/…\` forwards calls to a blockchain node: balances, accounts, blocks, the chain ID, transaction search and lookup, and broadcast. These endpoints are sufficient for a wallet to sign and broadcast. \
They require a key and are free of charge.${state}

Requests and responses have the format of the Cosmos SDK's legacy REST interface, whichever dialect the node supports. For libraries that accept only the URL of a node, use \`/v1/node\` with the key as the user name. If the \
chain rejects a transaction, the response is 200 with \`code\` and \`raw_log\`. If the node rejects a request, the response is the problem \`node_rejected\` with the \
node's message in \`error\`.`;
}

export const RULES = `Prices are in US dollars unless \`currency\` is set. Requests are checked in this order: secrets, path and \
method, key, burst limit, parameters, allowance.

* Parameter names are case-sensitive; token names and symbols are not. \`GET /v1/tokens\` lists the tokens, which the operator can change. Unknown parameters are ignored, except likely misspellings, which are rejected with 400.
* A request with a \`mnemonic\` parameter is rejected on every path: a seed phrase never belongs in a URL.
* HEAD returns the headers of GET and costs the same. An unsupported method is rejected with 405.
* Most endpoints read no body. A broadcast over 128 KB is rejected, and so is any other body over 1 MB.`;

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

/** Formats a duration (ms) in its largest whole unit: `every hour`, `every 2 minutes`. */
export function every(ms: number): string {
  const [unit, noun] = UNITS.find(([size]) => ms % size === 0) ?? [SECOND, 'second'];
  return ms === unit ? `every ${noun}` : `every ${count(ms / unit, noun)}`;
}

export const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
