import { expect, onTestFinished, test } from 'vitest';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { METRICS_ON, openScrape } from '../support/service/metrics.ts';
import { startService } from '../support/service/service.ts';

type Operation = { parameters?: { in: string; name: string }[] };
type Paths = Record<string, { get?: Operation }>;

/** Valid values of the query parameters. */
const VALUES: Readonly<Record<string, string>> = {
  ...{ tokenName: 'bitcoin', tokenNames: 'bitcoin,solana', token: 'btc' },
  ...{ date: '31-01-2024', days: '7', fromDate: '2024-01-31', thruDate: '2024-01-31' },
};

/** A request of each path that a GET can reach. Path parameters are invalid. */
const urlsOf = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get) return [];
    const named = (get.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => [name, VALUES[name]]);
    const query = new URLSearchParams(named.filter((pair): pair is [string, string] => pair[1] !== undefined));
    return [`${path.replaceAll(/\{.*?\}/g, 'x')}?${query}`];
  });

/** Starts a service with 5,000 tokens, of which the sandbox knows 200. */
async function startWithTokens() {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'quotient@example.org', PUBLIC_URL: 'http://127.0.0.1:9' };
  const settings = { ...METRICS_ON, ...mail, BURST_PER_SECOND: '0', COINGECKO_PLAN: 'pro', CRYPTOCOMPARE_API_KEY: 'k' };
  const service = await startService({ sandbox: { plan: 'pro' }, settings });
  const scrape = await openScrape(service);
  onTestFinished(() => service.close());
  onTestFinished(() => scrape.close());
  await service.database.prisma.$executeRaw`INSERT INTO token (name, symbol, title, begins, listed)
    SELECT 'token-' || n, 't' || n, 'T', now(), now() FROM generate_series(1, 4800) n`;
  const names = await addSandboxTokens(service.database.prisma, 200);
  await service.parts.catalogue.sync();
  return { service, scrape, names, key: await service.createUser() };
}

test('with 5,000 tokens and calls of every path, a process has at most 1,000 series', async () => {
  const { service, scrape, names, key } = await startWithTokens();
  const tokens = await service.get('/v1/tokens');
  expect(await tokens.json()).toHaveLength(5_000);
  for (const some of [names.slice(0, 100), names.slice(100)]) {
    const latest = await service.get(`/v1/prices/latest/tokens?tokenNames=${some}`, { key });
    expect(latest.status).toBe(200);
  }
  for (const name of names.slice(0, 8)) {
    const days = await service.get(`/v1/prices/history/days?tokenName=${name}&days=30`, { key });
    expect(days.status).toBe(200);
  }
  const { paths } = (await (await service.get('/openapi.json')).json()) as { paths: Paths };
  const statuses = new Set<number>();
  for (const url of urlsOf(paths)) {
    for (const options of [{ key }, {}, { key, headers: { 'if-none-match': '*' } }]) {
      statuses.add((await service.get(url, options)).status);
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 304, 400, 401]));

  const series = [...(await scrape.series()).keys()];
  expect(series.length).toBeLessThanOrEqual(1_000);
  const labelled = new Set(series.flatMap((name) => /^quotient_data_age.*token="(.*?)"/.exec(name)?.[1] ?? []));
  expect(labelled.size).toBe(11);
  expect([...labelled]).toEqual(expect.arrayContaining(['bitcoin', 'other']));
  const unlisted = series.filter((name) => /token-\d/.test(name));
  expect(unlisted).toEqual([]);
});
