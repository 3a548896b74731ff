import { gunzipSync } from 'node:zlib';
import { configurationLimits } from '#contracts';

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The text of a compressed entry of `binaryData`: gzip, in base64. The content is untrusted: it is unpacked up to the size of the largest
 * configuration, and no further.
 *
 * @returns the text, or what is wrong and what would be right.
 */
export function unpacked(value: string): { text: string } | { fault: string } {
  const written = value.replace(/\s+/g, '');
  if (written === '' || written.length % 4 !== 0 || !base64.test(written)) {
    return { fault: 'is not base64; write what `gzip -c queues.yaml | base64 -w0` prints' };
  }
  let bytes: Buffer;
  try {
    bytes = gunzipSync(Buffer.from(written, 'base64'), { maxOutputLength: configurationLimits.bytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      return {
        fault: `unpacks to more than ${configurationLimits.bytes} bytes, the most that a configuration has`,
      };
    }
    const { message } = error as Error;
    return {
      fault: `is not gzip (${message}); write what \`gzip -c queues.yaml | base64 -w0\` prints`,
    };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { fault: 'unpacks to a text with NUL characters; remove them' } : { text };
  } catch {
    return { fault: 'unpacks to something else than UTF-8; pack a text in that encoding' };
  }
}
