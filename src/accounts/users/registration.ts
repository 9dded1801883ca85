import { z } from 'zod';
import { nameOf } from '#accounts/keys/key-form';
import { PLAN_NAMES } from '#accounts/ledger/plan';

/*
 * Who registers, and for what: the same rules over HTTP and on the operator's command line. `fix` says what is
 * wanted; what was sent is never repeated.
 */

const name = nameOf('Who registers', 'Ada Lovelace');

/** Where a user can be written to. */
export const email = z
  .email('is not an e-mail address')
  .max(254, 'is too long')
  .meta({ fix: 'an address like ada@example.org, at most 254 characters', examples: ['ada@example.org'] });

const plan = z
  .enum(PLAN_NAMES, 'is not a plan')
  .meta({ description: 'What to pay for', fix: `one of ${PLAN_NAMES.join(', ')}`, examples: ['monthly'] });

/** What it takes to register: `name` (trimmed), `email`, `plan`. */
export const registrationForm = z.object({ name, email, plan });
export type RegistrationForm = z.infer<typeof registrationForm>;

/**
 * The `Link` of a registration (RFC 8288): the call that renews the key, and the guide's section about it. `validUntil`, in
 * the body, states when the key expires.
 */
export const renewalLink = (basePath: string) =>
  [
    `<${basePath}/v1/user/renew>; rel="related"; title="renew"`,
    `<${basePath}/docs#renewal>; rel="help"; title="How to renew the key"`,
  ].join(', ');
