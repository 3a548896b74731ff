import { styleText } from 'node:util';
import type { Output, Terminal } from './terminal.js';

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
