import { createAdapter, detectDialect, type NodeCalls } from '../../domain/cosmos/adapter.ts';
import { type AskNode, NodeFault, NodeRejection } from '../../domain/cosmos/exchange.ts';
import type {
  BroadcastMode,
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacySearch,
  LegacyTransaction,
} from '../../domain/cosmos/legacy-shapes.ts';
import { readSearch } from '../../domain/cosmos/search.ts';
import { isInBlock, isInCache, isTransactionHash, saysInCache } from '../../domain/cosmos/transactions.ts';
import type { Answer } from '../answer.ts';
import { QuotientError, withFacts } from '../error.ts';
import type { CallOptions } from '../quotient-client.ts';
import { refusePhrase, refuseSecret } from '../secrets.ts';
import { createTransport, type Transport, type TransportOptions } from '../transport.ts';
import { type WaitOptions, waitForBlock } from './block-wait.ts';
import { askNode, asQuotientError } from './node-transport.ts';
import {
  chooseNetwork,
  createExplorer,
  type Explorer,
  isServiceUrl,
  type Network,
  type NetworkChoice,
} from './options.ts';
import { createServiceAdapter } from './service-adapter.ts';
import { hashOf, readSigned, type SignedTransaction } from './signed-transaction.ts';

export type ChainClientOptions = NetworkChoice & TransportOptions;

/** Event attributes and their values, such as `{'message.sender': 'kava1…'}`, or conditions as text in `query`. */
export type TransactionFilter = { [attribute: string]: string | number | readonly string[] | undefined };
/** Pages count from 1; a page has 30 transactions by default, at most 100. */
export type Page = { page?: number | undefined; limit?: number | undefined };

export type BroadcastOptions = CallOptions & {
  /** `sync` (default): waits for the node's check. `async`: does not. `block`: waits for the block. */
  mode?: BroadcastMode | undefined;
  /** Waits until the transaction is in a block, and returns it. */
  wait?: true | WaitOptions | undefined;
};

const ADDRESS = /^(?=.{8,90}$)[a-z][a-z0-9_-]*1[02-9ac-hj-np-z]{6,}$/;

const invalid = (detail: string) => new QuotientError('invalid_request', detail);

function checked(what: 'address' | 'hash', value: string): string {
  if (what === 'address' && ADDRESS.test(value)) return value;
  if (what === 'hash' && isTransactionHash(value)) return value;
  refuseSecret(`the ${what}`, value);
  throw invalid(what === 'address' ? 'not an address like kava1…' : 'a hash has 64 hex digits');
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
 * Reads a Cosmos SDK chain and broadcasts signed transactions, through a node or through a Quotient service, with the
 * same results. It never takes a seed phrase or a private key: what looks like one is refused. Every method rejects with
 * a `QuotientError`, or with the reason of the call's signal.
 */
export class ChainClient {
  /** Links to the explorer's pages. */
  readonly explorer: Explorer;
  readonly #network: Network;
  readonly #transport: Transport;
  readonly #isService: boolean;
  readonly #answers = new WeakMap<object, Answer>();
  #dialect: Promise<'legacy' | 'cosmos'> | undefined;

  /** Throws for invalid options. Sends nothing. */
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

  /** All balances of an address. */
  async balances(address: string, call?: CallOptions): Promise<LegacyBalances> {
    const checkedAddress = checked('address', address);
    return this.#read(call, (node) => node.balances(checkedAddress));
  }

  /**
   * The account of an address: what a wallet signs with, beside the chain's id. One that does not exist has an empty
   * `address`.
   */
  async account(address: string, call?: CallOptions): Promise<LegacyAccount> {
    const checkedAddress = checked('address', address);
    return this.#read(call, (node) => node.account(checkedAddress));
  }

  /** The id of the chain. */
  async chainId(call?: CallOptions): Promise<string> {
    const { node_info } = await this.#read(call, (node) => node.nodeInfo());
    return node_info.network;
  }

  /** The newest block. */
  latestBlock(call?: CallOptions): Promise<LegacyBlock> {
    return this.#read(call, (node) => node.block());
  }

  /** A page of matching transactions. */
  async transactions(
    filter: TransactionFilter,
    { page, limit }: Page = {},
    call?: CallOptions,
  ): Promise<LegacySearch> {
    const query = Object.entries({ page, limit, ...filter }).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
    );
    checkSearch(query);
    return this.#read(call, (node) => node.transactions(query));
  }

  /** One transaction. Rejects with `node_rejected`, status 404, while it is unknown to the node. */
  async transaction(hash: string, call?: CallOptions): Promise<LegacyTransaction> {
    const checkedHash = checked('hash', hash);
    return this.#read(call, (node) => node.transaction(checkedHash));
  }

  /** Metadata of a result of this client: behind a service, its request id and the page of its explorer. */
  about(result: object): Answer | undefined {
    return this.#answers.get(result);
  }

  /**
   * Broadcasts a signed transaction, once. One that the chain rejects is returned with its `code` and `raw_log`. If
   * there is no answer, the error has the `txhash`; with `wait`, the transaction is looked up.
   */
  async broadcast(
    tx: SignedTransaction,
    { mode = 'sync', wait, signal }: BroadcastOptions = {},
  ): Promise<LegacyTransaction> {
    const signed = readSigned(tx);
    // Modern nodes have no mode `block`, so the client waits.
    const waiting = wait === true || (mode === 'block' && wait === undefined) ? {} : wait;
    let answer: Answer | undefined;
    const node = await this.#node(signal, (told) => {
      answer = told;
    });
    const request = await withQuotientErrors(node.prepare({ ...signed, mode }));
    const ownHash = await hashOf(request);
    let hash: string | undefined;
    try {
      const sent = await withQuotientErrors(node.broadcast(request));
      if (ownHash !== undefined && sent.txhash !== ownHash) {
        const facts = { status: 502, txhash: ownHash };
        throw new QuotientError('upstream_invalid', 'the node answered with another transaction', facts);
      }
      hash = sent.txhash;
      if (answer) this.#answers.set(sent, answer);
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

  /** The transaction, if it can be found now. */
  #found(hash: string, signal: AbortSignal | undefined): Promise<LegacyTransaction | undefined> {
    return this.transaction(hash, { signal }).catch((error: unknown) => {
      if (error instanceof QuotientError) return undefined;
      throw error;
    });
  }

  async #read<T extends object>(
    { signal }: CallOptions = {},
    use: (node: NodeCalls) => Promise<T>,
  ): Promise<T> {
    let answer: Answer | undefined;
    const node = await this.#node(signal, (told) => {
      answer = told;
    });
    const result = await withQuotientErrors(use(node));
    if (answer) this.#answers.set(result, answer);
    return result;
  }

  /** An adapter for the node's dialect; `onAnswer` is told of each answer of the node. */
  async #node(signal: AbortSignal | undefined, onAnswer: (answer: Answer) => void): Promise<NodeCalls> {
    const ask: AskNode = (question) =>
      askNode(this.#transport, question, { withKey: this.#isService, signal, onAnswer });
    return this.#isService
      ? createServiceAdapter(ask)
      : createAdapter(await withQuotientErrors(this.#dialectOfNode()), ask);
  }

  /** Detected once; after a failure, again by the next call. */
  #dialectOfNode(): Promise<'legacy' | 'cosmos'> {
    const { dialect = 'auto' } = this.#network;
    if (dialect !== 'auto') return Promise.resolve(dialect);
    this.#dialect ??= detectDialect((question) =>
      askNode(this.#transport, question, { withKey: false }),
    ).catch((error: unknown) => {
      this.#dialect = undefined;
      throw error;
    });
    return this.#dialect;
  }
}

/** Turns a node's rejections and faults into a `QuotientError`. */
const withQuotientErrors = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw asQuotientError(error);
  });

/** Whether a broadcast may have arrived although the node, or a proxy before it, reported an error. */
const isInDoubt = ({ cause }: QuotientError) => cause instanceof NodeFault && cause.kind !== 'wrong_dialect';
