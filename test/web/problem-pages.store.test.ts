import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintApiKey } from '#keys/api-key';
import { type Service, startService } from '../support/service/service.ts';

/** The headers of Chromium and Firefox when the user follows a link or enters a URL. */
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

/** Avoids `fetch`, which sets `Sec-Fetch-Mode` itself. */
async function send(path: string, headers: Record<string, string> = BROWSER, method: 'GET' | 'HEAD' | 'POST' = 'GET') {
  const { statusCode, headers: given, body } = await service.app.inject({ method, url: `/market${path}`, headers });
  return { status: statusCode, type: given['content-type'], headers: given, body };
}

describe('an unknown path', () => {
  it('is a page for browsers, with the path, a suggestion and links', async () => {
    const { status, type, headers, body } = await send('/docs/problem?from=mail');
    expect([status, type]).toEqual([404, HTML_TYPE]);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept' });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(body).toContain('<code>/market/docs/problem</code>');
    expect(body).toContain('Did you mean <a href="/market/docs/problems">');
    expect(body).not.toContain('from=mail');
    expect((await send(`/x?api=${mintApiKey()}`)).body).not.toContain('qt_');
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
  ])('with Accept %o is %s', async (accept, type) => {
    const response = await send('/nothing', { accept });
    expect([response.status, response.type]).toEqual([404, type]);
    // Paths below /v1 and requests with a body are for programs.
    for (const [path, method] of [
      ['/v1/nothing', 'GET'],
      ['/nothing', 'POST'],
    ] as const)
      expect((await send(path, { accept }, method)).type, path).toBe(JSON_TYPE);
    expect((await send('/v1/nothing', { ...BROWSER, accept })).type).toBe(type);
    expect((await send('/nothing', { accept, 'sec-fetch-mode': 'cors' })).type).toBe(JSON_TYPE);
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const got = await send('/nothing');
    const head = await send('/nothing', BROWSER, 'HEAD');
    expect([head.status, head.type, head.body]).toEqual([404, HTML_TYPE, '']);
    // The request ID has the same length in every response.
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });

  it.each([
    '/nothing/%3Cscript%3Ealert(1)%3C/script%3E',
    `/v1/${mintApiKey()}`,
    `/${'abandon-'.repeat(11)}about`,
    `/${'abandon/'.repeat(11)}about`,
    `/verify/${'a'.repeat(43)}`,
  ])('contains neither markup nor possible secrets: %s', async (path) => {
    const { status, body } = await send(path);
    expect(status).toBe(404);
    expect(body).not.toMatch(/alert|qt_|a{33}|abandon-abandon|(abandon\/){6}/);
    expect(body).toContain('…');
  });

  it('shortens a long path', async () => {
    const { body } = await send(`/${'x'.repeat(400)}/${'y/'.repeat(3000)}`);
    expect(body.length).toBeLessThan(5000);
  });
});

describe('a failed request of a browser', () => {
  it.each([
    ['/v1/prices/latest/token?tokenName=bitcoin', 401, 'api_key_missing', 'API key required'],
    ['/v1/user/create', 405, 'method_not_allowed', 'This path accepts only POST.'],
    ['/?mnemonic=abandon', 400, 'secret_in_request', 'Never put a seed phrase in a URL'],
    ['/%zz', 400, 'invalid_request', 'invalid percent-encoding'],
    ['/openapi.json', 406, 'not_acceptable', 'application/json'],
  ])(
    '%s returns a page with the status, the headers and the reason of the problem',
    async (path, status, code, words) => {
      const accept = { accept: code === 'not_acceptable' ? 'text/html' : BROWSER.accept };
      const page = await send(path, { ...BROWSER, ...accept });
      expect([page.status, page.type]).toEqual([status, HTML_TYPE]);
      expect(page.body).toContain(words);
      expect(page.body).toContain(`<a href="/market/docs/problems#${code}">what <code>${code}</code> means</a>`);
      expect(page.body).not.toContain('abandon');
      expect(page.headers['content-security-policy']).toBeTruthy();

      const problem = await send(path, accept);
      expect([problem.status, problem.type]).toEqual([status, JSON_TYPE]);
      for (const name of ['allow', 'www-authenticate', 'cache-control'])
        expect(page.headers[name], name).toBe(problem.headers[name]);
    },
  );

  it('lists the invalid parameters', async () => {
    const key = await service.register();
    const { status, body } = await send('/v1/prices/history/days?tokenName=bitcoin&days=0', {
      ...BROWSER,
      'x-api-key': key,
    });
    expect(status).toBe(400);
    expect(body).toContain('<li><code>query.days</code> must be an integer from 1 to 36500: ');
  });

  it('is a page without TLS as well, although browsers then send no Sec-Fetch headers', async () => {
    const { 'sec-fetch-mode': _, ...headers } = BROWSER;
    expect((await send('/v1/user/usage', headers)).type).toBe(HTML_TYPE);
  });

  it('is a problem in JSON for a page’s script, and for a program that accepts HTML', async () => {
    const script = await send('/v1/user/usage', { ...BROWSER, 'sec-fetch-mode': 'cors' });
    expect([script.status, script.type]).toEqual([401, JSON_TYPE]);
    const java = { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' };
    expect((await send('/v1/user/usage', java)).type).toBe(JSON_TYPE);
  });
});
