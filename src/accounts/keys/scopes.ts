import type { Scope } from '#server/route-facts';

export type { Scope };

/**
 * What a key may be used for: `account` is everything about the user that changes or lists, `prices` the prices and the
 * statistics, `node` the calls to the node.
 */
export const SCOPES = ['account', 'prices', 'node'] as const satisfies readonly Scope[];

/** Those of an owner key. No other key has `account`. */
export const OWNER_SCOPES: readonly Scope[] = SCOPES;

/** Those that a key beside the owner key may have. */
export const RESTRICTED_SCOPES = ['prices', 'node'] as const satisfies readonly Scope[];

const shared = new Map<string, readonly Scope[]>();

/** The same scopes in the order of `SCOPES`, each once, as a list that all keys with these scopes have in common. */
export function sharedScopes(scopes: readonly Scope[]): readonly Scope[] {
  const list = SCOPES.filter((scope) => scopes.includes(scope));
  const name = list.join();
  const known = shared.get(name);
  if (known) return known;
  shared.set(name, list);
  return list;
}
