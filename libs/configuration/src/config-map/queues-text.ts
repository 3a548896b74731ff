import { flattened, policyGroupKey, queuesKey } from './flattened.js';
import { unpacked } from './unpacked.js';

/** A ConfigMap as the API server gives it. */
export interface ConfigMapContent {
  data?: Readonly<Record<string, string>>;
  /** Values in base64. */
  binaryData?: Readonly<Record<string, string>>;
}

/**
 * The configuration of queues that YuniKorn reads from a ConfigMap, and its key there, by the same rules as `configurationIn`. Undefined if
 * there is none, or none that can be read.
 */
export function queuesTextOf({
  data = {},
  binaryData = {},
}: ConfigMapContent): { key: string; text: string } | undefined {
  const entries = flattened<string>([{ data: Object.entries(data), binaryData: Object.entries(binaryData) }]);
  const textUnder = (name: string) => {
    const { key, value, form } = entries.get(name) ?? {};
    if (key === undefined || value === undefined || form === 'unreadable') return undefined;
    if (form === 'plain') return { key, text: value };
    const read = unpacked(value);
    return 'text' in read ? { key, text: read.text } : undefined;
  };
  if (!entries.has(policyGroupKey)) return textUnder(queuesKey());
  const group = textUnder(policyGroupKey);
  return group && textUnder(queuesKey(group.text));
}
