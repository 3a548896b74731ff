import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openCache } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { withLock } from '../server/lock.js';
import { findOnPath } from './find-on-path.js';
import { runQuietly } from './run-quietly.js';

/** A program that tests need and that is built with Go, once for each state of its sources. */
export interface GoProgram {
  name: string;
  /** In sentences: `Kubernetes`. */
  title: string;
  /** The folder of its module. */
  sources: string;
  /** Files of that folder on which it depends. */
  compiled: readonly string[];
  /** What is built there: `.`, or a package that go.mod names. */
  package: string;
  /** Options for the linker. */
  linked: string;
  /** How long it takes and what is kept, in words. */
  effort: string;
}

const logEveryMs = 60_000;

export const goRemedy = [
  'Install Go 1.26 or newer (https://go.dev/dl), or let CURTAIL_GO name its program.',
  'It fetches its modules from proxy.golang.org, or from the GOPROXY of the environment, and needs 8 GB of room.',
].join('\n');

/** CURTAIL_GO, else the one of the PATH, else where its installer puts it. */
export function findGo(): string | undefined {
  const usual = '/usr/local/go/bin/go';
  return process.env.CURTAIL_GO || findOnPath('go') || (existsSync(usual) ? usual : undefined);
}

/** Where the program is, whether it is built or not. */
export function placeOf({ name, sources, compiled, linked }: GoProgram): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${linked}`);
  for (const file of compiled) hash.update(readFileSync(join(sources, file)));
  return join(openCache(), `${name}-${hash.digest('hex').slice(0, 12)}`, name);
}

/**
 * Builds the program unless it is there.
 *
 * @throws InfraError without Go, or with the end of the compiler's output.
 */
export async function buildGoProgram(what: GoProgram, progress: (line: string) => void): Promise<string> {
  const program = placeOf(what);
  if (existsSync(program)) return program;
  const go = findGo();
  if (go === undefined) throw new InfraError(`There is no Go to build ${what.title} with.`, goRemedy);
  const folder = dirname(program);
  await mkdir(folder, { recursive: true });
  // A lock of its own: setups of other servers need not wait that long.
  return withLock(folder, async () => {
    if (existsSync(program)) return program;
    progress(`building ${what.title} for tests, once: ${what.effort}`);
    const begun = performance.now();
    const minutes = () => ((performance.now() - begun) / 60_000).toFixed(1);
    const partial = `${program}.${process.pid}.partial`;
    let packages = 0;
    const announcing = setInterval(
      () => progress(`still building: ${packages} packages in ${minutes()} minutes`),
      logEveryMs,
    );
    try {
      const { code, tail } = await runQuietly(go, [...words(what), '-o', partial, what.package], {
        env: { CGO_ENABLED: '0' },
        onLine: () => packages++,
      });
      if (code !== 0) throw new InfraError(`${what.title} for tests cannot be built.`, goRemedy, tail);
      await rename(partial, program);
    } finally {
      clearInterval(announcing);
      await rm(partial, { force: true });
    }
    progress(`built in ${minutes()} minutes: ${program}`);
    return program;
  });
}

function words({ sources, linked }: GoProgram): string[] {
  return [
    ...['build', '-C', sources, '-trimpath', '-buildvcs=false', '-mod=readonly'],
    ...['-ldflags', linked, '-v'],
  ];
}
