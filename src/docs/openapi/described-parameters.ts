import type { Operation, Parameter } from './operation-shapes.ts';
import type { Schema } from './schema-examples.ts';

/** What a value is and what is wanted, as one text. The choices of an `enum` are in the schema already. */
function inWords(
  description: string | undefined,
  fix: string | undefined,
  schema: Schema,
): string | undefined {
  if (!description || !fix) return description ?? fix;
  if (schema.enum) return description;
  return description.endsWith('.') ? `${description} Wanted: ${fix}.` : `${description}: ${fix}`;
}

/**
 * A parameter as it is on the wire. `fix`, what is wanted, becomes a part of the description; `wire` takes the place
 * of a schema that zod would make of the text before it is parsed.
 */
export function describedParameter({ schema, example, ...rest }: Parameter): Parameter {
  const { fix, wire, ...plain } = schema as Schema & { fix?: string; wire?: Schema };
  const { examples, ...shape } = wire ?? plain;
  const description = inWords(rest.description, fix, shape);
  const shown = examples?.[0] ?? example;
  return {
    ...rest,
    ...(description && { description }),
    schema: shape,
    ...(shown !== undefined && { example: shown }),
  };
}

/** A body as it is on the wire: of its members too, what is wanted becomes a part of the description. */
export function describedBody({ content, ...rest }: NonNullable<Operation['requestBody']>) {
  const onWire = ({ schema: { properties, ...schema } }: { schema: Schema }) => {
    const members = Object.entries(properties ?? {}).map(([name, { fix, description, ...member }]) => {
      const words = inWords(description, fix as string | undefined, member);
      return [name, { ...member, ...(words && { description: words }) }];
    });
    return { schema: { ...schema, ...(properties && { properties: Object.fromEntries(members) }) } };
  };
  const media = Object.entries(content).map(([type, one]) => [type, onWire(one)]);
  return { required: true, ...rest, content: Object.fromEntries(media) };
}
