import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '../test/support/browser/chromium.ts';

// Takes the picture of the console in the README from the built demo: `npm run picture`.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE = `${ROOT}docs/console.png`;
/** The page down to the chart, in the size in which a README is shown. */
const SIZE = { viewport: { width: 1280, height: 1400 }, deviceScaleFactor: 0.75 };
/** Text without colours makes the file smaller. */
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-lcd-text'];

/** Starts the demo, and resolves with the URL and the API key that it prints. */
async function startDemo() {
  const demo = spawn('npm', ['run', '--silent', 'demo'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  const key = /qt_[0-9A-Za-z]{38}/;
  for await (const chunk of demo.stdout) {
    text += chunk;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    const [apiKey] = key.exec(text) ?? [];
    if (url !== undefined && apiKey !== undefined) return { demo, url, apiKey };
  }
  throw new Error(`the demo has not started: ${text}`);
}

/** Signs in, and loads the panels that cost calls. */
async function openConsole(page: Page, url: string, apiKey: string): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByLabel('API key', { exact: true }).fill(apiKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Prices' }).waitFor();
  await page.getByRole('button', { name: 'Load chart' }).click();
  await page.getByRole('button', { name: 'Load chart' }).waitFor({ state: 'hidden' });
  for (const loading of ['[aria-busy=true]', '.placeholder'])
    await page.locator(loading).first().waitFor({ state: 'detached' });
}

const executablePath = findChromium();
if (executablePath === undefined) throw new Error('Chromium is not installed');
const { demo, url, apiKey } = await startDemo();
const browser = await chromium.launch({ executablePath, args: ARGS });
try {
  const page = await browser.newPage({ ...SIZE, locale: 'en-US', timezoneId: 'UTC', colorScheme: 'light' });
  await openConsole(page, url, apiKey);
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: FILE });
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await once(demo, 'exit');
}
