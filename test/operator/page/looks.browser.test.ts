import { afterEach, beforeAll, expect, it } from 'vitest';
import { barriers } from '../../support/browser/accessibility.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { useOperatorPage } from '../../support/browser/operator-page.ts';
import { countBytes } from '../../support/browser/transfer.ts';
import { isLong } from '../../support/long.ts';

/** The transfer size of a first visit, in bytes. */
const FIRST_LOAD = 40_000;
/** The maximum layout shift, as Chromium measures it. */
const SHIFT = 0.01;
const VIEWS = [
  '#/overview',
  '#/users',
  '#/users/1',
  '#/users/2',
  '#/users/99',
  '#/tokens',
  '#/sources',
  '#/messages',
  '#/announcement',
  '#/audit',
];

const opened = useOperatorPage({}, { isSignedOut: true });
beforeAll(async () => {
  const { service, call } = opened;
  const key = await service.register('yearly');
  const name = 'Konrad Zuse with a name that is as long as a name in a list can ever become';
  const query = new URLSearchParams({ name, email: `${'k'.repeat(60)}@example.org`, plan: 'monthly' });
  await fetch(`${service.url}/v1/user/create?${query}`, { method: 'POST' });
  await service.get('/v1/prices/latest/token?tokenName=bitcoin', { key });
  await call('/users/1/credits', { method: 'POST', body: { calls: 500, reason: 'outage '.repeat(60).trim() } });
  await call('/users/2/suspend', { method: 'POST', body: { reason: 'w'.repeat(400) } });
  const message = { payload: {}, dueAt: null, attempts: 8, lastError: 'status 503', givenUpAt: new Date(), userKey: 1 };
  await service.database.prisma.outboxMessage.create({
    data: { id: '0f8fad5b-d9cb-469f-a165-70867728950e', kind: 'notice-webhook', ...message },
  });
});
afterEach(() => {
  const origins = new Set(opened.here.requests.map((url) => new URL(url).origin));
  expect([...origins]).toEqual([opened.url]);
});

const RECORD_SHIFTS = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;
const NORMAL = { forcedColors: 'none', reducedMotion: 'no-preference' } as const;

it('is accessible, fits the screen and does not shift in both color schemes, on phones and desktops', async () => {
  const { here } = opened;
  const { page } = here;
  const found = (view: string) => expectSoundLooks(page, view, [320, 768, 1440, 1920]);
  await found('sign-in');
  await here.signIn('x'.repeat(40));
  await page.locator('main').getByRole('alert').getByRole('link').waitFor();
  await found('a wrong token');
  await here.signIn();
  await here.settled();
  await page.addInitScript(RECORD_SHIFTS);
  for (const view of VIEWS) {
    await here.go(view);
    await page.reload();
    await here.settled();
    expect(await page.evaluate('globalThis.shift'), view).toBeLessThan(SHIFT);
    await found(view);
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    expect(await page.evaluate('document.getAnimations().length'), view).toBe(0);
    // Only the contrast depends on forced colors, and all views have the same colors.
    if (isLong || view === '#/users/1') expect(await barriers(page), `${view}, forced colors`).toEqual([]);
    await page.emulateMedia(NORMAL);
  }
  await here.go('#/users/1');
  await page.getByText('By day').click();
  await page.getByRole('button', { name: 'Change plan…' }).click();
  await found('the dialog');
}, 180_000);

it('has a small transfer size', async () => {
  const { page, context, settled } = opened.here;
  const { bytes } = await countBytes(context, page);
  await page.reload();
  await settled();
  expect(bytes()).toBeGreaterThan(10_000);
  expect(bytes()).toBeLessThan(FIRST_LOAD);
  console.log(`first load: ${Math.round(bytes() / 1000)} KB`);
});

it('can be used with the keyboard alone', async () => {
  await opened.visit();
  const { here } = opened;
  const { page } = here;
  await page.keyboard.type('an-admin-token-of-more-than-32-characters');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await here.settled();
  const focused = () => page.locator(':focus');
  const tabTo = async (name: string) => {
    for (let i = 0; i < 60; i += 1) {
      if ((await page.evaluate<string>('document.activeElement.innerText')) === name) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`${name} cannot be reached with Tab`);
  };
  // The overview lists a user only after the summary of active users was made again.
  await tabTo('Users');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  await here.settled();
  await tabTo('Ada Lovelace');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
  expect(await focused().evaluate(({ tagName }) => tagName)).toBe('H1');
  await tabTo('Set limit…');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('4321');
  await page.keyboard.press('Enter');
  await here.dialog.waitFor({ state: 'hidden' });
  expect((await opened.call('/users/1')).body).toMatchObject({ limit: 4321 });
  expect(await focused().innerText(), 'the focus returns').toBe('Set limit…');
});
