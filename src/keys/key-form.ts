import { z } from 'zod';
import type { Clock } from '#core/clock';
import { invalidRequest } from '#core/problems';
import { parameterValidator } from '#server/parameter-validator';
import { nameOf } from '#users/registration';
import { memberShape, parameterShape, TERM_NAMES, termsToTexts } from './terms/terms.ts';

/* `fix` describes the accepted form. Messages never repeat submitted values. */

const label = nameOf('A label for the key', 'shop window');

export const keyForm = (clock: Clock) => z.object({ label, ...parameterShape(clock) });

/** Parses the members to change. An absent member is undefined. Null removes an expiry, a limit or a restriction. */
export const keyChangesForm = (clock: Clock) =>
  z
    .object({ label: label.optional(), ...memberShape(clock) })
    .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
      message: `contains none of ${['label', ...TERM_NAMES.slice(0, -1)].join(', ')} and ${TERM_NAMES.at(-1)}`,
      params: { fix: 'at least one of these members' },
    });

function keyMembers(clock: Clock) {
  const { scopes, ...others } = memberShape(clock);
  return z.object({ label, scopes: scopes.nullable().meta({ ...scopes.meta() }), ...others });
}

/**
 * Converts the members of a new key in JSON to the parameters that `keyForm` parses. Throws `invalid_request`,
 * including for a parameter that the query also contains.
 */
export function createKeyBodyReader(clock: Clock) {
  const validate = parameterValidator({ schema: keyMembers(clock), httpPart: 'body' });

  return function parametersIn(body: unknown, query: object): Record<string, string> {
    const { error, value } = validate(body);
    if (error) throw error;
    const [twice] = Object.keys(value).filter((name) => name in query);
    if (twice !== undefined) {
      const fix = 'send it either in the query or in the body';
      throw invalidRequest({ location: `query.${twice}`, message: 'is also in the body', fix });
    }
    const { label, ...terms } = value as z.output<ReturnType<typeof keyMembers>>;
    return { label, ...termsToTexts(terms) };
  };
}
