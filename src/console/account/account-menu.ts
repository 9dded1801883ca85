import { masked } from '../api/snippets.ts';
import { byId } from '../dom.ts';
import { onDateAt } from '../format.ts';
import type { Confirm } from './confirm.ts';
import type { Session } from './session.ts';

type Events = {
  /** There is a new key, which has to be shown. */
  onKeyReplaced: () => void;
  onRenewed: () => void;
  /** The user signed out or was deleted; `notice` says which. */
  onSignedOut: (notice: string) => void;
};

/** The menu of the signed-in user: remember, renew or replace the key, sign out, delete the account. */
export function openAccountMenu(
  session: Session,
  confirm: Confirm,
  { onKeyReplaced, onRenewed, onSignedOut }: Events,
) {
  const menu = byId('account-menu');
  const remember = byId('menu-remember', HTMLInputElement);

  const askRenewal = () =>
    confirm({
      title: 'Renew the key?',
      text: 'The key stays the same. If it has expired, a new period starts now. If not, it stays valid for one more period, and the allowance of the current period does not change.',
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
  onClick('menu-renew', askRenewal);
  onClick('menu-replace', () =>
    confirm({
      title: 'Replace the key?',
      text: 'You get a new key, which is shown only once. Plan, expiry date and usage carry over, and your keys for pages and programs go on. Until it stops working, the old key can read data but cannot manage the account.',
      yes: 'Replace',
      asksGrace: true,
      async act(graceSeconds) {
        session.continueAs(await session.client.rotate({ graceSeconds }));
        onKeyReplaced();
      },
    }),
  );
  onClick('menu-delete', () =>
    confirm({
      title: 'Delete the account?',
      text: 'All its keys stop working within seconds. Your name and e-mail address are erased. This cannot be undone.',
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

    /** Hides what a key may not do that does not manage the account. */
    restrict(isRestricted: boolean): void {
      for (const id of ['menu-replace', 'menu-renew', 'menu-delete']) byId(id).hidden = isRestricted;
    },

    show(): void {
      const { user } = session;
      if (!user) return;
      byId('menu-name').textContent = user.name;
      const verb = user.validUntil.getTime() > Date.now() ? 'valid until' : 'expired on';
      byId('menu-plan').textContent = `${user.plan} plan, ${verb} ${onDateAt(user.validUntil)}`;
      byId('menu-key').textContent = masked(session.key);
      remember.checked = session.isRemembered();
    },

    /** Forgets the user. */
    clear(): void {
      for (const id of ['menu-name', 'menu-plan', 'menu-key']) byId(id).textContent = '';
    },
  };
}
