import { NodeRejection } from '../exchange.ts';
import { isMembers, type Members, malformed } from '../parsers.ts';
import { aminoMembers, type Field, fieldsOf, type Kind, messageBytes, refusal } from './fields.ts';
import { anyMessage, bytesField, EMPTY } from './protobuf.ts';

/** A type that both interfaces know: its URL in protobuf, its name in amino, and its fields. */
export type MessageType = {
  url: string;
  amino: string;
  aliases?: readonly string[];
  fields: readonly Field[];
  /** Of a message, the member of its amino value that names who signs it: an address, or several. */
  signer?: (value: Members) => unknown;
  /** Where amino has the members of the fields in another order: to it, and back. */
  reshape?: { amino: (members: Members) => Members; fields: (members: Members) => Members };
};

/** A text whose form is not known, as a problem may repeat it. */
const named = (type: unknown) => (typeof type === 'string' ? type.slice(0, 100) : 'without a type');

/** One of the types, whichever a value says it is. */
export function anyOf(types: () => readonly MessageType[]) {
  let byUrl: ReadonlyMap<string, MessageType> | undefined;
  let byName: ReadonlyMap<string, MessageType> | undefined;
  const ofUrl = (url: unknown) => {
    byUrl ??= new Map(types().map((type) => [type.url, type]));
    return byUrl.get(url as string);
  };
  const ofName = (name: unknown) => {
    byName ??= new Map(
      types().flatMap((type) => [type.amino, ...(type.aliases ?? [])].map((one) => [one, type] as const)),
    );
    return byName.get(name as string);
  };

  return {
    amino(value: unknown, what: string): { type: string; value: Members } {
      const { '@type': url, ...rest } = isMembers(value) ? value : {};
      const type = ofUrl(url);
      if (type === undefined) throw malformed(`${what} of a known type`);
      const members = aminoMembers(type.fields, rest, what);
      return { type: type.amino, value: type.reshape ? type.reshape.amino(members) : members };
    },
    bytes(field: number, value: unknown, what: string): Uint8Array {
      if (value === undefined || value === null) return EMPTY;
      const { type: name, value: own } = isMembers(value) ? value : {};
      const type = ofName(name);
      if (type === undefined) {
        const detail = `${what} (${named(name)}) has no amino form that is known here: send tx_bytes`;
        throw new NodeRejection(422, detail);
      }
      if (!isMembers(own)) throw refusal(`${what}.value`, 'an object');
      const members = type.reshape ? type.reshape.fields(own) : own;
      const bytes = messageBytes(type.fields, members, `${what} (${type.amino})`);
      return bytesField(field, anyMessage(type.url, bytes));
    },
    typeOf: ofName,
  } satisfies Kind & { typeOf: unknown };
}

/** `amino` is its name there, which mostly ends as its URL. */
export const type = (
  url: string,
  kinds: Readonly<Record<string, Kind>>,
  amino = url.replace(/^.*\./, 'cosmos-sdk/'),
): MessageType => ({ url, amino, fields: fieldsOf(kinds) });

/** A type of messages, whose signer is in a member of it. */
export const message = (
  url: string,
  signer: string,
  kinds: Readonly<Record<string, Kind>>,
  amino?: string,
): MessageType => ({ ...type(url, kinds, amino), signer: (value) => value[signer] });
