import type { ServerResponse } from 'node:http';
import { SECOND } from '#domain/clock';
import { createTurns, type Turns } from './turns.ts';

/** Of a user's long and wide answers one is given at a time, and so many may wait for it. */
const WAITING = { long: 3, wide: 30 } as const;
/** Of all users' long ones so many: a year of minutes is 20 MB, and is held until it was read. Each user takes one turn at most. */
const ALL = { atOnce: 6, waiting: 100, patience: 20 * SECOND };

/**
 * The long and wide answers to a user are given one after another, and a few long ones to all users together: the next is
 * begun when one before has gone out, or its caller has. Whatever is short does not wait.
 */
export function createLanes({ all: bounds = ALL } = {}) {
  const lanes = new Map<number, Turns>();
  const all = createTurns(bounds);

  /** Waits for the turn of a user's answer. Throws `overloaded` where too many wait. */
  return async function enter(
    user: number,
    response: ServerResponse,
    size: keyof typeof WAITING,
  ): Promise<void> {
    const lane = lanes.get(user) ?? createTurns({ atOnce: 1 });
    lanes.set(user, lane);
    const leave = () => {
      if (lane.isIdle() && lanes.get(user) === lane) lanes.delete(user);
    };
    await lane
      .enter(response, WAITING[size])
      .finally(() => (response.closed ? leave() : response.once('close', leave)));
    if (size === 'long') await all.enter(response);
  };
}
