import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Far more than the longest messages of a fetch; compressed data may hold a thousand times their own size. */
const mostBytes = 128 * 1024 * 1024;

/** Replaces the client's own decompression, which has no limit but the memory. */
export const boundedGzip = {
  compress: ({ buffer }: { buffer: Buffer }): Promise<Buffer> => pack(buffer),

  /** @throws Error if it holds too much: the batch is put aside unread (`unreadable-batches.ts`). */
  decompress: async (buffer: Buffer): Promise<Buffer> => {
    try {
      return await unpack(buffer, { maxOutputLength: mostBytes });
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      const tooLong = new Error(`compressed messages hold more than ${mostBytes / 2 ** 20} MiB`);
      // The client would decompress it repeatedly before it reports this.
      throw Object.assign(tooLong, { retriable: false });
    }
  },
};
