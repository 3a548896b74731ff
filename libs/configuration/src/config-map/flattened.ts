import { gunzipSync } from 'node:zlib';
import { configurationLimits } from '#contracts';

/** One ConfigMap: its entries by key. Values of `binaryData` are in base64. */
export interface ConfigMapEntries<V> {
  data: Iterable<readonly [key: string, value: V]>;
  binaryData: Iterable<readonly [key: string, value: V]>;
}

/** An entry under the key that YuniKorn knows it by; `key` is the one in the ConfigMap. */
export interface FlatEntry<V> {
  key: string;
  value: V;
  /** `unreadable`: in `binaryData` under another ending than `.gz`, which gives YuniKorn an empty text. */
  form: 'plain' | 'gzip' | 'unreadable';
}

export const policyGroupKey = 'service.policyGroup';
/** YuniKorn's ConfigMaps, in the order in which it reads them. */
export const configMapNames = ['yunikorn-defaults', 'yunikorn-configs'] as const;
const policyGroupByDefault = 'queues';

/** The key whose text is the configuration of queues in a policy group. */
export const queuesKey = (policyGroup = policyGroupByDefault): string => `${policyGroup}.yaml`;

/**
 * The entries of ConfigMaps as YuniKorn merges them (`FlattenConfigMaps` of its shim): a later ConfigMap replaces keys of an earlier one, and
 * in one ConfigMap a compressed entry (`queues.yaml.gz`) replaces a plain one.
 *
 * @param maps yunikorn-defaults before yunikorn-configs.
 */
export function flattened<V>(maps: Iterable<ConfigMapEntries<V>>): Map<string, FlatEntry<V>> {
  const entries = new Map<string, FlatEntry<V>>();
  for (const { data, binaryData } of maps) {
    for (const [key, value] of data) entries.set(key, { key, value, form: 'plain' });
    for (const [key, value] of binaryData) {
      const ending = /\.[^.]*$/.exec(key)?.[0] ?? '';
      const form = ending.toLowerCase() === '.gz' ? 'gzip' : 'unreadable';
      entries.set(key.slice(0, key.length - ending.length), { key, value, form });
    }
  }
  return entries;
}

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
