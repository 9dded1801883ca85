import { effect, signal, untracked } from '@preact/signals';
import type { StreamedPrice, TokenName, UserOfKey } from '../../client/index.ts';
import { toError } from '../../pages/problem.ts';
import { openStored } from '../../pages/session/storage.ts';
import type { Context } from '../context.ts';
import type { AllowanceReserve } from './auto-refresh.ts';
import { joinSharedStream, type SharedStream } from './shared-stream.ts';

/** A tab that is hidden for a shorter time keeps its stream, because each connection costs a call. In ms. */
const HIDDEN_MS = 15_000;
/** How often the page reads the usage and compares the allowance with the reserve, in ms: a minute is one charge. */
const CHARGED_MS = 60_000;

type Needs = Pick<Context, 'session' | 'currency' | 'allowance' | 'isVisible'> & {
  reserve: AllowanceReserve;
  onPrice: (price: StreamedPrice) => void;
};

function joinStream({ session, currency, onPrice }: Needs, user: UserOfKey, onEnded: (reason: string) => void) {
  const { client, baseUrl } = session;
  const { code } = currency;
  return joinSharedStream({
    name: `quotient:live:${new URL(baseUrl).pathname}:${user.key}:${code}`,
    stream: (names, signal) => client.prices.stream(names, { currency: code, signal }),
    onPrice,
    onEnded,
    reasonOf: (error) => toError(error).detail,
  });
}

/** Keeps the shown prices live while the page is visible, if the user has switched it on. */
export function openLive(needs: Needs) {
  const { session, currency, allowance, isVisible, reserve } = needs;
  const stored = openStored('localStorage', 'quotient:live');
  const isOn = signal(stored.read() === 'on');
  const isConnected = signal(false);
  /** Why the prices are not live although the user has switched it on. */
  const reason = signal('');
  let tokens: readonly TokenName[] = [];
  let shared: SharedStream | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let charging: ReturnType<typeof setInterval> | undefined;

  function leave(): void {
    clearTimeout(hiding);
    clearInterval(charging);
    shared?.leave();
    shared = undefined;
    isConnected.value = false;
  }

  function end(why: string): void {
    leave();
    reason.value = `Live prices are off: ${why}`;
  }

  function endIfNeeded(): boolean {
    const fault = reserve.fault();
    if (fault) end(`${fault}.`);
    return fault !== undefined;
  }

  function join(): void {
    const { user } = session;
    if (shared || !user || endIfNeeded()) return;
    reason.value = '';
    isConnected.value = true;
    shared = joinStream(needs, user, end);
    charging = setInterval(() => {
      if (!endIfNeeded()) void allowance.refresh();
    }, CHARGED_MS);
    shared.want(tokens);
  }

  function update(): void {
    clearTimeout(hiding);
    if (!isOn.value || !isVisible() || tokens.length === 0) leave();
    else if (document.hidden) hiding = setTimeout(leave, HIDDEN_MS);
    else join();
  }

  document.addEventListener('visibilitychange', update);
  // The other tabs need a new leader at once.
  addEventListener('pagehide', leave);
  addEventListener('pageshow', update);
  // A stream has one currency, and another page of the console shows no prices.
  effect(() => {
    void [currency.code, isVisible()];
    untracked(() => {
      leave();
      update();
    });
  });

  return {
    isOn,
    isConnected,
    reason,
    turn(on: boolean): void {
      isOn.value = on;
      reason.value = '';
      stored.write(on ? 'on' : 'off');
      update();
    },
    /** Sets the tokens whose prices are shown. */
    show(next: readonly TokenName[]): void {
      const isSame = next.length === tokens.length && next.every((token) => tokens.includes(token));
      tokens = [...next];
      if (shared && !isSame) shared.want(tokens);
      if (!shared && reason.value === '') update();
    },
  };
}
