import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform';
import { query } from './query.js';
import { temporaryFolder } from './temporary-folder.js';

const run = promisify(execFile);

/** Two PostgreSQL clusters of one version, and the way of a database from the first into the second: pg_dump and pg_restore. */
export class MovedDatabase {
  private constructor(
    private readonly programs: string,
    private readonly folder: Awaited<ReturnType<typeof temporaryFolder>>,
    readonly first: EmbeddedPostgres,
    readonly second: EmbeddedPostgres,
  ) {}

  /** @param programs a folder of `completePostgres`. */
  static async start(programs: string): Promise<MovedDatabase> {
    const folder = await temporaryFolder();
    const start = (name: string) =>
      startEmbeddedPostgres({ dataDir: join(folder.path, name), binDir: programs, durable: false });
    const [first, second] = await Promise.all([start('first'), start('second')]);
    return new MovedDatabase(programs, folder, first, second);
  }

  /** Has the first cluster give out so many transaction ids. */
  async burn(transactions: number): Promise<void> {
    await query(
      this.first.url,
      `DO $$ BEGIN FOR i IN 1..${transactions} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
    );
  }

  /** @returns the file. */
  async dump(): Promise<string> {
    const file = join(this.folder.path, 'curtail.dump');
    await this.call('pg_dump', ['--format=custom', `--dbname=${this.first.url}`, `--file=${file}`]);
    return file;
  }

  /** Into the empty database of the second cluster. */
  async restore(file: string): Promise<void> {
    await this.call('pg_restore', ['--exit-on-error', `--dbname=${this.second.url}`, file]);
  }

  async remove(): Promise<void> {
    await Promise.all([this.first.stop(), this.second.stop()]);
    await this.folder.remove();
  }

  private async call(program: string, words: string[]): Promise<void> {
    await run(join(this.programs, program), words, { cwd: '/' });
  }
}
