import { Badge, Breadcrumbs, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { AnswerOf, components } from '#api-client';
import type { Share } from '#contracts';
import { type Amounts, amountsText } from '../../parts/amounts.js';
import { capitalized } from '../../parts/capitalized.js';
import { ForeseenVictims } from '../../parts/foreseen.tsx';
import { ViewLink } from '../../parts/links.tsx';
import { NoView } from '../../parts/no-view.tsx';
import { outcomeText } from '../../parts/outcome-text.js';
import { Section } from '../../parts/section.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { When } from '../../parts/when.tsx';
import { Commands } from './commands.tsx';
import { PlanTree } from './plan-tree.tsx';
import { Spared } from './spared.tsx';
import { Timeline } from './timeline.tsx';
import { useExplanation, useRun } from './use-run.js';
import { Users } from './users.tsx';
import { Victims } from './victims.tsx';

type Run = components['schemas']['Enforcement'];
type Explanation = AnswerOf<'/v1/enforcements/{enforcement}/explanation', 'get'>;

/** One run: what it does, to whom and why, and what one can do about it. */
export function RunView() {
  const { run: id } = useParams({ from: '/runs/$run' });
  const explained = useExplanation(id);
  const detail = useRun(id);
  // Of the two, this one is read quickly: the explanation may make the plan again.
  const run = detail.data ?? explained.data?.enforcement;
  if (explained.error) return <NoView title={`Run ${id}`} error={explained.error} />;
  if (!run) return <Text>Loading the run…</Text>;
  return (
    <Stack>
      <Breadcrumbs>
        <ViewLink to="/runs">Runs</ViewLink>
        <Text size="sm" className="foreign">
          {run.enforcement}
        </Text>
      </Breadcrumbs>
      <Summary run={run} />
      <Commands run={run} />
      {explained.data?.archived && (
        <Text size="sm">
          <Sentence of={explained.data.archived} />
        </Text>
      )}
      {isPending(run) && (
        <ForeseenVictims
          partition={run.partition}
          of={{ enforcement: run.enforcement }}
          none="Nothing is foreseen: its owners are not notified in advance, it has not been planned yet, or it would evict nothing."
        />
      )}
      {explained.data ? <Explained run={run} explained={explained.data} /> : <Text>Loading its plan…</Text>}
    </Stack>
  );
}

/** The plan, the victims and what was spared. */
function Explained({ run, explained }: { run: Run; explained: Explanation }) {
  const { plan, victims, summary, sparedBy } = explained;
  const nodeOf = new Map(plan?.victims.map(({ allocation, node }) => [allocation, node]));
  return (
    <>
      {summary && (
        <Victims
          key={run.enforcement}
          enforcement={run.enforcement}
          victims={victims}
          total={run.victims}
          summary={summary}
          nodeOf={nodeOf}
        />
      )}
      <Timeline run={run.enforcement} />
      {plan && (
        <PlanTree
          partition={run.partition}
          queue={run.queue}
          run={run.enforcement}
          shares={sharesOf(plan, run.queue)}
        />
      )}
      {plan && <Users shares={sharesOf(plan, run.queue)} />}
      {plan && <Spared run={run.enforcement} groups={sparedBy ?? null} />}
      <Notices notices={plan?.notices ?? []} />
    </>
  );
}

function Summary({ run }: { run: Run }) {
  const { queue, state, outcome, victims, evicted, waiting, message, mode } = run;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Title order={1} size="h3" className="foreign">
          {queue}
        </Title>
        <Badge tt="none" variant="default">
          {outcomeText({ state, outcome })}
        </Badge>
        {mode === 'observe' && (
          <Badge tt="none" variant="default">
            observes
          </Badge>
        )}
      </Group>
      <Text size="sm">
        <Course run={run} /> {freeingText(run)}
      </Text>
      {waiting && waiting.code !== 'due' && (
        <Text size="sm" fw={600} className="foreign">
          <Sentence of={waiting.message} />
        </Text>
      )}
      {message && !waiting && (
        <Text size="sm" className="foreign">
          <Sentence of={message} />
        </Text>
      )}
      {victims > 0 && (
        <Group gap="sm" wrap="nowrap">
          <Progress
            value={(100 * evicted) / victims}
            aria-label={`${evicted} of ${victims} victims evicted`}
            style={{ flex: 1 }}
          />
          <Text size="sm" className="live-row">
            {evicted} of {victims} evicted
          </Text>
        </Group>
      )}
    </Stack>
  );
}

/** Its clock runs, or is held. */
const isPending = ({ startedAt, endedAt, outcome }: Run) =>
  startedAt === null && endedAt === null && outcome === null;

/** When it started and ended, or when it starts. */
function Course({ run }: { run: Run }) {
  const { dueAt, startsAt, startedAt, endedAt } = run;
  if (isPending(run))
    return startsAt ? (
      <>
        It starts <When at={startsAt} />.
      </>
    ) : (
      <>It has no due time now.</>
    );
  if (startedAt === null)
    return (
      <>
        It was due <When at={dueAt} />, and did not start.
      </>
    );
  return (
    <>
      Started <When at={startedAt} />
      {endedAt && (
        <>
          , ended <When at={endedAt} />
        </>
      )}
      .
    </>
  );
}

const isSome = (amounts: Amounts | null): amounts is Amounts => Object.keys(amounts ?? {}).length > 0;

/** What the run has to free and what it has freed; a round of shares has no target. */
function freeingText({ target, freed, shortfall, endedAt }: Run): string {
  const isOver = endedAt !== null;
  const done = isOver ? `it freed ${amountsText(freed ?? {})}` : `${amountsText(freed ?? {})} is free so far`;
  if (!isSome(target)) return isSome(freed) ? `${capitalized(done)}.` : '';
  const short = isSome(shortfall)
    ? isOver
      ? `; ${amountsText(shortfall)} could not be freed`
      : `, and ${amountsText(shortfall)} cannot be freed`
    : '';
  return `It ${isOver ? 'had to' : 'must'} free ${amountsText(target)}; ${done}${short}.`;
}

type Plan = NonNullable<components['schemas']['EnforcementExplanation']['plan']>;

/** How the target was shared out. A queue without queues below shares nothing out: all is its own. */
function sharesOf(plan: Plan, queue: string): Share[] {
  const shares: readonly object[] = 'shares' in plan ? plan.shares : [];
  const shown = shares.filter(
    (share): share is Share => 'queue' in share && 'releasable' in share && 'target' in share,
  );
  const { target, claimed } = plan;
  if (shown.length > 0) return shown;
  // Rounds of shares take for those who starve: there was no target.
  return isSome(target) ? [{ queue, releasable: {}, target, claimed }] : [];
}

function Notices({ notices }: { notices: readonly { code: string; message: string }[] }) {
  if (notices.length === 0) return null;
  return (
    <Section name="Notices">
      {notices.map(({ code, message }) => (
        <Text key={`${code}/${message}`} size="sm" className="foreign">
          <Sentence of={message} />
        </Text>
      ))}
    </Section>
  );
}
