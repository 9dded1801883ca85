import { byId, make, makeButton } from '../../pages/dom.ts';
import { count, onDateAt, orUnknown, UNKNOWN } from '../../pages/format.ts';
import type { Context, View } from '../core/context.ts';
import { openList } from '../core/list.ts';
import { isolated } from '../core/phrase.ts';
import type { Message } from '../generated/records.ts';
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

export function openMessages({ api, ask, report }: Context): View {
  function askRetry(message: Message): void {
    ask({
      ...{ title: 'Retry the message?', yes: 'Retry', busy: 'Retrying…' },
      effect: () =>
        `The service attempts to send this ${message.channel === 'mail' ? 'email' : 'webhook'}${toUser(message)} again within seconds.`,
      async act() {
        await api.retry(message.id);
        report(`${kindOf(message)}: the retry is due.`);
        await list.refresh();
        return undefined;
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
    ...{ id: 'messages-list', label: 'Undelivered messages', view: 'messages', nouns: ['message', 'messages'] },
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
      stateTag(message.state),
      message.user === null ? UNKNOWN : make('a', { href: `#/users/${message.user}` }, `User ${message.user}`),
      count(message.attempts),
      message.lastError === null ? UNKNOWN : isolated(message.lastError),
      orUnknown(message.nextAttemptAt, onDateAt),
      onDateAt(message.createdAt),
    ],
    read: api.messages,
  });
  byId('messages-refresh').addEventListener('click', () => void list.refresh());

  return { show: ({ query }) => list.show(query), clear: list.clear };
}
