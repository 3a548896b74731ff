import type { OutputFormat } from './output/print.js';
import { type Style, styleFor } from './output/style.js';
import type { Terminal } from './terminal.js';

/** The options that every command has. */
export interface GeneralOptions {
  output?: OutputFormat;
  server: string;
  token?: string;
  color: boolean;
  quiet?: boolean;
}

/** One call of one command: its streams, and the options that all commands share. */
export class Invocation {
  readonly format: OutputFormat;
  /** Whether the form was asked for, not chosen by what standard output is. */
  readonly formatGiven: boolean;
  readonly style: Style;
  readonly quiet: boolean;
  readonly server: string;
  readonly token: string | undefined;

  constructor(
    readonly terminal: Terminal,
    options: GeneralOptions,
  ) {
    const { stdout, env } = terminal;
    this.format = options.output ?? (stdout.isTTY ? 'table' : 'json');
    this.formatGiven = options.output !== undefined;
    this.style = styleFor(stdout, env, options.color);
    this.quiet = options.quiet ?? false;
    this.server = options.server;
    this.token = options.token ?? env.CURTAIL_TOKEN;
  }

  /** How wide a result may be: as the terminal, or without limit. */
  get width(): number {
    const { isTTY, columns } = this.terminal.stdout;
    return isTTY && this.format !== 'wide' ? (columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** A message beside the result. */
  say(message: string): void {
    if (!this.quiet) this.terminal.stderr.write(`${message}\n`);
  }
}
