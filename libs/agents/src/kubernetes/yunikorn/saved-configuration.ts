import type { ConfigMap } from '../objects.js';
import type { Mirror } from '../reflector.js';
import type { SavedConfiguration } from './configuration-in-force.js';

export const configurationKey = 'queues.yaml';

/** Keeps only the configuration of a ConfigMap. */
export const keepConfiguration = ({ metadata, data }: ConfigMap): ConfigMap => {
  const { name, namespace, uid, resourceVersion } = metadata;
  const text = data?.[configurationKey];
  return {
    metadata: { name, uid, resourceVersion, ...(namespace !== undefined && { namespace }) },
    ...(text !== undefined && { data: { [configurationKey]: text } }),
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
    const text = this.object?.data?.[configurationKey];
    if (this.object === undefined || text === undefined) return undefined;
    const { name, resourceVersion } = this.object.metadata;
    return { name, resourceVersion, text };
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
