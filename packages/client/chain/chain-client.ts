import { ADAPTERS, detectDialect, type NodeCalls } from '../../cosmos/dialects/adapter.ts';
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
import { type CallOptions, readCallOptions, type TransportOptions, takeUrlKey } from '../transport/options.ts';
import { createTransport, type Transport } from '../transport/transport.ts';
import { type BroadcastOptions, broadcast } from './broadcast.ts';
import {
  asQuotientError,
  createServiceAdapter,
  readSigned,
  type SignedTransaction,
  sendToNode,
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
 * Reads a Cosmos SDK chain and broadcasts signed transactions, through a node or through a Quotient service. The
 * results are the same in both cases. Input that looks like a seed phrase or a private key is rejected. Every method
 * rejects with a `QuotientError`, or with the reason of the call's signal.
 */
export class ChainClient {
  readonly explorer: Explorer;
  readonly #network: Network;
  readonly #transport: Transport;
  readonly #isService: boolean;
  readonly #answers = createAnswers();
  #dialect: Promise<'legacy' | 'cosmos'> | undefined;

  /** Throws `QuotientError` for invalid options. Sends no request. */
  constructor(options: ChainClientOptions) {
    const network = readArguments(() => {
      const chosen = chooseNetwork(options);
      const { baseUrl, apiKey } = takeUrlKey(chosen.nodeUrl, chosen.apiKey);
      return { ...chosen, nodeUrl: baseUrl as string, apiKey };
    });
    this.#network = network;
    this.#transport = createTransport(network.nodeUrl, { ...options, apiKey: network.apiKey });
    this.#isService = network.apiKey !== undefined || isServiceUrl(network.nodeUrl);
    this.explorer = readArguments(() => createExplorer(network.explorer));
  }

  /** All balances of an address: `{ height, result: [{ denom, amount }] }`. `amount` is an integer as a string. */
  async balances(address: string, call?: CallOptions): Promise<LegacyBalances> {
    const checked = readArguments(() => checkAddress(address));
    return this.#within(call, (node) => node.balances(checked));
  }

  /**
   * The account with which a wallet signs: `result.value` contains `account_number`, `sequence` and `public_key`. An
   * account that does not exist has an empty `address`.
   */
  async account(address: string, call?: CallOptions): Promise<LegacyAccount> {
    const checked = readArguments(() => checkAddress(address));
    return this.#within(call, (node) => node.account(checked));
  }

  /** The chain ID, such as `kava-3`. */
  async chainId(call?: CallOptions): Promise<string> {
    const { node_info } = await this.#within(call, (node) => node.nodeInfo());
    return node_info.network;
  }

  /** The latest block, with its header and, in base64, its transactions. */
  latestBlock(call?: CallOptions): Promise<LegacyBlock> {
    return this.#within(call, (node) => node.block());
  }

  /** One page of matching transactions: 30 by default, at most 100. */
  async transactions(filter: TransactionFilter, page?: Page, call?: CallOptions): Promise<LegacySearch> {
    const query = readArguments(() => searchQuery(filter, page));
    return this.#within(call, (node) => node.transactions(query));
  }

  /** One transaction. Rejects with `node_rejected` and status 404 if the node does not know it. */
  async transaction(hash: string, call?: CallOptions): Promise<LegacyTransaction> {
    const checked = readArguments(() => checkHash(hash));
    return this.#within(call, (node) => node.transaction(checked));
  }

  /** The metadata of a result from this client. A service adds the request ID and the explorer page. */
  about(result: object): Answer | undefined {
    return this.#answers.of(result);
  }

  /**
   * Broadcasts a signed transaction once. If the chain rejects it, the result contains `code` and `raw_log`.
   * If there is no response, the error contains the `txhash`; with `wait`, the transaction is looked up instead.
   */
  async broadcast(tx: SignedTransaction, options?: BroadcastOptions): Promise<LegacyTransaction> {
    const { signed, given } = readArguments(() => ({ signed: readSigned(tx), given: { ...options } }));
    const deps = {
      within: <T extends object>(call: CallOptions, use: (node: NodeCalls) => Promise<T>) => this.#within(call, use),
      lookUp: (hash: string, call: CallOptions) => this.transaction(hash, call),
    };
    return broadcast(deps, signed, given);
  }

  /** Runs `use` within the call's time limit, which covers all requests that `use` sends. */
  async #within<T extends object>(call: CallOptions | undefined, use: (node: NodeCalls) => Promise<T>): Promise<T> {
    const { signal, timeout, ...options } = readArguments(() => readCallOptions(call));
    const deadline = startDeadline(timeout ?? this.#transport.timeout, signal);
    let answer: Answer | undefined;
    const send: SendToNode = (request) =>
      sendToNode(this.#transport, request, {
        apiKey: this.#isService ? this.#network.apiKey : undefined,
        call: { ...options, signal: deadline.signal },
        onAnswer: (received) => {
          answer = received;
        },
      });
    try {
      const result = await Promise.race([this.#adapter(send).then(use), deadline.over]);
      if (answer) this.#answers.keep(result, answer);
      return result;
    } catch (error) {
      deadline.check();
      const failure = asQuotientError(error);
      if (failure instanceof QuotientError) throw failure;
      throw new QuotientError('invalid_answer', 'the response has an unexpected format', { cause: error });
    } finally {
      deadline.clear();
    }
  }

  async #adapter(send: SendToNode): Promise<NodeCalls> {
    return this.#isService ? createServiceAdapter(send) : ADAPTERS[await this.#dialectOfNode()](send);
  }

  /** Detects the dialect once. If the detection fails, the next call repeats it. */
  #dialectOfNode(): Promise<'legacy' | 'cosmos'> {
    const { dialect = 'auto' } = this.#network;
    if (dialect !== 'auto') return Promise.resolve(dialect);
    this.#dialect ??= detectDialect((request) => sendToNode(this.#transport, request, {})).catch((error: unknown) => {
      this.#dialect = undefined;
      throw error;
    });
    return this.#dialect;
  }
}
