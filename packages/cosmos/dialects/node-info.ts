import type { LegacyNodeInfo } from '../legacy-shapes.ts';
import { chainId, isMembers, type Members, members } from '../parsers.ts';

/** What is told of a node by a legacy one. */
export function legacyNodeInfo({ node_info, application_version }: Members): LegacyNodeInfo {
  const { network, ...rest } = members(node_info, 'node_info');
  return {
    node_info: { ...rest, network: chainId(network) },
    application_version: isMembers(application_version) ? application_version : {},
  };
}

/** Names of the modern interface that the legacy one has others for. */
const VERSION_NAMES = new Map([
  ['app_name', 'server_name'],
  ['git_commit', 'commit'],
  ['go_version', 'go'],
]);
/** The modules that it was built of are hundreds, and no legacy node told them. */
const BUILD = 'build_deps';

/** The same by a modern node. */
export function nodeInfoOfModern({ default_node_info, application_version }: Members): LegacyNodeInfo {
  const { network, default_node_id, ...rest } = members(default_node_info, 'default_node_info');
  const version = Object.entries(isMembers(application_version) ? application_version : {})
    .filter(([name]) => name !== BUILD)
    .map(([name, value]) => [VERSION_NAMES.get(name) ?? name, value]);
  return {
    node_info: {
      ...(default_node_id !== undefined && { id: default_node_id }),
      ...rest,
      network: chainId(network),
    },
    application_version: Object.fromEntries(version),
  };
}
