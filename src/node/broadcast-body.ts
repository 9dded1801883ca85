import { type InputFault, invalidRequest, Problem } from '#core/problems';
import { BROADCAST_MODES, type BroadcastMode, type BroadcastRequest } from '#cosmos/legacy-shapes';

/** What a body may have, in bytes. */
export const MAX_BROADCAST_BYTES = 128 * 1024;

const FORM = 'send {tx, mode} or {tx_bytes, mode}';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const fault = (location: string, message: string, fix: string): InputFault => ({ location, message, fix });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The body of a broadcast. Throws `invalidRequest` with every fault, and `secret_in_request` for one that brings a
 * seed phrase; nothing that was sent is repeated.
 */
export function broadcastRequest(body: unknown): BroadcastRequest {
  if (body === undefined || body === null) throw invalidRequest(fault('body', 'is missing', FORM));
  if (!isObject(body)) throw invalidRequest(fault('body', 'is not a JSON object', FORM));
  if (Object.keys(body).some((name) => name.toLowerCase() === 'mnemonic')) {
    throw new Problem('secret_in_request', 'A seed phrase is never sent anywhere: sign where it is kept.');
  }

  const { tx = null, tx_bytes: bytes = null, mode } = body;
  const faults: InputFault[] = [];
  if (tx === null && bytes === null) faults.push(fault('body', 'has neither tx nor tx_bytes', FORM));
  if (tx !== null && bytes !== null) faults.push(fault('body', 'has both tx and tx_bytes', FORM));
  if (tx !== null && !isObject(tx)) {
    faults.push(fault('body.tx', 'is not an object', 'give a signed StdTx in amino JSON'));
  }
  if (bytes !== null && (typeof bytes !== 'string' || bytes === '' || !BASE64.test(bytes))) {
    faults.push(fault('body.tx_bytes', 'is not base64', 'give a signed transaction in base64'));
  }
  if (!BROADCAST_MODES.includes(mode as BroadcastMode)) {
    const message = mode === undefined ? 'is missing' : 'is not a mode';
    faults.push(fault('body.mode', message, 'give sync, async or block'));
  }
  if (faults.length > 0) throw invalidRequest(...faults);
  const signed = bytes === null ? { tx } : { tx_bytes: bytes as string };
  return { ...signed, mode: mode as BroadcastMode };
}
