import type { Clock } from '#core/clock';
import { type InputFault, invalidRequest, Problem } from '#core/problems';
import { BASE64 } from '#cosmos/conversion/protobuf';
import type { NodeCalls } from '#cosmos/dialects/adapter';
import { NodeRejection } from '#cosmos/exchange';
import { BROADCAST_MODES, type BroadcastRequest, type LegacyTransaction } from '#cosmos/legacy-shapes';
import { isMembers, type Members, malformed } from '#cosmos/parsers';
import { afterBroadcast, isMempoolFull, txHashOf } from '#cosmos/transactions';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createBlockWaits } from './block-waits.ts';
import type { Member } from './member.ts';
import type { PoolCalls } from './member-call.ts';
import type { NodeCaller, NodePool } from './pool.ts';
import { unknownOutcome } from './problem.ts';

/** The part of the deadline in which a node must accept the transaction. The remaining time is for looking it up. */
const SENDING = 0.7;
/** How long `block` waits, as a multiple of the deadline: a few blocks on most chains. */
const BLOCK_WAIT = 4;
/** The status of a node that cannot read the transaction's form. A node of the other dialect may accept it. */
const UNREADABLE = 422;

type BroadcastCalls = PoolCalls & Pick<NodeCalls, 'prepare' | 'broadcast'>;
type BroadcastPool = Pick<NodePool<BroadcastCalls>, 'call' | 'candidates' | 'prefer'>;

type Dependencies = {
  pool: BroadcastPool;
  /** `until` is in ms of the monotonic clock. */
  lookUp: (hash: string, until: number) => Promise<LegacyTransaction>;
  timeoutMs: number;
  clock: Clock;
  wait?: (ms: number) => Promise<unknown>;
};

/** Exactly one member besides `hash` is set. For amino JSON without a response, the hash is unknown. */
type Sent = {
  hash: string | undefined;
  response?: LegacyTransaction;
  rejection?: NodeRejection;
  failure?: UpstreamFailure;
};

const OTHER_SEQUENCE = /account sequence mismatch, expected (\d{1,20}), got \d+/;
const WRONG_SEQUENCE = 32;

const expectedSequence = ({ code, raw_log = '' }: LegacyTransaction): string | undefined =>
  code === WRONG_SEQUENCE ? OTHER_SEQUENCE.exec(raw_log)?.[1] : undefined;

async function sendTo(pool: BroadcastPool, member: Member, prepared: BroadcastRequest, until: number): Promise<Sent> {
  const { tx_bytes } = prepared;
  const hash = tx_bytes === undefined ? undefined : await txHashOf(tx_bytes);
  const broadcast = async (calls: BroadcastCalls) => {
    const response = await calls.broadcast(prepared);
    // A different hash belongs to another transaction, so the outcome of this transaction is unknown.
    if (hash !== undefined && response.txhash !== hash) throw malformed('hash of the transaction');
    return response;
  };
  try {
    const response = await pool.call({ member, until }, broadcast);
    return { response, hash: response.txhash };
  } catch (error) {
    if (error instanceof NodeRejection && error.status !== UNREADABLE) return { rejection: error, hash };
    if (error instanceof UpstreamFailure && error.sent) return { failure: error, hash };
    throw error;
  }
}

/**
 * Sends a transaction to the nodes in turn, until one of them may have accepted it. The mode `block` is sent as `sync`,
 * because its response contains the hash at once.
 */
async function send(
  pool: BroadcastPool,
  request: BroadcastRequest,
  until: number,
  user: number | undefined,
): Promise<Sent> {
  const effective = { ...request, mode: request.mode === 'block' ? ('sync' as const) : request.mode };
  const prepare = (member: Member, sequence?: string) =>
    pool.call({ member, until, sends: false }, (calls) => calls.prepare(effective, sequence));
  let unsent: UpstreamFailure | NodeRejection | undefined;
  let refused: Sent | undefined;
  for (const member of await pool.candidates({ user })) {
    try {
      const sent = await sendTo(pool, member, await prepare(member), until);
      pool.prefer(user, member);
      if (sent.response && isMempoolFull(sent.response)) {
        refused = sent;
        continue;
      }
      // After a rejection, other bytes are safe to send. The node's expected sequence includes pending transactions;
      // the account's sequence does not.
      const expected = request.tx_bytes === undefined && sent.response && expectedSequence(sent.response);
      return expected ? await sendTo(pool, member, await prepare(member, expected), until) : sent;
    } catch (error) {
      const isRejected = error instanceof NodeRejection;
      if (!isRejected && !(error instanceof UpstreamFailure && !error.sent)) throw error;
      if (isRejected && error.status !== UNREADABLE) return { rejection: error, hash: undefined };
      unsent = error;
    }
  }
  if (refused) return refused;
  // A timeout would suggest that the transaction may have been sent.
  if (!(unsent instanceof UpstreamFailure) || unsent.reason !== 'timeout') throw unsent;
  throw new UpstreamFailure('node', 'unreachable', 'no node was ready in time', { cause: unsent, sent: false });
}

export function createBroadcasting(dependencies: Dependencies) {
  const { pool, lookUp, timeoutMs, clock, wait } = dependencies;
  const waitForBlock = createBlockWaits({ lookUp, clock, ...(wait && { wait }) });

  return {
    /**
     * Returns the node's response, or the transaction if it was looked up. Throws `NodeRejection`. Throws
     * `UpstreamFailure` if no node was reachable, and `upstream_timeout` if the transaction was sent but its outcome is
     * unknown.
     * @param by its signal ends the wait when the client has disconnected
     */
    async broadcast(request: BroadcastRequest, { user, signal }: NodeCaller = {}): Promise<LegacyTransaction> {
      const start = clock.elapsed();
      const { hash, response, rejection, failure } = await send(pool, request, start + timeoutMs * SENDING, user);
      const end = () => {
        if (response) return response;
        throw rejection ?? unknownOutcome('The transaction was sent, but the result is unknown', hash, failure);
      };
      const waits = request.mode === 'block' || failure !== undefined;
      const next = afterBroadcast({ hash, response, rejection: rejection?.message }, waits);
      if (hash === undefined || next === 'end') return end();
      if (next === 'look up') return lookUp(hash, start + timeoutMs).catch(end);
      const until = failure ? start + timeoutMs : clock.elapsed() + timeoutMs * BLOCK_WAIT;
      const found = await waitForBlock(hash, until, signal);
      if (found) return found;
      if (!response || response.code !== undefined) return end();
      throw unknownOutcome('The node accepted the transaction, but the transaction is not in a block yet', hash);
    },
  };
}

const FORM = 'send {tx, mode} or {tx_bytes, mode}';

const fault = (location: string, message: string, fix: string): InputFault => ({ location, message, fix });

/** The body of a broadcast. Throws `invalid_request` and `secret_in_request`. */
export function signedBody(body: unknown): Members {
  if (!isMembers(body)) throw invalidRequest(fault('body', 'must be a JSON object', FORM));
  if (Object.keys(body).some((name) => name.toLowerCase() === 'mnemonic')) {
    throw new Problem(
      'secret_in_request',
      'The request contains a seed phrase. Sign the transaction locally, and send only the signed transaction.',
    );
  }
  return body;
}

/** Throws `invalidRequest` with all faults, or `secret_in_request`. Errors never repeat submitted values. */
export function broadcastRequest(body: unknown): BroadcastRequest {
  if (body === undefined || body === null) throw invalidRequest(fault('body', 'is missing', FORM));
  const { tx = null, tx_bytes: bytes = null, mode: requested } = signedBody(body);
  const mode = BROADCAST_MODES.find((one) => one === requested);
  const faults: InputFault[] = [];
  if (tx === null && bytes === null) faults.push(fault('body', 'must contain tx or tx_bytes', FORM));
  if (tx !== null && bytes !== null) faults.push(fault('body', 'must not contain both tx and tx_bytes', FORM));
  if (tx !== null && !isMembers(tx)) {
    faults.push(fault('body.tx', 'must be an object', 'send a signed StdTx in amino JSON'));
  }
  if (bytes !== null && (typeof bytes !== 'string' || bytes === '' || !BASE64.test(bytes))) {
    faults.push(fault('body.tx_bytes', 'must be base64', 'send a signed transaction in base64'));
  }
  if (mode === undefined) {
    const message = requested === undefined ? 'is missing' : 'is not a supported mode';
    faults.push(fault('body.mode', message, 'use sync, async or block'));
  }
  if (faults.length > 0 || mode === undefined) throw invalidRequest(...faults);
  return { ...(bytes === null ? { tx } : { tx_bytes: bytes as string }), mode };
}
