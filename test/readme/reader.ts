import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ownVariables } from '../support/curtail-process.js';
import { StartedProgram } from '../support/started-program.js';
import type { GuideCommand } from './guide-commands.js';
import { lasting, withoutVersions } from './lasting.js';
import type { Preparation } from './preparations.js';

const longestMs = 120_000;
const againMs = 300;
/** Of the checkout, what a reader's Curtail makes for itself. */
const ownFolders = new Set(['.curtail', '.git']);
/** Lines that change the shell that the next ones are typed into. */
const ofShell = /^(export |cd |source |[A-Z_]+=\S*$)/;

export interface Printed {
  output: string;
  status: number | null;
}

/** A reader of guides, who types commands into a shell in a checkout of their own. */
export class Reader {
  private readonly ids = new Map<string, string>();
  private shell: string[] = [];
  private preparation: Preparation = {};

  private readonly variables: Record<string, string | undefined>;

  private constructor(
    readonly folder: string,
    programs: string,
  ) {
    const { FORCE_COLOR: _, PATH = '', ...own } = ownVariables();
    const shown = { CURTAIL_OUTPUT: 'table', COLUMNS: '80', TZ: 'UTC' };
    this.variables = {
      ...own,
      ...shown,
      PATH: `${programs}:${PATH}`,
      // Where a start writes the context of its address.
      CURTAIL_CONFIG: join(folder, '..', 'config.yaml'),
      CURTAIL_PORT: '0',
      CURTAIL_LOG_LEVEL: 'warn',
    };
  }

  /**
   * @param folder an empty one. What the reader types is carried out in `checkout` there, with the files of this checkout. `curtail` is on the
   *   PATH, and `npx curtail` is found without npm, which takes longer than most commands.
   */
  static async in(folder: string): Promise<Reader> {
    const [checkout, programs] = [join(folder, 'checkout'), join(folder, 'programs')];
    await mkdir(checkout);
    for (const name of await readdir('.')) {
      if (!ownFolders.has(name)) await symlink(resolve(name), join(checkout, name));
    }
    const called = join(folder, 'node_modules', '.bin');
    for (const place of [programs, called]) {
      await mkdir(place, { recursive: true });
      await symlink(resolve('bin/curtail.mjs'), join(place, 'curtail'));
    }
    const npx = join(programs, 'npx');
    await writeFile(npx, `#!/bin/sh\n[ "$1" = curtail ] && shift && exec ${called}/curtail "$@"\nexit 127\n`);
    await chmod(npx, 0o755);
    return new Reader(checkout, programs);
  }

  /** Types what starts something that keeps running, and waits until it runs. */
  async start(line: string, variables: Record<string, string> = {}): Promise<StartedProgram> {
    const started = StartedProgram.spawn(this.own(line), {
      cwd: this.folder,
      environment: { ...this.variables, ...variables },
    });
    await started.written(/Ctrl-C stops/);
    return started;
  }

  /** From now on commands go to this Curtail. */
  use(url: string): void {
    this.variables.CURTAIL_SERVER = url;
  }

  with(variables: Record<string, string>): void {
    Object.assign(this.variables, variables);
  }

  /** Turns to another page, and sees to it that what it needs is there. */
  async open(preparation: Preparation = {}): Promise<void> {
    this.shell = [];
    this.preparation = preparation;

    for (const [name, source] of Object.entries(preparation.files ?? {}))
      await copyFile(source, join(this.folder, name));
    for (const line of preparation.before ?? []) {
      const { status, output } = await this.run(line);
      if (status === 2) throw new Error(`cannot prepare the page: ${line}\n${output}`);
    }
  }

  /** Types a command, with the names that things have here. A list that is compared is read again until `isDone`. */
  async type(command: GuideCommand, isDone: (printed: Printed) => boolean): Promise<Printed> {
    const line = this.own(await this.withIds(command.text));
    if (ofShell.test(line)) this.shell.push(line);
    const changes = command.place === 'compared' && changing.test(line);
    if (changes) return this.until(line, isDone, command.interrupted);
    const printed = await this.run(line, command.interrupted);
    // Without a terminal nothing is asked: the answer is an option.
    return asks.test(printed.output) ? this.run(`${line.replace(/ +#.*$/, '')} --yes`) : printed;
  }

  /** What stands on the page for an id that is printed here, and stays so. */
  remember(onPage: string, here: string): void {
    if (!this.ids.has(onPage)) this.ids.set(onPage, here);
  }

  /** A text that was printed here, with the ids of the page. */
  onPage(text: string): string {
    let replaced = text;
    for (const [onPage, here] of this.ids) replaced = replaced.replaceAll(here, onPage);
    return replaced;
  }

  /** Ids that a page shows for its own example are looked up when they are needed. */
  private async withIds(text: string): Promise<string> {
    let line = text;
    for (const [onPage, from] of Object.entries(this.preparation.ids ?? {})) {
      if (!word(onPage).test(line)) continue;
      const { output } = await this.until(from, (found) => name.test(found.output));
      const here = name.exec(output)?.[1] ?? onPage;
      line = line.replaceAll(word(onPage), () => here);
    }
    return line;
  }

  private own(text: string): string {
    let line = text;
    const words = Object.entries(this.preparation.words ?? {});
    for (const [onPage, here] of [...words, ...this.ids]) line = line.replaceAll(word(onPage), () => here);
    return line;
  }

  private async until(
    line: string,
    isDone: (printed: Printed) => boolean,
    interrupted = false,
  ): Promise<Printed> {
    for (const end = performance.now() + longestMs; ; await delay(againMs)) {
      const printed = await this.run(line, interrupted);
      if (isDone(printed) || performance.now() > end) return printed;
    }
  }

  private async run(line: string, interrupted = false): Promise<Printed> {
    const child = spawn('sh', ['-c', ['exec 2>&1', ...this.shell, line].join('\n')], {
      cwd: this.folder,
      detached: true,
      env: { ...this.variables, ...this.preparation.variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    let isInterrupted = false;
    const closed = once(child, 'close');
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (!interrupted || isInterrupted || output.trim().split('\n').length < 2) return;
      isInterrupted = true;
      process.kill(-child.pid!, 'SIGINT');
    });
    const [status] = (await closed) as [number | null];
    const url = this.variables.CURTAIL_SERVER;
    return { status, output: url ? output.replaceAll(url, 'http://127.0.0.1:8080') : output };
  }
}

/** What they print becomes another in a moment, by itself. */
const changing = /\bcurtail (get|status|inventory status|dead-letters list)\b/;
const asks = /^error: .*Add --yes to confirm/m;
/** A line of `-o name`: `enforcement/e-…`. */
const name = /^[a-z]+\/(\S+)$/m;
const word = (text: string): RegExp => new RegExp(`(?<![\\w-])${escaped(text)}(?![\\w-])`, 'g');
export const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Whether a page shows what was printed: `…` stands for anything. */
export function shows(expected: string, printed: string): boolean {
  let rest = lasting(withoutVersions(printed));
  const parts = withoutVersions(expected)
    .split(/^\s*…\s*$/m)
    .map(lasting);
  return parts.every((part, index) => {
    const at = rest.indexOf(part);
    if (at < 0 || (index === 0 && at > 0)) return false;
    rest = rest.slice(at + part.length);
    return index < parts.length - 1 || part === '' || rest === '';
  });
}

/** Of a table on a page: the lines of capitals that head its columns. */
export function headersOf(expected: string): string[] {
  return expected
    .split('\n')
    .filter((line) => /^ *[A-Z]{2,}(?: +[A-Z]{2,})+$/.test(line))
    .map((line) => lasting(line));
}
