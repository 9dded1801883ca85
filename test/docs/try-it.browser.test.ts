import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Document } from '../../fixtures/published.ts';
import { complaintsOf, launchBrowser } from '../support/browser/browser.ts';
import { type Service, startService } from '../support/service/service.ts';

let service: Service;
let browser: Browser;
let described: Document;
beforeAll(async () => {
  service = await startService({ settings: { BASE_PATH: '/market' } });
  browser = await launchBrowser();
  described = (await (await service.get('/openapi.json')).json()) as Document;
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** The storage key under which the console keeps the user's API key. */
const STORED = 'quotient:key:/market/';

/** Opens the docs in a new browser context. If a key is given, the tab's storage contains it. */
async function open(key?: string) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = await complaintsOf(page, new URL(service.url).origin);
  if (key) await page.addInitScript(([name, value]) => sessionStorage.setItem(name ?? '', value ?? ''), [STORED, key]);
  await page.goto(`${service.url}/docs`);
  return { page, context, complaints };
}

/** Opens the page of the operation at a path. */
async function openPageOf(page: Page, method: string, path: string): Promise<void> {
  const tag = described.paths[path]?.[method.toLowerCase()]?.tags[0];
  await page.goto(`${service.url}/docs/reference/${tag}`);
}

/** The operation at a path, with its form open. */
async function operation(page: Page, method: string, path: string) {
  await openPageOf(page, method, path);
  const found = page.locator(`[data-method="${method}"][data-path="/market${path}"]`);
  await found.locator('.try > summary').click();
  return {
    found,
    answered: found.locator('.answered'),
    send: () => found.getByRole('button', { name: 'Send' }).click(),
  };
}

const usedOf = async (key: string) => {
  const usage = await service.get('/v1/user/usage', { headers: { 'x-api-key': key } });
  return ((await usage.json()) as { used: number }).used;
};

it('links the form next to the path, and opens it', async () => {
  const { page, context, complaints } = await open();
  await openPageOf(page, 'GET', '/v1/prices/latest/token');
  const found = page.locator('[data-method="GET"][data-path="/market/v1/prices/latest/token"]');
  await found.getByRole('link', { name: /^Try it/ }).click();
  await found.getByRole('button', { name: 'Send' }).waitFor();
  await expect.poll(() => found.locator('.try').evaluate((form) => form.getBoundingClientRect().top)).toBeLessThan(900);
  expect(complaints).toEqual([]);
  await context.close();
});

it('calls with the console’s key, and shows the cost and the remaining calls', async () => {
  const key = await service.register();
  const { page, context, complaints } = await open(key);
  const { found, answered, send } = await operation(page, 'GET', '/v1/prices/latest/token');
  expect(await found.locator('.send').innerText()).toContain('Costs one call of your allowance.');
  expect(await found.getByText(`Key: ${key.slice(0, 7)}…`).isVisible()).toBe(true);
  await send();
  await answered.getByText('200 OK').waitFor();
  expect(await answered.innerText()).toMatch(/Charged\. 9,999 calls remaining\./);
  expect(await usedOf(key)).toBe(1);
  expect(JSON.parse(await found.locator('.body').innerText())).toHaveProperty('current_price');
  await found.getByText(/^Headers \(\d+\)$/).click();
  expect(await found.locator('.result details').innerText()).toContain('ratelimit: "plan";r=9999');

  await found.getByLabel('tokenName').fill('nothing');
  await send();
  await answered.getByText('400 Bad Request').waitFor();
  expect(await answered.innerText()).toContain('Not charged.');
  expect(await found.getByRole('link', { name: 'invalid_request' }).getAttribute('href')).toBe(
    '/market/docs/problems#invalid_request',
  );

  const user = await operation(page, 'GET', '/v1/user/data');
  const visited = await page.evaluate('history.length');
  await user.send();
  await user.found.locator('.body').waitFor();
  // The key is in no URL and not on the page.
  expect(await page.content()).not.toContain(key);
  expect(await page.evaluate('history.length')).toBe(visited);
  expect(page.url()).not.toContain('qt_');
  await user.found.getByRole('button', { name: 'Show key' }).click();
  expect(await user.found.getByText(key).first().isVisible()).toBe(true);
  await user.found.getByRole('button', { name: 'Show key' }).click();
  expect(await user.found.locator('.shown').innerText()).not.toContain(key);
  expect(complaints.filter((one) => !one.includes('400 (Bad Request)'))).toEqual([]);
  await context.close();
});

it('accepts a typed key without storing it', async () => {
  const key = await service.register();
  const { page, context } = await open();
  const { found, answered, send } = await operation(page, 'GET', '/v1/user/usage');
  await found.getByLabel('API key').fill(key);
  await send();
  await answered.getByText('200 OK').waitFor();
  expect(await page.content()).not.toContain(key);
  expect(await context.storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] });
  await page.reload();
  const again = await operation(page, 'GET', '/v1/user/usage');
  expect(await again.found.getByLabel('API key').inputValue()).toBe('');
  await context.close();
});

it('receives the key from a signed-in tab, and forgets it when that tab signs out', async () => {
  const { page, context } = await open();
  await page.goto(`${service.url}/docs/problems`);
  await page.evaluate(
    `globalThis.tabs = new BroadcastChannel('${STORED}');
     tabs.onmessage = ({ data }) => data.type === 'ask' && tabs.postMessage({ type: 'key', key: 'qt_abcdefgh' });`,
  );
  const docs = await context.newPage();
  await docs.goto(`${service.url}/docs`);
  const { found } = await operation(docs, 'GET', '/v1/user/usage');
  await found.getByText('Key: qt_abcd…').waitFor();
  const end = (by: string) => page.evaluate(`tabs.postMessage({ type: 'ended', user: 1, by: '${by}', notice: '' })`);
  // This tab ignores responses to another tab, and the end of another user's session.
  await page.evaluate(`tabs.postMessage({ type: 'key', key: 'qt_xyzxyzxyz' })`);
  await end('qt_xyzxyzxyz');
  await found.getByText('Key: qt_abcd…').waitFor();
  await end('qt_abcdefgh');
  await found.getByLabel('API key').waitFor();
  await context.close();
});

it('asks for confirmation before an irreversible call', async () => {
  const key = await service.register();
  const { page, context } = await open(key);
  const { answered, send } = await operation(page, 'DELETE', '/v1/user');
  const questions: string[] = [];
  page.once('dialog', (dialog) => {
    questions.push(dialog.message());
    void dialog.dismiss();
  });
  await send();
  await expect.poll(() => questions.join()).toContain('This cannot be undone.');
  expect(await usedOf(key)).toBe(0);
  expect(await answered.innerText()).toBe('');
  page.once('dialog', (dialog) => void dialog.accept());
  await send();
  await answered.getByText('204').waitFor();
  expect((await service.get('/v1/user/usage', { headers: { 'x-api-key': key } })).status).toBe(401);
  await context.close();
});

it('has samples that work with this service, in the chosen language', async () => {
  const key = await service.register();
  const { page, context } = await open(key);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = async (path: string, language: string) => {
    const found = page.locator(`[data-path="/market${path}"]`);
    await found.getByRole('button', { name: language }).click();
    await found.locator('.copied:visible button').first().click();
    await found.locator('.copied:visible').first().getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  const paths = ['/v1/prices/latest/token', '/v1/prices/history/days', '/v1/tokens'];
  for (const path of paths) {
    await openPageOf(page, 'GET', path);
    await page.getByRole('button', { name: 'Show key' }).first().click();
    const lines: unknown[][] = [];
    const script = await copied(path, 'JavaScript');
    const run = new Function('console', `return (async () => { ${script} })()`);
    await run({ log: (...line: unknown[]) => lines.push(line) });
    expect(lines, path).toEqual([[200, expect.anything()]]);
    expect(await copied(path, 'Python'), path).toContain(`    "${service.url}${path}`);
    expect(await copied(path, 'curl'), path).toContain(`'${service.url}${path}`);
    const box = page.locator(`[data-path="/market${path}"] .copied:visible`).first();
    await box.locator('code').evaluate((code) => code.append(' '));
    expect(await box.getByRole('button').innerText(), 'another content was not copied').toBe('Copy');
  }
  await context.close();
});

it('shows only the beginning of a long response', async () => {
  const { page, context } = await open(await service.register());
  const { found, send } = await operation(page, 'GET', '/v1/prices/history/days');
  await found.getByLabel('days').fill('365');
  await send();
  await found.getByText(/^The first 20,000 of [\d,]+ characters\.$/).waitFor();
  expect((await found.locator('.body').innerText()).length).toBe(20_000);
  await context.close();
});
