/*
 * The public records. What the service answers is checked against these in the tests, and the interface
 * description and the client's types are made from them.
 */
export * from '#domain/records/account';
export { httpDate } from '#domain/records/fields';
export * from '#domain/records/prices';
export * from '#domain/records/service';
export * from '#domain/records/statistics';
