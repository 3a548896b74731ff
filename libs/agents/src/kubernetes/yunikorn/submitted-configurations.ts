import { setTimeout as delay } from 'node:timers/promises';
import type { ConfigurationOutcome, SourceConfiguration } from '../../port.js';
import type { YunikornPartition } from '../../yunikorn/answers.js';
import type { YunikornApi } from '../../yunikorn/yunikorn-api.js';
import type { ConfigMap } from '../objects.js';
import type { Finding, SharedWatches } from '../queue-source.js';
import { partitionsIn, preemptionTwiceIn } from './read-yunikorn.js';
import {
  type ConfigurationInForce,
  isSavedInForce,
  keepConfiguration,
  readInForce,
  type SavedConfiguration,
  SavedConfigurationMirror,
  type ToSubmit,
  toSubmit,
} from './saved-configuration.js';

interface SubmittedConfigurationsOptions {
  api: YunikornApi;
  /** The namespace of the ConfigMap with `queues.yaml`. */
  namespace: string;
  configMap: string;
  /** Ends all reads. */
  signal: AbortSignal;
  /** Another configuration is to be submitted, or one has got its answer. */
  onChange: () => void;
}

/** YuniKorn applies a save within milliseconds. */
const settleMs = { check: 50, whole: 5000 };
const shownCharacters = 800;

/**
 * The configuration of YuniKorn that is submitted for each partition, and what its owner hears of it.
 *
 *     ConfigMap saved --> in force (checksum of /ws/v1/config)? --yes--> submitted
 *                              +--no, for some seconds--> reason (validate-conf) on the ConfigMap; the old one stays in force
 */
export class SubmittedConfigurations {
  private readonly saved: SavedConfigurationMirror;
  private isStarted = false;
  private settling: Promise<void> = Promise.resolve();
  private lastReading: Promise<unknown> = Promise.resolve();
  private last: ToSubmit | undefined;
  private configurations: ReadonlyMap<string, SourceConfiguration> = new Map();
  /** The submission that Curtail has refused in each partition, and its errors. */
  private readonly refused = new Map<string, { submission: string; message: string }>();
  /** The resourceVersion of the save whose refusal was explained. */
  private explained: string | undefined;

  constructor(
    private readonly shared: SharedWatches,
    private readonly options: SubmittedConfigurationsOptions,
  ) {
    const { namespace, configMap } = options;
    this.saved = new SavedConfigurationMirror(configMap, () => this.settle());
    shared.watch<ConfigMap>(`/api/v1/namespaces/${namespace}/configmaps`, keepConfiguration, this.saved, {
      fieldSelector: `metadata.name=${configMap}`,
    });
  }

  start(): void {
    this.isStarted = true;
  }

  async stop(): Promise<void> {
    await this.settling;
    this.isStarted = false;
  }

  of(partition: string): SourceConfiguration | undefined {
    return this.configurations.get(partition);
  }

  isRefused(partition: string): boolean {
    return (
      this.refused.has(partition) &&
      this.refused.get(partition)?.submission === this.configurations.get(partition)?.submission
    );
  }

  async recordOutcome(partition: string, outcome: ConfigurationOutcome): Promise<void> {
    const { submission } = outcome.data;
    if (submission === undefined || submission !== this.configurations.get(partition)?.submission) return;
    if (outcome.kind === 'refused') {
      this.refused.set(partition, { submission, message: listed(outcome.data.errors) });
    } else {
      this.refused.delete(partition);
    }
    this.report(
      'ConfigurationRefused',
      'refused-by-curtail',
      [...this.refused].map(
        ([name, { message }]) =>
          `Curtail refuses this configuration, and enforces nothing in partition ${name} until it is fixed: ${message}`,
      ),
    );
    if (outcome.kind === 'applied') this.reportBareDelays(outcome.data.notices);
    this.options.onChange();
  }

  /**
   * Reads run one after the other, so that an earlier answer cannot replace a newer one.
   *
   * @returns whether the configuration of the ConfigMap is in force.
   */
  read(partitions?: readonly YunikornPartition[]): Promise<boolean> {
    const reading = this.lastReading.then(async () => {
      const { api, signal } = this.options;
      const inForce = readInForce(await api.text('/ws/v1/config', { signal }));
      await this.take(inForce, partitions ?? (await partitionsIn(api, signal)));
      const saved = this.saved.configuration;
      if (saved && !isSavedInForce(saved, inForce)) return false;
      this.explained = undefined;
      this.report('ConfigurationNotInForce', 'refused-by-yunikorn', []);
      return true;
    });
    this.lastReading = reading.catch(() => undefined);
    return reading;
  }

  /** Follows a save until it is in force, or the time for it is over. Saves are followed one after the other; the newest counts. */
  settle(): void {
    if (!this.isStarted) return;
    this.settling = this.settling
      .then(() => this.follow(this.saved.configuration))
      .catch((error: Error) => {
        if (this.options.signal.aborted) return;
        this.shared.onTrouble('Could not check whether a configuration is in force', error);
      });
  }

  private async follow(saved: SavedConfiguration | undefined): Promise<void> {
    const { signal } = this.options;
    const version = () => this.saved.configuration?.resourceVersion;
    for (let waited = 0; waited < settleMs.whole; waited += settleMs.check) {
      if (version() !== saved?.resourceVersion || signal.aborted || isExplained(this.explained, saved))
        return;
      if (await this.read()) return;
      await delay(settleMs.check, undefined, { signal });
    }
    if (saved) await this.explain(saved);
  }

  private async explain({ resourceVersion, text }: SavedConfiguration): Promise<void> {
    const reason = await this.options.api.refusal(text, this.options.signal);
    const message =
      reason === undefined
        ? 'YuniKorn has another configuration in force, though it finds no error in this one: check whether ' +
          'service.enableConfigHotRefresh is false, or another ConfigMap has its queues or its service.policyGroup, or ' +
          'restart YuniKorn'
        : `YuniKorn refuses this configuration, and the one before stays in force: ${reason}`;
    this.explained = resourceVersion;
    this.report('ConfigurationNotInForce', 'refused-by-yunikorn', [message]);
  }

  /** Stores the configuration in force for the agents. */
  private async take(inForce: ConfigurationInForce, partitions: readonly YunikornPartition[]): Promise<void> {
    const next = toSubmit(this.saved.configuration, inForce, this.last);
    const isKnown = partitions.every(({ name }) => this.configurations.has(name));
    if (next.submission === this.last?.submission && isKnown) return;
    const { submission, configuration } = next;
    const found = new Map<string, SourceConfiguration>();
    const warnings: string[] = [];
    for (const partition of partitions) {
      const warning = await preemptionTwiceIn(this.options.api, partition, this.options.signal);
      if (warning) warnings.push(warning.message);
      found.set(partition.name, {
        submission,
        format: 'yunikorn',
        configuration,
        // The switch in the text is for YuniKorn itself.
        quotaPreemptionEnabled: true,
        ...(warning && { senderNotices: [warning] }),
      });
    }
    this.last = next;
    this.configurations = found;
    this.report('QuotaPreemptionTwice', 'scheduler-preempts-too', warnings);
    this.options.onChange();
  }

  private reportBareDelays(notices: readonly { code: string; path?: string | undefined }[]): void {
    const bare = notices.filter(({ code }) => code === 'delay-bare-number');
    this.report(
      'DelayWithoutUnit',
      'delay-without-unit',
      bare.map(
        ({ path = 'queues.yaml' }) =>
          `${path}: YuniKorn reads a number without a unit as no delay (0s), Curtail as seconds: write the ` +
          'unit, such as 30s',
      ),
    );
  }

  /** Reports on the ConfigMap, and to the operator of the agent. */
  private report(reason: string, code: string, messages: readonly string[]): void {
    const { namespace, configMap } = this.options;
    const uid = this.saved.object?.metadata.uid ?? '';
    const { key } = this.saved.configuration ?? { key: 'queues.yaml' };
    const object = { kind: 'ConfigMap' as const, namespace, name: configMap, uid };
    this.shared.reportFindings(
      reason,
      messages.map(
        (message): Finding => ({
          severity: 'warning',
          object,
          field: `${/\.gz$/i.test(key) ? 'binaryData' : 'data'}["${key}"]`,
          code,
          message,
        }),
      ),
    );
  }
}

const isExplained = (explained: string | undefined, saved: SavedConfiguration | undefined): boolean =>
  explained !== undefined && explained === saved?.resourceVersion;

/** The first errors, as many as fit. */
function listed(errors: readonly { path: string; message: string; line?: number | undefined }[]): string {
  const texts = errors.map(
    ({ path, message, line }) => `${line === undefined ? '' : `line ${line}: `}${path}: ${message}`,
  );
  let length = 0;
  const shown = texts.filter((text) => {
    length += text.length + 2;
    return length <= shownCharacters;
  });
  const rest = texts.length - shown.length;
  return rest > 0 ? `${shown.join('; ')}; and ${rest} more (curtail validate lists all)` : shown.join('; ');
}
