/*
 * The public records. What the service answers is checked against these in the tests, and the interface
 * description and the client's types are made from them.
 */
export * from '#accounts/records';
export { httpDate } from '#core/record-fields';
export * from '#docs/records';
export * from '#prices/records';
export * from '#statistics/records';
