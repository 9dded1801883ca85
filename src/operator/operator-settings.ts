import { z } from 'zod';
import { type Parsed, type SettingFault, whole } from '#core/forms/setting-forms';

const LEAST_TOKEN = 32;

export const operatorVariables = {
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: whole(0, 65_535).optional(),
  ADMIN_TOKEN: z
    .string()
    .regex(
      new RegExp(`^[!-~]{${LEAST_TOKEN},512}$`),
      `must have at least ${LEAST_TOKEN} characters: printable ASCII, without spaces`,
    )
    .optional(),
};

type Environment = Parsed<typeof operatorVariables>;

export function operatorFaults({ ADMIN_PORT: port, ADMIN_TOKEN: token }: Environment): SettingFault[] {
  if (port !== undefined && token === undefined) return [['ADMIN_TOKEN', 'is required with ADMIN_PORT']];
  return [];
}

export const operatorSettings = ({ ADMIN_HOST: host, ADMIN_PORT: port, ADMIN_TOKEN: token }: Environment) => ({
  /** Undefined if the operator API is off. */
  admin: port === undefined || token === undefined ? undefined : { host, port, token },
});

export type OperatorSettings = ReturnType<typeof operatorSettings>;
