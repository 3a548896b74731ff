import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { prettyLine } from '../../libs/platform/src/logging/create-logger.js';

const colours = [36, 33, 32, 35, 34, 31];

/** Where lines go; colours only on a terminal. */
export interface Lines {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** Puts the name of the process before each of its lines, the names as wide as the widest. */
export class LogLines {
  private readonly width: number;

  constructor(
    private readonly names: readonly string[],
    private readonly out: Lines,
  ) {
    this.width = Math.max(...names.map((name) => name.length));
  }

  /** Passes on whole lines as they come, those of a log as lines for people: those of several processes do not mix. */
  follow(name: string, stream: Readable): void {
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      for (const one of this.shown(line).split('\n')) this.write(name, one);
    });
  }

  private shown(line: string): string {
    if (!line.startsWith('{"level":')) return line;
    try {
      return prettyLine(line, this.out.isTTY === true).trimEnd();
    } catch {
      // A process that was killed while it wrote leaves a part of a line.
      return line;
    }
  }

  write(name: string, line: string): void {
    const padded = name.padEnd(this.width);
    const colour = colours[this.names.indexOf(name) % colours.length];
    this.out.write(`${this.out.isTTY ? `\u001b[${colour}m${padded}\u001b[0m` : padded} | ${line}\n`);
  }
}
