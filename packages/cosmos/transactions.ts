import { fromBase64, toHex } from './conversion/protobuf.ts';
import type { LegacyTransaction } from './legacy-shapes.ts';

/** A transaction in a block never changes. */
export const isInBlock = ({ height }: LegacyTransaction) => height !== '0';

/** The SDK's code for a transaction that the node already has, and the messages that older versions return instead. */
const IN_CACHE = 19;
const IN_CACHE_TEXT = /already (exists )?in (the )?(cache|mempool)/i;

/** Only a look-up by hash can confirm that the node has the transaction. */
const saysInCache = (message: string) => IN_CACHE_TEXT.test(message);

const isInCache = ({ code, codespace = 'sdk', raw_log = '' }: LegacyTransaction) =>
  code !== undefined && ((code === IN_CACHE && codespace === 'sdk') || saysInCache(raw_log));

/** The SDK's code for a full mempool (`ErrMempoolIsFull`). The node has not checked or accepted the transaction. */
const MEMPOOL_IS_FULL = 20;
export const isMempoolFull = ({ code, codespace = 'sdk' }: LegacyTransaction): boolean =>
  code === MEMPOOL_IS_FULL && codespace === 'sdk';

/** A broadcast that the node may have received. Without a response or a rejection, its outcome is unknown. */
type Broadcast = { hash: string | undefined; response?: LegacyTransaction | undefined; rejection?: string | undefined };

/**
 * Decides what follows a broadcast: `end` with the response or the rejection, `look up` a transaction that the node
 * already has, or `wait` for its block. Without a hash, the transaction cannot be looked up.
 * @param waits whether the caller waits for the block
 */
export function afterBroadcast({ hash, response, rejection }: Broadcast, waits: boolean): 'end' | 'look up' | 'wait' {
  const isKnown = rejection === undefined ? response !== undefined && isInCache(response) : saysInCache(rejection);
  const isRejected = !isKnown && (rejection !== undefined || response?.code !== undefined);
  if (hash === undefined || isRejected || (response && isInBlock(response))) return 'end';
  if (waits) return 'wait';
  return isKnown ? 'look up' : 'end';
}

export const isTransactionHash = (value: string) => /^[0-9a-fA-F]{64}$/.test(value);

type Digests = { digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> };

/** Returns WebCrypto, which is not global in Node 18. */
async function webCrypto(): Promise<Digests> {
  if (globalThis.crypto?.subtle) return globalThis.crypto.subtle;
  try {
    // The variable hides the import from bundlers. A browser runs this line only if it has no WebCrypto.
    const name = 'node:crypto';
    const { webcrypto } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as {
      webcrypto: { subtle: Digests };
    };
    return webcrypto.subtle;
  } catch (cause) {
    throw new Error('WebCrypto is not available. Browsers provide WebCrypto only on https and localhost.', { cause });
  }
}

/** The SHA-256 of a transaction in base64, in upper-case hex. Throws `RangeError` for invalid base64. */
export async function txHashOf(txBytes: string): Promise<string> {
  const bytes = fromBase64(txBytes);
  if (bytes === undefined) throw new RangeError('The bytes of a transaction must be in base64.');
  return toHex(new Uint8Array(await (await webCrypto()).digest('SHA-256', bytes)));
}

type Options = {
  /** Looks up the transaction by hash. A node finds it only after it is in a block. */
  lookUp: () => Promise<LegacyTransaction>;
  isTransient: (error: unknown) => boolean;
  /** Waits before the next look-up. Returns false after the time limit. */
  pause: () => Promise<boolean>;
};

/** Looks up a transaction until it is in a block. Returns undefined after the time limit. Throws permanent errors. */
export async function untilInBlock(options: Options): Promise<LegacyTransaction | undefined> {
  const { lookUp, isTransient, pause } = options;
  while (await pause()) {
    try {
      const found = await lookUp();
      if (isInBlock(found)) return found;
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
  return undefined;
}
