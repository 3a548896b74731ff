import { inflateRawSync } from 'node:zlib';

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const fileHeader = 0x04034b50;
const stored = 0;
const deflated = 8;
/** Of the unpacked file: the largest here has 6 MB. */
const limitBytes = 64_000_000;

/**
 * Unpacks one file of a zip archive (a jar), which neither Node nor a Java runtime can by itself.
 * Neither encrypted archives nor those over 4 GB. @throws Error if it is not in the archive, or the archive is damaged.
 */
export function readZipEntry(archive: Buffer, name: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || archive.readUInt32LE(end) !== endOfDirectory) throw new Error('no zip archive');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== directoryEntry) throw new Error('damaged zip archive');
    const nameLength = archive.readUInt16LE(at + 28);
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) return unpack(archive, at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`the archive has no ${name}`);
}

function unpack(archive: Buffer, entry: number): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const packedBytes = archive.readUInt32LE(entry + 20);
  const header = archive.readUInt32LE(entry + 42);
  if (archive.readUInt32LE(header) !== fileHeader) throw new Error('damaged zip archive');
  // The lengths in front of the file may differ from those in the directory.
  const from = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const packed = archive.subarray(from, from + packedBytes);
  if (method === stored) return packed;
  if (method === deflated) return inflateRawSync(packed, { maxOutputLength: limitBytes });
  throw new Error(`the archive has a compression method (${method}) that is not known here`);
}
