import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

type Interfaces = ReturnType<typeof networkInterfaces>;

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The first address at which other machines may reach this machine, IPv4 before IPv6. */
function externalAddress(interfaces: Interfaces): string | undefined {
  const external = Object.values(interfaces)
    .flatMap((one) => one ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return (external.find(({ family }) => family === 'IPv4') ?? external[0])?.address;
}

/** The URL at which other processes reach a listener, without a path. A wildcard stands for all addresses. */
export function ownAddress({ address, port }: AddressInfo, interfaces: Interfaces = networkInterfaces()): string {
  const host = WILDCARDS.has(address) ? (externalAddress(interfaces) ?? '127.0.0.1') : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
