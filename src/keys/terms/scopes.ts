import { z } from 'zod';
import { isOneOf } from '#core/names';
import { Problem } from '#core/problems';
import type { Scope, WantedScope } from '#server/gate';
import { OWNER_SCOPES, RESTRICTED_SCOPES, SCOPES, sharedScopes } from '../api-key.ts';
import { listForms, term } from './term.ts';

export const hasScope = (scopes: readonly Scope[], wanted: WantedScope): boolean =>
  wanted === 'any' || scopes.includes(wanted);

export function missingScope(wanted: WantedScope): Problem {
  const others = wanted === 'account' ? '' : 'a key with this scope, or ';
  const detail =
    `This API key does not have the scope ${wanted}, which this endpoint requires. Use ${others}the owner ` +
    `key (scopes: ${OWNER_SCOPES.join(', ')}).`;
  return new Problem('scope_missing', detail, { members: { scope: wanted } });
}

function toScopes(names: readonly string[], context: z.RefinementCtx): readonly Scope[] {
  if (names.length > 0 && names.every((name) => isOneOf(RESTRICTED_SCOPES, name))) return sharedScopes(names);
  const unknown = names.length === 0 ? 'is empty' : 'contains an unknown scope';
  const message = names.includes('account') ? 'contains account, a scope that only the owner key can have' : unknown;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

const { text, list } = listForms(toScopes, ['prices']);

const parameter = text.default(sharedScopes(['prices'])).meta({
  description: 'The scopes of the key',
  fix: `one or more of ${RESTRICTED_SCOPES.join(', ')}, separated by commas`,
  wire: { type: 'string', default: 'prices', examples: ['prices,node'] },
});

const member = list.optional().meta({
  description: 'The scopes of the key. They cannot be changed for an owner key.',
  fix: `a list of one or more of ${RESTRICTED_SCOPES.join(', ')}`,
});

export const scopes = term({
  column: 'k.scopes::text[]',
  fromRow: sharedScopes,
  toRow: (value: readonly Scope[]) => [...value],
  record: z
    .array(z.enum(SCOPES))
    .meta({ description: 'The scopes of the key. The owner key has all scopes.', examples: [['prices']] }),
  toRecord: (value) => [...value],
  parameter: () => parameter,
  none: sharedScopes(['prices']),
  member: () => member,
  toText: (value) => value.join(','),
  changeable: 'not for owners',
  permits: (value, { scope }) => hasScope(value, scope),
  problem: (_, { scope }) => missingScope(scope),
});
