import { z } from 'zod';

/** The permitted body of a request, as its description in OpenAPI has it. */
export function schemaOf(shape: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input' });
  return schema as Record<string, unknown>;
}
