import { explorerLink } from '../../domain/cosmos/explorer.ts';
import { refuseSecretMembers } from '../secrets.ts';

/** Templates of an explorer's links, with `{hash}` and `{address}` in their places. */
export type ExplorerTemplates = { transaction?: string | undefined; address?: string | undefined };

export type NetworkName = 'mainnet' | 'testnet' | 'devnet';

/** What there is to say of a node besides where it is. */
type NodeManners = {
  /** An API key: the URL is a service's then. Beside a table, it is for those of its URLs that end in `/v1/node`. */
  apiKey?: string | undefined;
  /** What the node speaks: found out where left out (`auto`). Of no interest with a service. */
  dialect?: 'auto' | 'legacy' | 'cosmos' | undefined;
  explorer?: ExplorerTemplates | undefined;
};

/** A node, or this service in front of one. */
export type Network = NodeManners & {
  /** The node's REST interface, or `https://…/v1/node` of a Quotient service. */
  nodeUrl: string;
};

/** The one there is, or one of a table; what is said beside the table holds where the table is silent. */
export type NetworkChoice =
  | Network
  | (NodeManners & { network: NetworkName; networks: Partial<Record<NetworkName, Network>> });

/** Whether a URL is that of the node behind a service, and not of a node itself. */
export const isServiceUrl = (url: string) => /\/v1\/node\/*$/.test(url);

/** The network that was chosen. Throws `TypeError` when it is not in the table. */
export function chooseNetwork(choice: NetworkChoice): Network {
  refuseSecretMembers('options', choice);
  if ('nodeUrl' in choice) return choice;
  const { network, networks, apiKey, ...rest } = choice;
  const chosen = networks?.[network];
  if (!chosen) throw new TypeError(`the table of networks has no ${network}`);
  refuseSecretMembers(`networks.${network}`, chosen);
  // To a node of somebody else the key must not go, only because it stands in the same table.
  return { ...rest, ...(isServiceUrl(chosen.nodeUrl) && { apiKey }), ...chosen };
}

/** Links to an explorer's pages; undefined where there is no template. Throws `TypeError` for one that is no link. */
export function createExplorer(templates: ExplorerTemplates = {}) {
  for (const [name, template] of Object.entries(templates)) {
    if (template !== undefined && !/^https?:\/\//.test(template))
      throw new TypeError(`explorer.${name} must begin with http:// or https://`);
  }
  const { transaction, address } = templates;
  return {
    transaction: (hash: string): string | undefined => transaction && explorerLink(transaction, 'hash', hash),
    address: (of: string): string | undefined => address && explorerLink(address, 'address', of),
  };
}

export type Explorer = ReturnType<typeof createExplorer>;
