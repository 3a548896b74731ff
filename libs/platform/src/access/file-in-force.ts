import { statSync, unwatchFile, watchFile } from 'node:fs';
import type { Logger } from 'pino';
import { faultText, RefusedFile } from './checked-file.js';

/** How often a file is looked at. It is asked for by its path each time: mounted files are replaced by links to others. */
const lookMs = 1000;

/** What keeps a changed file from coming into force. */
export interface StaleFile {
  variable: string;
  /** The first fault, with its place. */
  fault: string;
}

/**
 * The content of a file, which is read again when it changes. A content that cannot be used never comes into force: the last usable one stays, and
 * `stale` says why until a usable one is there.
 */
export class FileInForce<T> {
  stale: StaleFile | undefined;

  private constructor(
    private readonly variable: string,
    private readonly path: string,
    private readonly read: (path: string) => T,
    public value: T,
  ) {}

  /** @throws RefusedFile at the start, where there is no former content. */
  static open<T>(variable: string, path: string, read: (path: string) => T): FileInForce<T> {
    return new FileInForce(variable, path, read, read(path));
  }

  /** @returns stops it. It keeps no process running. */
  follow(log: Logger): () => void {
    const look = () => this.reload(log);
    watchFile(this.path, { interval: lookMs, persistent: false }, look);
    return () => unwatchFile(this.path, look);
  }

  reload(log: Logger): void {
    const fields = { variable: this.variable, file: this.path };
    try {
      statSync(this.path);
      this.value = this.read(this.path);
      this.stale = undefined;
      log.info(fields, `The file of ${this.variable} changed, and its new content is in force.`);
    } catch (err) {
      const fault =
        err instanceof RefusedFile ? faultText(this.path, err.faults[0]!) : String((err as Error).message);
      this.stale = { variable: this.variable, fault };
      log.error(
        { ...fields, err },
        `The file of ${this.variable} changed and is refused; its former content stays in force.`,
      );
    }
  }
}
