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
