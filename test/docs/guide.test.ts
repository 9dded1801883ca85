import { expect, it } from 'vitest';
import { PLANS } from '#accounts/ledger/plan';
import { describeApi, gettingStarted } from '#docs/guide/guide';
import { toHtml } from '#docs/markdown';
import { readSettings } from '#settings';

const sectionsFor = (env: Record<string, string> = {}) =>
  gettingStarted(readSettings(env), (path, section) => `/docs/${path}${section ? `#${section}` : ''}`);

function section(title: string, env: Record<string, string> = {}): string {
  const found = sectionsFor(env).find((one) => one.title === title);
  if (!found) throw new Error(`no section ${title}`);
  return found.text;
}

it('describes how to get a key if registration is open, and refers to the operator if not', () => {
  const open = section('Get a key');
  expect(open).toContain("curl -X POST 'https://quotient.example/v1/user/create?");
  expect(open).toMatch(/\b30\b.* per minute/);
  expect(open).toContain('[renew it](/docs/plans#expiry-and-renewal)');
  const get = (env: Record<string, string>) => section('Get a key', env);
  expect(get({ BASE_PATH: '/market' })).toContain('https://quotient.example/market/v1/user/create?');
  expect(get({ REGISTRATIONS_PER_MINUTE: '7' })).toMatch(/\b7\b.* per minute/);
  expect(get({ REGISTRATIONS_PER_MINUTE: '0' })).not.toContain('per minute');
  const closed = get({ REGISTRATION: 'closed' });
  expect(closed).toContain('Ask the operator');
  expect(closed).not.toContain('curl');
});

it('states the limits that the operator has set', () => {
  const limits = (env: Record<string, string> = {}) => section('Limits of this service', env);
  for (const [plan, { limit }] of Object.entries(PLANS))
    expect(limits()).toContain(`\`${plan}\` allows ${limit.toLocaleString('en')} calls a `);
  expect(limits()).toContain('50 requests per second');
  expect(limits({ BURST_PER_SECOND: '1' })).toContain('1 request per second');
  expect(limits({ BURST_PER_SECOND: '0' })).toContain('is not limited');
  expect(limits()).toContain('every 2 minutes, and the chart of the last day every hour');
  expect(limits({ COINGECKO_REFRESH: 'latest=90s,chart=1h' })).toContain('every 90 seconds, and');
  expect(limits()).toContain('European Central Bank');
  expect(limits({ EXCHANGE_RATES_URL: 'off' })).not.toContain('European Central Bank');
  expect(limits()).toContain('`node_not_configured`');
  expect(limits({ NODE_URLS: 'http://127.0.0.1:1' })).not.toContain('`node_not_configured`');
});

it('shows the first call and its response in each language', () => {
  const text = section('Make the first call');
  for (const part of ['curl -i', 'await fetch(', 'urlopen(', '"current_price": 29309']) expect(text).toContain(part);
});

it('shows how to get CSV, one date in euros, and the hours of a week', () => {
  const text = section('Read the history');
  for (const part of ['Accept: text/csv', 'date=31-10-2026&currency=eur', 'interval=hourly'])
    expect(text).toContain(part);
});

it('shows an error response with links below the base path', () => {
  const text = section('Handle errors', { BASE_PATH: '/market' });
  expect(text).toContain('"type": "/market/docs/problems#api_key_missing"');
});

it('is Markdown whose sections start with a paragraph', () => {
  for (const { title, text } of sectionsFor()) {
    expect(toHtml(text), title).not.toMatch(/```|\]\(|^\* |undefined/m);
    expect(text.split('\n\n', 1)[0], title).not.toContain('```');
  }
  expect(describeApi(readSettings({}))).toContain('Powered by [CoinGecko](https://www.coingecko.com).');
  expect(describeApi(readSettings({ BASE_PATH: '/market' }))).toContain('(/market/docs/plans#429-responses)');
});
