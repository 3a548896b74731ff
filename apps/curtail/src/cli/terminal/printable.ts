import { styleText } from 'node:util';
import type { Output, Terminal } from './terminal.js';

/**
 * Text from outside made safe for a terminal: on one line, without the control characters (escape sequences among
 * them) with which an id could repaint the screen.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes them
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** A line of output with its colours, made safe likewise: whatever the line is composed of, no other control character reaches the terminal. */
export function safeLine(line: string): string {
  return line.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern keeps the sequences of `styleFor` and replaces all others
    /\u001b\[(?:1|2|22|31|32|33|39)m|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (found) => (found.length > 1 ? found : '\ufffd'),
  );
}

export type Tone = 'plain' | 'title' | 'good' | 'bad' | 'doubtful' | 'faint';

export type Style = (tone: Tone, text: string) => string;

const formats = {
  title: 'bold',
  good: 'green',
  bad: 'red',
  doubtful: 'yellow',
  faint: 'dim',
} as const;

/** Colour on a terminal only, and only without NO_COLOR (https://no-color.org). */
export function styleFor(output: Output, env: Terminal['env'], wanted: boolean): Style {
  // Decided for the stream written to; styleText would check the standard output of the process.
  const coloured = wanted && output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return (tone, text) =>
    coloured && tone !== 'plain' ? styleText(formats[tone], text, { validateStream: false }) : text;
}
