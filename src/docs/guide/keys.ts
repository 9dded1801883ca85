import { PLAN_NAMES } from '#accounts/allowance/plan';
import { fenced, type GuideSettings } from './words.ts';

/* How to come by a key, and what to do with it and the account. */

export function gettingKey(base: string, { registration, registrationsPerMinute }: GuideSettings): string {
  if (registration === 'closed') {
    return 'Registration is closed on this service: ask the operator for a key.';
  }
  const pace =
    registrationsPerMinute > 0
      ? ` One IP address can register at most ${registrationsPerMinute} times a minute.`
      : '';
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\``).join(' or ');
  return `Register with a name, an e-mail address and a plan (${plans}): \`POST /v1/user/create\`. No e-mail is sent.${pace}

\`\`\`sh
curl -X POST '${base}/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly'
\`\`\`

The member \`apiKey\` of the answer is the key: \`qt_\` and 38 letters and digits. It is shown only once, since the service \
stores just its hash: save it. \`POST /v1/user/rotate\` replaces it by a new one.

It is the owner key: whoever has it can change and erase the account. For a web page or a script make a key of its own, \
which can only read prices (\`scopes=prices\`) or call the node (\`scopes=node\`), and share in the same allowance:

\`\`\`sh
curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/keys?label=shop%20window&scopes=prices'
\`\`\`

The pages of another origin can call the service only if the operator has allowed their origin (CORS, \`CORS_ORIGINS\`): \
ask for that before you put a key into a page of yours. Your own server or script needs no such thing.

\`GET /v1/user/keys\` lists your keys with when each was last used, and \`DELETE /v1/user/keys/{id}\` ends one.`;
}

export const leakedKey = (
  base: string,
  basePath: string,
) => `Replace the owner key by a new one: \`POST /v1/user/rotate\`, or in [the console](${basePath}/) "Replace key…" in the account \
menu. With \`graceSeconds=0\`, in the console "immediately", the old key ends at once; without it, after five minutes in which it \
can still read. Usage, plan and validity stay, and so do your other keys.

${fenced('sh', `curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/rotate?graceSeconds=0'`)}

The answer has the new key, once: save it. A key that you made with \`POST /v1/user/keys\` ends with \`DELETE /v1/user/keys/{id}\`, \
in which \`id\` is its number in \`GET /v1/user/keys\`, where you also see when it was last used. If you have lost the owner key, \
\`POST /v1/user/recover\` mails a way to a new one.`;

export const account = (
  base: string,
  basePath: string,
) => `[The console](${basePath}/) shows your usage and your keys, and its account menu has the rest: "Renew key…", "Sign out", \
which takes the key out of that browser and leaves it valid, and "Delete account…".

To delete the account with a call: every key ends at once, and the name and the e-mail address are erased. It cannot be undone.

${fenced('sh', `curl -X DELETE -H "X-API-KEY: $KEY" '${base}/v1/user'`)}`;
