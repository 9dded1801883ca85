import { txBytes } from '../conversion/tx-bytes.ts';
import { NodeRejection, type NodeReply, type Pairs, type SendToNode } from '../exchange.ts';
import type { Coin, LegacyBalances } from '../legacy-shapes.ts';
import { balancesIn, headOf, isMembers, MAX_BALANCES, malformed, tooLarge } from '../parsers.ts';
import { modernParameters, readSearch } from '../search.ts';
import { modernAccount, modernNodeInfo, noAccount } from './accounts.ts';
import { blockOf, modernBlock } from './blocks.ts';
import { bodyOf, notFound } from './node-errors.ts';
import type { NodeCalls, NodeCapabilities } from './replies.ts';
import { modernSearch, modernTransaction, transactionOf } from './transactions.ts';

/** The maximum number of pages, each with 100 balances. If there are more pages, the response counts as malformed. */
const MAX_PAGES = 100;

const TXS = '/cosmos/tx/v1beta1/txs';
const TENDERMINT = '/cosmos/base/tendermint/v1beta1';
const MODES = { sync: 'BROADCAST_MODE_SYNC', async: 'BROADCAST_MODE_ASYNC', block: 'BROADCAST_MODE_SYNC' } as const;

/** Error messages of nodes that expect the conditions in the named parameter. */
const MISSING = { events: /at least one event/i, query: /query cannot be empty/i } as const;

type Get = (path: string, query?: Pairs) => Promise<NodeReply>;

async function headIn(get: Get) {
  const { block, sdk_block } = bodyOf(await get(`${TENDERMINT}/blocks/latest`));
  return headOf(isMembers(block) ? block : sdk_block);
}

/** The block height of a response. Most nodes return it in a header. */
async function heightOfReply(get: Get, { blockHeight = '' }: NodeReply): Promise<string> {
  return /^\d{1,20}$/.test(blockHeight) ? blockHeight : String((await headIn(get)).height);
}

async function balancesOf(
  get: Get,
  address: string,
  reportOmitted: NodeCapabilities['reportOmitted'],
): Promise<LegacyBalances> {
  const path = `/cosmos/bank/v1beta1/balances/${encodeURIComponent(address)}`;
  const result: Coin[] = [];
  const requested = new Set<string>();
  let height: string | undefined;
  for (let key = ''; !requested.has(key) && requested.size < MAX_PAGES; ) {
    requested.add(key);
    const reply = await get(path, key === '' ? [] : [['pagination.key', key]]);
    const { balances, pagination } = bodyOf(reply);
    if (balances === undefined) throw malformed('balances');
    for (const coin of balancesIn(balances, reportOmitted)) result.push(coin);
    if (result.length > MAX_BALANCES) throw tooLarge('balances');
    height ??= await heightOfReply(get, reply);
    const next = isMembers(pagination) ? pagination.next_key : undefined;
    if (typeof next !== 'string' || next === '') return { height, result };
    key = next;
  }
  throw malformed('last page');
}

async function accountReply(get: Get, address: string): Promise<NodeReply | undefined> {
  const reply = await get(`/cosmos/auth/v1beta1/accounts/${encodeURIComponent(address)}`);
  try {
    bodyOf(reply);
    return reply;
  } catch (error) {
    const rejection = notFound(error);
    if (rejection instanceof NodeRejection && rejection.status === 404) return undefined;
    throw error;
  }
}

/** Calls the gRPC gateway and converts its responses. All adapters of a node must share `capabilities`. */
export function createModernAdapter(send: SendToNode, capabilities: NodeCapabilities = {}): NodeCalls {
  const get: Get = (path, query = []) => send({ method: 'GET', path, query });
  const balances = (address: string) => balancesOf(get, address, capabilities.reportOmitted);

  const prepare: NodeCalls['prepare'] = async ({ tx, tx_bytes, mode }, sequence) => {
    if (tx_bytes !== undefined) return { tx_bytes, mode };
    const stateOf = async (address: string) => {
      const reply = await accountReply(get, address);
      const { value } = reply ? modernAccount(address, bodyOf(reply).account, []) : noAccount();
      const nextSequence = sequence ?? value.sequence;
      if (nextSequence === null) throw malformed('sequence of the account');
      return { sequence: nextSequence, publicKey: value.public_key };
    };
    return { tx_bytes: await txBytes(tx, stateOf), mode };
  };

  return {
    balances,

    async account(address) {
      const reply = await accountReply(get, address);
      if (reply === undefined) return { height: String((await headIn(get)).height), result: noAccount() };
      const { height, result: owned } = await balances(address);
      return { height, result: modernAccount(address, bodyOf(reply).account, owned) };
    },

    nodeInfo: async () => modernNodeInfo(bodyOf(await get(`${TENDERMINT}/node_info`))),

    async block(height) {
      const reply = await get(`${TENDERMINT}/blocks/${height ?? 'latest'}`);
      return blockOf(height, modernBlock(bodyOf(reply, { isHeightChosen: height !== undefined })));
    },

    async transactions(query) {
      const search = readSearch(query);
      const find = async (conditionsIn: keyof typeof MISSING) => {
        const body = bodyOf(await get(TXS, modernParameters(search, conditionsIn)));
        return modernSearch(body, search, capabilities.reportOmitted);
      };
      const { conditionsIn = 'query' } = capabilities;
      try {
        return await find(conditionsIn);
      } catch (error) {
        const other = conditionsIn === 'query' ? 'events' : 'query';
        if (!(error instanceof NodeRejection) || !MISSING[other].test(error.message)) throw error;
        capabilities.conditionsIn = other;
        return find(other);
      }
    },

    async transaction(hash) {
      try {
        const { tx_response, tx } = bodyOf(await get(`${TXS}/${encodeURIComponent(hash)}`));
        return transactionOf(hash, modernTransaction(tx_response, tx));
      } catch (error) {
        throw notFound(error);
      }
    },

    prepare,

    async broadcast(request) {
      const { tx_bytes, mode } = await prepare(request);
      const body = { tx_bytes, mode: MODES[mode] };
      return modernTransaction(bodyOf(await send({ method: 'POST', path: TXS, query: [], body })).tx_response);
    },

    head: () => headIn(get),
  };
}
