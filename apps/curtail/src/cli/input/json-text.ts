/** A place in a text; line and column count from 1. */
export interface TextPlace {
  line: number;
  column: number;
}

// One token with the blanks before it: a mark, a text, or a number or word.
const tokens =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON text holds none
  /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

/** Where a JSON text goes wrong; undefined if it does not. For messages: a parser has refused the text already. */
export function jsonFault(text: string): TextPlace | undefined {
  for (const step of walk(text)) {
    if (step.kind === 'fault') return placeAt(text, step.offset);
  }
  return undefined;
}

/**
 * Where the value at a path such as `snapshot.queues[3].max.memory` stands in a JSON text: the first of the paths that is
 * there. One walk, whatever the number of paths.
 */
export function placeInJson(text: string, paths: readonly string[]): TextPlace | undefined {
  const found = new Map<string, number>();
  for (const step of walk(text)) {
    if (step.kind === 'fault') break;
    const { at = '' } = step.path.at(-1) ?? {};
    const ending = typeof at === 'number' ? `[${at}]` : at.slice(1, -1);
    // Most values are of no interest; the whole path is put together only for the others.
    if (!ending.includes('\\') && !paths.some((path) => path.endsWith(ending))) continue;
    const path = pathOf(step.path);
    if (paths.includes(path) && !found.has(path)) found.set(path, step.offset);
    if (path === paths[0]) break;
  }
  const best = paths.find((path) => found.has(path));
  return best === undefined ? undefined : placeAt(text, found.get(best) ?? 0);
}

/** The keys of the object that a JSON text is, as far as it can be read: of a text that is cut off, those that are whole. */
export function wholeKeys(text: string): string[] {
  const keys: string[] = [];
  for (const step of walk(text)) {
    if (step.kind === 'fault') return keys.slice(0, -1);
    const [first, ...below] = step.path;
    if (below.length === 0 && typeof first?.at === 'string') keys.push(JSON.parse(first.at) as string);
  }
  return keys;
}

type Step = { kind: 'value'; path: readonly Frame[]; offset: number } | { kind: 'fault'; offset: number };

interface Frame {
  /** The key or index of the value that is being read. */
  at: string | number;
}

/** Every value as it begins, with the keys and indices that lead to it; the first fault ends it. Keeps no recursion. */
function* walk(text: string): Generator<Step> {
  const frames: Frame[] = [];
  let expected: 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing' = 'value';
  tokens.lastIndex = 0;
  for (;;) {
    const from = tokens.lastIndex;
    const match = tokens.exec(text);
    if (match === null) {
      const rest = /\S/.exec(text.slice(from));
      if (rest !== null || expected !== 'nothing')
        yield { kind: 'fault', offset: from + (rest?.index ?? text.length - from) };
      return;
    }
    const [whole, mark, string] = match;
    const end = tokens.lastIndex;
    const offset = end - whole.trimStart().length;
    const inside = frames.at(-1);
    if (expected === ':' && mark === ':') {
      expected = 'value';
    } else if ((expected === 'key' || expected === 'key or }') && string !== undefined && inside) {
      inside.at = string;
      expected = ':';
    } else if (expected === ', or end' && mark === ',' && inside) {
      if (typeof inside.at === 'number') inside.at++;
      expected = typeof inside.at === 'number' ? 'value' : 'key';
    } else if (closes(mark, inside, expected)) {
      frames.pop();
      expected = frames.length === 0 ? 'nothing' : ', or end';
    } else if (
      (expected === 'value' || expected === 'value or ]') &&
      (mark === undefined || mark === '{' || mark === '[')
    ) {
      yield { kind: 'value', path: frames, offset };
      tokens.lastIndex = end;
      if (mark === '{') frames.push({ at: '' });
      if (mark === '[') frames.push({ at: 0 });
      expected =
        mark === '{'
          ? 'key or }'
          : mark === '['
            ? 'value or ]'
            : frames.length === 0
              ? 'nothing'
              : ', or end';
    } else {
      yield { kind: 'fault', offset };
      return;
    }
  }
}

function closes(mark: string | undefined, inside: Frame | undefined, expected: string): boolean {
  if (inside === undefined) return false;
  if (mark === ']')
    return typeof inside.at === 'number' && (expected === ', or end' || expected === 'value or ]');
  return (
    mark === '}' && typeof inside.at === 'string' && (expected === ', or end' || expected === 'key or }')
  );
}

/** Keys are kept as they stand in the text, in quotes, and only unwrapped where they are compared. */
function pathOf(frames: readonly Frame[]): string {
  return frames.reduce((path, { at }) => {
    if (typeof at === 'number') return `${path}[${at}]`;
    const key = at === '' ? '' : (JSON.parse(at) as string);
    return path === '' ? key : `${path}.${key}`;
  }, '');
}

function placeAt(text: string, offset: number): TextPlace {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}
