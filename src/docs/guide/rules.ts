import type { AccountSettings } from '#accounts/settings';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { problemExample } from '#docs/openapi/schemas';
import type { NodeSettings } from '#node/settings';
import type { PriceSettings } from '#prices/settings';

export const errors = (
  basePath: string,
) => `Errors are \`application/problem+json\` (RFC 9457). In your code, rely on \`status\` and \`code\`, \
not on the texts. \`type\` links to [the problem page](${basePath}/docs/problems). The page describes the cause and the remedy for each code.

\`\`\`json
${JSON.stringify(problemExample('api_key_missing', basePath), null, 2)}
\`\`\`

\`requestId\` identifies the request in the operator's log. The \`X-Request-Id\` header contains the same ID. \`errors\` lists the invalid parameters with the expected input. Responses with 429 and 503 contain \`Retry-After\`.`;

export function nodeProxy({ node }: GuideSettings): string {
  const state =
    node.urls.length > 0
      ? ''
      : ' This service has no node configured. The endpoints respond with 503 `node_not_configured`.';
  return `\`/v1/node/…\` forwards calls to a blockchain node. You can read balances, accounts, blocks, transactions and the chain ID, and broadcast transactions. A wallet needs no other endpoints to sign and broadcast. The endpoints require a key and are free of charge.${state}

Requests and responses always have the format of the Cosmos SDK's legacy REST interface. The node can support the legacy or the modern dialect. If a library accepts only the URL of a node, use \`/v1/node\` with the key as the user name. If the chain rejects a transaction, the response is 200 with \`code\` and \`raw_log\`. If the node rejects a request, the response is the problem \`node_rejected\`, and \`error\` contains the node's message.`;
}

export const RULES = `Prices are in US dollars unless \`currency\` is set. The service checks a request in this order: secrets, path and method, key, burst limit, parameters, allowance.

* Parameter names are case-sensitive. Token names and symbols are not case-sensitive.
* \`GET /v1/tokens\` lists the tokens. The operator can add and remove tokens.
* Unknown parameters are ignored. A parameter that looks misspelled is rejected with 400.
* A request with a \`mnemonic\` parameter is rejected on every path, because a seed phrase must never be in a URL.
* A HEAD request returns the headers of a GET request and costs the same. An unsupported method is rejected with 405.
* Most endpoints ignore the request body. A broadcast can have up to 128 KB. Any other body can have up to 1 MB.`;

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
