import { parseJson } from '#server/json-body';

/*
 * Clients and models write messages in forms that the protocol does not define but that have only one meaning. They are
 * read here, before the message is validated, so that they hold for all methods and for both generations of the
 * protocol.
 */

type Members = Record<string, unknown>;

/** The members of a message. Others are ignored, because JSON-RPC does not define them. */
const MEMBERS = ['jsonrpc', 'id', 'method', 'params'] as const;
const OBJECTS = ['_meta', 'arguments', 'capabilities', 'clientInfo'] as const;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Omits members that are null, because many libraries write an absent member as null. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNulls(member)]));
}

/** The kinds of values in JSON Schema whose JSON text differs from the text itself. */
export type JsonKind = 'object' | 'array' | 'number' | 'integer' | 'boolean';

function isOfKind(value: unknown, kind: JsonKind): boolean {
  if (kind === 'object') return isObject(value);
  if (kind === 'array') return Array.isArray(value);
  return typeof value === (kind === 'boolean' ? 'boolean' : 'number');
}

/** Reads a value that was sent as JSON text. Returns any other value unchanged. */
export function readJsonText(value: unknown, kind: JsonKind): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed = parseJson(value);
    return isOfKind(parsed, kind) ? parsed : value;
  } catch {
    return value;
  }
}

function readParams(value: unknown): unknown {
  const params = readJsonText(value, 'object');
  if (!isObject(params)) return params;
  const read = OBJECTS.flatMap((name) => (name in params ? [[name, readJsonText(params[name], 'object')]] : []));
  return withoutNulls({ ...params, ...Object.fromEntries(read) });
}

/** Reads a message: null equals absent, and an object that was sent as JSON text is an object. */
export function readMessage(body: unknown): unknown {
  if (!isObject(body)) return body;
  const members = MEMBERS.flatMap((name) => {
    const value = name === 'params' ? readParams(body[name]) : body[name];
    return value === undefined || value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}
