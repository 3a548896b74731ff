/**
 * The id of an operation, from which generators make names: `getEventsById` of `GET /v1/events/{id}`. Made from its method and path, which
 * stay; Nest's would be made from the names of classes.
 */
export function operationId(method: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'v1');
  const last = parts.at(-1) ?? '';
  const words = parts.filter((part) => !isParameter(part)).map(capitalized);
  return method + words.join('') + (isParameter(last) ? `By${capitalized(last.slice(1, -1))}` : '');
}

const isParameter = (part: string) => part.startsWith('{');

const capitalized = (text: string) =>
  text.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
