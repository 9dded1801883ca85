import { expect, it } from 'vitest';
import { gettingStarted } from '#docs/guide/guide';
import { readSettings } from '#settings';
import { PLANS } from '#users/plan';

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
