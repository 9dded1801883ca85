import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPage } from '../../support/browser/page.ts';
import { type Service, startService } from '../../support/service/service.ts';
import { storePrice } from '../../support/service/store-price.ts';

type Seen = { prices: number[]; problems: string[]; errors: number };
declare global {
  var openStream: (url: string) => Promise<void>;
  var seen: Seen;
}

/** The code of a page that reads a stream. */
const MODULE = `
globalThis.seen = { prices: [], problems: [], errors: 0 };
globalThis.openStream = (url) => {
  const source = new EventSource(url);
  source.addEventListener('price', ({ data }) => seen.prices.push(JSON.parse(data).current_price));
  source.addEventListener('problem', ({ data }) => seen.problems.push(JSON.parse(data).code));
  source.addEventListener('error', () => {
    seen.errors += 1;
    source.close();
  });
  return new Promise((resolve) => source.addEventListener('open', () => resolve(), { once: true }));
};
`;

let folder: string;
let opened: Awaited<ReturnType<typeof openPage>>;
let service: Service;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-page-'));
  await writeFile(join(folder, 'index.js'), MODULE);
  opened = await openPage(folder);
  service = await startService({ settings: { CORS_ORIGINS: opened.origin, COINGECKO_REFRESH: 'latest=1h' } });
});
afterAll(async () => {
  await opened?.close();
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

const read = () => opened.page.evaluate(() => globalThis.seen);

it('EventSource in Chromium reads a stream of another origin with a ticket', async () => {
  const owner = await service.createUser();
  const created = await fetch(`${service.url}/v1/user/keys?label=page`, {
    method: 'POST',
    headers: { 'x-api-key': owner },
  });
  const { id, apiKey } = (await created.json()) as { id: number; apiKey: string };
  await opened.go();
  await opened.page.evaluate(
    async ([url, key]) => {
      const response = await fetch(`${url}/v1/prices/stream/tickets`, {
        method: 'POST',
        headers: { 'X-API-KEY': key as string },
      });
      const { ticket } = (await response.json()) as { ticket: string };
      await globalThis.openStream(`${url}/v1/prices/stream?tokenNames=bitcoin&ticket=${ticket}`);
    },
    [service.url, apiKey],
  );
  await expect.poll(async () => (await read()).prices.length).toBe(1);
  await storePrice(service.database, 'bitcoin', 77.5);
  await service.parts.poll();
  await expect.poll(async () => (await read()).prices.at(-1)).toBe(77.5);
  expect((await read()).errors).toBe(0);

  await fetch(`${service.url}/v1/user/keys/${id}`, { method: 'DELETE', headers: { 'x-api-key': owner } });
  await expect.poll(async () => (await read()).problems, { timeout: 10_000 }).toEqual(['api_key_revoked']);
  await expect.poll(async () => (await read()).errors).toBe(1);
});
