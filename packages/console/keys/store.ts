import { computed } from '@preact/signals';
import type { ApiKey, CreatedKey, QuotientClient, Usage } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import type { Questions } from '../../pages/components/dialog.tsx';
import type { Fields } from '../../pages/components/form.tsx';
import { isoDate } from '../../pages/dates.ts';
import type { Access } from '../api/session.ts';
import { openPanelData, type PanelContext } from '../core/panel-data.ts';
import { isForUrls, termsIn } from './terms.ts';
import { callsOn, canManage, isOwner, keyInUse } from './words.ts';

type KeysContext = PanelContext & {
  questions: Questions;
  readUsage: (client: QuotientClient, by: 'key') => Promise<Usage>;
  onOwnKeyRevoked: () => void;
  /** The user selected Replace for the key that this page uses. */
  onReplace: () => void;
};

/** What the key of this page may do with the keys of the account; `lapsed`: the account has expired. */
type Status = 'unknown' | 'restricted' | 'replaced' | 'lapsed' | 'owner';
const ACCESS = {
  unknown: 'unknown',
  restricted: 'none',
  replaced: 'none',
  lapsed: 'owner',
  owner: 'owner',
} as const satisfies Record<Status, Access>;

async function readKeys({ session, readUsage }: KeysContext, client: QuotientClient) {
  const isLapsed = (session.user?.validUntil.getTime() ?? 0) <= serviceNow();
  // An expired account can list its keys, but not read its usage.
  const usage = isLapsed ? undefined : readUsage(client, 'key');
  const [keys, used] = await Promise.all([client.keys(), usage]);
  const ownersFirst = keys.toSorted((a, b) => Number(isOwner(b)) - Number(isOwner(a)));
  const inUse = keyInUse(keys, session.key);
  return { keys: ownersFirst, usage: used?.keys ?? [], inUse, isLapsed, now: serviceNow() };
}

/** The keys of the account, their usage, and the access of the key that this page uses. */
export function openKeyList(context: KeysContext) {
  const { session, failures, questions, onOwnKeyRevoked, onReplace } = context;
  const read = (client: QuotientClient) => readKeys(context, client);
  const data = openPanelData({ session, failures }, read, { states: ['scope_missing'] });

  const status = computed((): Status => {
    if (data.error.value?.code === 'scope_missing') return 'restricted';
    const { value } = data.value;
    if (value === undefined) return 'unknown';
    if (value.inUse?.replacedAt) return 'replaced';
    return value.isLapsed ? 'lapsed' : 'owner';
  });
  const keys = computed((): readonly ApiKey[] => (status.value === 'restricted' ? [] : (data.value.value?.keys ?? [])));
  const load = () => data.load(undefined);
  const isInUse = (key: ApiKey) => key === data.value.value?.inUse;

  return {
    data,
    status,
    /** The keys of the account; empty if the key of this page cannot list them. */
    keys,
    access: computed((): Access => ACCESS[status.value]),
    /** The owner keys that other people may know, because a web page or a URL has contained them. */
    exposed: computed(() => keys.value.filter((key) => canManage(key) && (key.seenOrigin || key.exposedAt))),
    session,
    questions,
    onReplace,
    load,
    isInUse,

    readAt: () => data.value.value?.now ?? 0,
    /** The calls with a key today, and in the last 31 days. */
    callsOf(id: number) {
      const { usage = [], now = 0 } = data.value.value ?? {};
      const used = usage.find((one) => one.id === id);
      return { today: callsOn(isoDate(now), used), total: used?.calls ?? 0 };
    },

    /** The changes that the account and a key permit. */
    changesOf(key: ApiKey) {
      const isOpen = status.value === 'owner';
      const owners = keys.value.filter(canManage);
      return {
        canChange: isOpen && key.replacedAt === null,
        canReplace: isOpen && isInUse(key),
        // Without an owner key, the account cannot be managed, so the last owner key can only be replaced.
        canRevoke: isOpen && !(owners.length === 1 && owners[0] === key),
      };
    },

    create(fields: Fields): Promise<CreatedKey> {
      const { expiresAt, dailyLimit, ...terms } = termsIn(fields, serviceNow());
      return session.client.createKey({
        ...terms,
        url: isForUrls(fields),
        expiresAt: expiresAt ?? undefined,
        dailyLimit: dailyLimit ?? undefined,
      });
    },

    async change(key: ApiKey, fields: Fields): Promise<void> {
      const { label, dailyLimit, ...others } = termsIn(fields, serviceNow());
      // An owner key has no other terms.
      await session.client.updateKey(key.id, { label, dailyLimit, ...(!isOwner(key) && others) });
      await load();
    },

    async revoke(key: ApiKey): Promise<void> {
      const isOwnKey = isInUse(key);
      await session.client.deleteKey(key.id);
      if (isOwnKey) onOwnKeyRevoked();
      else await load();
    },
  };
}

export type KeyList = ReturnType<typeof openKeyList>;
