import type { DigestReplay } from '#api-client';
import { catalog } from '#contracts/events';
import { assertDigest, readArchive, unpackSnapshot } from '#event-store';
import { addCompared, madeAgain, noneCompared, recordedPlan } from '#replay';
import { asCommandError, manifestsIn } from './log.js';

/** Recomputes every plan of an archive from its recorded input, and compares the digests; without a service. */
export async function replayArchive(folder: string): Promise<DigestReplay> {
  const found = noneCompared();
  try {
    for (const manifest of await manifestsIn(folder)) {
      await assertDigest(folder, manifest);
      for await (const { event, snapshot } of readArchive(folder, manifest)) {
        if (event.type !== catalog.PlanComputed.type) continue;
        const recorded = recordedPlan(event);
        const made = await madeAgain(
          recorded,
          async (digest) => snapshot && unpackSnapshot(snapshot, digest),
        );
        addCompared(found, recorded, made);
      }
    }
  } catch (error) {
    throw asCommandError(error);
  }
  return found;
}
