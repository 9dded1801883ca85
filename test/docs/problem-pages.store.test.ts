import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintApiKey } from '#accounts/keys/api-key';
import { type Service, startService } from '../support/service/service.ts';

/** What Chromium and Firefox send when somebody follows a link or types an address. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'upgrade-insecure-requests': '1',
};
const JSON_TYPE = 'application/problem+json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

let service: Service;
beforeAll(async () => {
  service = await startService({ settings: { BASE_PATH: '/market' } });
});
afterAll(() => service?.close());

/** Without `fetch`, which sets `Sec-Fetch-Mode` itself. */
async function ask(path: string, headers: Record<string, string> = BROWSER, method: 'GET' | 'HEAD' | 'POST' = 'GET') {
  const { statusCode, headers: given, body } = await service.app.inject({ method, url: `/market${path}`, headers });
  return { status: statusCode, type: given['content-type'], headers: given, body };
}

describe('an unknown path', () => {
  it('is a page to a browser: what is not there, what may be meant, and where else to go', async () => {
    const { status, type, headers, body } = await ask('/docs/problem?from=mail');
    expect([status, type]).toEqual([404, HTML_TYPE]);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept' });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(body).toContain('<code>/market/docs/problem</code>');
    expect(body).toContain('Did you mean <a href="/market/docs/problems">');
    expect(body).not.toContain('from=mail');
    expect((await ask(`/x?api=${mintApiKey()}`)).body).not.toContain('qt_');
    for (const target of ['/', '/docs', '/status', '/docs/problems#not_found'])
      expect(body).toContain(`<a href="/market${target}"`);
    expect(body).toContain(`<code>${headers['x-request-id']}</code>`);
  });

  it.each([
    ['text/html', HTML_TYPE],
    ['text/html;q=0.5, application/json;q=0.4', HTML_TYPE],
    ['text/html, */*;q=0.1', HTML_TYPE],
    ['*/*', JSON_TYPE],
    ['', JSON_TYPE],
    ['application/json, text/html', JSON_TYPE],
    ['text/html;q=0.8, */*', JSON_TYPE],
    ['text/html;q=0.3, application/problem+json;q=0.4', JSON_TYPE],
    ['text/html;q=0', JSON_TYPE],
    ['image/png', JSON_TYPE],
  ])('to who accepts %o is %s', async (accept, type) => {
    const answer = await ask('/nothing', { accept });
    expect([answer.status, answer.type]).toEqual([404, type]);
    // What is below /v1 is for programs, and so is what is sent to it.
    for (const [path, method] of [
      ['/v1/nothing', 'GET'],
      ['/nothing', 'POST'],
    ] as const)
      expect((await ask(path, { accept }, method)).type, path).toBe(JSON_TYPE);
    expect((await ask('/v1/nothing', { ...BROWSER, accept })).type).toBe(type);
    expect((await ask('/nothing', { accept, 'sec-fetch-mode': 'cors' })).type).toBe(JSON_TYPE);
  });

  it('answers HEAD as it does GET, without the page', async () => {
    const [got, head] = [await ask('/nothing'), await ask('/nothing', BROWSER, 'HEAD')];
    expect([head.status, head.type, head.body]).toEqual([404, HTML_TYPE, '']);
    // The request id has one length.
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });

  it.each([
    '/nothing/%3Cscript%3Ealert(1)%3C/script%3E',
    `/v1/${mintApiKey()}`,
    `/${'abandon-'.repeat(11)}about`,
    `/${'abandon/'.repeat(11)}about`,
    `/verify/${'a'.repeat(43)}`,
  ])('shows neither markup nor what may be a secret: %s', async (path) => {
    const { status, body } = await ask(path);
    expect(status).toBe(404);
    expect(body).not.toMatch(/alert|qt_|a{33}|abandon-abandon|(abandon\/){6}/);
    expect(body).toContain('…');
  });

  it('is long, and the page is not', async () => {
    const { body } = await ask(`/${'x'.repeat(400)}/${'y/'.repeat(3000)}`);
    expect(body.length).toBeLessThan(5000);
  });
});

describe('what a browser goes to and gets no answer from', () => {
  it.each([
    ['/v1/prices/latest/token?tokenName=bitcoin', 401, 'api_key_missing', 'API key required'],
    ['/v1/user/create', 405, 'method_not_allowed', 'This path accepts only POST.'],
    ['/?mnemonic=abandon', 400, 'secret_in_request', 'A seed phrase never belongs in a URL'],
    ['/%zz', 400, 'invalid_request', 'not valid percent-encoding'],
    ['/openapi.json', 406, 'not_acceptable', 'application/json'],
  ])(
    '%s is a page that says what is wrong, with the status and the headers of the problem',
    async (path, status, code, words) => {
      const accept = { accept: code === 'not_acceptable' ? 'text/html' : BROWSER.accept };
      const page = await ask(path, { ...BROWSER, ...accept });
      expect([page.status, page.type]).toEqual([status, HTML_TYPE]);
      expect(page.body).toContain(words);
      expect(page.body).toContain(`<a href="/market/docs/problems#${code}">what <code>${code}</code> means</a>`);
      expect(page.body).not.toContain('abandon');
      expect(page.headers['content-security-policy']).toBeTruthy();

      const problem = await ask(path, accept);
      expect([problem.status, problem.type]).toEqual([status, JSON_TYPE]);
      for (const name of ['allow', 'www-authenticate', 'cache-control'])
        expect(page.headers[name], name).toBe(problem.headers[name]);
    },
  );

  it('lists the faults of the input', async () => {
    const key = await service.register();
    const { status, body } = await ask('/v1/prices/history/days?tokenName=bitcoin&days=0', {
      ...BROWSER,
      'x-api-key': key,
    });
    expect(status).toBe(400);
    expect(body).toContain('<li><code>query.days</code> must be an integer from 1 to 36500: ');
  });

  it('is a page without encryption too, where browsers do not say how they fetch', async () => {
    const { 'sec-fetch-mode': _, ...headers } = BROWSER;
    expect((await ask('/v1/user/usage', headers)).type).toBe(HTML_TYPE);
  });

  it('is a problem to the script of a page, and to a program that likes HTML', async () => {
    const script = await ask('/v1/user/usage', { ...BROWSER, 'sec-fetch-mode': 'cors' });
    expect([script.status, script.type]).toEqual([401, JSON_TYPE]);
    const java = { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' };
    expect((await ask('/v1/user/usage', java)).type).toBe(JSON_TYPE);
  });
});
