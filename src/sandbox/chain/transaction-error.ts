/** Why a chain refuses a transaction: the code of the Cosmos SDK's own table (codespace `sdk`), and its words. */
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

export type RefusalCode = keyof typeof REASONS;

/** `detail` is what the old nodes say; `message`, the detail and the reason, what the later ones do. */
export class TransactionRefusal extends Error {
  readonly code: RefusalCode;
  readonly detail: string;
  constructor(code: RefusalCode, detail: string) {
    super(`${detail}: ${REASONS[code]}`);
    this.name = 'TransactionRefusal';
    this.code = code;
    this.detail = detail;
  }
}
