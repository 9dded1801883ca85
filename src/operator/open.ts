import type { Accounts } from '#accounts/open';
import { createAccountReport } from '#accounts/users/account-report';
import type { Notifications } from '#notifications/open';
import { createAuditLog } from '#operator/audit/audit';
import { createAuditStore } from '#operator/audit/audit-store';
import type { Capability, CapabilityDeps } from '#server/capability';
import type { UpstreamReading } from '#upstream/metrics';
import type { SourceOutcomes } from '#upstream/source-outcomes';
import { createAdminToken } from './admin-token.ts';
import { createAnnouncementStore } from './announcement-store.ts';
import { openAnnouncements } from './announcements.ts';
import { createMessageList } from './messages.ts';
import { announcement } from './routes-public.ts';
import type { OperatorSettings } from './settings.ts';
import { createSources } from './sources.ts';
import { createActivity } from './users/activity.ts';
import { createActivityStore } from './users/activity-store.ts';
import { createUserChanges } from './users/changes.ts';
import { createUserDirectory } from './users/directory.ts';
import { createUserSearchStore } from './users/search-store.ts';

type Deps = CapabilityDeps<OperatorSettings> & {
  accounts: Pick<Accounts, 'users' | 'administration' | 'allowance' | 'stored'>;
  notifications: Pick<Notifications, 'messages' | 'noticesOf'>;
  outcomes: Pick<SourceOutcomes, 'read'>;
  /** The configured sources and their budgets. */
  upstreams: () => readonly UpstreamReading[];
};

export async function openOperator({ accounts, notifications, outcomes, upstreams, ...deps }: Deps) {
  const { settings, database, deadline, refreshes, versions, clock, failures } = deps;
  const { prisma } = database;
  const announcementStore = deadline.over(createAnnouncementStore(prisma));
  const announcements = await openAnnouncements({ store: announcementStore, versions, clock });

  /** The services behind the operator API; undefined if it is off. */
  function openAdmin({ token }: { token: string }) {
    // No request waits for an update of the summary, so this store has no deadline.
    const activity = createActivity({ store: createActivityStore(prisma), refreshes, clock });
    const directory = createUserDirectory({
      store: deadline.over(createUserSearchStore(prisma)),
      accounts: createAccountReport({ accounts: accounts.stored, noticesOf: notifications.noticesOf, clock }),
      activity,
      usageOf: accounts.allowance.usage,
      clock,
    });
    return {
      token: createAdminToken(token, clock),
      directory,
      exportJson: accounts.users.exportJson,
      changes: createUserChanges({ users: accounts.users, administration: accounts.administration, directory }),
      sources: createSources({ readings: upstreams, outcomes: outcomes.read, clock }),
      messages: createMessageList({ messages: notifications.messages }),
      announcements,
      audit: createAuditLog({ store: deadline.over(createAuditStore(prisma)) }),
      clock,
      activity: activity.watch(failures),
      /** Updates the summary by which users are sorted. */
      updateActivity: activity.update,
    };
  }
  const admin = settings.admin && openAdmin(settings.admin);

  return {
    announcements,
    admin,
    routes: async (app) => void app.register(announcement, { announcements }),
    close: async () => admin?.activity.close(),
  } satisfies Capability & Record<string, unknown>;
}

export type OperatorCapability = Awaited<ReturnType<typeof openOperator>>;
