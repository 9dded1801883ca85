import { createHash } from 'node:crypto';
import type { Chain } from '../chain.ts';
import { cosmosResponse, resultData } from '../cosmos-records.ts';
import type { Delivered } from '../deliver.ts';
import { blockHeader, blockId } from '../legacy-records.ts';

/**
 * The versions of CometBFT (before 0.37: Tendermint Core), and their differences:
 *
 * - Keys and values of events are in base64 before 0.37.
 * - `log` contains the events of each message before SDK 0.50, which came with 0.38.
 * - A block has one list of events from 0.38 on, and two before.
 * - A batch has at most ten calls from 0.38 on.
 * - POST is also accepted at /v1 from 1.0 on.
 */
export const COMETS = {
  '0.34': {
    version: '0.34.24',
    hasPlainEvents: false,
    hasLogs: true,
    hasOneList: false,
    maxBatch: Number.POSITIVE_INFINITY,
  },
  '0.37': {
    version: '0.37.5',
    hasPlainEvents: true,
    hasLogs: true,
    hasOneList: false,
    maxBatch: Number.POSITIVE_INFINITY,
  },
  '0.38': { version: '0.38.12', hasPlainEvents: true, hasLogs: false, hasOneList: true, maxBatch: 10 },
  '1.0': { version: '1.0.1', hasPlainEvents: true, hasLogs: false, hasOneList: true, maxBatch: 10 },
} as const;

export type CometVersion = keyof typeof COMETS;

type Event = { type: string; attributes: { key: string; value: string; index: boolean }[] };

const base64 = (value: string) => Buffer.from(value).toString('base64');
const encoded = ({ type, attributes }: Event): Event => ({
  type,
  attributes: attributes.map(({ key, value, index }) => ({ key: base64(key), value: base64(value), index })),
});

const hexOf = (value: Buffer) => value.toString('hex').toUpperCase();
const digest = (...parts: (string | number)[]) => createHash('sha256').update(parts.join('/')).digest();
const VALIDATOR = digest('validator').subarray(0, 20);

const idOf = (chain: Chain, height: number) => ({
  hash: hexOf(blockId(chain, height)),
  parts: { total: 1, hash: hexOf(blockId(chain, -height)) },
});

function txResult(delivered: Delivered, version: CometVersion) {
  const { hasPlainEvents, hasLogs } = COMETS[version];
  const { code, raw_log, gas_wanted, gas_used, codespace, events } = cosmosResponse(delivered, hasLogs);
  return {
    code,
    data: delivered.failure ? null : resultData(delivered.transaction).toString('base64'),
    log: raw_log,
    info: '',
    gas_wanted,
    gas_used,
    events: hasPlainEvents ? events : events.map(encoded),
    codespace,
  };
}

export const txRecord = (delivered: Delivered, version: CometVersion) => ({
  hash: delivered.hash,
  height: String(delivered.height),
  index: 0,
  tx_result: txResult(delivered, version),
  tx: Buffer.from(delivered.transaction.bytes).toString('base64'),
});

type Block = { height: number; at: number };

function headerOf(chain: Chain, block: Block) {
  const hash = (name: string) => hexOf(digest(name, block.height));
  return {
    ...blockHeader(chain, block, '11'),
    last_block_id: idOf(chain, block.height - 1),
    last_commit_hash: hash('last commit'),
    data_hash: hash('data'),
    validators_hash: hash('validators'),
    next_validators_hash: hash('validators'),
    consensus_hash: hash('consensus'),
    app_hash: hash('app'),
    last_results_hash: hash('results'),
    evidence_hash: hash('evidence'),
    proposer_address: hexOf(VALIDATOR),
  };
}

export function blockRecord(chain: Chain, block: Block) {
  const txs = chain
    .transactionsAt(block.height)
    .map(({ transaction }) => Buffer.from(transaction.bytes).toString('base64'));
  const commit = {
    height: String(block.height - 1),
    round: 0,
    block_id: idOf(chain, block.height - 1),
    signatures: [],
  };
  return {
    block_id: idOf(chain, block.height),
    block: { header: headerOf(chain, block), data: { txs }, evidence: { evidence: [] }, last_commit: commit },
  };
}

export function blockResults(chain: Chain, { height }: Block, version: CometVersion) {
  const results = chain.transactionsAt(height).map((delivered) => txResult(delivered, version));
  return {
    height: String(height),
    txs_results: results.length > 0 ? results : null,
    ...(COMETS[version].hasOneList
      ? { finalize_block_events: [], app_hash: base64(hexOf(digest('app', height))) }
      : { begin_block_events: null, end_block_events: null }),
    validator_updates: null,
    consensus_param_updates: {
      block: { max_bytes: '200000', max_gas: '75000000' },
      evidence: { max_age_num_blocks: '1000000', max_age_duration: '172800000000000', max_bytes: '50000' },
      validator: { pub_key_types: ['ed25519'] },
    },
  };
}

export function statusRecord(chain: Chain, version: CometVersion) {
  const latest = chain.latest();
  const time = new Date(latest.at).toISOString();
  return {
    node_info: {
      protocol_version: { p2p: '8', block: '11', app: '0' },
      id: hexOf(digest('node').subarray(0, 20)).toLowerCase(),
      listen_addr: 'tcp://0.0.0.0:26656',
      network: chain.chainId,
      version: COMETS[version].version,
      channels: '40202122233038606100',
      moniker: 'sandbox',
      other: { tx_index: 'on', rpc_address: 'tcp://127.0.0.1:26657' },
    },
    sync_info: {
      latest_block_hash: hexOf(blockId(chain, latest.height)),
      latest_app_hash: hexOf(digest('app', latest.height)),
      latest_block_height: String(latest.height),
      latest_block_time: time,
      earliest_block_hash: hexOf(blockId(chain, 1)),
      earliest_app_hash: hexOf(digest('app', 1)),
      earliest_block_height: '1',
      earliest_block_time: time,
      catching_up: false,
    },
    validator_info: {
      address: hexOf(VALIDATOR),
      pub_key: { type: 'tendermint/PubKeyEd25519', value: digest('key').toString('base64') },
      voting_power: '0',
    },
  };
}
