import type { Usage } from '../../client/index.ts';
import { byId } from '../../pages/dom.ts';
import { count, onDateAt } from '../../pages/format.ts';
import { masked } from '../api/answer-text.ts';
import type { Session } from '../api/session.ts';
import type { Confirm } from '../core/confirm.ts';
import type { Renewal } from './validity.ts';

type Options = {
  usage: () => Usage | undefined;
  renewal: () => Renewal;
  onKeyReplaced: () => void;
  onRenewed: () => void;
  onSignedOut: (notice: string) => void;
};

/** Shown instead of the user's name, which a key without the `account` scope cannot read. */
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
      return `Your key expired on ${validUntil()}. The renewal starts a new period with ${count(user.limit)} calls. The key stays the same.`;
    }
    return `Your key is valid until ${validUntil()}. The renewal adds one more period. The key and your remaining calls stay the same.`;
  }

  function deletionInWords(): string {
    const known = usage();
    const loss =
      known && known.remaining > 0 && known.validUntil.getTime() > Date.now()
        ? ` You lose your ${count(known.remaining)} remaining calls of the period that ends on ${onDateAt(known.resetsAt)}.`
        : '';
    return `All keys of the account stop working within seconds, and your name and email address are erased.${loss} This cannot be undone.`;
  }

  const confirmRenewal = () =>
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
      confirmRenewal();
    });
  }
  const confirmReplacement = () =>
    confirm({
      title: 'Replace the key?',
      text: `You get a new key. The new key is shown only once and is valid until ${validUntil()}. Your usage stays the same, and your other keys stay valid. Until the old key stops working, it can read data but cannot manage the account.`,
      yes: 'Replace',
      hasGrace: true,
      async act(graceSeconds) {
        session.continueAs(await session.client.rotate({ graceSeconds }));
        onKeyReplaced();
      },
    });
  onClick('menu-replace', confirmReplacement);
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
  onClick('menu-sign-out', () => onSignedOut('You are signed out. This browser no longer stores the key.'));
  remember.addEventListener('change', () => session.setRemembered(remember.checked));

  return {
    confirmRenewal,
    confirmReplacement,

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
