/** The user whose data is to be changed, and by which right: an owner key (its SHA-256), or the operator's word. */
export type Authority = { readonly userKey: number; readonly ownerKeyHash: string | null };

/** The authority of a request: the key that it presents must still be an active owner key when the change is decided. */
export const byOwnerKey = ({ hash, user }: { hash: string; user: { key: number } }): Authority => ({
  userKey: user.key,
  ownerKeyHash: hash,
});

/** The authority of the operator, who needs no key. */
export const byOperator = (userKey: number): Authority => ({ userKey, ownerKeyHash: null });
