/** A command of a page and what it is shown to print. */
export interface ShownCommand {
  command: string;
  expected: string;
  /** Ended by Ctrl-C once that was printed. */
  interrupted: boolean;
}

/** The commands of the ```console blocks, in order. */
export function shownCommands(markdown: string): ShownCommand[] {
  const commands: ShownCommand[] = [];
  for (const [, block] of markdown.matchAll(/^```console\n(.*?)^```$/gms)) {
    for (const line of (block ?? '').split('\n').slice(0, -1)) {
      const last = commands.at(-1);
      if (line.startsWith('$ ')) commands.push({ command: line.slice(2), expected: '', interrupted: false });
      else if (line === '^C') last!.interrupted = true;
      else last!.expected += `${line}\n`;
    }
  }
  return commands;
}

/**
 * The constant part of an output: times, ages, ids and digests become their kinds, blanks collapse, and so do the lines
 * that a longer or shorter time may break in another place.
 */
export function lasting(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '<time>')
    .replaceAll(/\bin \d+ s\b/g, 'in <n> s')
    .replaceAll(/\b(?:\d+ min )?\d+ (s|ms|min) (ago|late|after)\b/g, '<n> $1 $2')
    .replaceAll('just now', '<n> s ago')
    .replaceAll(/on time|<n> ms late/g, '<lateness>')
    .replaceAll(/\be-[0-9a-z]{12}\b/g, '<run>')
    .replaceAll(/snapshot [0-9a-f]{12}/g, 'snapshot <digest>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<url>')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
