import { createAdapter, detectDialect, type NodeCalls } from '../../domain/cosmos/adapter.ts';
import { type AskNode, NodeFault, NodeRejection } from '../../domain/cosmos/exchange.ts';
import type {
  BroadcastMode,
  LegacyBalances,
  LegacySearch,
  LegacyTransaction,
} from '../../domain/cosmos/legacy-shapes.ts';
import { readSearch } from '../../domain/cosmos/search.ts';
import { isInBlock, isInCache, isTransactionHash, saysInCache } from '../../domain/cosmos/transactions.ts';
import { QuotientError, withFacts } from '../error.ts';
import type { CallOptions } from '../quotient-client.ts';
import { refusePhrase, refuseSecret } from '../secrets.ts';
import { createTransport, type Transport, type TransportOptions } from '../transport.ts';
import { type WaitOptions, waitForBlock } from './block-wait.ts';
import {
  chooseNetwork,
  createExplorer,
  type Explorer,
  isServiceUrl,
  type Network,
  type NetworkChoice,
} from './options.ts';
import { hashOf, readSigned, type SignedTransaction } from './signed-transaction.ts';
import { speakThroughService } from './through-service.ts';
import { asQuotientError, carry } from './transport.ts';

export type ChainClientOptions = NetworkChoice & TransportOptions;

/** Attributes and their values, as `{'message.sender': 'kava1…'}`, or conditions written out in `query`. */
export type TransactionFilter = { [attribute: string]: string | number | readonly string[] | undefined };
/** Pages count from 1; 30 to a page where nothing is said, and 100 at the most. */
export type Page = { page?: number | undefined; limit?: number | undefined };

export type BroadcastOptions = CallOptions & {
  /** `sync`, where left out: the answer is the node's check. `async`: none. `block`: it is waited for. */
  mode?: BroadcastMode | undefined;
  /** Waits until the transaction is in a block, and gives it as it is there. */
  wait?: true | WaitOptions | undefined;
};

const ADDRESS = /^(?=.{8,90}$)[a-z][a-z0-9_-]*1[02-9ac-hj-np-z]{6,}$/;

const invalid = (detail: string) => new QuotientError('invalid_request', detail);

function checked(what: 'address' | 'hash', value: string): string {
  if (what === 'address' && ADDRESS.test(value)) return value;
  if (what === 'hash' && isTransactionHash(value)) return value;
  refuseSecret(`the ${what}`, value);
  throw invalid(what === 'address' ? 'that is no address like kava1…' : 'a hash has 64 hex digits');
}

function checkSearch(query: readonly [string, string][]): void {
  for (const [name, value] of query) refusePhrase(`the filter's ${name}`, value);
  try {
    readSearch(query);
  } catch (error) {
    throw error instanceof NodeRejection ? invalid(error.message) : error;
  }
}

/**
 * Reads a chain of the Cosmos SDK and hands signed transactions over, through a node or through a Quotient service in
 * front of one, with the same results. It never takes a seed phrase or a private key: whatever looks like one is
 * refused. Every method rejects with a `QuotientError`, or with the reason of the call's signal.
 */
export class ChainClient {
  /** Links to the explorer's pages. */
  readonly explorer: Explorer;
  readonly #network: Network;
  readonly #transport: Transport;
  readonly #isService: boolean;
  #dialect: Promise<'legacy' | 'cosmos'> | undefined;

  /** Throws for options that cannot be; nothing is sent. */
  constructor(options: ChainClientOptions) {
    const network = chooseNetwork(options);
    const { fetch, timeoutMs, retries, onAnswer } = options;
    this.#network = network;
    this.#transport = createTransport(network.nodeUrl, {
      apiKey: network.apiKey,
      fetch,
      timeoutMs,
      retries,
      onAnswer,
    });
    this.#isService = network.apiKey !== undefined || isServiceUrl(network.nodeUrl);
    this.explorer = createExplorer(network.explorer);
  }

  /** Every balance of an address. */
  async balances(address: string, call?: CallOptions): Promise<LegacyBalances> {
    const checkedAddress = checked('address', address);
    return told((await this.#node(call?.signal)).balances(checkedAddress));
  }

  /** A page of the transactions that match. */
  async transactions(
    filter: TransactionFilter,
    { page, limit }: Page = {},
    call?: CallOptions,
  ): Promise<LegacySearch> {
    const query = Object.entries({ page, limit, ...filter }).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
    );
    checkSearch(query);
    return told((await this.#node(call?.signal)).transactions(query));
  }

  /** One transaction. Rejects with `node_rejected`, status 404, while the node does not know it. */
  async transaction(hash: string, call?: CallOptions): Promise<LegacyTransaction> {
    const checkedHash = checked('hash', hash);
    return told((await this.#node(call?.signal)).transaction(checkedHash));
  }

  /**
   * Hands a signed transaction over, once. One that the chain refuses comes back with its `code` and `raw_log`. Where
   * there was no answer, the error has the `txhash` to look it up by; with `wait`, that is done.
   */
  async broadcast(
    tx: SignedTransaction,
    { mode = 'sync', wait, signal }: BroadcastOptions = {},
  ): Promise<LegacyTransaction> {
    const request = { ...readSigned(tx), mode };
    // A modern node has no mode `block`: what it would do is done here.
    const waiting = wait === true || (mode === 'block' && wait === undefined) ? {} : wait;
    const node = await this.#node(signal);
    const ownHash = await hashOf(request);
    let hash: string | undefined;
    try {
      const sent = await told(node.broadcast(request));
      if (ownHash !== undefined && sent.txhash !== ownHash) {
        const facts = { status: 502, txhash: ownHash };
        throw new QuotientError('upstream_invalid', 'the node tells of another transaction', facts);
      }
      hash = sent.txhash;
      const isKnown = isInCache(sent);
      if (isKnown && !waiting) return (await this.#found(hash, signal)) ?? sent;
      if (!waiting || isInBlock(sent) || (sent.code !== undefined && !isKnown)) return sent;
    } catch (error) {
      if (!(error instanceof QuotientError)) throw error;
      hash = error.txhash ?? ownHash;
      const isKnown = error.code === 'node_rejected' && saysInCache(error.detail);
      const isLost = error.code === 'network' || error.code === 'timeout' || error.txhash !== undefined;
      if (!isLost && !isKnown && !isInDoubt(error)) throw error;
      const found = isKnown && !waiting && hash ? await this.#found(hash, signal) : undefined;
      if (found) return found;
      if (!(isLost || isKnown) || !waiting || hash === undefined) throw withFacts(error, { txhash: hash });
    }
    const txhash = hash;
    const lookUp = (until: AbortSignal) => this.transaction(txhash, { signal: until });
    return waitForBlock(txhash, lookUp, { signal, ...waiting });
  }

  /** The transaction, where it can be found now. */
  #found(hash: string, signal: AbortSignal | undefined): Promise<LegacyTransaction | undefined> {
    return this.transaction(hash, { signal }).catch((error: unknown) => {
      if (error instanceof QuotientError) return undefined;
      throw error;
    });
  }

  /** The calls of the node, in the dialect it speaks. */
  async #node(signal: AbortSignal | undefined): Promise<Omit<NodeCalls, 'latestHeight'>> {
    const ask: AskNode = (question) => carry(this.#transport, question, { withKey: this.#isService, signal });
    return this.#isService ? speakThroughService(ask) : createAdapter(await told(this.#dialectOfNode()), ask);
  }

  /** Asked for once; after a failure, again by the next call. */
  #dialectOfNode(): Promise<'legacy' | 'cosmos'> {
    const { dialect = 'auto' } = this.#network;
    if (dialect !== 'auto') return Promise.resolve(dialect);
    this.#dialect ??= detectDialect((question) => carry(this.#transport, question, { withKey: false })).catch(
      (error: unknown) => {
        this.#dialect = undefined;
        throw error;
      },
    );
    return this.#dialect;
  }
}

/** The same, with what a node refuses or fails at as a `QuotientError`. */
const told = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw asQuotientError(error);
  });

/** Whether a broadcast may have arrived although its node, or what is in front of it, told of trouble. */
const isInDoubt = ({ cause }: QuotientError) => cause instanceof NodeFault && cause.kind !== 'wrong_dialect';
