import { queuesTextOf } from '#configuration';
import type { ConfigMap } from '../objects.js';
import type { Mirror } from '../reflector.js';
import type { SavedConfiguration } from './configuration-in-force.js';

/** Keeps only the configuration of a ConfigMap, unpacked, under the key that has it. */
export const keepConfiguration = ({ metadata, ...content }: ConfigMap): ConfigMap => {
  const { name, namespace, uid, resourceVersion } = metadata;
  const found = queuesTextOf(content);
  return {
    metadata: { name, uid, resourceVersion, ...(namespace !== undefined && { namespace }) },
    ...(found && { data: { [found.key]: found.text } }),
  };
};

/** The ConfigMap with YuniKorn's configuration. Every save counts, even of the same text. */
export class SavedConfigurationMirror implements Mirror<ConfigMap> {
  /** Undefined: there is none. */
  object: ConfigMap | undefined;

  constructor(
    private readonly name: string,
    private readonly onSave: () => void,
  ) {}

  get configuration(): SavedConfiguration | undefined {
    const [entry] = Object.entries(this.object?.data ?? {});
    if (this.object === undefined || entry === undefined) return undefined;
    const { name, resourceVersion } = this.object.metadata;
    const [key, text] = entry;
    return { name, resourceVersion, key, text };
  }

  replace(all: ConfigMap[]): void {
    this.put(all.find(({ metadata }) => metadata.name === this.name));
  }

  set(one: ConfigMap): void {
    if (one.metadata.name === this.name) this.put(one);
  }

  remove(one: ConfigMap): void {
    if (one.metadata.name === this.name) this.put(undefined);
  }

  private put(object: ConfigMap | undefined): void {
    const before = this.object?.metadata.resourceVersion;
    this.object = object;
    if (object?.metadata.resourceVersion !== before) this.onSave();
  }
}
