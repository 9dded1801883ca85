import { z } from 'zod';
import { parseEmail } from '#core/forms/email-address';
import { hasHidden } from '#core/forms/visible-text';
import { maskApiKeys } from '#core/log';
import { Problem } from '#core/problems';
import { PLAN_NAMES } from './plan.ts';

/* The form of the API and the operator's commands. `fix` describes accepted values. Messages repeat no values. */

/** A trimmed name of one line that a page or a terminal displays completely. */
export const nameOf = (description: string, example: string) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(100, 'is too long')
    .refine((text) => !hasHidden(text), 'contains control or invisible characters')
    .refine((text) => text.isWellFormed(), 'contains invalid Unicode')
    // Only the hash of a key is stored.
    .refine((text) => maskApiKeys(text) === text, 'contains an API key')
    .meta({ description, fix: '1 to 100 characters, without control or invisible characters', examples: [example] });

const name = nameOf('The name of the user', 'Ada Lovelace');

/** Parses to the form in which addresses are stored. */
export const email = z
  .string('must be an email address')
  .meta({ format: 'email', maxLength: 254, examples: ['ada@example.org'] })
  .transform((text, context) => {
    const parsed = parseEmail(text);
    if ('address' in parsed) return parsed.address;
    context.addIssue({ code: 'custom', message: parsed.fault });
    return z.NEVER;
  })
  .meta({
    description:
      'The email address. An internationalized domain is accepted in its Unicode and its ASCII form, and returned in its ASCII form.',
    fix: 'an email address of at most 254 characters, such as ada@example.org',
  });

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

/** Throws `registration_closed`. */
export function assertRegistrationOpen(registration: string): void {
  if (registration === 'closed')
    throw new Problem(
      'registration_closed',
      'Registration is closed. Only the operator of this service can create users.',
    );
}
