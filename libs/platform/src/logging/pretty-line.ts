const colours: Record<string, string> = { warn: '\u001b[33m', error: '\u001b[31m', fatal: '\u001b[31m' };
const plain = '\u001b[0m';
const dim = '\u001b[2m';

/** A line of the JSON log as a line for people: time, level, context, message, other fields; a stack below it. */
export function prettyLine(json: string, colour: boolean): string {
  const { time, level, context, msg, err, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const paint = (code: string | undefined, text: string) =>
    colour && code ? `${code}${text}${plain}` : text;
  const parts = [
    paint(dim, String(time).slice(11, 23)),
    paint(colours[String(level)], String(level).toUpperCase().padEnd(5)),
    ...(context === undefined ? [] : [paint(dim, `[${String(context)}]`)]),
    ...(msg === undefined ? [] : [String(msg)]),
    ...Object.entries(rest).map(([key, value]) =>
      paint(dim, `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ),
  ];
  return `${parts.join(' ')}\n${errorLines(err)}`;
}

function errorLines(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  return `${String(stack ?? message)
    .split('\n')
    .map((line) => `    ${line.trim()}`)
    .join('\n')}\n`;
}
