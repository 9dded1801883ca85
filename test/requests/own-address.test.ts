import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { ownAddress } from '#requests/own-address';

const at = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;
const LOOPBACK = [at('127.0.0.1', true), at('::1', true)];
const listener = (address: string) => ({ address, port: 8080, family: '' });

it.each([
  ['127.0.0.1', [at('10.0.0.7')], 'http://127.0.0.1:8080'],
  ['10.0.0.9', [at('10.0.0.7')], 'http://10.0.0.9:8080'],
  ['::1', [], 'http://[::1]:8080'],
  ['0.0.0.0', [at('fe80::1'), at('2001:db8::7'), at('10.0.0.7'), at('10.0.0.8')], 'http://10.0.0.7:8080'],
  ['::', [at('fe80::1'), at('2001:db8::7')], 'http://[2001:db8::7]:8080'],
  ['0.0.0.0', [], 'http://127.0.0.1:8080'],
])('of a listener at %s', (address, external, url) => {
  expect(ownAddress(listener(address), { lo: LOOPBACK, eth0: external, none: undefined })).toBe(url);
});
