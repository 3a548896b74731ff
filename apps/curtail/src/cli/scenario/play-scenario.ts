import { setTimeout as pause } from 'node:timers/promises';
import type { BodyOf, Enforcement, Rounds } from '@curtail/api-client';
import { counted } from '@curtail/contracts';
import type { Invocation } from '../invocation/invocation.js';
import { exemptSentences } from '../output/exempt-lines.js';
import { write } from '../output/print.js';
import { hanging, wrapped } from '../output/wrapped.js';
import { shownPolicy } from '../resources/policies.js';
import type { Client } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';
import { safeLine } from '../terminal/printable.js';
import { ofFile } from './of-file.js';
import type { Scenario } from './read-scenario.js';
import { applicationLines, roundLines } from './scenario-lines.js';
import { statusLines } from './status-lines.js';
import { whileAway } from './while-away.js';

const pollEveryMs = 250;
const patienceMs = 120_000;

/**
 * Loads a scenario into a running Curtail and reports its course: allocations before, each round or run that has consequences with its
 * reasons, and allocations after. It ends when a round finds nothing to do, or no clock and no run of a quota is left, and no allocation
 * is leaving; or when all that is left to do was refused.
 *
 * @returns the policy that ran.
 * @throws CommandError if it does not end within two minutes.
 */
export async function playScenario(
  invocation: Invocation,
  client: Client,
  scenario: Scenario,
): Promise<string | undefined> {
  const { partition, title, about, cluster, configuration } = scenario;
  const show = (...lines: string[]) => write(invocation, `${lines.map(safeLine).join('\n')}\n`);
  const heading = (text: string) => invocation.style('title', text);
  let until = performance.now();
  const ask: Ask = (read) =>
    whileAway(
      () => read(client, { params: { query: { partition } } }),
      (why) => invocation.report(`${why}; waiting for it, the scenario continues on the server`),
      until,
    );
  const applications = async () =>
    (
      await ask((api) =>
        api.get('/v1/partitions/{partition}/simulated/applications', { params: { path: { partition } } }),
      )
    ).items;

  await ofFile(scenario, 'cluster', () =>
    client.post('/v1/partitions/{partition}/simulated/scenario', {
      params: { path: { partition } },
      // The server checks it, and names the field.
      body: {
        ...cluster,
        replace: true,
      } as unknown as BodyOf<'/v1/partitions/{partition}/simulated/scenario'>,
    }),
  );
  await show(heading(title), ...aboutLines(about, invocation.width), '', heading('BEFORE'));
  await show(...applicationLines(await applications(), invocation));
  const before = new Set((await enforcements(ask)).map(nameOf));
  const first = await lastRound(ask);
  const quietRound = first?.round ?? 0;
  const exemptBefore = new Set(first?.exempt.map(({ name }) => name));
  const shownStatuses = new Map<string, string>();
  await ofFile(scenario, 'configuration', () =>
    client.put('/v1/partitions/{partition}/config', {
      params: { path: { partition } },
      body: configuration,
    }),
  );

  // Without a policy that has rounds, quotas alone are enforced.
  const { policies } = await ask((api) =>
    api.get('/v1/partitions/{partition}', { params: { path: { partition } } }),
  );
  const isRounds = policies.length > 0;

  until = performance.now() + patienceMs;
  const shown = new Set(before);
  let last: Rounds | undefined;
  let policy: string | undefined;
  let stayed = false;
  for (;;) {
    // A partition without fair-share has none.
    const elements = [
      ...(await ask((api, of) => api.get('/v1/pools', of))).items,
      ...(await ask((api, of) => api.get('/v1/operations', of))).items,
    ];
    const news = statusLines(elements, shownStatuses);
    if (news.length > 0) await show('', ...news.flatMap((one) => hanging(one, invocation.width)));
    for (const run of await endedRuns(ask, shown, isRounds)) {
      shown.add(run.enforcement);
      const { enforcement } = run;
      policy = run.policy;
      const why = await ask((api) =>
        api.get('/v1/enforcements/{enforcement}/explanation', { params: { path: { enforcement } } }),
      );
      await show('', ...roundLines(why, invocation));
    }
    last = await lastRound(ask);
    const work = await applications();
    const leaving = work.reduce((sum, application) => sum + application.leaving, 0);
    const isOver =
      shown.size > before.size &&
      (isRounds
        ? last?.state === 'over' &&
          last.notified === 0 &&
          last.plan?.victims === 0 &&
          (last.plannedRound ?? 0) > quietRound
        : (await ask((api, of) => api.get('/v1/timers', of))).items.length === 0) &&
      (await openRuns(ask, isRounds)) === 0 &&
      (await endedRuns(ask, shown, isRounds)).length === 0;
    if (isOver && leaving > 0 && !stayed) {
      stayed = true;
      await show('', `${counted(leaving, 'allocation is', 'allocations are')} still leaving`);
    }
    const isQuiet = isOver && leaving === 0;
    if (isQuiet && !isRounds) break;
    if (isQuiet && (!shownPolicy(last?.policy).endsWhenNotNeeded || last?.plan?.outcome === 'not-needed'))
      break;
    const newlyExempt = (last?.exempt ?? []).filter(({ name }) => !exemptBefore.has(name));
    if (isQuiet && newlyExempt.length > 0) {
      await show('', ...exemptLines({ exempt: newlyExempt }, invocation.width));
      break;
    }
    if (last?.failure) throw new CommandError(`the rounds of ${partition} fail: ${last.failure.message}`);
    if (performance.now() > until) {
      const exempt = exemptSentences(last ?? { exempt: [] }).map((sentence) => `\n${sentence}`);
      throw new CommandError(`the scenario did not end within ${patienceMs / 1000} s${exempt.join('')}`, {
        next: `check its state: curtail get ${isRounds ? 'rounds' : 'enforcements'} --partition ${partition}`,
      });
    }
    await pause(pollEveryMs);
  }
  // Pending work starts a moment after room is made.
  await pause(pollEveryMs);
  await show('', heading('AFTER'), ...applicationLines(await applications(), invocation));
  return isRounds ? last?.policy : policy;
}

const exemptLines = (rounds: Pick<Rounds, 'exempt'>, width: number) =>
  exemptSentences(rounds).flatMap((sentence) => hanging(sentence, width));

/** Keeps the line breaks if the lines fit, else rewraps every paragraph. */
function aboutLines(about: string, width: number): string[] {
  const lines = about.trimEnd().split('\n');
  if (about === '' || lines.every((line) => line.length <= width)) return about === '' ? [] : lines;
  return about
    .trim()
    .split(/\n\s*\n/)
    .flatMap((paragraph, nr) => [
      ...(nr > 0 ? [''] : []),
      ...wrapped(paragraph.replaceAll(/\s+/g, ' '), width),
    ]);
}

/** Reads from the server, of this partition; waits for a server that is away. */
type Ask = <T>(
  read: (client: Client, ofPartition: { params: { query: { partition: string } } }) => Promise<T>,
) => Promise<T>;

const enforcements = async (ask: Ask) => (await ask((api, of) => api.get('/v1/enforcements', of))).items;

const nameOf = ({ enforcement }: Enforcement) => enforcement;

/** Rounds, or else runs that a quota needed, that have ended and were not shown yet, oldest first. */
async function endedRuns(ask: Ask, shown: ReadonlySet<string>, isRounds: boolean): Promise<Enforcement[]> {
  const isWanted = ({ round, outcome }: Enforcement) =>
    isRounds ? round !== null : round === null && outcome !== 'not-needed';
  return (await enforcements(ask))
    .filter((run) => isWanted(run) && run.state === 'ended' && !shown.has(run.enforcement))
    .sort((a, b) => (a.round ?? 0) - (b.round ?? 0) || (a.updatedAt < b.updatedAt ? -1 : 1));
}

async function openRuns(ask: Ask, isRounds: boolean): Promise<number> {
  const items = await enforcements(ask);
  return items.filter((run) => (run.round !== null) === isRounds && run.state !== 'ended').length;
}

/** The rounds of the one policy that the scenario's configuration switches on. */
async function lastRound(ask: Ask): Promise<Rounds | undefined> {
  return (await ask((api, of) => api.get('/v1/rounds', of))).items.find(
    ({ nextDueAt }) => nextDueAt !== null,
  );
}
