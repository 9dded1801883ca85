import { z } from 'zod';
import { listenerAt, type Parsed, portOrOff, type SettingFault } from '#core/forms/setting-forms';
import { isLoopback } from '#server/cross-origin';

const LEAST_TOKEN = 32;
const USUAL_PORT = 9465;

export const operatorVariables = {
  ADMIN_HOST: z.string().default('127.0.0.1'),
  ADMIN_PORT: portOrOff.optional(),
  ADMIN_TOKEN: z
    .string()
    .regex(
      new RegExp(`^[!-~]{${LEAST_TOKEN},512}$`),
      `must have at least ${LEAST_TOKEN} characters: printable ASCII, without spaces`,
    )
    .optional(),
};

type Environment = Parsed<typeof operatorVariables>;

/** A created token is for this machine only. */
export function operatorFaults({
  ADMIN_HOST: host,
  ADMIN_PORT: port,
  ADMIN_TOKEN: token,
}: Environment): SettingFault[] {
  if (port !== 'off' && token === undefined && !isLoopback(host))
    return [['ADMIN_TOKEN', 'is required if ADMIN_HOST is not a loopback address']];
  return [];
}

/** The operator API is off if there is no token. At the start, the service creates a missing token. */
export const operatorSettings = ({ ADMIN_HOST: host, ADMIN_PORT: port, ADMIN_TOKEN: token }: Environment) => {
  const listener = listenerAt(host, port, USUAL_PORT);
  return { admin: listener && { ...listener, token } };
};

export type OperatorSettings = ReturnType<typeof operatorSettings>;
