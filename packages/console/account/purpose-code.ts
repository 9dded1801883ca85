import type { ApiKey } from '../../client/index.ts';
import { snippet } from '../api/answer-text.ts';
import { ORIGINS } from './key-texts.ts';
import { isUrlFormat, type UrlFormat, urlKeyCode } from './url-key-code.ts';

type Terms = Pick<ApiKey, 'scopes' | 'allowedOrigins' | 'url'>;

/** Stands for a key that the page does not know. */
export const PLACEHOLDER = 'YOUR_API_KEY';

const PURPOSES = ['server', 'page', 'wallet', 'agent', 'spreadsheet', 'coingecko', 'urlwallet', 'urlagent'] as const;
export type Purpose = (typeof PURPOSES)[number];

export const PURPOSE_TITLES: readonly (readonly [Purpose, string])[] = [
  ['server', 'Server'],
  ['page', 'Web page'],
  ['wallet', 'Wallet'],
  ['agent', 'AI agent'],
  ['spreadsheet', 'Spreadsheet'],
  ['coingecko', 'CoinGecko program'],
  ['urlwallet', 'Wallet'],
  ['urlagent', 'AI agent'],
];

const isRestricted = ({ allowedOrigins }: Terms) => allowedOrigins !== null && allowedOrigins.length > 0;

/** The purposes that the scopes and the allowed origins of a key permit. An owner key is for servers only. */
export function purposesOf(key: Terms): readonly Purpose[] {
  const isOwner = key.scopes.includes('account');
  const isPossible: Readonly<Record<Purpose, boolean>> = {
    server: !key.url && !isRestricted(key),
    page: !key.url && key.scopes.includes('prices') && !isOwner,
    wallet: !key.url && key.scopes.includes('node') && !isOwner,
    agent: !key.url && !isRestricted(key) && !isOwner,
    spreadsheet: key.url && key.scopes.includes('prices'),
    coingecko: key.url && key.scopes.includes('prices'),
    urlwallet: key.url && key.scopes.includes('node'),
    urlagent: key.url && !isRestricted(key),
  };
  return PURPOSES.filter((purpose) => isPossible[purpose]);
}

export type Format = UrlFormat | 'curl' | 'javascript' | 'python' | 'html' | 'client' | 'claude' | 'json';

/** The formats of the code for each purpose, with their titles. */
export const FORMATS: Readonly<Record<Purpose, readonly (readonly [Format, string])[]>> = {
  server: [
    ['curl', 'curl'],
    ['javascript', 'Node.js'],
    ['python', 'Python'],
  ],
  page: [['html', 'HTML']],
  wallet: [['client', 'Client']],
  agent: [
    ['claude', 'Claude Code'],
    ['json', 'JSON'],
  ],
  spreadsheet: [
    ['powerquery', 'Excel (Power Query)'],
    ['excel', 'Excel (cell)'],
    ['libreoffice', 'LibreOffice'],
    ['sheets', 'Google Sheets'],
  ],
  coingecko: [['coingecko', 'Base URL']],
  urlwallet: [['keplr', 'Keplr']],
  urlagent: [['agenturl', 'JSON without headers']],
};

export function noteFor(purpose: Purpose, key: Terms): string {
  if (key.url) return 'Anyone who sees the URL can use the key. Use one key for each document or program.';
  if (key.scopes.includes('account'))
    return 'Do not pass the owner key on. Create a separate key for each web page, wallet and agent.';
  if (purpose === 'server') return 'Store the key outside of the source code.';
  if (purpose === 'wallet') return 'The client runs in web pages and in Node.js. It never needs a private key.';
  if (purpose === 'agent')
    return 'The agent reads data through the Model Context Protocol (MCP). Its calls count toward your allowance.';
  const where = isRestricted(key)
    ? `The code works only in web pages on ${(key.allowedOrigins ?? []).join(', ')}.`
    : 'Restrict the key to the origin of your page, so that other sites cannot use it.';
  return `${where} ${ORIGINS}`;
}

const PRICE = '/v1/prices/latest/token?tokenName=bitcoin';

const pageCode = (url: string, key: string) => `<p id="price"></p>
<script type="module">
  const response = await fetch(${url}, {
    headers: { 'X-API-KEY': ${key} },
  });
  const body = await response.json();
  const text = response.ok ? \`Bitcoin: \${body.current_price} USD\` : body.title;
  document.getElementById('price').textContent = text;
</script>`;

const walletCode = (baseUrl: string, key: string) => `// Install the package: npm install ${baseUrl}/client.tgz
import { ChainClient } from 'quotient-client';

const chain = new ChainClient({
  nodeUrl: ${JSON.stringify(`${baseUrl}/v1/node`)},
  apiKey: ${key},
});
const address = 'YOUR_ADDRESS';
console.log(await chain.chainId());
console.log((await chain.balances(address)).result);
console.log((await chain.transactions({ 'message.sender': address })).txs);`;

/** The configuration of the MCP server, in the format that most agents read. */
const agentConfiguration = (url: string, key: string) =>
  JSON.stringify({ mcpServers: { quotient: { type: 'http', url, headers: { 'X-API-KEY': key } } } }, null, 2);

/** @param baseUrl without a trailing slash */
export function purposeCode(format: Format, { scopes }: Terms, baseUrl: string, apiKey: string): string {
  const key = JSON.stringify(apiKey);
  if (isUrlFormat(format)) return urlKeyCode(format, `${baseUrl}/k/${apiKey}`);
  if (format === 'html') return pageCode(JSON.stringify(baseUrl + PRICE), key);
  if (format === 'client') return walletCode(baseUrl, key);
  if (format === 'json') return agentConfiguration(`${baseUrl}/mcp`, apiKey);
  if (format === 'claude')
    return `claude mcp add --transport http quotient ${baseUrl}/mcp --header "X-API-KEY: ${apiKey}"`;
  const path = scopes.includes('prices') ? PRICE : '/v1/node/blocks/latest';
  return snippet({ path, method: '' }, format, baseUrl, apiKey);
}
