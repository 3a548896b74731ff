import { counted } from '../counted.js';
import type { QuotaValues } from '../events/shapes.js';
import { quotaSentence } from './quota-sentence.js';

type Fields = Record<string, unknown>;

/** One sentence for people that describes an event with its key numbers. Depends on no service. */
export function sentenceOf(name: string, data: unknown): string {
  const event = data as Fields;
  switch (name) {
    case 'ConfigApplied':
      return `a configuration of ${counted(Number(event.queues), 'queue')} is in force, ${event.changed} changed${sentBy(event)}${onlyQueueOf(event)}`;
    case 'ConfigRefused':
      return `a configuration was refused: ${counted(listOf(event.errors).length, 'error')}`;
    case 'QuotaChanged':
      return quotaSentence(event.previous as QuotaValues, event.current as QuotaValues);
    case 'QueueRemoved':
      return 'removed from the configuration';
    case 'QuotaNoted':
      return 'its new values have no effect on a clock';
    case 'EnforcementScheduled':
      return `a run is due at ${event.dueAt} (${words(event.cause)})${putOff(event)}`;
    case 'EnforcementRescheduled':
      return `the run is now due at ${event.dueAt}, before it was ${event.previousDueAt} (${words(event.cause)})${putOff(event)}`;
    case 'EnforcementCancelled':
      return event.cause === 'operator'
        ? `${event.by === undefined ? 'an operator' : `user ${event.by}`} cancelled the run that was due at ${event.dueAt}`
        : `the clock that was due at ${event.dueAt} ended without a run (${words(event.cause)})`;
    case 'EnforcementSkipped':
      return skippedSentence(event);
    case 'QuotaNotMet':
    case 'EnforcementRejudged':
      return firstNotice(event.notices) ?? name;
    case 'QuotaMet':
      return 'it is within its quota again';
    case 'EnforcementStarted':
      return `run ${event.enforcement} started, ${event.lateMs} ms after it was due`;
    case 'RoundStarted':
      return `round ${event.round} (${event.enforcement}) of ${event.policy} started, ${event.lateMs} ms after it was due`;
    case 'RoundFailed':
      return `rounds of ${event.policy} cannot be planned: ${event.message}`;
    case 'StatusChanged':
      return `${event.kind} ${event.name} is ${event.to === 'normal' ? 'no longer below its fair share' : 'below its fair share'}`;
    case 'StarvationChanged':
      return event.to === 'non_starving'
        ? `${event.kind} ${event.name} no longer starves`
        : `${event.kind} ${event.name} is ${String(event.to).replaceAll('_', ' ')}`;
    case 'TimerStarted':
      return `${event.kind} ${event.name} has until ${event.dueAt}; then a plan is requested`;
    case 'TimerRestarted':
      return `${event.kind} ${event.name} now has until ${event.dueAt}, before it was ${event.previousDueAt}`;
    case 'TimerCancelled':
      return `the timer of ${event.kind} ${event.name}, due at ${event.dueAt}, ended early`;
    case 'PlanComputed': {
      const plan = event.plan as Fields;
      return `run ${event.enforcement} has a plan: ${plan.outcome}, ${counted(listOf(plan.victims).length, 'victim')}`;
    }
    case 'PlanFailed':
      return `run ${event.enforcement} could not be planned: ${event.message}`;
    case 'PlanApproved':
      return `user ${event.by} approved run ${event.enforcement}`;
    case 'PlanRejected':
      return `user ${event.by} rejected run ${event.enforcement}${because(event)}`;
    case 'EnforcementOpened':
      return event.needsApproval
        ? `run ${event.enforcement} waits for approval: ${event.approvalReason}`
        : `run ${event.enforcement} is carried out (mode ${event.mode})`;
    case 'EnforcementHeld':
      return `run ${event.enforcement} waits for approval: ${event.message}`;
    case 'EnforcementEnded':
      return String(event.message);
    case 'EnforcementReleased':
      return `the queue is free again (${words(event.cause)})`;
    case 'VictimOrdered':
      return `${event.allocation} is to be evicted (attempt ${event.attempt})`;
    case 'VictimNotified':
      if (event.interrupts)
        return `${event.allocation} was asked to finish; it is killed at ${event.killAt} if it has not`;
      return `the owner of ${event.allocation} was notified: it is evicted if a round still selects it at ${event.killAt} or later`;
    case 'VictimForgotten':
      return `${event.allocation} was not selected again; the notification of its owner no longer counts`;
    case 'VictimEvicted':
      return `${event.allocation} was evicted: ${event.reason}`;
    case 'VictimForeseen':
    case 'ForesightWithdrawn':
      return String(event.message);
    case 'VictimRefused':
    case 'VictimGone':
    case 'VictimSpared':
    case 'VictimFailed':
      return `${event.allocation}: ${event.message}`;
    case 'ConfigurationApproved':
      return `user ${event.by} approved all runs of configuration ${event.configuration} until ${event.until}${because(event)}`;
    case 'ConfigurationRejected':
      return `user ${event.by} rejected all runs of configuration ${event.configuration}${because(event)}`;
    case 'KillSwitchSet':
      return `user ${event.by} stopped all evictions of ${event.queue ?? 'the partition'}${because(event)}`;
    case 'FreezeSet':
      return `${event.configured ? `the configuration of ${event.by}` : `user ${event.by}`} froze ${event.queue ?? 'the partition'}${windowOf(event.window)}${because(event)}`;
    case 'FreezeCleared':
      return `${event.configured ? `the configuration of ${event.by}` : `user ${event.by}`} cleared ${counted(listOf(event.freezes).length, 'freeze')}`;
    case 'SettingsChanged':
      return `user ${event.by} changed settings of ${event.queue}: ${changesOf(event.changes)}${because(event)}`;
    case 'InventoryAccepted':
      return `user ${event.by} accepted the listing ${event.sequence}: ${event.drops} of ${event.of} running allocations were removed`;
    case 'InventoryReset':
      return `user ${event.by} reset the sequences of the inventory; it is unknown until the next whole listing`;
    case 'DeadLettersRetried':
      return `user ${event.by} retried ${counted(listOf(event.letters).length, 'dead letter')}`;
    case 'DeadLettersDiscarded':
      return `user ${event.by} discarded ${counted(listOf(event.letters).length, 'dead letter')}${because(event)}`;
    case 'KillSwitchCleared':
      return `user ${event.by} resumed evictions of ${event.queue ?? 'the partition'}`;
    case 'CancelRequested':
      return `user ${event.by} cancelled run ${event.enforcement}${because(event)}`;
    case 'OwnerAnswerRefused':
      return `the answer ${event.answer} of user ${event.by} changes nothing: ${event.message}`;
    case 'OwnerAnswered':
      return answerSentence(event);
    case 'EnforcementRequested':
      return `user ${event.by} requested a run ${event.atOnce ? 'at once' : 'after the delay of the queue'}${because(event)}`;
    case 'ModeChanged':
      return `user ${event.by} set the mode to ${event.mode}`;
    default:
      return name;
  }
}

function skippedSentence({ cause, enforcement, notices }: Fields): string {
  switch (cause) {
    case 'running':
      return `a run is in progress${enforcement === undefined ? '' : ` (${enforcement})`} and continues; the change is judged when it ends`;
    case 'suspended':
      return firstNotice(notices) ?? 'its clock is suspended';
    default:
      return `no run follows (${words(cause)})`;
  }
}

function answerSentence({ by, allocation, answer, seconds, until, checkpointedAt }: Fields): string {
  switch (answer) {
    case 'extend':
      return until === undefined
        ? `user ${by} extended the time of ${allocation} by ${seconds} s from the opening of the run`
        : `user ${by} extended the time of ${allocation}: it is not evicted before ${until}`;
    case 'checkpointed':
      return `user ${by} saved the work of ${allocation} up to ${checkpointedAt}`;
    default:
      return `user ${by} is ready to lose ${allocation}`;
  }
}

/** When a freeze is in effect: once, or by its rule. */
function windowOf(window: unknown): string {
  const { from, until, start, timeZone, duration, rule } = window as Fields;
  if (rule === undefined) return ` from ${from} until ${until}`;
  return ` from ${start} (${timeZone}) for ${duration} each time, by the rule ${rule}`;
}

/** `quota-lowered` as `quota lowered`. */
function words(cause: unknown): string {
  return String(cause).replaceAll('-', ' ');
}

function because({ reason }: Fields): string {
  return reason ? `: ${reason}` : '';
}

/** `victimsPerSecond from the configured value to 1, miss from 5 to 0` */
function changesOf(changes: unknown): string {
  const shown = (value: unknown) => (value === null ? 'the configured value' : JSON.stringify(value));
  return (listOf(changes) as { setting: string; from: unknown; to: unknown }[])
    .map(({ setting, from, to }) => `${setting} from ${shown(from)} to ${shown(to)}`)
    .join(', ');
}

function firstNotice(notices: unknown): string | undefined {
  return (listOf(notices)[0] as { message: string } | undefined)?.message;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `; user ann sent it`, `; user ann rolled back to version 17`, or nothing. */
function sentBy({ by, rolledBackTo }: Fields): string {
  if (rolledBackTo !== undefined) {
    return `; ${by === undefined ? '' : `user ${by} `}rolled back to version ${rolledBackTo}`;
  }
  return by === undefined ? '' : `; user ${by} sent it`;
}

const onlyQueueOf = ({ onlyQueue }: Fields): string =>
  onlyQueue === undefined ? '' : `; only ${onlyQueue} was sent`;

const putOff = ({ ownDueAt }: Fields): string =>
  ownDueAt === undefined ? '' : `, not at ${ownDueAt}: its max goes up and down`;
