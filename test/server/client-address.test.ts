import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress, parseNetworks } from '#core/forms/network-address';
import { clientName, createClientNames, forwardedFor, type TrustedProxies } from '#server/client-address';
import { amount } from '../support/long.ts';

const PROXY = '10.0.0.1';
const request = (headers: Record<string, string>, remoteAddress: string | undefined = PROXY) =>
  ({ headers, socket: { remoteAddress } }) as never;
const clientOf = (proxies: TrustedProxies, headers: Record<string, string>, peer?: string) =>
  createClientNames(proxies).of(request(headers, peer));

describe('the name of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:443', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['[::ffff:c000:207]:443', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:a:b:c:d', '2001:db8:0:0::/64'],
    ['[2001:db8::1]:50001', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['[fe80::1%25eth0]:1', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ...['', 'unknown', '_hidden', '1', '0x7f.1', '010.0.0.1', '192.0.2.7:443:1', '[192.0.2.7', '::1]'].map((text) => [
      text,
      'unknown',
    ]),
  ])('of %j is %s', (text, name) => {
    expect(clientName(parseAddress(text as string))).toBe(name);
  });

  it('does not depend on the form of an address', () => {
    const port = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: undefined });
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), port, fc.boolean(), (address, number, isUpper) => {
        const enclosed = address.includes(':') ? `[${address}]` : address;
        const form = number === undefined ? enclosed : `${enclosed}:${number}`;
        const name = clientName(parseAddress(address));
        expect(name).not.toBe('unknown');
        expect(clientOf(1, { 'x-forwarded-for': isUpper ? form.toUpperCase() : form })).toBe(name);
        expect(clientOf(1, { forwarded: `proto=https;For="${form}"` })).toBe(name);
      }),
    );
  });

  it('is that of the connection unless a trusted proxy reports another one', () => {
    const headers = { 'x-forwarded-for': '1.1.1.1, 2.2.2.2', forwarded: 'for=1.1.1.1, for=2.2.2.2' };
    expect(clientOf(undefined, headers)).toBe(PROXY);
    expect(clientOf(parseNetworks('10.0.0.2'), headers)).toBe(PROXY);
    expect(clientOf(parseNetworks('10.0.0.0/8'), headers)).toBe('2.2.2.2');
    expect(clientOf(parseNetworks('10.0.0.0/8, 2.2.2.2'), headers)).toBe('1.1.1.1');
    expect(clientOf(parseNetworks('::ffff:10.0.0.0/104'), headers)).toBe('2.2.2.2');
    expect(clientOf(parseNetworks('10.0.0.0/8'), headers, '::ffff:10.9.9.9')).toBe('2.2.2.2');
    expect(clientOf(1, headers)).toBe('2.2.2.2');
    expect(clientOf(2, headers)).toBe('1.1.1.1');
    expect(clientOf(0, headers)).toBe(PROXY);
    expect(createClientNames(2).of(request(headers, ''))).toBe('unknown');
  });

  it('is never one that a client writes before the entry of the proxy', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), fc.boolean(), (written, other, isV6) => {
        const own = isV6 ? '"[2001:db8::7]:1"' : '192.0.2.7';
        const names = [isV6 ? '2001:db8:0:0::/64' : '192.0.2.7', PROXY];
        expect(names).toContain(clientOf(1, { forwarded: `${written}, for=${own}` }));
        expect(names).toContain(clientOf(1, { 'x-forwarded-for': `${written}, ${own}` }));
        expect(names).toContain(clientOf(1, { 'x-forwarded-for': `${written}, ${own}`, forwarded: other }));
        expect(names).toContain(clientOf(1, { forwarded: `for=${own}`, 'x-forwarded-for': other }));
      }),
      { numRuns: amount(300, 5_000) },
    );
    for (const written of ['for=1.1.1.1;x="', 'for=1.1.1.1;x="a\\"', 'for="1.1.1.1', '"', 'for=1.1.1.1, ,'])
      expect([PROXY, '192.0.2.7']).toContain(clientOf(1, { forwarded: `${written}, for=192.0.2.7` }));
  });
});

it('lists the addresses in Forwarded, the nearest first', () => {
  expect(forwardedFor('for=192.0.2.43;proto=http;by=203.0.113.60, For="[2001:db8:cafe::17]:4711"')).toEqual([
    '[2001:db8:cafe::17]:4711',
    '192.0.2.43',
  ]);
  expect(forwardedFor('for="a\\"b" ; proto=https')).toEqual(['a"b']);
  expect(forwardedFor('by=a, for=_x')).toEqual(['_x', '']);
  for (const malformed of ['x', 'for=a b', 'for="a', 'for=a,,for=b', ';for=a'])
    expect(forwardedFor(malformed)).toEqual(['']);
});
