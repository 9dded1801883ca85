/* Code with a URL key, for programs that cannot send headers. `base` is the URL below which the key is accepted. */

const SERIES = '/v1/prices/history/days?tokenName=bitcoin&days=30&format=csv';

/** `let` with one step per line, as the Advanced Editor of Power Query shows it. */
const powerQuery = (base: string) => `let
  Source = Csv.Document(
    Web.Contents("${base}${SERIES}"),
    [Delimiter = ",", Encoding = 65001]
  ),
  Table = Table.PromoteHeaders(Source)
in
  Table`;

const keplr = (base: string) => `await window.keplr.experimentalSuggestChain({
  ...chainInfo,
  rest: '${base}/v1/node/rest',
  rpc: '${base}/v1/node/rpc',
});`;

const WRITERS = {
  powerquery: powerQuery,
  excel: (base: string) => `=TEXTSPLIT(WEBSERVICE("${base}${SERIES}"), ",", CHAR(13)&CHAR(10))`,
  libreoffice: (base: string) => `=WEBSERVICE("${base}${SERIES}")`,
  sheets: (base: string) => `=IMPORTDATA("${base}${SERIES}", ",", "en_US")`,
  coingecko: (base: string) => `${base}/api/v3`,
  keplr,
  agenturl: (base: string) =>
    JSON.stringify({ mcpServers: { quotient: { type: 'http', url: `${base}/mcp` } } }, null, 2),
} as const satisfies Record<string, (base: string) => string>;

export type UrlFormat = keyof typeof WRITERS;
export const isUrlFormat = (format: string): format is UrlFormat => format in WRITERS;
export const urlKeyCode = (format: UrlFormat, base: string): string => WRITERS[format](base);
