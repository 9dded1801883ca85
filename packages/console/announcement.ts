import type { QuotientClient } from '../client/index.ts';
import { serviceNow } from '../pages/clock.ts';
import { byId } from '../pages/dom.ts';

const READ_INTERVAL = 5 * 60_000;

/** Shows the operator's message to all users until its end. If it cannot be read, the last one stays. */
export function openAnnouncement(client: QuotientClient): void {
  const place = byId('announcement');
  let ending: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    if (document.hidden) return;
    const { text, until } = await client.announcement();
    clearTimeout(ending);
    // Unchanged text stays, so that screen readers do not repeat it.
    if (place.textContent !== (text ?? '')) place.textContent = text ?? '';
    const left = until === null ? Number.POSITIVE_INFINITY : until.getTime() - serviceNow();
    if (left <= READ_INTERVAL) ending = setTimeout(() => place.replaceChildren(), left);
  }

  const attempt = () => void read().catch(() => undefined);
  attempt();
  setInterval(attempt, READ_INTERVAL);
  document.addEventListener('visibilitychange', attempt);
}
