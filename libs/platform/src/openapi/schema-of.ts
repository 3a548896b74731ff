import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

/** The permitted body of a request, as its description in OpenAPI has it. */
export function schemaOf(shape: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input' });
  return schema as JsonSchema;
}

/**
 * An answer as its description in OpenAPI has it. Clients must bear fields that a later version adds, so objects are open. Schemas with
 * an id are in `$defs`, which `withComponents` makes components of the document.
 */
export function answerSchemaOf(shape: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      withoutPattern(jsonSchema);
    },
  });
  return schema as JsonSchema;
}

/** The query parameters of an operation: `ApiQuery` for each field of the shape that checks them. */
export function parametersOf(shape: z.ZodObject): { name: string; required: boolean; schema: JsonSchema }[] {
  const optional = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', override: fieldsOnly });
  const { properties = {} } = z.toJSONSchema(shape, { io: 'output', override: fieldsOnly });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: optional.required?.includes(name) ?? false,
    schema: schema as JsonSchema,
  }));
}

const fieldsOnly = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) =>
  withoutPattern(jsonSchema);

/** `format` names it: the expression that zod checks a time or id with helps no reader. */
function withoutPattern(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format !== undefined) delete schema.pattern;
}
