import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseNetworks } from '#core/forms/network-address';
import { isAmong, isPublicAddress, webhookUrlFault } from '#notifications/channels/webhook/webhook-url';

/** Addresses that are not public, and forms that embed or represent them. */
const LOCAL = [
  ...['0.0.0.0', '0.1.2.3', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.9', '192.0.2.1', '192.88.99.1'],
  ...['192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1'],
  ...['64:ff9b:1::a00:1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1', '4000::1'],
  ...['fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', 'fd00:ec2::254'],
];

describe('an address', () => {
  test.each(LOCAL)('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2606:4700:0:1:2:5efe:a00:1',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '8.8.8.8 ', '8.8.8', '1::2::3'])(
    '%s is not an address',
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );

  test('that is private is detected in every IPv6 form that embeds it', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom('10', '127', '192.168', '169.254'), byte, byte, byte, (start, ...bytes) => {
        const address = [...start.split('.'), ...bytes].slice(0, 4).join('.');
        const hex = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
        const [high, low] = [hex.slice(0, 2).join(''), hex.slice(2).join('')];
        const forms = [
          address,
          `::ffff:${address}`,
          `::ffff:0:${address}`,
          `64:ff9b::${address}`,
          `2002:${high}:${low}::1`,
          `2001:470:1f0b:1:0:5efe:${high}:${low}`,
          `2001:470:1f0b:1:200:5efe:${high}:${low}`,
        ];
        expect(forms.filter(isPublicAddress)).toEqual([]);
      }),
    );
  });

  test('is matched with the allowed networks, even if it is mapped into IPv6', () => {
    const networks = parseNetworks('10.0.0.0/8, 192.168.1.7,fd00::/8');
    expect(isAmong(networks, '10.255.0.1')).toBe(true);
    expect(isAmong(networks, '::ffff:10.0.0.1')).toBe(true);
    expect(isAmong(networks, '192.168.1.7')).toBe(true);
    expect(isAmong(networks, 'fd00::1')).toBe(true);
    expect(isAmong(networks, '11.0.0.1')).toBe(false);
    expect(isAmong(networks, '192.168.1.8')).toBe(false);
    expect(isAmong(networks, '::a00:1')).toBe(false);
  });

  test.each([
    '',
    '10.0.0.0/33',
    '10.0.0',
    'fd00::/129',
    'example.org',
    '10.0.0.0/8;11.0.0.0/8',
    '10.0.0.0/',
    'fe80::1%1',
  ])('rejects %s as a network', (text) => {
    expect(() => parseNetworks(text)).toThrow(/list of addresses or networks/);
  });
});

describe('the address of a webhook', () => {
  const fault = (url: string, allowed = '') => webhookUrlFault(url, allowed === '' ? [] : parseNetworks(allowed));

  test.each([
    ['example.org/hook', 'must be a URL'],
    ['ftp://example.org', 'must be a URL'],
    ...['/\0', '/\ud800', '/a b', '/\n', '\\@127.0.0.1/', ' '].map((rest) => [
      `https://example.org${rest}`,
      'must be a URL',
    ]),
    [`https://example.org/${'a'.repeat(2000)}`, 'must have at most 2000 characters'],
    ['https://ada:secret@example.org', 'must not contain a user name or password'],
    ['https://ada@example.org', 'must not contain a user name or password'],
    ['http://example.org', 'must be an https:// URL'],
    ...[
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '[::1]',
      '[::ffff:10.0.0.1]',
      'localhost',
      'a.localhost.',
      '017700000001',
    ].map((host) => [`https://${host}/`, 'must have a public address']),
  ])('%s %s', (url, message) => {
    expect(fault(url)).toBe(message);
  });

  test.each([
    'https://example.org',
    'https://example.org:8443/a?b=c',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('can be %s', (url) => {
    expect(fault(url)).toBeUndefined();
  });

  test('can be local if the operator allows it', () => {
    expect(fault('http://127.0.0.1:3000', '127.0.0.0/8')).toBeUndefined();
    expect(fault('http://localhost:3000', '127.0.0.0/8')).toBeUndefined();
    expect(fault('http://10.0.0.1', '127.0.0.0/8')).toBe('must have a public address');
    expect(fault('http://8.8.8.8', '127.0.0.0/8')).toBe('must have a public address');
  });
});
