// biome-ignore-all assist/source/organizeImports: the interface description lists the schemas in this order.

/*
 * The public records. What the service answers is checked against these in the tests, and the interface
 * description and the client's types are made from them.
 */
export * from '#accounts/records';
export { httpDate } from '#core/record-fields';
export * from '#prices/model/records';
export * from '#docs/records';
export * from '#statistics/records';
