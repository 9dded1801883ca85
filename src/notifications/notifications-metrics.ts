import type { MetricsRegistry } from '#core/metrics';
import type { Backlog } from './outbox-store.ts';

export function addOutboxReadings(registry: MetricsRegistry, read: () => Promise<Backlog[]>): void {
  registry.gauges(read, ({ kind }) => ({ kind }), [
    ['quotient_outbox_messages', 'Undelivered emails and webhooks', ({ messages }) => messages],
    ['quotient_outbox_oldest_seconds', 'Age of the oldest undelivered message', ({ oldest }) => oldest],
  ]);
}
