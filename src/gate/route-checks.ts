import type { FastifyRequest } from 'fastify';
import { type Clock, MINUTE } from '#core/clock';
import { Problem } from '#core/problems';
import { assertOwnOrigin, assertSameSite } from '#server/cross-origin';
import type { RouteFacts } from '#server/gate';
import { assertRegistrationOpen } from '#users/registration';
import { createBurst } from './limits.ts';

/** The `Retry-After` of a call that requires mail while mail is not configured, in seconds. */
const UNTIL_CONFIGURED = 3600;

export type CheckSettings = {
  corsOrigins: readonly string[];
  publicUrl?: string | undefined;
  registration: string;
  registrationsPerMinute: number;
};

/** Checks of the route's configuration that do not need the key. */
export function createRouteChecks(settings: CheckSettings, sendsMail: boolean, clock: Clock) {
  const { corsOrigins, publicUrl, registration, registrationsPerMinute: perMinute } = settings;
  const byClient = new Map<string, ReturnType<typeof createBurst<string>>>();

  const clientLimit = (calls: string) => {
    const detail = `The limit is ${perMinute} ${calls} per minute for each client address.`;
    const limit = byClient.get(calls) ?? createBurst<string>(perMinute, MINUTE, detail);
    byClient.set(calls, limit);
    return limit;
  };

  return function checkOf({ sameSite, ownOrigin, registers, needsMail, perClient }: RouteFacts) {
    if (!sameSite && !ownOrigin && !registers && !needsMail && !perClient) return undefined;
    const limit = perClient && clientLimit(perClient);
    return (request: FastifyRequest): void => {
      if (sameSite) assertSameSite(request.headers, corsOrigins);
      if (ownOrigin) assertOwnOrigin(request.headers, corsOrigins, publicUrl);
      if (registers) assertRegistrationOpen(registration);
      if (needsMail && !sendsMail) {
        const detail = 'This service cannot send email because SMTP_URL is not set.';
        throw new Problem('mail_not_configured', detail, { retryAfter: UNTIL_CONFIGURED });
      }
      if (limit) limit.admitOrThrow(request.client, clock.now());
    };
  };
}
