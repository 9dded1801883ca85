import { createRequire } from 'node:module';
import { Any } from 'cosmjs-types/google/protobuf/any';

/* The generated protobuf types of the chain. This module does not use the code under test. */

type Type = {
  fromJSON(json: unknown): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
};

const require = createRequire(import.meta.url);
const FILES = ['tx', 'authz', 'feegrant', 'gov', 'distribution', 'params', 'upgrade', 'staking', 'keys'];

/** The generated type of a URL like `/cosmos.bank.v1beta1.MsgSend`. */
export function typeOf(url: string): Type {
  const parts = url.slice(1).split('.');
  const name = String(parts.pop());
  for (const file of FILES) {
    let found: Record<string, Type> = {};
    try {
      found = require(`cosmjs-types/${parts.join('/')}/${file}`);
    } catch {
      // The module has no such file.
    }
    if (found[name]) return found[name];
  }
  throw new Error(`unknown type ${url}`);
}

const DECIMALS = new Set(['rate', 'max_rate', 'max_change_rate', 'commission_rate']);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const scaled = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return String(BigInt(whole + fraction.padEnd(18, '0')));
};

function convert(value: unknown, isBeta: boolean): unknown {
  if (Array.isArray(value)) return value.map((element) => convert(element, isBeta));
  if (typeof value !== 'object' || value === null) return value;
  if ('@type' in value) return Any.toJSON(anyOf(value as { '@type': string }));
  const members = Object.entries(value).map(([name, member]) => {
    if (DECIMALS.has(name) || (name === 'weight' && isBeta)) return [camel(name), scaled(member)];
    if (name === 'period') return [camel(name), { seconds: '3600', nanos: 500_000_000 }];
    return [camel(name), convert(member, isBeta)];
  });
  return Object.fromEntries(members);
}

/** Encodes a message from the JSON of a node as bytes with its type. */
export function anyOf({ '@type': typeUrl, ...rest }: { '@type': string }): Any {
  const type = typeOf(typeUrl);
  const message = type.fromJSON(convert(rest, typeUrl.includes('beta')));
  return Any.fromPartial({ typeUrl, value: type.encode(message).finish() });
}
