import type { Operation, Parameter } from './operation-shapes.ts';

type Document = { paths: Record<string, Record<string, Operation>>; components: object };

/** The parameters that several operations describe in the same words, by name; of several with one name the commonest. */
function sharedOf({ paths }: Document): Map<string, Parameter> {
  const uses = new Map<string, Parameter[]>();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const text = JSON.stringify(parameter);
    uses.set(text, [...(uses.get(text) ?? []), parameter]);
  }
  const often = [...uses.values()].filter((same) => same.length > 1).sort((a, b) => a.length - b.length);
  return new Map(often.flatMap(([one]) => (one ? [[one.name, one]] : [])));
}

/** The document with `components.parameters`: what several operations take is described there, once. */
export function withSharedParameters(document: Document): object {
  const shared = sharedOf(document);
  const refer = (parameter: Parameter) =>
    JSON.stringify(shared.get(parameter.name)) === JSON.stringify(parameter)
      ? { $ref: `#/components/parameters/${parameter.name}` }
      : parameter;
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, { parameters, ...operation }]) => [
      method,
      { ...operation, ...(parameters && { parameters: parameters.map(refer) }) },
    ]);
    return [path, Object.fromEntries(operations)];
  });
  const components = { ...document.components, parameters: Object.fromEntries(shared) };
  return { ...document, paths: Object.fromEntries(paths), components };
}
