import { Isolated, Tag, Time } from '../../pages/components/figures.tsx';
import { Head, Refresh } from '../../pages/components/head.tsx';
import { count, onDateAt, UNKNOWN } from '../../pages/format.ts';
import { List } from '../core/list.tsx';
import type { Place } from '../core/router.ts';
import { api, ask, messages, place, report } from '../core/store.ts';
import type { Message, MessagePage } from '../generated/records.ts';

const KINDS: Readonly<Record<string, string>> = {
  recover: 'Recovery email',
  verify: 'Confirmation email',
  'notice-mail': 'Notice by email',
  'notice-webhook': 'Notice by webhook',
  'webhook-delivery': 'Test event or repeated webhook',
};

const kindOf = ({ kind }: Message) => KINDS[kind] ?? kind;
const toUser = ({ user }: Message) => (user === null ? '' : ` to user ${user}`);

/** `failed` alone reads as final, although the service tries again. */
const STATES: Readonly<Record<Message['state'], string>> = {
  waiting: 'waiting',
  failed: 'retrying',
  given_up: 'given up',
};

/** How often and how long the page looks for the result of a retry. */
const LOOK_INTERVAL = 1000;
const MAX_LOOKS = 20;

/** The result of a retry, or undefined if there is none yet. */
function resultIn({ items, nextCursor }: MessagePage, retried: Message): 'delivered' | 'failed' | undefined {
  const found = items.find(({ id }) => id === retried.id);
  if (found) return found.lastError === null ? undefined : 'failed';
  const isListed = nextCursor === null || items.some(({ createdAt }) => createdAt < retried.createdAt);
  return isListed ? 'delivered' : undefined;
}

/** Increases when another message is retried. */
let turn = 0;

/** Reports the result of a retry, unless the operator leaves the list. */
async function follow(message: Message): Promise<void> {
  turn += 1;
  const ownTurn = turn;
  const ownPlace = place.value;
  report(`${kindOf(message)}: the service is sending it now …`);
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    await new Promise((done) => setTimeout(done, LOOK_INTERVAL));
    const page = await api.messages(ownPlace.query).catch(() => undefined);
    if (ownTurn !== turn || ownPlace !== place.value) return;
    const result = page && resultIn(page, message);
    if (result === undefined) continue;
    if (result === 'delivered') report(`${kindOf(message)}: delivered.`);
    else report(`${kindOf(message)}: the attempt failed. The list shows the error.`, 'bad');
    messages.set(page as MessagePage);
    return;
  }
  report(`${kindOf(message)}: no result yet. Refresh the list later.`);
}

function askRetry(message: Message): void {
  ask({
    texts: ['Retry the message?', 'Retry', 'Retrying…'],
    effect: () =>
      `The service attempts to send this ${message.channel === 'mail' ? 'email' : 'webhook'}${toUser(message)} again within seconds.`,
    async act() {
      await api.retry(message.id);
      await messages.reload();
      void follow(message);
    },
  });
}

const Retry = ({ of: message }: { of: Message }) =>
  message.isRetryable ? (
    <button
      type="button"
      class="small"
      aria-label={`Retry: ${kindOf(message)} of ${onDateAt(message.createdAt)}…`}
      onClick={() => askRetry(message)}
    >
      Retry…
    </button>
  ) : (
    <span class="soft">Not possible</span>
  );

export const Messages = ({ place }: { place: Place }) => (
  <>
    <Head title="Undelivered messages" hint="Emails and webhooks that have not arrived. Their contents are not shown.">
      <Refresh of={messages} />
    </Head>
    <List
      place={place}
      of={messages}
      label="Undelivered messages"
      nouns={['message', 'messages']}
      kind="wide"
      keyOf={({ id }) => id}
      columns={[
        { title: 'Message', cell: kindOf },
        { title: 'State', cell: ({ state }) => <Tag state={state} words={STATES[state]} /> },
        { title: 'User', cell: ({ user }) => (user === null ? UNKNOWN : <a href={`#/users/${user}`}>User {user}</a>) },
        { title: 'Attempts', kind: 'num', cell: ({ attempts }) => count(attempts) },
        {
          title: 'Last error',
          kind: 'text',
          cell: ({ lastError }) => (lastError === null ? UNKNOWN : <Isolated>{lastError}</Isolated>),
        },
        { title: 'Next attempt', cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
        { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: 'Retry', cell: (message) => <Retry of={message} /> },
      ]}
    />
  </>
);
