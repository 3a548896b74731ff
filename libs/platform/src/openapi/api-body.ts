import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';

/** Where `ApiTextBody` keeps the schemas of a body by content type, until `withComponents` puts them in their places. */
export const byContentType = 'x-by-content-type';

/**
 * Describes a body that is text in one of several content types, each with an example of it, or JSON of the same shape.
 *
 * @param texts examples by content type; the first also shows how the text is sent as a JSON string.
 */
export function ApiTextBody(texts: Readonly<Record<string, string>>, json: Readonly<object>) {
  const [first] = Object.values(texts);
  const schemas = {
    ...Object.fromEntries(
      Object.entries(texts).map(([type, example]) => [type, { type: 'string', examples: [example] }]),
    ),
    'application/json': {
      oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }],
      examples: [json, first],
    },
  };
  return applyDecorators(
    ApiConsumes(...Object.keys(schemas)),
    ApiBody({ schema: { [byContentType]: schemas } as object }),
  );
}
