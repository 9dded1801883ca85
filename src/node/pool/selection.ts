import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, SECOND } from '#core/clock';
import type { Member, WantedChain } from './member.ts';
import type { MemberCall } from './member-call.ts';

/** How often each node's newest block is requested while calls arrive, in ms. */
const CHECK_EVERY = 10 * SECOND;
/** A node that is more than this many blocks behind the best node is used only if no other node can be used. */
const MOST_BEHIND = 50;
/** The part of the deadline for which the first callers wait for the nodes' heights. */
const PATIENCE = 0.25;

type Options = MemberCall & {
  /** In the order in which they are tried. */
  members: readonly Member[];
  chain: WantedChain;
  /** The deadline for a response, in ms. */
  timeoutMs: number;
  clock: Clock;
};

export function createSelection({ members, chain, call, readHead, timeoutMs, clock }: Options) {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let firstCheck: Promise<unknown> | undefined;

  async function check(member: Member): Promise<void> {
    try {
      const until = clock.elapsed() + timeoutMs;
      member.height = await call(member, until, (calls) => readHead(member, calls));
    } catch {
      member.height = undefined;
    }
  }

  /** Refreshes the heights when they are due. Only the first callers wait for the heights, for a limited time. */
  async function checkHeights(): Promise<void> {
    if (clock.elapsed() - checkedAt >= CHECK_EVERY) {
      checkedAt = clock.elapsed();
      const checks = Promise.all(members.map(check));
      firstCheck ??= Promise.race([checks, wait(timeoutMs * PATIENCE, undefined, { ref: false })]);
    }
    await firstCheck;
  }

  /** How far a node is behind the best node, in blocks, if the gap excludes the node; otherwise undefined. */
  function lag({ height }: Member): number | undefined {
    if (height === undefined) return undefined;
    const blocks = Math.max(...chain.members().map((one) => one.height ?? 0)) - height;
    return blocks > MOST_BEHIND ? blocks : undefined;
  }

  /** Nodes that failed or have no known height come last. */
  async function candidates(): Promise<Member[]> {
    if (chain.areCompared) await checkHeights();
    const among = chain.members();
    if (among.length === 0) throw chain.failure();
    const near = among.filter((member) => lag(member) === undefined);
    const isSound = ({ height, failure }: Member) => height !== undefined && failure === undefined;
    const [sound, rest] = [near.filter(isSound), near.filter((member) => !isSound(member))];
    // The node with the greatest height may fail every call except the height call. While no node is healthy, nodes
    // that are far behind are tried too.
    return [...sound, ...rest, ...(sound.length === 0 ? among.filter((member) => !near.includes(member)) : [])];
  }

  return { candidates, lag };
}
