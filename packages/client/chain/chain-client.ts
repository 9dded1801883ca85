import { createAdapter, detectDialect, type NodeCalls } from '../../cosmos/dialects/adapter.ts';
import type { SendToNode } from '../../cosmos/exchange.ts';
import type {
  LegacyAccount,
  LegacyBalances,
  LegacyBlock,
  LegacySearch,
  LegacyTransaction,
} from '../../cosmos/legacy-shapes.ts';
import { QuotientError, readArguments } from '../error.ts';
import { type Answer, createAnswers } from '../transport/answer.ts';
import { startDeadline } from '../transport/deadline.ts';
import { type CallOptions, readCallOptions, type TransportOptions } from '../transport/options.ts';
import { createTransport, type Transport } from '../transport/transport.ts';
import { type BroadcastOptions, broadcast } from './broadcast.ts';
import {
  askNode,
  asQuotientError,
  createServiceAdapter,
  readSigned,
  type SignedTransaction,
} from './node-transport.ts';
import {
  checkAddress,
  checkHash,
  chooseNetwork,
  createExplorer,
  type Explorer,
  isServiceUrl,
  type Network,
  type NetworkChoice,
  type Page,
  searchQuery,
  type TransactionFilter,
} from './options.ts';

export type ChainClientOptions = NetworkChoice & TransportOptions;

/**
 * Reads a Cosmos SDK chain and broadcasts signed transactions through a node or a Quotient service, with equal results.
 * Rejects what looks like a seed phrase or a private key. Every method rejects with a `QuotientError`, or with the
 * reason of the call's signal.
 */
export class ChainClient {
  /** Links to the explorer's pages. */
  readonly explorer: Explorer;
  readonly #network: Network;
  readonly #transport: Transport;
  readonly #isService: boolean;
  readonly #answers = createAnswers();
  #dialect: Promise<'legacy' | 'cosmos'> | undefined;

  /** Throws `QuotientError` for invalid options. Sends nothing. */
  constructor(options: ChainClientOptions) {
    const network = readArguments(() => chooseNetwork(options));
    this.#network = network;
    this.#transport = createTransport(network.nodeUrl, { ...options, apiKey: network.apiKey });
    this.#isService = network.apiKey !== undefined || isServiceUrl(network.nodeUrl);
    this.explorer = readArguments(() => createExplorer(network.explorer));
  }

  /** Every balance of an address. */
  async balances(address: string, call?: CallOptions): Promise<LegacyBalances> {
    const checked = readArguments(() => checkAddress(address));
    return this.#within(call, (node) => node.balances(checked));
  }

  /** The account that a wallet signs with. An account that does not exist has an empty `address`. */
  async account(address: string, call?: CallOptions): Promise<LegacyAccount> {
    const checked = readArguments(() => checkAddress(address));
    return this.#within(call, (node) => node.account(checked));
  }

  /** The ID of the chain. */
  async chainId(call?: CallOptions): Promise<string> {
    const { node_info } = await this.#within(call, (node) => node.nodeInfo());
    return node_info.network;
  }

  /** The newest block. */
  latestBlock(call?: CallOptions): Promise<LegacyBlock> {
    return this.#within(call, (node) => node.block());
  }

  /** A page of matching transactions. */
  async transactions(filter: TransactionFilter, page?: Page, call?: CallOptions): Promise<LegacySearch> {
    const query = readArguments(() => searchQuery(filter, page));
    return this.#within(call, (node) => node.transactions(query));
  }

  /** One transaction. Rejects with `node_rejected` and status 404 while the node does not know it. */
  async transaction(hash: string, call?: CallOptions): Promise<LegacyTransaction> {
    const checked = readArguments(() => checkHash(hash));
    return this.#within(call, (node) => node.transaction(checked));
  }

  /** Metadata of a result of this client; from a service, with its request ID and explorer page. */
  about(result: object): Answer | undefined {
    return this.#answers.of(result);
  }

  /**
   * Broadcasts a signed transaction once. One that the chain rejects is returned with its `code` and `raw_log`.
   * Without a response the error has the `txhash`; with `wait`, the transaction is looked up.
   */
  async broadcast(tx: SignedTransaction, options?: BroadcastOptions): Promise<LegacyTransaction> {
    const { signed, given } = readArguments(() => ({ signed: readSigned(tx), given: { ...options } }));
    const means = {
      within: <T extends object>(call: CallOptions, use: (node: NodeCalls) => Promise<T>) => this.#within(call, use),
      lookUp: (hash: string, call: CallOptions) => this.transaction(hash, call),
    };
    return broadcast(means, signed, given);
  }

  /** Runs `use` within the time limit of one call, over all of its requests. */
  async #within<T extends object>(call: CallOptions | undefined, use: (node: NodeCalls) => Promise<T>): Promise<T> {
    const { signal, timeout, ...options } = readArguments(() => readCallOptions(call));
    const deadline = startDeadline(timeout ?? this.#transport.timeout, signal);
    let answer: Answer | undefined;
    const ask: SendToNode = (question) =>
      askNode(this.#transport, question, {
        apiKey: this.#isService ? this.#network.apiKey : undefined,
        call: { ...options, signal: deadline.signal },
        onAnswer: (received) => {
          answer = received;
        },
      });
    try {
      const result = await Promise.race([this.#adapter(ask).then(use), deadline.over]);
      if (answer) this.#answers.keep(result, answer);
      return result;
    } catch (error) {
      deadline.check();
      const failure = asQuotientError(error);
      if (failure instanceof QuotientError) throw failure;
      throw new QuotientError('invalid_answer', 'the answer has an unexpected shape', { cause: error });
    } finally {
      deadline.clear();
    }
  }

  async #adapter(ask: SendToNode): Promise<NodeCalls> {
    return this.#isService ? createServiceAdapter(ask) : createAdapter(await this.#dialectOfNode(), ask);
  }

  /** The dialect is detected once; after a failure the next call retries. */
  #dialectOfNode(): Promise<'legacy' | 'cosmos'> {
    const { dialect = 'auto' } = this.#network;
    if (dialect !== 'auto') return Promise.resolve(dialect);
    this.#dialect ??= detectDialect((question) => askNode(this.#transport, question, {})).catch((error: unknown) => {
      this.#dialect = undefined;
      throw error;
    });
    return this.#dialect;
  }
}
