import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '#core/clock';
import { SettingsError } from '#core/forms/setting-forms';
import { openNode } from '#node/source';
import { readSettings } from '#settings';
import { warningText } from '#upstream/freshness';
import { ADDRESS, serviceOver, testNode } from './node-harness.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('credentials in the URL of a node', () => {
  test('are sent as basic authentication, and not otherwise', async () => {
    const only = await testNode();
    const node = serviceOver([only.url.replace('//', '//ada:s%3Acr%40t@')]);
    await node.balances(ADDRESS);
    const expected = `Basic ${Buffer.from('ada:s:cr@t').toString('base64')}`;
    expect(new Set(only.calls.map(({ headers }) => headers.authorization))).toEqual(new Set([expected]));
    expect(only.calls.map(({ path }) => path).join()).not.toContain('ada');

    await only.close();
    await expect(node.balances(ADDRESS)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(JSON.stringify([node.lines, node.warnings().map(warningText)])).not.toMatch(/ada|cr(%40|@)t/);
  });

  test('are not in errors', async () => {
    const node = openNode({
      url: 'http://ada:s3cret@127.0.0.1:1/rest',
      timeoutMs: 1000,
      clock: systemClock,
      observe: () => {},
    });
    closing.push(node.close);
    const failure = await node.send({ method: 'GET', path: '/x', query: [] }, 1000).catch((error) => error);
    expect(String(failure) + String(failure.stack) + String(failure.cause)).not.toMatch(/ada|s3cret/);
  });
});

describe('NODE_URLS', () => {
  const faults = (NODE_URLS: string) => {
    try {
      return readSettings({ NODE_URLS }).node.urls;
    } catch (error) {
      return (error as SettingsError).faults;
    }
  };

  test.each([
    ['https://a.example/rest/, https://b.example', ['https://a.example/rest', 'https://b.example']],
    ['https://ada:s3cret@a.example', ['https://ada:s3cret@a.example']],
    ['https://a.example?token=s3cret', [expect.stringMatching(/^NODE_URLS.* without a query/)]],
    ['https://a.example/#s3cret', [expect.stringMatching(/^NODE_URLS.* without a query/)]],
    ['https://ada:s3cret%zz@a.example', [expect.stringMatching(/^NODE_URLS.* percent-encoding/)]],
    ['ftp://a.example', [expect.stringMatching(/^NODE_URLS.* http:\/\//)]],
  ])('%s', (given, expected) => {
    expect(faults(given)).toEqual(expected);
  });

  test('is never in an error', () => {
    expect(() => readSettings({ NODE_URLS: 'https://a.example?token=s3cret' })).toThrow(SettingsError);
    expect(() => readSettings({ NODE_URLS: 'https://a.example?token=s3cret' })).not.toThrow(/s3cret/);
  });
});
