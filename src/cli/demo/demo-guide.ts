import { DAY, isoDate } from '#core/clock';
import { startMailbox } from '#sandbox/mailbox';
import type { Environment, SettingName } from '#settings';

const COMMANDS: readonly { settings: readonly SettingName[]; line: string }[] = [
  { settings: ['DATA_DIR'], line: 'npx quotient users list' },
  { settings: ['DATA_DIR'], line: 'npx quotient archive status' },
  { settings: ['DATA_DIR', 'COINGECKO_URL', 'COINGECKO_PLAN', 'KRAKEN_URL'], line: 'npx quotient tokens add albado' },
  { settings: ['DATA_DIR'], line: 'npx quotient database backup demo.gz' },
];

const quoted = (text: string) => (/^[\w./:@%+-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);

type Guide = {
  url: string;
  /** Undefined if the operator's shell turns the page off with an empty ADMIN_PORT. */
  operatorUrl: string | undefined;
  environment: Environment;
  overridden: readonly SettingName[];
  isReachable: boolean;
  apiKey: string;
  account: string;
  now: number;
};

/** If the operator's shell sets `DATABASE_URL`, the commands would use another database, so they unset it. */
function operatorCommands({ environment, overridden, isReachable }: Guide): string {
  if (!isReachable)
    return `Operator commands do not work with this demo, because the path of its temporary directory is too long for a Unix socket.\n`;
  const isElsewhere = overridden.includes('DATABASE_URL');
  const lines = COMMANDS.map(({ settings, line }) => {
    const names: readonly SettingName[] = isElsewhere ? ['DATABASE_URL', ...settings] : settings;
    return `  ${names.map((name) => `${name}=${quoted(environment[name] ?? '')}`).join(' ')} ${line}\n`;
  });
  return `To run operator commands with this demo, use another shell:\n\n${lines.join('')}`;
}

export function guide(demo: Guide): string {
  const { url, operatorUrl, environment, overridden, apiKey, account, now } = demo;
  const calls = [
    'prices/latest/token?tokenName=bitcoin',
    'prices/latest/stats?token=sol',
    'prices/history/days?tokenName=ethereum&days=30',
    `prices/history/date/range?tokenName=solana&fromDate=${isoDate(now - 30 * DAY)}&thruDate=${isoDate(now)}`,
    `node/bank/balances/${account}`,
  ].map((path) => `  curl -H 'X-API-KEY: ${apiKey}' '${url}/v1/${path}'\n`);
  const notice = overridden.length > 0 ? `The demo overrides these settings: ${overridden.join(', ')}.\n\n` : '';
  const operator = operatorUrl
    ? `  Operator's page:  ${operatorUrl}/\n  Admin token:      ${environment.ADMIN_TOKEN}\n`
    : '';
  return `
Quotient is running. ALL DATA IS SYNTHETIC and comes from simulated data sources.

  Console:          ${url}/
  Documentation:    ${url}/docs
  Your API key:     ${apiKey}
${operator}
${calls.join('')}
To call it with CoinGecko's official SDK (@coingecko/coingecko-typescript):

  new Coingecko({ baseURL: '${url}/api/v3', proAPIKey: '${apiKey}' }).simple.price.get({ ids: 'bitcoin', vs_currencies: 'usd' })

To connect Claude Code to these prices (MCP):

  claude mcp add --transport http quotient ${url}/mcp --header 'X-API-KEY: ${apiKey}'

The demo prints emails here. This call sends an email with a link to a new key:

  curl -H 'Content-Type: application/json' -d '{"email":"demo@example.org"}' '${url}/v1/user/recover'

${operatorCommands(demo)}
To try these features, start the demo with the setting, for example \`WEBHOOK_ALLOW=127.0.0.1 npm run demo\`:

  WEBHOOK_ALLOW=127.0.0.1             webhooks to this machine
  CORS_ORIGINS=http://localhost:3000  calls from web pages on another origin

${notice}Ctrl-C stops the demo and deletes its data.
`;
}

export const printMails = () =>
  startMailbox(({ to, headers, text }) => {
    process.stdout.write(`\n--- Email to ${to}: ${headers.subject} ---\n\n${text}\n\n---\n`);
  });
