/**
 * A page from a Markdown file of the repository. It starts at the section `from` and ends where the next page from the
 * same file starts, so that a new section needs no line here.
 */
export type Topic = { path: string; title: string; summary: string; file: string; from: string | undefined };

/** `source` names a file in `docs` and the section where the page starts. */
type Row = readonly [path: string, title: string, source: string, summary: string];

function topicOf([path, title, source, summary]: Row): Topic {
  const [name, from] = source.split('#');
  return { path, title, summary, file: path === 'client' ? 'packages/client/README.md' : `docs/${name}.md`, from };
}

const USER_ROWS: readonly Row[] = [
  ['api', 'API', 'api', 'Endpoints, parameters, dates, CSV, caching, headers, errors and limits'],
  [
    'plans',
    'Plans and allowances',
    'keys-and-allowances',
    'Plans, the cost of a call, expiry, renewal, usage and 429 responses',
  ],
  [
    'keys',
    'Keys',
    'keys-and-allowances#sending-the-key',
    'Sending a key, scopes, use in a web page, replaced, leaked and lost keys',
  ],
  [
    'url-keys',
    'URL keys and spreadsheets',
    'url-keys',
    'Keys in URLs for spreadsheets, wallets and programs that cannot send headers',
  ],
  ['prices', 'Prices and sources', 'prices', 'The sources of prices, the age of a price, and failures of a source'],
  [
    'history',
    'History, candles and currencies',
    'prices#price-on-a-date',
    'Prices on a date, series, candles, currencies and on-chain statistics',
  ],
  ['streaming', 'Price stream', 'streaming', 'Latest prices as they change, as server-sent events'],
  ['webhooks', 'Webhooks', 'webhooks', 'Notices about the allowance and the expiry of keys'],
  [
    'request-log',
    'Request log',
    'request-log',
    'The last 100 requests of a user, with the reason why a request was rejected',
  ],
  ['questions', 'Questions', 'questions', 'Where the documentation answers the most common questions'],
  ['client', 'JavaScript client', 'client', 'A typed client for browsers and Node'],
  [
    'coingecko',
    'CoinGecko API',
    'coingecko',
    'Programs that were written for CoinGecko, with only another base URL and key',
  ],
  ['mcp', 'AI agents', 'mcp', 'Tools for AI agents, with the Model Context Protocol'],
  ['node', 'Node', 'node', 'Balances, transactions and broadcasts through a Cosmos SDK node'],
  [
    'cosmos-clients',
    'Cosmos clients',
    'cosmos-clients',
    'CosmJS, InterchainJS, secretjs, Keplr and others through the service',
  ],
  ['sign-with-cosmjs', 'Sign with CosmJS', 'sign-with-cosmjs', 'A transfer that a wallet signs'],
  ['legacy-wallets', 'Legacy wallet libraries', 'legacy-wallets', 'Wallet libraries that accept only a URL'],
];

const OPERATOR_ROWS: readonly Row[] = [
  ['install', 'Install and run', 'getting-started', 'Requirements, the demo, real prices and Docker'],
  [
    'production',
    'In production',
    'production',
    'One machine from nothing: TLS, systemd, PostgreSQL, secrets, alerts, backups. Docker, Kubernetes',
  ],
  ['settings', 'Settings', 'settings', 'All environment variables with their defaults'],
  [
    'users',
    'Users',
    'keys-and-allowances#restricting-registration',
    'Restricting registration, and the commands that manage users',
  ],
  ['tokens', 'Tokens and market data', 'prices#tokens', 'Adding tokens, the call budget, imports, terms and deletion'],
  ['commands', 'Commands', 'commands', 'All commands of the operator, with their arguments and options'],
  ['operating', 'Processes', 'operating', 'Several processes, running commands, sizing and containers'],
  ['databases', 'Databases', 'operating#the-database', 'PostgreSQL, poolers, high availability, backup and restore'],
  ['upgrades', 'Upgrades and stops', 'operating#upgrades', 'Upgrades without downtime, rolling back, and stopping'],
  ['administration', 'Administration', 'operating#secrets', 'Secrets, retention, the operator API and page, and email'],
  ['monitoring', 'Monitoring', 'operating#metrics', 'Metrics, the status page, the call budget, traces and the log'],
  ['alerts', 'Alert runbook', 'operating#alerts', 'The cause and the remedy of each alert'],
  ['figures', 'Figures', 'figures', 'Measurements, with their targets and the machine'],
];

/** The pages for users. In their examples, a placeholder replaces the origin. */
export const USER_TOPICS = USER_ROWS.map(topicOf);
export const OPERATOR_TOPICS = OPERATOR_ROWS.map(topicOf);
export const TOPICS: readonly Topic[] = [...USER_TOPICS, ...OPERATOR_TOPICS];
