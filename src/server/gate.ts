import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Instant } from '#core/clock';
import type { ProblemCode } from '#core/problems';
import type { WantedScope } from './route-facts.ts';

/** A call that was paid for. */
export type Receipt = { readonly cost: number };

declare module 'fastify' {
  interface FastifyRequest {
    /** The record number of the user who calls: there on every route that is not open. */
    user: number;
    receipt: Receipt | undefined;
  }
}

/** What the server asks of the gate that every request passes: `accounts/gate` implements it. */
export type Gate = {
  /** Admits and charges a request; undefined where that has to wait or is refused: then nothing has happened. */
  admitAtOnce(
    request: IncomingMessage,
    scope: WantedScope,
    cost: number,
    now: Instant,
  ): { user: number; receipt: Receipt } | undefined;

  /** Commits or refunds the charge of a call, and gives the headers that tell what is left, as a flat list. */
  settle(receipt: Receipt, isPaid: boolean, now: number): string[];

  /** The headers of a refusal with 429: the limits of the user who calls; none where no user is known. */
  limitsOf(request: FastifyRequest, code: ProblemCode, now: number): Record<string, string>;
};
