import { invalidRequest } from '#core/problems';
import { BASE64 } from '#cosmos/conversion/protobuf';
import type { BroadcastMode, BroadcastRequest } from '#cosmos/legacy-shapes';
import type { Members } from '#cosmos/parsers';

/** The modes of the gateway, by name and by number. */
const MODES: Readonly<Record<string, BroadcastMode>> = {
  BROADCAST_MODE_BLOCK: 'block',
  BROADCAST_MODE_SYNC: 'sync',
  BROADCAST_MODE_ASYNC: 'async',
  1: 'block',
  2: 'sync',
  3: 'async',
};

const FORM = 'send {tx_bytes, mode}';

/** Some clients use the JSON names of protobuf, in camel case. */
const bytesIn = ({ tx_bytes, txBytes }: Members): unknown => tx_bytes ?? txBytes;

export function assertSimulation(body: Members): void {
  if (bytesIn(body) === undefined && body.tx === undefined)
    throw invalidRequest({ location: 'body', message: 'must contain tx_bytes or tx', fix: FORM });
}

export function signedRequest(body: Members): BroadcastRequest {
  const bytes = bytesIn(body);
  if (typeof bytes !== 'string' || bytes === '' || !BASE64.test(bytes))
    throw invalidRequest({ location: 'body.tx_bytes', message: 'must be a signed transaction in base64', fix: FORM });
  const mode = MODES[String(body.mode)];
  if (mode === undefined) {
    const fix = 'use BROADCAST_MODE_SYNC, BROADCAST_MODE_ASYNC or BROADCAST_MODE_BLOCK';
    throw invalidRequest({ location: 'body.mode', message: 'is not a supported mode', fix });
  }
  return { tx_bytes: bytes, mode };
}
