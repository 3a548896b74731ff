const colours: Record<string, string> = { warn: '\u001b[33m', error: '\u001b[31m', fatal: '\u001b[31m' };
const plain = '\u001b[0m';
const dim = '\u001b[2m';
const indent = '    ';
/** Indents the further lines of a message, to distinguish them from lines of the log. */
const below = `\n${indent}`;

/** A line of the JSON log as a line for people: time, level, context, message, other fields; a stack below it. */
export function prettyLine(json: string, colour: boolean): string {
  const { time, level, context, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const paint = (code: string | undefined, text: string) =>
    colour && code ? `${code}${text}${plain}` : text;
  const parts = [
    paint(dim, String(time).slice(11, 23)),
    paint(colours[String(level)], String(level).toUpperCase().padEnd(5)),
    ...(context === undefined ? [] : [paint(dim, visible(`[${String(context)}]`))]),
    ...(msg === undefined ? [] : [String(msg).split('\n').map(visible).join(below)]),
    ...Object.entries(rest).map(([key, value]) =>
      paint(dim, visible(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)),
    ),
  ];
  return `${parts.join(' ')}\n${errorLines(err)}`;
}

function errorLines(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  return `${String(stack ?? message)
    .split('\n')
    .map((line) => indent + visible(line.trim()))
    .join('\n')}\n`;
}

/**
 * Text from outside, such as a header or a name in a message: control characters and those that change the direction of a line are
 * written as escapes, so that no text can forge a line, repaint the screen or clear it.
 */
function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
