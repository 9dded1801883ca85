import { BUILT_IN_NAMES } from '#catalogue/token';
import { type CopyEvent, copyDatabase } from '#database/copy/copy';
import { createCopySource } from '#database/copy/source';
import { createCopyTarget } from '#database/copy/target';
import { openSession } from '#database/session';

type Server = { url: string };
type Options = { on?: (event: CopyEvent) => void; isLive?: boolean; signal?: AbortSignal };

/**
 * Copies like the command does. Returns the outcome and the events.
 * @param on called with every event
 */
export async function copy({ url: from }: Server, { url: to }: Server, { on, ...options }: Options = {}) {
  const events: CopyEvent[] = [];
  const [read, write] = [await openSession({ url: from }), await openSession({ url: to })];
  try {
    const [source, target] = [createCopySource(read.session), createCopyTarget(write.session, BUILT_IN_NAMES)];
    await source.prepare();
    const state = await target.prepare();
    if (state.kind !== 'empty' && state.kind !== 'unfinished') return { state, events };
    const onEvent = (event: CopyEvent) => {
      events.push(event);
      on?.(event);
    };
    const unfinished = state.kind === 'unfinished' ? state.progress : undefined;
    const run = { source, target, onEvent, name: read.name, unfinished, isLive: false, ...options };
    return { outcome: await copyDatabase(run), events };
  } finally {
    await read.close();
    await write.close();
  }
}
