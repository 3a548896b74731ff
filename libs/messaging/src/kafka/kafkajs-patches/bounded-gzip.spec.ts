import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { kafkajs } from '../kafkajs.js';
import { boundedGzip } from './bounded-gzip.js';

describe('data compressed with gzip', () => {
  it('is decompressed unchanged', async () => {
    const packed = await boundedGzip.compress({ buffer: Buffer.from('a configuration') });
    expect(String(await boundedGzip.decompress(packed))).toBe('a configuration');
  });

  it('is refused when it holds far more than messages do, however small it is', async () => {
    const packed = gzipSync(Buffer.alloc(129 * 1024 * 1024), { level: 1 });
    expect(packed.length).toBeLessThan(1024 * 1024);
    const refusal: unknown = await boundedGzip.decompress(packed).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      message: 'compressed messages hold more than 128 MiB',
      retriable: false,
    });
  });

  it('is compressed and decompressed so by the client', () => {
    expect(kafkajs.CompressionCodecs[kafkajs.CompressionTypes.GZIP]()).toBe(boundedGzip);
  });
});
