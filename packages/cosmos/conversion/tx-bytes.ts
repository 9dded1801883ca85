import { NodeRejection } from '../exchange.ts';
import { isMembers } from '../parsers.ts';
import { fromAmino, keyBytes, MULTISIG, prefixOf, SINGLE_MODE, underPrefix } from './bech32.ts';
import { coins, withOnly } from './composites.ts';
import { rejection, text, whole } from './fields.ts';
import { messageFields } from './message-tables.ts';
import { bytesField, concat, EMPTY, fromBase64, toBase64, wholeField } from './protobuf.ts';

/** The state of a signer on the chain, which a `StdTx` does not contain. */
type SignerState = { sequence: string; publicKey: unknown };

const MEMBERS = new Set(['msg', 'fee', 'signatures', 'memo', 'timeout_height']);
const FEE_MEMBERS = new Set(['amount', 'gas', 'payer', 'granter']);

/** The maximum number of signers. Each signer requires a request to the node, and no chain accepts more signers. */
const MAX_SIGNERS = 16;

const OPERATOR = /valoper$/;

/** The account of a signer. The operator of a validator signs with the account that has the same bytes. */
function accountOf(signer: string): string {
  const prefix = prefixOf(signer);
  if (prefix === undefined) throw rejection('the address of a signer', 'in bech32 with a valid checksum');
  return underPrefix(signer, prefix.replace(OPERATOR, ''));
}

function signatureBytes(stdSignature: unknown, state: SignerState, what: string) {
  const { pub_key, signature } = isMembers(stdSignature) ? stdSignature : {};
  const raw = fromBase64(signature);
  if (raw === undefined || raw.length === 0) throw rejection(`${what}.signature`, 'base64');
  const ownKey = pub_key ?? undefined;
  const key = ownKey ?? state.publicKey;
  const isMultisig = isMembers(key) && key.type === MULTISIG;
  const multi = isMultisig ? fromAmino(raw) : { mode: SINGLE_MODE, signature: raw };
  if (multi === undefined) throw rejection(`${what}.signature`, 'a multisignature');
  const info = concat(
    ownKey === undefined ? EMPTY : bytesField(1, keyBytes(ownKey, `${what}.pub_key`)),
    bytesField(2, multi.mode),
    wholeField(3, BigInt(state.sequence)),
  );
  return { info, signature: multi.signature };
}

/**
 * Encodes a signed amino transaction as a `TxRaw` (base64) with `SIGN_MODE_LEGACY_AMINO_JSON`. Rejects members that
 * cannot be encoded, because the signature would be invalid without them. Throws `NodeRejection` (422).
 */
export async function txBytes(tx: unknown, stateOf: (address: string) => Promise<SignerState>): Promise<string> {
  const { msg, fee, signatures, memo, timeout_height } = withOnly(tx, MEMBERS, 'tx');
  if (!Array.isArray(msg) || msg.length === 0) throw rejection('tx.msg', 'a list of messages');
  const { amount, gas, payer, granter } = withOnly(fee, FEE_MEMBERS, 'tx.fee');
  const messages = messageFields(1, msg);
  const body = concat(
    ...messages.bytes,
    text.bytes(2, memo, 'tx.memo'),
    whole.bytes(3, timeout_height, 'tx.timeout_height'),
  );
  const feeBytes = concat(
    coins.bytes(1, amount, 'tx.fee.amount'),
    whole.bytes(2, gas, 'tx.fee.gas'),
    text.bytes(3, payer, 'tx.fee.payer'),
    text.bytes(4, granter, 'tx.fee.granter'),
  );

  const payers = typeof payer === 'string' && payer !== '' ? [payer] : [];
  const signers = [...new Set([...messages.signers, ...payers].map(accountOf))];
  if (!Array.isArray(signatures) || signatures.length !== signers.length) {
    throw new NodeRejection(422, `tx.signatures must be a list of ${signers.length}, one for each signer`);
  }
  if (signers.length > MAX_SIGNERS) throw rejection('tx.signatures', `a list of at most ${MAX_SIGNERS}`);
  const signed: ReturnType<typeof signatureBytes>[] = [];
  for (const [i, signer] of signers.entries())
    signed.push(signatureBytes(signatures[i], await stateOf(signer), `tx.signatures.${i}`));
  const auth = concat(...signed.map(({ info }) => bytesField(1, info)), bytesField(2, feeBytes));
  const raw = concat(
    bytesField(1, body),
    bytesField(2, auth),
    ...signed.map(({ signature }) => bytesField(3, signature)),
  );
  return toBase64(raw);
}
