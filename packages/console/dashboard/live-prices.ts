import type { StreamedPrice, TokenName } from '../../client/index.ts';
import { announce, byId } from '../../pages/dom.ts';
import { inCalls } from '../../pages/format.ts';
import { toError } from '../../pages/problem.ts';
import { openStored } from '../../pages/session/storage.ts';
import { costOf } from '../api/api-call.ts';
import type { Context } from '../context.ts';
import { hasReached, hourlyInWords, reservedShare } from './auto-refresh.ts';
import { joinSharedStream, type SharedStream } from './shared-stream.ts';

/** A tab that is hidden for a shorter time keeps its stream, because each connection costs a call. In ms. */
const HIDDEN_MS = 15_000;
/** How often the page reads the usage and compares the allowance with the reserve, in ms: a minute is one charge. */
const CHARGED_MS = 60_000;

const costInWords = (tokens: number) =>
  `${inCalls(costOf(tokens))} per minute while the page is visible, whatever the number of tabs`;

/** Keeps the shown prices live while the page is visible, if the user has switched it on. */
export function openLivePrices(context: Context, onPrice: (price: StreamedPrice) => void) {
  const { session, currency, allowance, isVisible } = context;
  const toggle = byId('live', HTMLInputElement);
  const note = byId('live-note');
  const stored = openStored('localStorage', 'quotient:live');
  toggle.checked = stored.read() === 'on';
  let tokens: readonly TokenName[] = [];
  let shared: SharedStream | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let charging: ReturnType<typeof setInterval> | undefined;

  function showCost(): void {
    const hourly = costOf(tokens.length) * 60;
    note.textContent = `${costInWords(tokens.length)}. ${hourlyInWords(hourly, allowance.usage())}`;
  }

  function leave(): void {
    clearTimeout(hiding);
    clearInterval(charging);
    shared?.leave();
    shared = undefined;
  }

  function end(reason: string): void {
    leave();
    note.textContent = `Live prices are off: ${reason}`;
    announce(note.textContent);
  }

  /** The reserve that the user has chosen for the automatic refresh also applies here. */
  function endIfNeeded(): boolean {
    const left = allowance.left();
    if (!left || !hasReached(left, reservedShare())) return false;
    end(`less than ${reservedShare()}% of the allowance is left.`);
    return true;
  }

  function join(): void {
    const { user, client } = session;
    if (shared || !user || endIfNeeded()) return;
    const { code } = currency;
    shared = joinSharedStream({
      name: `quotient:live:${new URL(session.baseUrl).pathname}:${user.key}:${code}`,
      stream: (names, signal) => client.prices.stream(names, { currency: code, signal }),
      onPrice,
      onEnded: end,
      reasonOf: (error) => toError(error).detail,
    });
    charging = setInterval(() => {
      if (!endIfNeeded()) void allowance.refresh();
    }, CHARGED_MS);
    shared.want(tokens);
  }

  function update(): void {
    clearTimeout(hiding);
    if (!toggle.checked || !isVisible() || tokens.length === 0) leave();
    else if (document.hidden) hiding = setTimeout(leave, HIDDEN_MS);
    else join();
  }

  toggle.addEventListener('change', () => {
    stored.write(toggle.checked ? 'on' : 'off');
    showCost();
    update();
  });
  document.addEventListener('visibilitychange', update);
  // The other tabs need a new leader at once.
  addEventListener('pagehide', leave);
  addEventListener('pageshow', update);
  currency.onChange(() => {
    leave();
    update();
  });

  return {
    /** Sets the tokens whose prices are shown. */
    show(next: readonly TokenName[]): void {
      const isSame = next.length === tokens.length && next.every((token) => tokens.includes(token));
      tokens = [...next];
      if (shared || !note.textContent?.includes('are off')) showCost();
      if (shared && !isSame) shared.want(tokens);
      if (!shared && !note.textContent?.includes('are off')) update();
    },
  };
}
