import {
  counted,
  freesNothing,
  moreRoom,
  nodeLabelsRemedy,
  nodeLabelsText,
  ofPartition,
  ofQueue,
  partitionOptionText,
  placeOptions,
  type RunbookCode,
  withRunbook,
} from '#contracts';
import type { Attention, PartitionSituation, StatusView, WebhookStatus } from '#contracts/api';
import { needsPerson } from '#enforcement';
import type { WaitingConsumer } from '#messaging';
import type { ServerDown, StaleFile } from '#platform';
import type { ConfiguredAttention } from '../queries/partition-statements.js';
import { clusterUnknown, waitsForApproval } from '../waiting/for-someone.js';

/** The most notices of one configuration that are listed by themselves. */
const mostOfConfiguration = 20;

/** An event that is older shows a consumer that does not read, or one that is far too slow. */
const behindSeconds = 300;

/** Conditions that do not end without a person, the most urgent first. */
export function needsAttention({
  down,
  at,
  partitions,
  configured,
  deadLetters,
  webhook,
  outdated,
  consumers,
  stale = [],
}: Pick<StatusView, 'partitions' | 'deadLetters' | 'webhook' | 'consumers' | 'at'> & {
  down: readonly ServerDown[];
  configured: readonly ConfiguredAttention[];
  outdated: readonly WaitingConsumer[];
  stale?: readonly StaleFile[];
}): Attention[] {
  return [
    ...down.map(serverDown),
    ...stale.map(accessFileRefused).map(withPage),
    ...partitions.flatMap((partition) => overdueClocks(partition, at)).map(withPage),
    ...partitions.flatMap(runsToApprove).map(withPage),
    ...partitions.flatMap(silentScheduler),
    ...partitions.flatMap(wrongClocks).map(withPage),
    ...partitions.flatMap(labelledNodes).map(withPage),
    ...partitions.flatMap(quotasNotMet).map(withPage),
    ...configured.flatMap(ignoredInPart),
    ...partitions.flatMap(stopsInForce).map(withPage),
    ...deadLettersLeft(deadLetters).map(withPage),
    ...webhookFails(webhook).map(withPage),
    ...outdated.map(newerRelease).map(withPage),
    ...behind(consumers, outdated).map(withPage),
  ];
}

/** A condition of a kind for which it is settled whether it has a runbook. */
type Found = Omit<Attention, 'code' | 'runbook'> & { code: RunbookCode };

const withPage = (found: Found): Attention => ({ ...found, ...withRunbook(found.code) });

const servers: Readonly<Record<string, { name: string; without: string; remedy: string }>> = {
  database: {
    name: 'The database',
    without: 'nothing is recorded, planned or evicted, and no command is taken',
    remedy: 'check that PostgreSQL runs and that DATABASE_URL leads to it; Curtail continues by itself',
  },
  kafka: {
    name: 'Kafka',
    without: 'events wait in the log; stops and other commands are recorded, and evictions wait for reports',
    remedy: 'check that Kafka runs and that KAFKA_BROKERS leads to it; Curtail continues by itself',
  },
  redis: {
    name: 'Redis',
    without: 'wake-ups may be late; sweeps still find all due clocks',
    remedy: 'check that Redis runs and that REDIS_URL leads to it; Curtail continues by itself',
  },
};

/** Servers that do not answer come first: everything else may follow from that. */
export function serverDown({ name, code, reason, remedy }: ServerDown): Attention {
  const known = servers[name] ?? { name, without: 'what needs it waits', remedy: 'see the log of Curtail' };
  const isDown = code === 'no-answer' || code === 'unreachable';
  return {
    code: isDown ? 'server-down' : code,
    message: isDown
      ? `${known.name} does not answer (${reason}): ${known.without}.`
      : `${reason[0]!.toUpperCase()}${reason.slice(1)}.`,
    remedy: remedy ?? known.remedy,
    ...withRunbook(isDown ? 'server-down' : code, name),
    about: ofPartition('default'),
  };
}

/** Rights and tokens that someone has taken away may still hold. */
const accessFileRefused = ({ variable, fault }: StaleFile): Found => ({
  code: 'access-file-refused',
  message: `The file of ${variable} changed and cannot be used (${fault}); its former content stays in force.`,
  remedy: 'correct the file: it is read again at once',
  about: ofPartition('default'),
});

/** Longer than a timer needs after a restart, and than sweeps are apart. */
const overdueMs = 60_000;

/** Nothing holds them: the timer does not run, or is stuck. */
function overdueClocks({ partition, due }: PartitionSituation, at: string): Found[] {
  const late = due.first.filter(
    ({ waiting, dueAt }) =>
      waiting.code === 'overdue' && Date.parse(at) - Date.parse(String(dueAt)) > overdueMs,
  );
  const [first] = late;
  if (!first) return [];
  return [
    {
      code: 'clocks-overdue',
      message: `${counted(late.length, 'clock of', 'clocks of')} partition ${partition} ${late.length === 1 ? 'is' : 'are'} overdue, first that of ${first.queue}, and nothing holds ${late.length === 1 ? 'it' : 'them'}: no timer service works.`,
      remedy: 'check that the timer runs, its /readyz, and curtail_sweep_failures_total of its metrics',
      about: ofPartition(partition),
    },
  ];
}

const runsToApprove = ({ waiting }: PartitionSituation): Found[] => waiting.first.map(waitsForApproval);

/** The page is that of the notice: reports do not arrive for many reasons. */
const silentScheduler = ({ inventory }: PartitionSituation): Attention[] =>
  inventory
    ? clusterUnknown(inventory).map((found) => ({ ...found, ...withRunbook(inventory.notices[0]!.code) }))
    : [];

/** Reports count all the same, but the platform service takes requests for expired, and evicts nothing. */
function wrongClocks({ partition, inventory }: PartitionSituation): Found[] {
  return (inventory?.notices ?? [])
    .filter(({ code }) => code === 'clock-skew')
    .map(({ message, source }) => ({
      code: 'clock-skew',
      message: `${message[0]!.toUpperCase()}${message.slice(1)}: it may refuse evictions as too late.`,
      remedy: `set the clock of ${source === null ? 'the platform service' : source} by NTP`,
      about: ofPartition(partition),
    }));
}

/** Every clock and round of the partition is refused: its sums would be wrong. */
function labelledNodes({ partition, nodeLabels = [] }: PartitionSituation): Found[] {
  if (nodeLabels.length === 0) return [];
  return [
    {
      code: 'node-labels',
      message: `The configuration of partition ${partition} has ${nodeLabelsText(nodeLabels)}, which Curtail does not count: nothing is enforced in it.`,
      remedy: nodeLabelsRemedy,
      about: ofPartition(partition),
    },
  ];
}

function quotasNotMet({ partition, above }: PartitionSituation): Found[] {
  const option = partitionOptionText(partition);
  return above.first.filter(needsPerson).map(({ queue, reason, blocked }) => {
    const see = `see why with curtail explain queue ${queue}${option}`;
    return {
      code: 'quota-not-met',
      message: `Queue ${queue} stays above its quota. ${reason}`,
      remedy: freesNothing(blocked)
        ? `${moreRoom}; ${see}`
        : `${see}, or enforce it with curtail enforce ${queue}${option}`,
      about: ofQueue(queue),
    };
  });
}

function ignoredInPart({ partition, notices }: ConfiguredAttention): Attention[] {
  const remedy = 'correct it in the cluster that the configuration comes from';
  const rest = notices.length - mostOfConfiguration;
  return [
    ...notices.slice(0, mostOfConfiguration).map(({ code, message, about }) => ({
      code,
      message: `${message}.`,
      remedy,
      about,
    })),
    ...(rest > 0
      ? [
          {
            code: 'configuration-notices',
            message: `${counted(rest, 'more notice', 'more notices')} about the configuration of partition ${partition}.`,
            remedy: `list them with curtail get notices${partitionOptionText(partition)}`,
            about: ofPartition(partition),
          },
        ]
      : []),
  ];
}

/** A stop is meant to be temporary, and only a person ends it; the clocks that it suspends run again once it is cleared. */
function stopsInForce({ partition, stops, suspended }: PartitionSituation): Found[] {
  // Any of the stops, or the switch of the partition, may suspend them.
  const held =
    suspended === 0
      ? 'no run evicts there until someone resumes evictions'
      : `${counted(suspended, 'clock of the partition is', 'clocks of the partition are')} suspended`;
  return stops.map(({ queue, by, reason }) => ({
    code: 'stopped',
    message: `User ${by} stopped evictions in ${queue ?? `partition ${partition}`}${reason ? ` (${reason})` : ''}, and ${held}.`,
    remedy: `resume them with curtail resume${placeOptions(partition, queue)}`,
    about: queue === null ? ofPartition(partition) : ofQueue(queue),
  }));
}

function deadLettersLeft(letters: number): Found[] {
  if (letters === 0) return [];
  return [
    {
      code: 'dead-letters',
      message: `${counted(letters, 'event was', 'events were')} put aside as ${letters === 1 ? 'a dead letter' : 'dead letters'}.`,
      remedy: 'see the reasons with curtail dead-letters list',
      about: ofPartition('default'),
    },
  ];
}

function webhookFails(webhook: WebhookStatus | null): Found[] {
  if (!webhook || webhook.failing + webhook.dead === 0) return [];
  const { failing, dead, lastError } = webhook;
  const parts = [
    ...(failing > 0 ? [`${counted(failing, 'message is', 'messages are')} being retried`] : []),
    ...(dead > 0 ? [`${counted(dead, 'message was', 'messages were')} given up`] : []),
  ];
  return [
    {
      code: 'webhook-fails',
      message: `Deliveries to the webhook fail: ${parts.join(', ')}${lastError === null ? '' : `; ${lastError}`}.`,
      remedy:
        'check its receiver and CURTAIL_WEBHOOK_URL, then run curtail webhook test; curtail webhook resend sends again what was given up',
      about: ofPartition('default'),
    },
  ];
}

/** Whatever keeps its processes from reading: each of them is not ready, and says why. One that waits for a newer release says so itself. */
function behind(consumers: StatusView['consumers'], outdated: readonly WaitingConsumer[]): Found[] {
  return consumers
    .filter(
      ({ name, ageSeconds }) =>
        ageSeconds >= behindSeconds && !outdated.some(({ consumer }) => consumer === name),
    )
    .map(({ name, lag, ageSeconds }) => ({
      code: 'consumer-behind',
      message: `Consumer ${name} has not handled ${counted(lag, 'event', 'events')}; the oldest has waited for ${counted(Math.floor(ageSeconds / 60), 'minute', 'minutes')}.`,
      remedy: 'see whether its processes run: /readyz and the log of each name what keeps it from reading',
      about: ofPartition('default'),
    }));
}

function newerRelease({ consumer, where, reason }: WaitingConsumer): Found {
  return {
    code: 'consumer-waits',
    message: `Consumer ${consumer} waits at ${where}: ${reason}.`,
    remedy: 'finish the upgrade: start processes of the newer release',
    about: ofPartition('default'),
  };
}
