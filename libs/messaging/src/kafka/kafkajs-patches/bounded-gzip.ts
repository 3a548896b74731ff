import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Far more than the longest messages of a fetch come to; what is packed may hold a thousand times its own length. */
const mostBytes = 128 * 1024 * 1024;

/** In place of the client's own, which unpacks whatever comes, up to the end of the memory. */
export const boundedGzip = {
  compress: ({ buffer }: { buffer: Buffer }): Promise<Buffer> => pack(buffer),

  /** @throws Error if it holds too much: the consumer cannot go past it. */
  decompress: async (buffer: Buffer): Promise<Buffer> => {
    try {
      return await unpack(buffer, { maxOutputLength: mostBytes });
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      const tooLong = new Error(`compressed messages hold more than ${mostBytes / 2 ** 20} MiB`);
      // The client would unpack it again and again before it says so.
      throw Object.assign(tooLong, { retriable: false });
    }
  },
};
