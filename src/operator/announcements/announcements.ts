import type { Operator } from '#core/actor';
import { type Clock, iso } from '#core/clock';
import { invalidRequest } from '#core/problems';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { AnnouncementRecord } from './announcement-records.ts';
import type { Announcement, AnnouncementStore } from './announcement-store.ts';

type Dependencies = { store: AnnouncementStore; versions: VersionWatcher; clock: Clock };

/** `until` in Unix ms. */
type Form = { text: string | null; until: number | null };

/** The operator's message to all users. Every process has it in memory. */
export async function openAnnouncements({ store, versions, clock }: Dependencies) {
  let cached: Announcement | undefined;
  const watch = versions.watch({
    names: () => ['announcement'],
    async reload(changed) {
      if (changed.length > 0) cached = await store.read();
    },
  });
  await watch.sync();

  /** The current announcement. Undefined after its end. */
  const current = (): Announcement | undefined => (cached && cached.until > clock.now() ? cached : undefined);
  const toRecord = (announcement: Announcement | undefined): AnnouncementRecord =>
    announcement ? { text: announcement.text, until: iso(announcement.until) } : { text: null, until: null };

  return {
    current,
    read: (): AnnouncementRecord => toRecord(current()),

    /** Throws `invalid_request` for a text without `until`. */
    async set(operator: Operator, { text, until }: Form): Promise<AnnouncementRecord> {
      if (text !== null && until === null) {
        const fix = 'use a time in the future, such as 2030-01-31T12:00:00Z';
        throw invalidRequest({ location: 'body.until', message: 'is required with a text', fix });
      }
      await store.set(operator, text === null || until === null ? undefined : { text, until });
      await watch.sync();
      return toRecord(current());
    },
  };
}

export type Announcements = Awaited<ReturnType<typeof openAnnouncements>>;
