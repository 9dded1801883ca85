import { lowerCaseAddress } from '../../cosmos/conversion/bech32.ts';
import { explorerLink, NodeRejection } from '../../cosmos/exchange.ts';
import { readSearch } from '../../cosmos/search.ts';
import { isTransactionHash } from '../../cosmos/transactions.ts';
import { invalid, readArguments, rejectPhrase, rejectSecret, rejectSecretMembers } from '../error.ts';

/** URL templates of an explorer, with `{hash}` and `{address}`. */
export type ExplorerTemplates = { transaction?: string | undefined; address?: string | undefined };
export type NetworkName = 'mainnet' | 'testnet' | 'devnet';

type NodeOptions = {
  /** The API key for a service. If given next to `networks`, it is sent only to URLs that end in `/v1/node`. */
  apiKey?: string | undefined;
  /** The dialect of the node; detected by default (`auto`). Ignored for a service. */
  dialect?: 'auto' | 'legacy' | 'cosmos' | undefined;
  explorer?: ExplorerTemplates | undefined;
};

/** A node, or a service in front of a node. */
export type Network = NodeOptions & {
  /** The URL of the node's REST interface, or `https://…/v1/node` of a Quotient service. */
  nodeUrl: string;
};

/** A network, or the selection of an entry in `networks`. Options next to `networks` are defaults for its entries. */
export type NetworkChoice =
  | Network
  | (NodeOptions & { network: NetworkName; networks: Partial<Record<NetworkName, Network>> });

export const isServiceUrl = (url: string) => /\/v1\/node\/*$/.test(url);

/** Throws `invalid_request` if `networks` does not contain the network. */
export function chooseNetwork(choice: NetworkChoice): Network {
  rejectSecretMembers('options', choice);
  if ('nodeUrl' in choice) return choice;
  const { network, networks, apiKey, ...rest } = choice;
  const chosen = networks?.[network];
  if (!chosen) throw invalid(`networks must contain ${network}`);
  rejectSecretMembers(`networks.${network}`, chosen);
  // The key must not be sent to the other nodes in `networks`.
  return { ...rest, ...(isServiceUrl(chosen.nodeUrl) && { apiKey }), ...chosen };
}

/** Each function returns undefined if its template is not set. Throws `invalid_request` for an invalid template. */
export function createExplorer(templates: ExplorerTemplates = {}) {
  for (const [name, template] of Object.entries(templates)) {
    if (template !== undefined && !/^https?:\/\//.test(template))
      throw invalid(`explorer.${name} must start with http:// or https://`);
  }
  const { transaction, address } = templates;
  return {
    transaction: (hash: string): string | undefined =>
      transaction && readArguments(() => explorerLink(transaction, 'hash', hash)),
    address: (account: string): string | undefined =>
      address && readArguments(() => explorerLink(address, 'address', lowerCaseAddress(account))),
  };
}

export type Explorer = ReturnType<typeof createExplorer>;

/** Event attributes and their values, such as `{'message.sender': 'kava1…'}`, or conditions in `query`. */
export type TransactionFilter = { [attribute: string]: string | number | readonly string[] | undefined };
/** `page` starts at 1. `limit` is 30 transactions by default, and at most 100. */
export type Page = { page?: number | undefined; limit?: number | undefined };

const ADDRESS = /^(?=.{8,90}$)[a-z][a-z0-9_-]*1[02-9ac-hj-np-z]{6,}$/;

/** Returns the address in lower case. */
export function checkAddress(value: string): string {
  const address = typeof value === 'string' ? lowerCaseAddress(value) : '';
  if (ADDRESS.test(address)) return address;
  rejectSecret('the address', value);
  throw invalid('the address must be in bech32, like kava1…');
}

export function checkHash(value: string): string {
  if (typeof value === 'string' && isTransactionHash(value)) return value;
  rejectSecret('the hash', value);
  throw invalid('the hash must have 64 hex digits');
}

/** Throws `invalid_request` for a search that every node rejects. */
export function searchQuery(filter: TransactionFilter, page: Page | undefined): [string, string][] {
  const { page: number, limit } = page ?? {};
  const query = Object.entries({ page: number, limit, ...filter }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((single): [string, string] => [name, String(single)]),
  );
  for (const [name, value] of query) rejectPhrase(`the filter's ${name}`, value);
  try {
    readSearch(query);
  } catch (error) {
    throw error instanceof NodeRejection ? invalid(error.message) : error;
  }
  return query;
}
