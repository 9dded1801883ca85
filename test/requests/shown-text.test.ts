import { expect, it } from 'vitest';
import { mintApiKey } from '#keys/api-key';
import { BOUNDS } from '#requests/recent-requests';
import { shownDetail, shownPath } from '#requests/recorder';

const DECLARED = new Set(['tokenName', 'tokenNames', 'api', 'ticket', 'query', 'message.sender']);
const shown = (url: string, basePath = '') => shownPath(url, basePath, DECLARED);
const PHRASE = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

it.each([
  '/v1/prices/latest/token?tokenName=bitcoin',
  '/v1/prices/latest/tokens?tokenNames=btc,eth%2Csol,ar,a,b,c,d,e,f,g,h,i,j,k',
  '/v1/node/txs?query=tx.height%3E=1+AND%20tx.height<=5&message.sender=cosmos1abc',
  '/v1/user/usage',
])('shows %s', (url) => {
  expect(shown(url)).toBe(url);
});

it('omits the base path', () => {
  expect(shown('/market/v1/tokens', '/market')).toBe('/v1/tokens');
  expect(shown('/m%61rket/v1/tokens', '/market')).toBe('/m%61rket/v1/tokens');
});

it.each([
  ['/v1/user/data?api=anything', '/v1/user/data?api=…'],
  ['/v1/prices/stream?ticket=abc&tokenNames=btc', '/v1/prices/stream?ticket=…&tokenNames=btc'],
  ['/v1/tokens?tokenName=btc&other=secret', '/v1/tokens?tokenName=btc&other=…'],
  ['/v1/tokens?tokenname=btc', '/v1/tokens?tokenname=…'],
  ['/v1/tokens?tokenName', '/v1/tokens?tokenName='],
  ['/v1/tokens?not%20a%20name=1&&=2', '/v1/tokens?…&…&…'],
  ['/v1/tokens?%E0%A4%A=1&tokenName=%E0%A4%A', '/v1/tokens?…&tokenName=…'],
  ['/v1/tokens?', '/v1/tokens'],
  ['/v1/tokens?tokenName=a+b+c%20d+e+f+g', '/v1/tokens?tokenName=…'],
  ['/v1/tokens#tokenName=btc&other=secret', '/v1/tokens#tokenName=btc&other=…'],
  ['/v1/prices/stream#ticket=abc', '/v1/prices/stream#ticket=…'],
  ['http://name:secret@host/v1/tokens', '/v1/tokens'],
  ['https://name:sec?ret@host/v1/tokens?tokenName=btc', '/v1/tokens?tokenName=btc'],
])('hides what may be secret: %s', (url, text) => {
  expect(shown(url)).toBe(text);
});

it('hides seed phrases and keys in values, names and the path', () => {
  const key = mintApiKey();
  const phrase = encodeURIComponent(PHRASE);
  const plus = PHRASE.replaceAll(' ', '+');
  const twice = [phrase.replaceAll('%', '%25'), key.replace('q', '%2571')];
  const separated = ['-', '_', '.', ';', '|', '%2F', '%00', '%0A', '%E2%80%8B'].map((one) =>
    PHRASE.replaceAll(' ', one),
  );
  for (const secret of [key, phrase, plus, key.replace('q', '%71'), btoa(key), ...twice, ...separated]) {
    expect(shown(`/v1/tokens?tokenName=${secret}`)).toBe('/v1/tokens?tokenName=…');
    expect(shown(`/v1/node/bank/balances/${secret}`)).toBe('/v1/node/bank/balances/…');
    expect(shown(`/v1/tokens?${secret}=1`)).toBe('/v1/tokens?…');
  }
});

it('is no longer than its bound', () => {
  const url = `/v1/tokens?tokenNames=${'bitcoin,'.repeat(100)}`;
  const text = shown(url);
  expect([text.length, text.at(-1)]).toEqual([BOUNDS.text, '…']);
  expect(url.startsWith(text.slice(0, -1))).toBe(true);
});

it.each([
  ['a key', mintApiKey()],
  ['a key in base64', btoa(`${mintApiKey()}:`)],
  ['an address', 'cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02'],
  ['a short address', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ['a hash', 'CD'.repeat(32)],
  ['a seed phrase', PHRASE],
])('a detail shows no %s of a message that quotes the request', (_name, secret) => {
  const shownText = shownDetail(`The node rejected the request: cannot read '${secret}' (code 5)`);
  expect(shownText).not.toContain(secret);
  expect(shownText).toMatch(/^The node rejected the request: cannot read '.{1,6}' \(code 5\)$/);
});

it('a detail is no longer than its bound', () => {
  expect(shownDetail('The days. '.repeat(100))).toHaveLength(BOUNDS.text);
});
