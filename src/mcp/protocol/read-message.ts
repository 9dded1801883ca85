import { parseJson } from '#server/json-body';

/*
 * Clients and models write messages in forms that the protocol does not define but that have only one meaning. They are
 * read here, before the message is validated, so that they hold for all methods and for both generations of the
 * protocol.
 */

type Members = Record<string, unknown>;

/** The members of a message. Others are ignored, because JSON-RPC does not define them. */
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const OBJECTS = ['_meta', 'arguments', 'capabilities', 'clientInfo'] as const;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deletes members that are null, because many libraries write an absent member as null. */
function deleteNulls(value: unknown): void {
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (value[name] === null) delete value[name];
    else deleteNulls(value[name]);
  }
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
  if (isObject(params))
    for (const name of OBJECTS) if (name in params) params[name] = readJsonText(params[name], 'object');
  return params;
}

/** Reads a message in place: null equals absent, and an object that was sent as JSON text is an object. */
export function readMessage(body: unknown): void {
  if (!isObject(body)) return;
  for (const name of Object.keys(body)) if (!MEMBERS.has(name)) delete body[name];
  if ('params' in body) body.params = readParams(body.params);
  deleteNulls(body);
}
