import { crc32 } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * One animated PNG of frames that have the same size and the same kind of pixels: their compressed pixels are taken as they are.
 * https://www.w3.org/TR/png-3/#apng-frame-based-animation
 *
 * @param {{ png: Buffer, seconds: number }[]} frames
 */
export function animated(frames) {
  const all = frames.map(({ png, seconds }) => ({ chunks: chunksOf(png), seconds }));
  const header = all[0].chunks.find(({ type }) => type === 'IHDR').data;
  let sequence = 0;
  const parts = [signature, chunk('IHDR', header), chunk('acTL', numbers(all.length, 0))];
  for (const [index, { chunks, seconds }] of all.entries()) {
    if (!chunks.find(({ type }) => type === 'IHDR').data.equals(header))
      throw new Error('a frame differs in size');
    const size = [header.readUInt32BE(0), header.readUInt32BE(4)];
    // Delay in hundredths of a second; the frame replaces the one before.
    const delay = Buffer.from([0, 0, 0, 100, 0, 0]);
    delay.writeUInt16BE(Math.round(seconds * 100));
    parts.push(chunk('fcTL', Buffer.concat([numbers(sequence++, ...size, 0, 0), delay])));
    const pixels = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
    if (index === 0) parts.push(chunk('IDAT', pixels));
    else parts.push(chunk('fdAT', Buffer.concat([numbers(sequence++), pixels])));
  }
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}

function chunksOf(png) {
  const chunks = [];
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += 12 + length;
  }
  return chunks;
}

function chunk(type, data) {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), content, numbers(crc32(content))]);
}

function numbers(...values) {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
