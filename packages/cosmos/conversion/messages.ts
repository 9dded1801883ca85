import { NodeFault } from '../exchange.ts';
import { isMembers, list, type Members, malformed, text as textOf } from '../parsers.ts';
import { anyOf, type MessageType } from './contents.ts';
import { refusal } from './fields.ts';
import { FUNDS, governance } from './message-tables.ts';

const known = anyOf(() => MESSAGES);
const MESSAGES: readonly MessageType[] = [...FUNDS, ...governance(known)];

/** The types of messages that both interfaces know: their URLs in protobuf, and their names in amino. */
export const MESSAGE_TYPES = MESSAGES.map(({ url, amino }) => ({ url, amino }));

export type AminoMessage = { type: string; value: Members };

/** A message of protobuf JSON in amino JSON; one that amino does not know keeps its members, under its own type. */
export function aminoMessage(value: unknown): AminoMessage {
  if (!isMembers(value)) throw malformed('message');
  try {
    return known.amino(value, 'message');
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    const { '@type': type, ...rest } = value;
    return { type: textOf(type, 'type of the message'), value: rest };
  }
}

/** Amino messages as fields of a message, and who signs them, as they name it, in the order of the signatures. */
export function messageFields(field: number, messages: unknown): { bytes: Uint8Array[]; signers: string[] } {
  const all = list(messages, 'messages');
  const bytes = all.map((one, i) => {
    if (!isMembers(one)) throw refusal(`msg.${i}`, 'an object');
    return known.bytes(field, one, `msg.${i}`);
  });
  const signers = all.flatMap((one) => {
    const { type, value } = one as AminoMessage;
    return [known.typeOf(type)?.signer?.(value)].flat();
  });
  return { bytes, signers: signers.filter((one): one is string => typeof one === 'string' && one !== '') };
}
