import type { Usage } from '../../client/index.ts';
import { masked } from '../api/answer-text.ts';
import type { Session } from '../api/session.ts';
import { byId } from '../core/dom.ts';
import type { Confirm } from '../core/form.ts';
import { count, onDateAt } from '../core/format.ts';
import type { Renewal } from './validity.ts';

type Options = {
  usage: () => Usage | undefined;
  renewal: () => Renewal;
  onKeyReplaced: () => void;
  onRenewed: () => void;
  onSignedOut: (notice: string) => void;
};

/** A key without the scope `account` does not return the name. */
const UNNAMED = 'Account';

export function openAccountMenu(
  session: Session,
  confirm: Confirm,
  { usage, renewal, onKeyReplaced, onRenewed, onSignedOut }: Options,
) {
  const menu = byId('account-menu');
  const remember = byId('menu-remember', HTMLInputElement);

  const renew = byId('menu-renew');
  const validUntil = () => (session.user ? onDateAt(session.user.validUntil) : '');

  function renewalInWords(): string {
    const { user } = session;
    if (!user) return '';
    if (user.validUntil.getTime() <= Date.now()) {
      return `The key stays the same. It expired on ${validUntil()}: a new period with ${count(user.limit)} calls starts now.`;
    }
    return `The key stays the same. It is valid until ${validUntil()}, and then for one more period. What is left of the allowance now does not change.`;
  }

  function deletionInWords(): string {
    const known = usage();
    const rest =
      known && known.remaining > 0 && known.validUntil.getTime() > Date.now()
        ? ` The ${count(known.remaining)} calls that are left until ${onDateAt(known.resetsAt)} are lost.`
        : '';
    return `All its keys stop working within seconds, and your name and e-mail address are erased.${rest} This cannot be undone.`;
  }

  const askRenewal = () =>
    confirm({
      title: 'Renew the key?',
      text: renewalInWords(),
      yes: 'Renew',
      async act() {
        session.continueAs(await session.client.renew());
        onRenewed();
      },
    });

  function onClick(id: string, act: () => void): void {
    byId(id).addEventListener('click', () => {
      menu.hidePopover();
      act();
    });
  }
  for (const button of [renew, byId('renew')]) {
    button.addEventListener('click', () => {
      if (!renewal().isPossible) return;
      menu.hidePopover();
      askRenewal();
    });
  }
  const askReplacement = () =>
    confirm({
      title: 'Replace the key?',
      text: `You get a new key, which is shown only once. Like the old one, it is valid until ${validUntil()}. Usage carries over, and your keys for pages and programs go on. Until it stops working, the old key can read data but cannot manage the account.`,
      yes: 'Replace',
      asksGrace: true,
      async act(graceSeconds) {
        session.continueAs(await session.client.rotate({ graceSeconds }));
        onKeyReplaced();
      },
    });
  onClick('menu-replace', askReplacement);
  onClick('menu-delete', () =>
    confirm({
      title: 'Delete the account?',
      text: deletionInWords(),
      yes: 'Delete permanently',
      isDangerous: true,
      async act() {
        await session.client.deleteUser();
        onSignedOut('Your account and its keys have been deleted.');
      },
    }),
  );
  onClick('menu-sign-out', () => onSignedOut('You are signed out. This browser no longer has the key.'));
  remember.addEventListener('change', () => session.setRemembered(remember.checked));

  return {
    askRenewal,
    askReplacement,

    restrict(isRestricted: boolean): void {
      for (const id of ['menu-replace', 'menu-renew', 'menu-renew-from', 'menu-delete']) {
        byId(id).hidden = isRestricted;
      }
    },

    show(): void {
      const { user } = session;
      if (!user) return;
      for (const id of ['menu-name', 'account-name']) byId(id).textContent = user.name ?? UNNAMED;
      const verb = user.validUntil.getTime() > Date.now() ? 'valid until' : 'expired on';
      byId('menu-plan').textContent = `${user.plan} plan, ${verb} ${validUntil()}`;
      const { isPossible, from } = renewal();
      renew.setAttribute('aria-disabled', String(!isPossible));
      byId('menu-renew-from').textContent = from ? `Can be renewed from ${onDateAt(from)}` : '';
      byId('menu-key').textContent = masked(session.key);
      remember.checked = session.isRemembered();
    },

    clear(): void {
      byId('account-name').textContent = UNNAMED;
      for (const id of ['menu-name', 'menu-plan', 'menu-key', 'menu-renew-from']) byId(id).textContent = '';
    },
  };
}
