import { catalog } from '@curtail/contracts';
import { assertDigest, digestOfPlan, readArchive, unpackSnapshot } from '@curtail/event-store';
import { planInput } from '@curtail/planning';
import type { DigestReplay, RecordedPlan } from '../server/answers.js';
import { asCommandError, manifestsIn } from './log.js';

/** Makes every plan of an archive again from its recorded input, and compares the digests; without a service. */
export async function replayArchive(folder: string): Promise<DigestReplay> {
  const found: DigestReplay = { plans: 0, same: 0, different: [], notKept: 0 };
  try {
    for (const manifest of await manifestsIn(folder)) {
      await assertDigest(folder, manifest);
      for await (const { event, snapshot } of readArchive(folder, manifest)) {
        if (event.type !== catalog.PlanComputed.type) continue;
        const recorded = event.data as RecordedPlan & { queue: string };
        const { snapshotDigest, planDigest, trigger, settings, enforcement, queue } = recorded;
        found.plans++;
        if (!snapshot) {
          found.notKept++;
          continue;
        }
        const input = await unpackSnapshot(snapshot, snapshotDigest);
        const replayed = digestOfPlan(planInput({ snapshot: input, trigger, settings }));
        if (replayed === planDigest) found.same++;
        else found.different.push({ enforcement, queue, recorded: planDigest, replayed });
      }
    }
  } catch (error) {
    throw asCommandError(error);
  }
  return found;
}
