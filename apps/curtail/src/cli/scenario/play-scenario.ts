import { setTimeout as pause } from 'node:timers/promises';
import type {
  ApplicationWork,
  ElementView,
  EnforcementExplanation,
  EnforcementView,
  ListPage,
  RoundsView,
} from '@curtail/contracts/api';
import { CommandError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { exemptSentences } from '../output/exempt-lines.js';
import { write } from '../output/print.js';
import { safeLine } from '../output/printable.js';
import { hanging, wrapped } from '../output/wrapped.js';
import { shownPolicy } from '../policies.js';
import { pathOf } from '../server/address.js';
import type { Client } from '../server/client.js';
import type { Scenario } from './read-scenario.js';
import { applicationLines, roundLines } from './scenario-lines.js';
import { statusLines } from './status-lines.js';
import { whileAway } from './while-away.js';

const pollEveryMs = 250;
const patienceMs = 120_000;

/**
 * Loads a scenario into a running Curtail and reports its course: allocations before, each round that has consequences with its
 * reasons, and allocations after. It ends when a round finds nothing to do and no allocation is leaving, or when all that is left to do
 * was refused.
 *
 * @returns the policy whose rounds ran.
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
  const get = <T>(path: string) =>
    whileAway(
      () => client.get<T>(path),
      (why) => invocation.report(`${why}; waiting for it, the scenario continues on the server`),
      until,
    );
  const ask = <T>(...path: string[]) => get<T>(pathOf(path, { partition }));
  const applications = async () =>
    (await ask<ListPage<ApplicationWork>>('partitions', partition, 'simulated', 'applications')).items;

  await client.send('POST', pathOf(['partitions', partition, 'simulated', 'scenario']), {
    ...cluster,
    replace: true,
  });
  await show(heading(title), ...aboutLines(about, invocation.width), '', heading('BEFORE'));
  await show(...applicationLines(await applications(), invocation));
  const before = new Set((await ask<ListPage<EnforcementView>>('enforcements')).items.map(nameOf));
  const first = await lastRound(ask);
  const quietRound = first?.round ?? 0;
  const exemptBefore = new Set(first?.exempt.map(({ name }) => name));
  const shownStatuses = new Map<string, string>();
  await client.send('PUT', pathOf(['partitions', partition, 'config']), configuration);

  until = performance.now() + patienceMs;
  const shown = new Set(before);
  let last: RoundsView | undefined;
  for (;;) {
    // A partition without fair-share has none.
    const elements = [
      ...(await ask<ListPage<ElementView>>('pools')).items,
      ...(await ask<ListPage<ElementView>>('operations')).items,
    ];
    const news = statusLines(elements, shownStatuses);
    if (news.length > 0) await show('', ...news.flatMap((one) => hanging(one, invocation.width)));
    for (const run of await endedRuns(ask, shown)) {
      shown.add(run.enforcement);
      const why = await get<EnforcementExplanation>(pathOf(['enforcements', run.enforcement, 'explanation']));
      await show('', ...roundLines(why, invocation));
    }
    last = await lastRound(ask);
    const work = await applications();
    const isQuiet =
      shown.size > before.size &&
      last?.state === 'over' &&
      last.notified === 0 &&
      last.plan?.victims === 0 &&
      (await openRuns(ask)) === 0 &&
      (last.plannedRound ?? 0) > quietRound &&
      work.every(({ leaving }) => leaving === 0) &&
      (await endedRuns(ask, shown)).length === 0;
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
        next: `check its state: curtail get rounds --partition ${partition}`,
      });
    }
    await pause(pollEveryMs);
  }
  // Pending work starts a moment after room is made.
  await pause(pollEveryMs);
  await show('', heading('AFTER'), ...applicationLines(await applications(), invocation));
  return last?.policy;
}

const exemptLines = (rounds: Pick<RoundsView, 'exempt'>, width: number) =>
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

type Ask = <T>(...path: string[]) => Promise<T>;

const nameOf = ({ enforcement }: EnforcementView) => enforcement;

/** Rounds that have ended and were not shown yet, oldest first. */
async function endedRuns(ask: Ask, shown: ReadonlySet<string>): Promise<EnforcementView[]> {
  const { items } = await ask<ListPage<EnforcementView>>('enforcements');
  return items
    .filter((run) => run.round !== null && run.state === 'ended' && !shown.has(run.enforcement))
    .sort((a, b) => (a.round ?? 0) - (b.round ?? 0));
}

async function openRuns(ask: Ask): Promise<number> {
  const { items } = await ask<ListPage<EnforcementView>>('enforcements');
  return items.filter((run) => run.round !== null && run.state !== 'ended').length;
}

/** The rounds of the one policy that the scenario's configuration switches on. */
async function lastRound(ask: Ask): Promise<RoundsView | undefined> {
  return (await ask<ListPage<RoundsView>>('rounds')).items.find(({ nextDueAt }) => nextDueAt !== null);
}
