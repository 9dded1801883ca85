import type { Catalogue } from '#catalogue/catalogue';
import type { Listing } from '#catalogue/listing';
import type { OpenGate } from '#gate/open-gate';
import type { OpenKeys } from '#keys/open-keys';
import type { Notifications } from '#notifications/open-notifications';
import { createAuditLog } from '#operator/audit/audit';
import { createAuditStore } from '#operator/audit/audit-store';
import type { Capability, CapabilityDeps } from '#server/capability';
import type { RequestHistograms } from '#server/request-metrics';
import type { SourceOutcomes } from '#upstream/source-outcomes';
import type { UpstreamReading } from '#upstream/upstream-metrics';
import { createAccountReport } from '#users/administration/account-report';
import type { OpenUsers } from '#users/open-users';
import { createAdminToken } from './admin-token.ts';
import { announcement } from './announcements/announcement-routes.ts';
import { createAnnouncementStore } from './announcements/announcement-store.ts';
import { openAnnouncements } from './announcements/announcements.ts';
import { createMessageList } from './messages.ts';
import type { OperatorSettings } from './operator-settings.ts';
import { createRequestReport } from './requests.ts';
import { sourceReports } from './sources.ts';
import { createTokenChanges } from './tokens/tokens.ts';
import { createActivity } from './users/activity.ts';
import { createActivityStore } from './users/activity-store.ts';
import { createUserChanges } from './users/changes.ts';
import { createUserDirectory } from './users/directory.ts';
import { createUserSearchStore } from './users/search-store.ts';

type Deps = CapabilityDeps<OperatorSettings> & {
  accounts: Pick<OpenUsers, 'users' | 'administration' | 'stored'> &
    Pick<OpenKeys, 'keys'> &
    Pick<OpenGate, 'allowance'>;
  notifications: Pick<Notifications, 'messages' | 'noticesOf'>;
  outcomes: Pick<SourceOutcomes, 'read'>;
  upstreams: () => readonly UpstreamReading[];
  catalogue: Pick<Catalogue, 'all'>;
  listing: Listing;
  requests: RequestHistograms;
};

export async function openOperator({ accounts, notifications, outcomes, upstreams, requests, ...deps }: Deps) {
  const { settings, database, deadline, refreshes, versions, clock } = deps;
  const { prisma } = database;
  const announcementStore = deadline.over(createAnnouncementStore(prisma));
  const announcements = await openAnnouncements({ store: announcementStore, versions, clock });

  /** The services behind the operator API; undefined if it is off. */
  function openAdmin(token: string) {
    // No request waits for an update of the summary, so this store has no deadline.
    const activity = createActivity({ store: createActivityStore(prisma), refreshes, clock });
    const directory = createUserDirectory({
      store: deadline.over(createUserSearchStore(prisma)),
      accounts: createAccountReport({
        accounts: accounts.stored,
        keysOf: accounts.keys.listAll,
        noticesOf: notifications.noticesOf,
        clock,
      }),
      activity,
      usageOf: accounts.allowance.usage,
      clock,
    });
    return {
      token: createAdminToken(token, clock),
      directory,
      exportJson: accounts.users.exportJson,
      changes: createUserChanges({ ...accounts, directory }),
      sources: () => sourceReports({ readings: upstreams, outcomes: outcomes.read, clock }),
      requests: createRequestReport(requests, clock),
      tokens: createTokenChanges(deps),
      messages: createMessageList(notifications.messages),
      announcements,
      audit: createAuditLog(deadline.over(createAuditStore(prisma))),
      clock,
      activity: activity.job,
      updateActivity: activity.update,
    };
  }
  const token = settings.admin?.token;
  const admin = token === undefined ? undefined : openAdmin(token);

  return {
    announcements,
    admin,
    routes: async (app) => void app.register(announcement, { announcements }),
    jobs: admin ? [admin.activity] : [],
  } satisfies Capability & Record<string, unknown>;
}

export type AdminServices = NonNullable<OperatorCapability['admin']>;
type OperatorCapability = Awaited<ReturnType<typeof openOperator>>;
