/** The error codes of the Cosmos SDK (codespace `sdk`) and their messages. */
const REASONS = {
  2: 'tx parse error',
  4: 'unauthorized',
  5: 'insufficient funds',
  7: 'invalid address',
  8: 'invalid pubkey',
  9: 'unknown address',
  10: 'invalid coins',
  11: 'out of gas',
  12: 'memo too large',
  13: 'insufficient fee',
  15: 'no signatures supplied',
  18: 'invalid request',
  19: 'tx already in mempool',
  30: 'tx timeout height',
  32: 'incorrect account sequence',
} as const;

type TransactionErrorCode = keyof typeof REASONS;

/** Why a chain rejects a transaction. Old nodes tell the `detail`, later ones the `message`: detail and reason. */
export class TransactionError extends Error {
  readonly code: TransactionErrorCode;
  readonly detail: string;
  constructor(code: TransactionErrorCode, detail: string) {
    super(`${detail}: ${REASONS[code]}`);
    this.name = 'TransactionError';
    this.code = code;
    this.detail = detail;
  }
}
