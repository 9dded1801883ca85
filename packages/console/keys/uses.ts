import type { ApiKey } from '../../client/index.ts';
import { type Language, snippet } from '../api/answer-text.ts';
import { isForPages, isOwner, ORIGINS } from './words.ts';

export type Terms = Pick<ApiKey, 'scopes' | 'allowedOrigins' | 'url'>;

/** Stands for a key that the page does not know. */
export const PLACEHOLDER = 'YOUR_API_KEY';

type At = {
  /** The URL of the service, without a trailing slash. For a URL key, it contains the key. */
  base: string;
  key: string;
  /** A path that the key can read. */
  path: string;
};
type Formats = Readonly<Record<string, (at: At) => string>>;
type Use = {
  title: string;
  /** The scope that a key needs. */
  scope?: 'prices' | 'node';
  /** Whether a key that only web pages can use permits it: other programs send no `Origin`. */
  isForPages?: true;
  note?: string;
  /** The code in each format: with the key in a header, and in the URL. */
  header?: Formats;
  url?: Formats;
};

const PRICE = '/v1/prices/latest/token?tokenName=bitcoin';
const SERIES = '/v1/prices/history/days?tokenName=bitcoin&days=30&format=csv';

const quoted = JSON.stringify;
const program =
  (language: Language) =>
  ({ path, base, key }: At) =>
    snippet({ path, method: '' }, language, base, key);

/** The configuration of the MCP server, in the format that most agents read. */
const agentConfiguration = (server: object) =>
  JSON.stringify({ mcpServers: { quotient: { type: 'http', ...server } } }, null, 2);

const webPage = ({ base, key }: At) => `<p id="price"></p>
<script type="module">
  const response = await fetch(${quoted(base + PRICE)}, {
    headers: { 'X-API-KEY': ${quoted(key)} },
  });
  const body = await response.json();
  const text = response.ok ? \`Bitcoin: \${body.current_price} USD\` : body.title;
  document.getElementById('price').textContent = text;
</script>`;

const walletClient = ({ base, key }: At) => `// Install the package: npm install ${base}/client.tgz
import { ChainClient } from 'quotient-client';

const chain = new ChainClient({
  nodeUrl: ${quoted(`${base}/v1/node`)},
  apiKey: ${quoted(key)},
});
const address = 'YOUR_ADDRESS';
console.log(await chain.chainId());
console.log((await chain.balances(address)).result);
console.log((await chain.transactions({ 'message.sender': address })).txs);`;

/** `let` with one step per line, as the Advanced Editor of Power Query shows it. */
const powerQuery = ({ base }: At) => `let
  Source = Csv.Document(
    Web.Contents("${base}${SERIES}"),
    [Delimiter = ",", Encoding = 65001]
  ),
  Table = Table.PromoteHeaders(Source)
in
  Table`;

const keplr = ({ base }: At) => `await window.keplr.experimentalSuggestChain({
  ...chainInfo,
  rest: '${base}/v1/node/rest',
  rpc: '${base}/v1/node/rpc',
});`;

/** What a key can be used for. */
const USES = {
  server: {
    title: 'Server',
    note: 'Keep the key out of the source code.',
    header: { curl: program('curl'), 'Node.js': program('javascript'), Python: program('python') },
  },
  page: {
    title: 'Web page',
    scope: 'prices',
    isForPages: true,
    note: 'Restrict the key to the origin of your page, so that other sites cannot use it.',
    header: { HTML: webPage },
  },
  spreadsheet: {
    title: 'Spreadsheet',
    scope: 'prices',
    isForPages: true,
    url: {
      'Excel (Power Query)': powerQuery,
      'Excel (cell)': ({ base }) => `=TEXTSPLIT(WEBSERVICE("${base}${SERIES}"), ",", CHAR(13)&CHAR(10))`,
      LibreOffice: ({ base }) => `=WEBSERVICE("${base}${SERIES}")`,
      'Google Sheets': ({ base }) => `=IMPORTDATA("${base}${SERIES}", ",", "en_US")`,
    },
  },
  coingecko: {
    title: 'CoinGecko program',
    scope: 'prices',
    isForPages: true,
    url: { 'Base URL': ({ base }) => `${base}/api/v3` },
  },
  wallet: {
    title: 'Wallet',
    scope: 'node',
    isForPages: true,
    note: 'The client runs in web pages and in Node.js. It never needs a private key.',
    header: { Client: walletClient },
    url: { Keplr: keplr },
  },
  agent: {
    title: 'AI agent',
    note: 'The agent reads data through the Model Context Protocol (MCP). Its calls count toward your allowance.',
    header: {
      'Claude Code': ({ base, key }) =>
        `claude mcp add --transport http quotient ${base}/mcp --header "X-API-KEY: ${key}"`,
      JSON: ({ base, key }) => agentConfiguration({ url: `${base}/mcp`, headers: { 'X-API-KEY': key } }),
    },
    url: { 'JSON without headers': ({ base }) => agentConfiguration({ url: `${base}/mcp` }) },
  },
} as const satisfies Record<string, Use>;
export type UseName = keyof typeof USES;

const useOf = (name: UseName): Use => USES[name];
const formatsOf = (name: UseName, key: Terms): Formats => useOf(name)[key.url ? 'url' : 'header'] ?? {};
export const titleOf = (name: UseName): string => USES[name].title;
export const formatNames = (name: UseName, key: Terms): string[] => Object.keys(formatsOf(name, key));

/** The uses that a key permits. An owner key is for servers only. */
export const usesOf = (key: Terms): readonly UseName[] =>
  (Object.keys(USES) as UseName[]).filter((name) => {
    const { scope, isForPages: fitsPages } = useOf(name);
    if (formatNames(name, key).length === 0 || (isOwner(key) && name !== 'server')) return false;
    return (scope === undefined || key.scopes.includes(scope)) && (fitsPages || !isForPages(key));
  });

/** @param isNew the page states which origins the operator has allowed */
export function noteFor(name: UseName, key: Terms, isNew = false): string {
  if (key.url) return 'Anyone who sees the URL can use the key. Use one key for each document or program.';
  if (isOwner(key)) return 'Do not pass the owner key on. Create a separate key for each web page, wallet and agent.';
  if (name !== 'page') return useOf(name).note ?? '';
  const where = `The code works only in web pages on ${(key.allowedOrigins ?? []).join(', ')}.`;
  if (!isForPages(key)) return `${USES.page.note} ${ORIGINS}`;
  return isNew ? where : `${where} ${ORIGINS}`;
}

/** @param baseUrl without a trailing slash */
export function codeFor(name: UseName, format: string, key: Terms, baseUrl: string, apiKey: string): string {
  const base = key.url ? `${baseUrl}/k/${apiKey}` : baseUrl;
  const path = key.scopes.includes('prices') ? PRICE : '/v1/node/blocks/latest';
  return formatsOf(name, key)[format]?.({ base, key: apiKey, path }) ?? '';
}
