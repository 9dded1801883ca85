import { isMembers } from '#cosmos/parsers';
import { RPC, RpcFault, type RpcId } from './rpc-error.ts';
import { ADVICE, RPC_METHODS, type RpcMethod } from './rpc-methods.ts';

/** A call of an allowed method. `params` contains only parameters that the method has. */
export type RpcCall = {
  id: RpcId;
  method: string;
  params: Readonly<Record<string, unknown>>;
  isSearch: boolean;
  /** Whether the client has chosen the height, so that a node without it is not at fault. */
  isHeightChosen: boolean;
  broadcast: RpcMethod['broadcast'];
};

const MAX_ID = 256;
const isId = (id: unknown): id is string | number =>
  (typeof id === 'string' && id.length <= MAX_ID) || Number.isSafeInteger(id);

/** The ID of a call: null if it is malformed, undefined for a notification, which nodes neither execute nor answer. */
export function idOf(element: unknown): RpcId | undefined {
  if (!isMembers(element)) return null;
  const { id, method } = element;
  if (id === undefined || id === null) return typeof method === 'string' ? undefined : null;
  return isId(id) ? id : null;
}

/** The name of a method in metrics. Methods that are not passed on share one. */
export const nameOfMethod = (method: unknown): string =>
  typeof method === 'string' && Object.hasOwn(RPC_METHODS, method) ? method : 'other';

function methodOf(name: unknown): RpcMethod {
  const method = nameOfMethod(name) === name ? RPC_METHODS[name] : undefined;
  if (method) return method;
  const advice = Object.hasOwn(ADVICE, String(name)) ? ` ${ADVICE[String(name)]}` : '';
  throw new RpcFault(RPC.method, `Method not found: the service does not pass this method on.${advice}`);
}

/** The parameters by name. Nodes also accept parameters by position. */
function named(params: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (params === undefined || params === null) return {};
  if (isMembers(params)) return params;
  if (!Array.isArray(params)) throw new RpcFault(RPC.params, 'Invalid params: params must be an object or a list.');
  if (params.length > names.length)
    throw new RpcFault(RPC.params, `Invalid params: the method has only ${names.length} parameters.`);
  return Object.fromEntries(names.map((name, i) => [name, params[i]]));
}

function callOf(
  id: RpcId,
  method: string,
  { params: kinds, required, isSearch, broadcast }: RpcMethod,
  given: unknown,
): RpcCall {
  const params: Record<string, unknown> = {};
  const values = named(given, Object.keys(kinds));
  for (const [name, kind] of Object.entries(kinds)) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    if (!kind.accepts(value)) throw new RpcFault(RPC.params, `Invalid params: ${name} ${kind.form}.`);
    params[name] = value;
  }
  if (required !== undefined && params[required] === undefined)
    throw new RpcFault(RPC.params, `Invalid params: ${required} is missing.`);
  const heights = [params.height, params.minHeight, params.maxHeight];
  const isHeightChosen = heights.some((height) => height !== undefined && Number(height) > 0);
  return { id, method, params, isSearch: isSearch?.(params) ?? false, isHeightChosen, broadcast };
}

/** Checks one call. Throws `RpcFault`. Only the checked members are passed on: nodes read names in any case. */
export function readRpcCall(element: unknown): RpcCall {
  const id = idOf(element);
  if (!isMembers(element) || id === null || id === undefined) {
    const reason = Array.isArray(element)
      ? 'a batch must not contain a batch'
      : 'send an object with method, params, and an id that is a string or an integer';
    throw new RpcFault(RPC.request, `Invalid request: ${reason}.`);
  }
  const { method: name, params } = element;
  return callOf(id, nameOfMethod(name), methodOf(name), params);
}

const URI_ID = -1;

/** Checks a call in the URI form, in which the values are written as in Go. Throws `RpcFault`. */
export function readUriCall(name: string, search: URLSearchParams): RpcCall {
  const method = methodOf(name);
  if (method.broadcast) {
    throw new RpcFault(RPC.method, 'Method not found: a broadcast must be sent with POST.');
  }
  const values: Record<string, unknown> = {};
  for (const [param, text] of search) {
    const kind = method.params[param];
    if (!kind || text === '') continue;
    const value = kind.fromUri(text);
    if (value === undefined)
      throw new RpcFault(
        RPC.params,
        `Invalid params: ${param} ${kind.form}; write texts in quotes, and bytes as 0x and hex digits.`,
      );
    values[param] = value;
  }
  return callOf(URI_ID, name, method, values);
}
