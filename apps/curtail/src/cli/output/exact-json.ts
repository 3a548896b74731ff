/**
 * JSON in which a `bigint` is a number with all its digits, and characters that could repaint a terminal or reorder its text are
 * escaped. `indent` 0 = on one line.
 */
export function exactJson(value: unknown, indent = 0): string {
  return escaped(json(value, indent));
}

/** They occur in strings only, where JSON.stringify has escaped those below U+0020. */
function escaped(text: string): string {
  return text.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function json(value: unknown, indent: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? 'null';
  } catch (error) {
    // The built-in function is several times faster, but refuses a bigint.
    if (!(error instanceof TypeError)) throw error;
    return write(value, indent, indent === 0 ? '' : '\n');
  }
}

function write(value: unknown, indent: number, lineBreak: string): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = lineBreak + ' '.repeat(indent);
  const [open, close, items] = Array.isArray(value)
    ? ['[', ']', value.map((item) => write(item, indent, inner))]
    : [
        '{',
        '}',
        Object.entries(value)
          .filter(([, item]) => item !== undefined)
          .map(
            ([key, item]) => `${JSON.stringify(key)}:${indent > 0 ? ' ' : ''}${write(item, indent, inner)}`,
          ),
      ];
  return items.length === 0 ? open + close : `${open}${inner}${items.join(`,${inner}`)}${lineBreak}${close}`;
}
