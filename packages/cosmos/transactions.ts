import type { LegacyTransaction } from './legacy-shapes.ts';

/** Whether a transaction is in a block, and so will never change. */
export const isInBlock = ({ height }: LegacyTransaction) => height !== '0';

/** The code of the SDK for a transaction that the node has already, and how older ones say it. */
const IN_CACHE = 19;
const IN_CACHE_TEXT = /already (exists )?in (the )?(cache|mempool)/i;

/** Whether a node says in an error that it has the transaction already: only a look-up by its hash confirms that. */
export const saysInCache = (message: string) => IN_CACHE_TEXT.test(message);

/** Whether it says so in an answer. */
export const isInCache = ({ code, codespace = 'sdk', raw_log = '' }: LegacyTransaction) =>
  code !== undefined && ((code === IN_CACHE && codespace === 'sdk') || saysInCache(raw_log));

/** 64 hex digits, in either case. */
export const isTransactionHash = (value: string) => /^[0-9a-fA-F]{64}$/.test(value);

/** The part of WebCrypto that is used here. */
type Digests = { digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> };

/** WebCrypto, which Node has under a global name since 20 alone. */
async function webCrypto(): Promise<Digests> {
  if (globalThis.crypto?.subtle) return globalThis.crypto.subtle;
  try {
    // The name is kept from bundlers: no browser gets here but one that has WebCrypto switched off.
    const name = 'node:crypto';
    const { webcrypto } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as {
      webcrypto: { subtle: Digests };
    };
    return webcrypto.subtle;
  } catch (cause) {
    throw new Error('There is no WebCrypto here: a browser has it on https and localhost alone.', { cause });
  }
}

/** The hash of a transaction in base64: its SHA-256 in upper-case hex. Throws `RangeError` for other text. */
export async function txHashOf(txBytes: string): Promise<string> {
  let binary: string;
  try {
    binary = atob(txBytes);
  } catch (cause) {
    throw new RangeError('The bytes of a transaction are given in base64.', { cause });
  }
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const digest = new Uint8Array(await (await webCrypto()).digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

type Options = {
  /** Looks the transaction up; a node does not know one by its hash before it is in a block. */
  lookUp: () => Promise<LegacyTransaction>;
  /** Whether an error of a look-up counts as one that found nothing. */
  isTransient: (error: unknown) => boolean;
  /** Waits before the next look; false when the time is up. */
  pause: () => Promise<boolean>;
};

/** Looks a transaction up until it is in a block; undefined when the time is up. Throws an error that is not transient. */
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
