import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { ApiKey, QuotientClient, Usage } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { csvText } from '../../pages/csv.ts';
import { isoDate, lastDays } from '../../pages/dates.ts';
import { saveFile } from '../../pages/download.ts';
import type { Access } from '../api/session.ts';
import { openPanelData, type PanelContext } from '../core/panel-data.ts';
import { type UsageBy, usageRows, usageTable } from './breakdown.ts';
import { type Filter, matches, NO_FILTER } from './log.ts';

type UsageContext = PanelContext & {
  /** The keys of the account; empty if the key cannot list them. */
  keys: ReadonlySignal<readonly ApiKey[]>;
  access: ReadonlySignal<Access>;
  readUsage: (client: QuotientClient, by?: 'key' | 'path') => Promise<Usage>;
  /** Whether Usage is the current page. */
  isVisible: () => boolean;
};

/** The calls by day, key or path, and the latest requests. All reads are free. */
export function createUsageStore({ keys, access, readUsage, isVisible, ...context }: UsageContext) {
  const by = signal<UsageBy>('key');
  const usage = openPanelData(context, async (client, wanted: UsageBy) => ({
    by: wanted,
    usage: await readUsage(client, wanted === 'day' ? undefined : wanted),
  }));
  const log = openPanelData(context, (client) => client.requests(), { states: ['not_found'] });
  const filter = signal<Filter>(NO_FILTER);

  /** The usage, if it has been read for the selected breakdown. */
  const shown = computed(() => (usage.value.value?.by === by.value ? usage.value.value.usage : undefined));

  async function loadLog(): Promise<void> {
    if (access.value === 'owner') await log.load(undefined);
  }

  return {
    keys,
    access,
    by,
    usage,
    days: computed(() => usage.value.value && lastDays(usage.value.value.usage.daily, serviceNow())),
    table: computed(() => shown.value && usageTable(by.value, shown.value, keys.value, serviceNow())),
    log,
    filter,
    requests: computed(() => log.value.value?.requests.filter((request) => matches(request, filter.value))),
    isLogOff: computed(() => log.error.value?.code === 'not_found'),

    /** Reads the requests and the usage. */
    async refresh(): Promise<void> {
      await Promise.all([loadLog(), usage.load(by.value)]);
    },

    breakDown(wanted: UsageBy): void {
      by.value = wanted;
      void usage.load(wanted);
    },

    save(): void {
      if (!shown.value) return;
      const now = serviceNow();
      const rows = usageRows(by.value, shown.value, keys.value, now);
      saveFile(`quotient-usage-by-${by.value}-${isoDate(now)}.csv`, new Blob([csvText(rows)], { type: 'text/csv' }));
    },

    /** Reads the usage again after a change of the account or calls of the page, if the page Usage is open. */
    reload: (): Promise<void> | undefined => (isVisible() ? usage.load(by.value) : undefined),

    /** Reads the data when the page Usage opens. Returns the function that closes the page. */
    open(): () => void {
      void usage.load(by.value);
      return access.subscribe(() => void loadLog());
    },
  };
}

export type UsageStore = ReturnType<typeof createUsageStore>;
