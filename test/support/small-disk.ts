import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, type FileHandle, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { query } from './query.js';
import { temporaryFolder } from './temporary-folder.js';

const megabytes = 96;

/** A folder on a disk of its own that a test can fill. */
export class SmallFolder {
  private constructor(private readonly folder: { path: string; remove(): Promise<void> }) {}

  static async make(size = megabytes): Promise<SmallFolder> {
    const folder = await temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=755`, 'tmpfs', folder.path]);
    return new SmallFolder(folder);
  }

  get path(): string {
    return this.folder.path;
  }

  /** No block is left. */
  async fill(): Promise<void> {
    const file = await open(join(this.path, 'filler'), 'w');
    for (const size of [1 << 20, 4096]) while (await isWritten(file, size));
    await file.close();
  }

  /** Room again. */
  async empty(): Promise<void> {
    await rm(join(this.path, 'filler'));
  }

  /** Processes of a server that failed may hold files for a moment: the disk goes when the last of them has ended. */
  async remove(): Promise<void> {
    execFileSync('umount', ['--lazy', this.path]);
    await this.folder.remove();
  }
}

/** A migrated database on a disk of its own that a test can fill. Its log of writes is elsewhere: only tables find no room. */
export class SmallDisk {
  private constructor(
    readonly url: string,
    private readonly server: string,
    private readonly name: string,
    private readonly folder: SmallFolder,
  ) {}

  /** Whether this account may mount a disk. */
  static isPossible(): boolean {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
    try {
      execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }

  /** @param server the address of a PostgreSQL of this machine, with the database `curtail_migrated`. */
  static async make(server: string): Promise<SmallDisk> {
    const folder = await SmallFolder.make();
    const [row] = await query(server, 'SHOW data_directory');
    const { uid, gid } = await stat(String(row?.data_directory));
    await chown(folder.path, uid, gid);
    const name = `small_${randomBytes(6).toString('hex')}`;
    await query(server, `CREATE TABLESPACE ${name} LOCATION '${folder.path}'`);
    await query(server, `CREATE DATABASE ${name} TEMPLATE curtail_migrated TABLESPACE ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    return new SmallDisk(url.href, server, name, folder);
  }

  fill(): Promise<void> {
    return this.folder.fill();
  }

  empty(): Promise<void> {
    return this.folder.empty();
  }

  async remove(): Promise<void> {
    await query(this.server, `DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
    await query(this.server, `DROP TABLESPACE ${this.name}`);
    await this.folder.remove();
  }
}

/** @returns false: the disk is full. */
async function isWritten(file: FileHandle, bytes: number): Promise<boolean> {
  try {
    return (await file.write(Buffer.alloc(bytes, 1))).bytesWritten === bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
