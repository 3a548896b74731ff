import './what-if.css';
import { Alert, Button, Group, List, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, lazy, Suspense, useMemo, useState } from 'react';
import { api } from '../../api/client.js';
import { usePartition } from '../../frame/use-partition.js';
import { useAccess } from '../../parts/access.js';
import { CommandDialog } from '../../parts/command-dialog.tsx';
import { QueueLink } from '../../parts/links.tsx';
import { NoView } from '../../parts/no-view.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { useQueues } from '../../parts/use-queues.js';
import type { TextProblem } from './editor.tsx';
import { Effect } from './effect.tsx';
import type { Compared } from './effect-of.js';
import { Numbers } from './numbers.tsx';
import { Difference, lineAndColumn, Outcomes } from './outcomes.tsx';
import { quotasFrom, quotasText } from './quotas-text.js';
import {
  type Alternative,
  apply,
  type Outcome,
  type Preview,
  useComparison,
  usePreview,
} from './use-comparison.js';
import { useDraft } from './use-draft.js';
import { type Quotas, withQuotas } from './with-quotas.js';

/** Loaded when a configuration is edited: it is larger than all other scripts of a view. */
const Editor = lazy(() => import('./editor.tsx'));

/** Tries other quotas or another configuration, compares two, and puts one in force. Nothing is stored before that. */
export function WhatIf() {
  const partition = usePartition();
  const { how = 'numbers', quotas: written = '' } = useSearch({ from: '/what-if' });
  const navigate = useNavigate({ from: '/what-if' });
  const set = (search: { how?: 'numbers' | 'configuration'; quotas?: string }) =>
    navigate({ search: (before) => ({ ...before, ...search }), replace: true });
  const { draft, keep, discard } = useDraft(partition);
  const text = draft?.text;
  /** The editor begins anew with what is in force. */
  const [editor, setEditor] = useState(0);
  const [kept, setKept] = useState<Alternative>();
  const [applied, setApplied] = useState<InForce>();
  const inForce = useQuery({
    queryKey: ['configuration', partition],
    queryFn: () => api().get('/v1/partitions/{partition}/config', { params: { path: { partition } } }),
  });
  const queues = useQueues(partition);
  const quotas = useMemo(() => quotasFrom(written), [written]);
  const body = inForce.data?.body;
  const tried = useMemo(
    () => triedBy(how, text, quotas, body, partition),
    [how, text, quotas, body, partition],
  );
  const alternatives = useMemo(() => [...(kept ? [kept] : []), ...(tried ? [tried] : [])], [kept, tried]);
  const comparison = useComparison(partition, alternatives);
  const proposed = tried && 'text' in tried ? tried.text : undefined;
  const outcomes = alternatives.length === 0 ? [] : (comparison.data?.alternatives ?? []);
  const own = tried && outcomes.find(({ name }) => name === tried.name);
  const preview = usePreview(partition, comparison.isCurrent && own && !own.errors ? proposed : undefined);
  const problems = useMemo(() => (own ? problemsOf(own) : []), [own]);
  if (inForce.error) return <NoView title="What if" error={inForce.error} />;
  return (
    <Stack>
      <Title order={1} size="h3">
        What if
      </Title>
      <Text size="sm">
        Try other quotas against what runs now. Nothing is stored until you put it in force.
        {inForce.data && ` Compared with version ${inForce.data.version} of the configuration.`}
      </Text>
      <Group>
        <SegmentedControl
          aria-label="How to try"
          data={[
            { value: 'numbers', label: 'Change numbers' },
            { value: 'configuration', label: 'Edit the configuration' },
          ]}
          value={how}
          onChange={(value) => set({ how: value as 'numbers' | 'configuration' })}
        />
      </Group>
      {how === 'numbers' && (
        <Numbers
          queues={(queues.data ?? []).filter(({ configured }) => configured !== false)}
          quotas={quotas}
          onChange={(changed) => set({ quotas: quotasText(changed) })}
        />
      )}
      {how === 'configuration' && inForce.data && (
        <Suspense fallback={<Text>Loading the editor…</Text>}>
          <Editor
            // What is in force may change while nothing is edited.
            key={`${partition} ${draft?.version ?? inForce.data.version} ${editor}`}
            name="Configuration"
            initial={text ?? inForce.data.body}
            problems={problems}
            onChange={(changed) => keep({ text: changed, version: draft?.version ?? inForce.data.version })}
          />
        </Suspense>
      )}
      {how === 'configuration' && draft && inForce.data && (
        <Group>
          <Text size="sm" role="status">
            {draft.version === inForce.data.version
              ? 'This draft is kept in this tab.'
              : `This draft was begun with version ${draft.version}; version ${inForce.data.version} is in force now, and would be replaced as a whole.`}
          </Text>
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              discard();
              setEditor(editor + 1);
            }}
          >
            Discard the draft
          </Button>
        </Group>
      )}
      {own?.errors && <Errors errors={own.errors} />}
      {comparison.error && <Problem error={comparison.error} />}
      {preview.error && <Problem error={preview.error} />}
      <Group>
        {tried && !own?.errors && (
          <Button variant="default" onClick={() => setKept({ ...tried, name: `A: ${tried.name}` })}>
            Keep to compare
          </Button>
        )}
        {kept && (
          <Button variant="default" onClick={() => setKept(undefined)}>
            Forget {kept.name}
          </Button>
        )}
        {proposed !== undefined && inForce.data && preview.data && own && !own.errors && (
          <Apply
            partition={partition}
            text={proposed}
            version={inForce.data.version}
            outcome={own}
            preview={preview.data}
            compared={comparison.data!}
            isCurrent={comparison.isCurrent && preview.isCurrent}
            onApplied={(now) => {
              setApplied(now);
              if (now && how === 'configuration') discard();
            }}
          />
        )}
      </Group>
      {applied !== undefined && (
        <Text size="sm" role="status">
          It is in force, as version {applied.version}.{applied.clocks.length > 0 && ' Clocks run now: '}
          {applied.clocks.slice(0, mostLinked).map((queue, index) => (
            <Fragment key={queue}>
              {index > 0 && ', '}
              <QueueLink queue={queue} />
            </Fragment>
          ))}
          {applied.clocks.length > mostLinked && ` and ${applied.clocks.length - mostLinked} more`}
          {applied.clocks.length > 0 && '.'}
        </Text>
      )}
      {tried && !('text' in tried) && (
        <Text size="sm">
          The configuration in force is not a queues.yaml with these queues: change it where it is made.
        </Text>
      )}
      {tried && !comparison.isCurrent && !comparison.error && <Text role="status">Comparing…</Text>}
      {how === 'configuration' && text === undefined && inForce.data && (
        <Text>This is the configuration in force. Edit it to see the effect below.</Text>
      )}
      <div aria-live="polite" aria-busy={comparison.isFetching}>
        <Outcomes
          outcomes={outcomes}
          compared={comparison.data}
          onTry={(queue, max) => set({ how: 'numbers', quotas: quotasText({ ...quotas, [queue]: max }) })}
        />
      </div>
      {proposed !== undefined && preview.data && !own?.errors && <Difference preview={preview.data} />}
    </Stack>
  );
}

/** What is tried now; undefined: nothing yet. */
function triedBy(
  how: 'numbers' | 'configuration',
  text: string | undefined,
  quotas: Quotas,
  inForce: string | undefined,
  partition: string,
): Alternative | undefined {
  if (inForce === undefined) return undefined;
  if (how === 'configuration')
    return text === undefined || text.trim() === '' ? undefined : { name: 'the edited configuration', text };
  const given = Object.fromEntries(Object.entries(quotas).filter(([, max]) => Object.keys(max).length > 0));
  if (Object.keys(given).length === 0) return undefined;
  const name = Object.entries(given)
    .map(
      ([queue, max]) =>
        `${queue} ${Object.entries(max)
          .map(([type, quantity]) => `${type}=${quantity}`)
          .join(' ')}`,
    )
    .join('; ')
    .slice(0, 180);
  const changed = withQuotas(inForce, partition, given);
  return changed === undefined ? { name, quotas: given } : { name, text: changed };
}

/** For the editor to mark. */
function problemsOf({ errors = [], warnings = [] }: Outcome): TextProblem[] {
  return errors.length > 0
    ? errors.map((error) => ({ ...error, severity: 'error' }))
    : warnings.map((warning) => ({ ...warning, severity: 'warning' }));
}

function Errors({ errors }: { errors: NonNullable<Outcome['errors']> }) {
  return (
    <Alert color="red" title="It would be refused" role="status">
      <List size="sm">
        {errors.map(({ line, column, message }) => (
          <List.Item key={`${line} ${column} ${message}`} className="foreign">
            {lineAndColumn({ line, column })}
            <Sentence of={message} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** What has come into force, and the queues whose clocks it started. */
interface InForce {
  version: number;
  clocks: string[];
}
const mostLinked = 10;

interface Applied {
  partition: string;
  text: string;
  version: number;
  outcome: Outcome;
  preview: Preview;
  compared: Compared;
}
type Offered = Applied & {
  /** The effect is of this text: what was typed since is not compared yet. */
  isCurrent: boolean;
  /** @param now what is in force; undefined: another is asked for. */
  onApplied: (now: InForce | undefined) => void;
};

/** Puts what was tried in force, after it has stated the effect, and only if nothing else came into force meanwhile. */
function Apply({ isCurrent, onApplied, ...offered }: Offered) {
  const { outcome } = offered;
  const { mayCommand, because } = useAccess();
  const [asked, setAsked] = useState<Applied>();
  if (!mayCommand) return <Text size="sm">{because}</Text>;
  return (
    <>
      <Button
        color={isGrave(outcome) ? 'red.9' : 'blue'}
        disabled={!isCurrent}
        onClick={() => {
          onApplied(undefined);
          setAsked(offered);
        }}
      >
        Put in force
      </Button>
      {asked && (
        <CommandDialog
          title={`Change the configuration of ${asked.partition}`}
          verb="Put in force"
          isGrave={isGrave(asked.outcome)}
          asksReason={false}
          send={async ({ by }) => {
            const { partition, text, preview, version: before } = asked;
            const removesQueues = preview.removed.length > 0;
            const { version } = await apply(partition, text, before, { by, removesQueues });
            onApplied({ version, clocks: clocksOf(preview) });
          }}
          onClose={() => setAsked(undefined)}
          effect={<Effect of={asked.outcome} compared={asked.compared} />}
        />
      )}
    </>
  );
}

const clocksOf = ({ changed }: Preview): string[] =>
  changed.filter(({ clock }) => clock.effect === 'starts or restarts').map(({ queue }) => queue);

/** It ends work, or leaves work without a quota. */
const isGrave = ({ victims = 0, removed = [] }: Outcome) =>
  victims > 0 || removed.some(({ usage }) => Object.keys(usage).length > 0);
