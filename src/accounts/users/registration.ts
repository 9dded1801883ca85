import { z } from 'zod';
import { nameOf } from '#accounts/keys/key-form';
import { PLAN_NAMES } from '#accounts/ledger/plan';

/*
 * The form that the API and the operator's commands use. `fix` describes the accepted values. Messages never repeat
 * submitted values.
 */

const name = nameOf('The name of the user', 'Ada Lovelace');

export const email = z
  .email('must be an email address')
  .max(254, 'is too long')
  .meta({ fix: 'an email address of at most 254 characters, such as ada@example.org', examples: ['ada@example.org'] });

const plan = z
  .enum(PLAN_NAMES, `must be ${PLAN_NAMES.join(' or ')}`)
  .meta({ description: 'The plan of the user', fix: `one of ${PLAN_NAMES.join(', ')}`, examples: ['monthly'] });

/** Parses to `name` (trimmed), `email` and `plan`. */
export const registrationForm = z.object({ name, email, plan });
export type RegistrationForm = z.infer<typeof registrationForm>;

/** The `Link` of a registration (RFC 8288): the call that renews the key, and the section of the docs about renewal. */
export const renewalLink = (basePath: string) =>
  [
    `<${basePath}/v1/user/renew>; rel="related"; title="renew"`,
    `<${basePath}/docs/plans#expiry-and-renewal>; rel="help"; title="How to renew the key"`,
  ].join(', ');
