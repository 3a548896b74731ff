import { BrokenInvariant, defaultPartition } from '#contracts/ground';
import type { Connection } from '../contexts/connection.js';
import { runnable, shellWord } from '../terminal/called.js';
import { CommandError } from '../terminal/errors.js';
import { type Style, safeLine, styleFor } from '../terminal/printable.js';
import type { ExitStatus, Terminal } from '../terminal/terminal.js';

/** The options that every command has. */
export interface GeneralOptions {
  output?: OutputFormat | typeof lineFormat;
  server?: string;
  token?: string;
  clientCert?: string;
  clientKey?: string;
  /** Of the configuration of the command line, not of a kubeconfig. */
  context?: string;
  color: boolean;
  utc?: boolean;
  quiet?: boolean;
}

/** One call of one command: its streams, and the options of all commands. */
export class Invocation {
  readonly format: OutputFormat;
  /** JSON in lines: of a list, one item in each. */
  readonly inLines: boolean;
  /** Whether this call chose the format; otherwise the environment does, or the kind of standard output. */
  readonly formatGiven: boolean;
  readonly style: Style;
  readonly quiet: boolean;
  /** How commands of hints begin: as this one did, with the context, the server and the zone that it named. */
  readonly call: string;

  constructor(
    readonly terminal: Terminal,
    /** As given on the command line. */
    readonly options: GeneralOptions,
    /** @throws as `connectionOf`: only commands that need a server, or the partition of a context, fail. */
    private readonly connected?: () => Connection,
    /** The option or argument that gave a field of a request. */
    readonly optionOf = (path: string): string => path,
  ) {
    const { stdout, env } = terminal;
    const wanted = options.output ?? formatOf(env.CURTAIL_OUTPUT);
    this.inLines = wanted === lineFormat;
    this.format = (wanted === lineFormat ? 'json' : wanted) ?? (stdout.isTTY ? 'table' : 'json');
    this.formatGiven = options.output !== undefined;
    this.style = styleFor(stdout, env, options.color);
    this.quiet = options.quiet ?? false;
    const { call = 'curtail' } = terminal;
    const words = [
      ...(options.context === undefined ? [] : ['--context', shellWord(options.context)]),
      ...(options.server === undefined ? [] : ['--server', options.server]),
      ...(['clientCert', 'clientKey'] as const).flatMap((name) =>
        options[name] === undefined
          ? []
          : [name === 'clientCert' ? '--client-cert' : '--client-key', shellWord(options[name])],
      ),
      ...(options.utc ? ['--utc'] : []),
    ];
    this.call = [call, ...words].join(' ');
  }

  get connection(): Connection {
    if (this.connected) return this.connected();
    throw new BrokenInvariant('this call has no connection');
  }

  /** Of the options, the environment or the context; commands with an option `--partition` have it there. */
  get partition(): string {
    return this.connection.partition.value.toLowerCase();
  }

  get server(): string {
    return this.connection.server.value;
  }

  get token(): string | undefined {
    return this.connection.token.value();
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

  /** A hint whose commands work as they are, with this server and in the partition they are about. */
  hint(text: string): string {
    const { examplesIn = (unchanged: string) => unchanged } = this.terminal;
    return examplesIn(runnable(text, this.call, this.otherPartition(), this.terminal.call ?? 'curtail'));
  }

  /** The partition of commands of hints that name none; undefined where a broken configuration does not say. */
  private otherPartition(): string | undefined {
    try {
      return this.connected ? this.connected().otherPartition : defaultPartition;
    } catch {
      return undefined;
    }
  }

  /** Prints a message beside the result. */
  report(message: string): void {
    if (!this.quiet) this.terminal.stderr.write(`${safeLine(this.hint(message))}\n`);
  }
}

function formatOf(text: string | undefined): OutputFormat | typeof lineFormat | undefined {
  if (!text) return undefined;
  const known = [...outputFormats, lineFormat] as const;
  const format = known.find((one) => one === text);
  if (format) return format;
  throw new CommandError(`CURTAIL_OUTPUT is ${JSON.stringify(text)}; write one of ${known.join(', ')}`);
}

/** The action of a command: `run` gets the invocation, then arguments and options as commander passes them. No status: it is done. */
export interface Action {
  run(invocation: Invocation, ...received: never[]): Promise<ExitStatus | undefined>;
}

/** The output formats. */
export const outputFormats = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof outputFormats)[number];
/** JSON with one value in each line. */
export const lineFormat = 'jsonl';
