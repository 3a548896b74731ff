import { runnable } from './called.js';
import { CommandError } from './errors.js';
import { type OutputFormat, outputFormats } from './output/formats.js';
import { safeLine } from './output/printable.js';
import { type Style, styleFor } from './output/style.js';
import type { Terminal } from './terminal.js';

/** The options that every command has. */
export interface GeneralOptions {
  output?: OutputFormat;
  server?: string;
  token?: string;
  color: boolean;
  quiet?: boolean;
}

export const defaultServer = 'http://127.0.0.1:8080';

/** One call of one command: its streams, and the options of all commands. */
export class Invocation {
  readonly format: OutputFormat;
  /** Whether this call chose the format; otherwise the environment does, or the kind of standard output. */
  readonly formatGiven: boolean;
  readonly style: Style;
  readonly quiet: boolean;
  readonly server: string;
  readonly token: string | undefined;
  /** How commands of hints begin: as this one did, with the server that it named. */
  readonly call: string;

  constructor(
    readonly terminal: Terminal,
    options: GeneralOptions,
  ) {
    const { stdout, env } = terminal;
    this.format = options.output ?? formatOf(env.CURTAIL_OUTPUT) ?? (stdout.isTTY ? 'table' : 'json');
    this.formatGiven = options.output !== undefined;
    this.style = styleFor(stdout, env, options.color);
    this.quiet = options.quiet ?? false;
    this.server = options.server ?? (env.CURTAIL_SERVER || defaultServer);
    this.token = options.token ?? (env.CURTAIL_TOKEN || undefined);
    const { call = 'curtail' } = terminal;
    this.call = options.server === undefined ? call : `${call} --server ${options.server}`;
  }

  /** Width of a result: that of the terminal, or COLUMNS without a terminal, else unlimited. */
  get width(): number {
    const { stdout, env } = this.terminal;
    if (this.format === 'wide') return Number.POSITIVE_INFINITY;
    if (stdout.isTTY) return stdout.columns ?? 80;
    return Number(env.COLUMNS) || Number.POSITIVE_INFINITY;
  }

  /** Standard output is a terminal: long output is cut, unless everything was requested. */
  get isForPeople(): boolean {
    return this.terminal.stdout.isTTY === true && (this.format === 'table' || this.format === 'wide');
  }

  /** A hint whose commands work as they are, with this server. */
  hint(text: string): string {
    return runnable(text, this.call);
  }

  /** Prints a message beside the result. */
  report(message: string): void {
    if (!this.quiet) this.terminal.stderr.write(`${safeLine(this.hint(message))}\n`);
  }
}

function formatOf(text: string | undefined): OutputFormat | undefined {
  if (!text) return undefined;
  const format = outputFormats.find((known) => known === text);
  if (format) return format;
  throw new CommandError(
    `CURTAIL_OUTPUT is ${JSON.stringify(text)}; write one of ${outputFormats.join(', ')}`,
  );
}
