/* How other capabilities change a user or join its row. */
export { changeUser, IS_ACTIVE_OWNER, USER_COLUMNS, updateUser } from './change-user-store.ts';
