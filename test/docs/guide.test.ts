import { expect, it } from 'vitest';
import { PLANS } from '#accounts/ledger/plan';
import { guide, guideText } from '#docs/guide';
import { toHtml } from '#docs/markdown';
import { readSettings } from '#settings';

function section(id: string, env: Record<string, string> = {}): string {
  const found = guide(readSettings(env)).find((one) => one.id === id);
  if (!found) throw new Error(`no section ${id}`);
  return found.text;
}

it('describes how to get a key if registration is open, and refers to the operator if not', () => {
  expect(section('key')).toContain("curl -X POST 'https://quotient.example/v1/user/create?");
  expect(section('key')).toMatch(/\b30\b.* per minute/);
  expect(section('key', { BASE_PATH: '/market' })).toContain('https://quotient.example/market/v1/user/create?');
  expect(section('key', { REGISTRATIONS_PER_MINUTE: '7' })).toMatch(/\b7\b.* per minute/);
  expect(section('key', { REGISTRATIONS_PER_MINUTE: '0' })).not.toContain('per minute');
  const closed = section('key', { REGISTRATION: 'closed' });
  expect(closed).toContain('Ask the operator');
  expect(closed).not.toContain('curl');
});

it('states the configured limits', () => {
  for (const [plan, { limit }] of Object.entries(PLANS)) {
    expect(section('limits')).toContain(`\`${plan}\` allows ${limit.toLocaleString('en')} calls a `);
  }
  expect(section('limits')).toContain('50 requests per second');
  expect(section('limits', { BURST_PER_SECOND: '1' })).toContain('1 request per second');
  expect(section('limits', { BURST_PER_SECOND: '0' })).toContain('is not limited');
});

it('states the freshness of prices from the refresh schedule', () => {
  expect(section('freshness')).toContain('every 2 minutes, and the chart of the last day every hour');
  const refresh = { COINGECKO_REFRESH: 'latest=90s,chart=1h' };
  expect(section('freshness', refresh)).toContain('every 90 seconds, and');
});

it('shows the first call and its response in each language, and explains the 24-hour change once', () => {
  const text = section('first-call');
  for (const part of ['curl -i', 'await fetch(', 'urlopen(', '"current_price": 29309']) expect(text).toContain(part);
  const all = guideText(readSettings({}));
  expect(all.split('within 30 minutes')).toHaveLength(2);
});

it('explains how to handle a 429 and a leaked key', () => {
  expect(section('too-many-requests')).toMatch(/`quota_exceeded`.+\n.+`key_limit_exceeded`.+\n.+`rate_limited`/);
  expect(section('leaked-key', { BASE_PATH: '/market' })).toContain('/market/v1/user/rotate?graceSeconds=0');
});

it('shows conditional requests, and how to get hours, a week and one day as CSV', () => {
  expect(section('freshness')).toMatch(
    /curl .+If-None-Match: "\w.+ \\\n {2}'https.+'\n```\n\n```text\nHTTP\/1\.1 304 /,
  );
  const texts = ['interval=hourly', 'the same date twice', 'DD-MM-YYYY', 'date=31-01-2026'];
  for (const text of texts) expect(section('history')).toContain(text);
});

it('mentions the console, the setting for other origins, and the client package', () => {
  expect(section('leaked-key', { BASE_PATH: '/market' })).toContain(
    '"Replace key…" in the account menu of [the console](/market/)',
  );
  expect(section('account')).toContain('curl -X DELETE');
  expect(section('key')).toContain('`CORS_ORIGINS`');
  expect(section('client')).toContain("import { QuotientClient } from 'quotient-client'");
});

it('states once how a key is renewed, which format each kind of date has, and why prices have HTTP dates', () => {
  expect(section('renewal', { BASE_PATH: '/market' })).toContain('/market/v1/user/renew');
  const dates = section('dates');
  for (const text of ['HTTP-date', 'original interface specification', 'ISO 8601', '2026-11-21 13:05:00'])
    expect(dates).toContain(text);
  const all = guideText(readSettings({}));
  expect(all.split('original interface specification')).toHaveLength(2);
});

it('states whether a node is configured', () => {
  expect(section('node')).toContain('`node_not_configured`');
  expect(section('node', { NODE_URLS: 'http://127.0.0.1:1' })).not.toContain('`node_not_configured`');
});

it('shows an error response with links below the base path', () => {
  expect(section('errors', { BASE_PATH: '/market' })).toContain('"type": "/market/docs/problems#api_key_missing"');
  expect(section('errors', { BASE_PATH: '/market' })).toContain('(/market/docs/problems)');
});

it('is Markdown that is converted to HTML completely', () => {
  const settings = readSettings({});
  for (const { title, text } of guide(settings)) {
    const html = toHtml(text);
    expect(html, title).not.toMatch(/`|\]\(|^\* |undefined|\\(?!\n)/m);
    expect(text.split('\n\n', 1)[0], title).not.toContain('```');
  }
  expect(guideText(settings)).toContain('Powered by [CoinGecko](https://www.coingecko.com).');
});
