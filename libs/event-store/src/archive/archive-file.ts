import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A compressed file of lines, which has its name only once it is complete and on disk. */
export class ArchiveFile {
  private readonly hash = createHash('sha256');
  private readonly zip = createGzip();
  private readonly ended: Promise<void>;
  private failed: Error | undefined;

  constructor(private readonly path: string) {
    const counting = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.hash.update(chunk);
        done(null, chunk);
      },
    });
    const out = createWriteStream(this.temporary, { mode: 0o640 });
    this.ended = finished(this.zip.pipe(counting).pipe(out));
    // A full disk fails the write that waits for room, or the next one.
    this.zip.on('error', () => {});
    this.ended.catch((error) => {
      this.failed = error as Error;
      this.zip.destroy(this.failed);
    });
  }

  async write(line: string): Promise<void> {
    const hasRoom = this.zip.write(`${line}\n`);
    if (this.failed) throw this.failed;
    if (!hasRoom) await once(this.zip, 'drain');
  }

  /** @returns the digest of the file in hex, and its size. */
  async complete(): Promise<{ sha256: string; bytes: number }> {
    try {
      this.zip.end();
      await this.ended;
    } catch (error) {
      this.abandon();
      throw error;
    }
    await toDisk(this.temporary);
    await rename(this.temporary, this.path);
    return { sha256: this.hash.digest('hex'), bytes: (await stat(this.path)).size };
  }

  /** Writes nothing more; the temporary file is left for the next attempt to replace. */
  abandon(): void {
    this.zip.destroy();
  }

  private get temporary(): string {
    return `${this.path}.part`;
  }
}

/** Flushes a file, or the entries of a folder. */
export async function toDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
