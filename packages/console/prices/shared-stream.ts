import type { StreamedPrice, TokenName } from '../../client/index.ts';
import { MAX_TOKENS } from '../api/api-call.ts';

/** How often a tab repeats which tokens it shows, and after how long the leader forgets a silent tab, in ms. */
const REPEAT_MS = 30_000;
const FORGET_MS = 75_000;
/** Tabs that change their tokens together cause one reconnect. In ms. */
const SETTLE_MS = 300;

/** Messages between the tabs of one user and currency. A leader that has just started asks for the tokens. */
type Message =
  | { type: 'ask' }
  | { type: 'want'; tab: number; tokens: readonly TokenName[] }
  | { type: 'price'; price: StreamedPrice }
  | { type: 'ended'; reason: string };

type Options = {
  /** Tabs with the same name share a stream. */
  name: string;
  stream: (tokens: readonly TokenName[], signal: AbortSignal) => AsyncIterable<StreamedPrice>;
  onPrice: (price: StreamedPrice) => void;
  /** The stream has ended for all tabs. */
  onEnded: (reason: string) => void;
  reasonOf: (error: unknown) => string;
};

/** Runs work in one tab at a time. Browsers have no locks on pages without TLS: there, each tab has its own stream. */
async function whenLeader(name: string, signal: AbortSignal, lead: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return lead();
  await locks.request(name, { signal }, lead).catch(() => undefined);
}

/**
 * Shares one stream between tabs. The tab that holds the lock is the leader: it opens a stream with the tokens of all
 * tabs, and sends them its prices. When the leader leaves, another tab receives the lock.
 */
export function joinSharedStream({ name, stream, onPrice, onEnded, reasonOf }: Options) {
  const tab = Math.random();
  const over = new AbortController();
  const channel = new BroadcastChannel(name);
  const send = (message: Message): void => channel.postMessage(message);
  /** The tokens of the visible tabs, and the time of their last message. */
  const wanted = new Map<number, { tokens: readonly TokenName[]; at: number }>();
  /** The leader's newest prices, for tabs that join later. */
  const latest = new Map<TokenName, StreamedPrice>();
  let streamed: ReadonlySet<TokenName> = new Set();
  let reopen: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function allTokens(): TokenName[] {
    const oldest = performance.now() - FORGET_MS;
    for (const [other, { at }] of wanted) if (other !== tab && at < oldest) wanted.delete(other);
    const own = wanted.get(tab)?.tokens ?? [];
    const others = [...wanted.values()].flatMap(({ tokens }) => tokens);
    return [...new Set([...own, ...others])].slice(0, MAX_TOKENS);
  }

  function publish(price: StreamedPrice): void {
    latest.set(price.tokenName, price);
    send({ type: 'price', price });
    onPrice(price);
  }

  async function lead(): Promise<void> {
    send({ type: 'ask' });
    while (!over.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      reopen = new AbortController();
      const { signal } = reopen;
      const tokens = allTokens();
      streamed = new Set(tokens);
      if (over.signal.aborted || tokens.length === 0) return;
      try {
        for await (const price of stream(tokens, signal)) publish(price);
      } catch (error) {
        if (signal.aborted) continue;
        const reason = reasonOf(error);
        send({ type: 'ended', reason });
        end(reason);
      }
    }
  }

  /** Reconnects if a tab shows a token that the stream lacks. Each connection costs a call. */
  function note(other: number, tokens: readonly TokenName[]): void {
    wanted.set(other, { tokens, at: performance.now() });
    if (tokens.length === 0) wanted.delete(other);
    if (!reopen) return;
    if (tokens.some((token) => !streamed.has(token)) && streamed.size < MAX_TOKENS) {
      clearTimeout(timer);
      timer = setTimeout(() => reopen?.abort(), SETTLE_MS);
    } else if (other !== tab) {
      for (const token of tokens) {
        const price = latest.get(token);
        if (price) send({ type: 'price', price });
      }
    }
  }

  const repeat = (): void => send({ type: 'want', tab, tokens: wanted.get(tab)?.tokens ?? [] });
  const repeating = setInterval(repeat, REPEAT_MS);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'ask') repeat();
    else if (data.type === 'want') note(data.tab, data.tokens);
    else if (data.type === 'price') onPrice(data.price);
    else if (data.type === 'ended') end(data.reason);
  });

  function leave(): void {
    if (over.signal.aborted) return;
    send({ type: 'want', tab, tokens: [] });
    over.abort();
    reopen?.abort();
    clearInterval(repeating);
    clearTimeout(timer);
    channel.close();
  }

  function end(reason: string): void {
    if (over.signal.aborted) return;
    leave();
    onEnded(reason);
  }

  return {
    /** Sets the tokens that this tab shows. The first call joins the stream. */
    want(tokens: readonly TokenName[]): void {
      const isFirst = !wanted.has(tab);
      note(tab, tokens);
      repeat();
      if (isFirst) void whenLeader(name, over.signal, lead);
    },
    leave,
  };
}

export type SharedStream = ReturnType<typeof joinSharedStream>;
