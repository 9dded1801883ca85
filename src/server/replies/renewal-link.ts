/**
 * The `Link` of a registration (RFC 8288): the call that renews the key, and the guide's section about it. `validUntil`, in
 * the body, states when the key expires.
 */
export const renewalLink = (basePath: string) =>
  [
    `<${basePath}/v1/user/renew>; rel="related"; title="renew"`,
    `<${basePath}/docs#renewal>; rel="help"; title="How to renew the key"`,
  ].join(', ');
