import { byId, make, makeButton } from '../../pages/dom.ts';
import { count, onDateAt, orUnknown, UNKNOWN } from '../../pages/format.ts';
import { isolated } from '../../pages/phrase.ts';
import type { Context, View } from '../core/context.ts';
import { openList } from '../core/list.ts';
import type { Message, MessagePage } from '../generated/records.ts';
import { stateTag } from '../users/words.ts';

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

export function openMessages({ api, ask, report }: Context): View {
  let shown: Readonly<Record<string, string>> = {};
  /** Increases when the view changes or another message is retried. */
  let turn = 0;

  /** Reports the result of a retry. Rows are replaced only at the end, because a replaced button loses the focus. */
  async function follow(message: Message): Promise<void> {
    turn += 1;
    const ownTurn = turn;
    report(`${kindOf(message)}: the service is sending it now …`);
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      await new Promise((done) => setTimeout(done, LOOK_INTERVAL));
      if (ownTurn !== turn) return;
      const page = await api.messages(shown).catch(() => undefined);
      if (ownTurn !== turn) return;
      const result = page && resultIn(page, message);
      if (result === undefined) continue;
      if (result === 'delivered') report(`${kindOf(message)}: delivered.`);
      else report(`${kindOf(message)}: the attempt failed. The list shows the error.`, 'bad');
      return list.refresh();
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
        await list.refresh();
        void follow(message);
      },
    });
  }

  function retryOf(message: Message): Node | string {
    if (!message.isRetryable) return 'Not possible';
    const button = makeButton('Retry…', () => askRetry(message), 'small');
    button.setAttribute('aria-label', `Retry: ${kindOf(message)} of ${onDateAt(message.createdAt)}…`);
    return button;
  }

  const list = openList<Message>({
    id: 'messages-list',
    label: 'Undelivered messages',
    view: 'messages',
    nouns: ['message', 'messages'],
    columns: [
      ['Message'],
      ['Retry'],
      ['State'],
      ['User', 'num'],
      ['Attempts', 'num'],
      ['Last error'],
      ['Next attempt'],
      ['Created'],
    ],
    cellsOf: (message) => [
      kindOf(message),
      retryOf(message),
      stateTag(message.state, STATES[message.state]),
      message.user === null ? UNKNOWN : make('a', { href: `#/users/${message.user}` }, `User ${message.user}`),
      count(message.attempts),
      message.lastError === null ? UNKNOWN : make('span', { class: 'wrapped' }, isolated(message.lastError)),
      orUnknown(message.nextAttemptAt, onDateAt),
      onDateAt(message.createdAt),
    ],
    read: api.messages,
  });
  byId('messages-refresh').addEventListener('click', () => void list.refresh());

  return ({ query }) => {
    turn += 1;
    shown = query;
    return list.show(query);
  };
}
