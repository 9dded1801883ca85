import { explorerLink, NodeRejection } from '../../cosmos/exchange.ts';
import { readSearch } from '../../cosmos/search.ts';
import { isTransactionHash } from '../../cosmos/transactions.ts';
import { invalid, readArguments, refusePhrase, refuseSecret, refuseSecretMembers } from '../error.ts';

/** URL templates of an explorer, with `{hash}` and `{address}`. */
export type ExplorerTemplates = { transaction?: string | undefined; address?: string | undefined };
export type NetworkName = 'mainnet' | 'testnet' | 'devnet';

type NodeOptions = {
  /** An API key: the URL is then a service's. Next to a table, it is sent only to URLs ending in `/v1/node`. */
  apiKey?: string | undefined;
  /** The node's dialect; detected by default (`auto`). Ignored with a service. */
  dialect?: 'auto' | 'legacy' | 'cosmos' | undefined;
  explorer?: ExplorerTemplates | undefined;
};

/** A node, or a service in front of a node. */
export type Network = NodeOptions & {
  /** The node's REST interface, or `https://…/v1/node` of a Quotient service. */
  nodeUrl: string;
};

/** One network, or a selection from a table; options next to the table are defaults for its entries. */
export type NetworkChoice =
  | Network
  | (NodeOptions & { network: NetworkName; networks: Partial<Record<NetworkName, Network>> });

export const isServiceUrl = (url: string) => /\/v1\/node\/*$/.test(url);

/** Throws `invalid_request` if the network is not in the table. */
export function chooseNetwork(choice: NetworkChoice): Network {
  refuseSecretMembers('options', choice);
  if ('nodeUrl' in choice) return choice;
  const { network, networks, apiKey, ...rest } = choice;
  const chosen = networks?.[network];
  if (!chosen) throw invalid(`the table of networks has no ${network}`);
  refuseSecretMembers(`networks.${network}`, chosen);
  // The key must not be sent to other nodes of the table.
  return { ...rest, ...(isServiceUrl(chosen.nodeUrl) && { apiKey }), ...chosen };
}

/** Its functions return undefined without a template. Throws `invalid_request` for an invalid template. */
export function createExplorer(templates: ExplorerTemplates = {}) {
  for (const [name, template] of Object.entries(templates)) {
    if (template !== undefined && !/^https?:\/\//.test(template))
      throw invalid(`explorer.${name} must begin with http:// or https://`);
  }
  const { transaction, address } = templates;
  return {
    transaction: (hash: string): string | undefined =>
      transaction && readArguments(() => explorerLink(transaction, 'hash', hash)),
    address: (of: string): string | undefined => address && readArguments(() => explorerLink(address, 'address', of)),
  };
}

export type Explorer = ReturnType<typeof createExplorer>;

/** Event attributes and their values, such as `{'message.sender': 'kava1…'}`, or conditions as text in `query`. */
export type TransactionFilter = { [attribute: string]: string | number | readonly string[] | undefined };
/** Pages count from 1. A page has 30 transactions by default, at most 100. */
export type Page = { page?: number | undefined; limit?: number | undefined };

const ADDRESS = /^(?=.{8,90}$)[a-z][a-z0-9_-]*1[02-9ac-hj-np-z]{6,}$/;

export function checkAddress(value: string): string {
  if (typeof value === 'string' && ADDRESS.test(value)) return value;
  refuseSecret('the address', value);
  throw invalid('not an address like kava1…');
}

export function checkHash(value: string): string {
  if (typeof value === 'string' && isTransactionHash(value)) return value;
  refuseSecret('the hash', value);
  throw invalid('a hash has 64 hex digits');
}

/** Throws `invalid_request` for a search that no node accepts. */
export function searchQuery(filter: TransactionFilter, page: Page | undefined): [string, string][] {
  const { page: number, limit } = page ?? {};
  const query = Object.entries({ page: number, limit, ...filter }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  for (const [name, value] of query) refusePhrase(`the filter's ${name}`, value);
  try {
    readSearch(query);
  } catch (error) {
    throw error instanceof NodeRejection ? invalid(error.message) : error;
  }
  return query;
}
