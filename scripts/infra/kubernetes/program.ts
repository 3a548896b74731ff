import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openCache, root } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { findOnPath } from '../programs/find-on-path.js';
import { runQuietly } from '../programs/run-quietly.js';
import { withLock } from '../server/lock.js';

/** Sources of the program that plays every part of a control plane, and what its kubelets pretend. */
export const sources = join(root, 'test', 'clusters', 'control-plane');
const compiled = ['go.mod', 'go.sum', 'main.go'];
const version = 'v1.36.1';
const stamp = 'k8s.io/component-base/version';
/** Without a version the servers call themselves v0.0.0-master. */
const linked = `-s -w -X ${stamp}.gitVersion=${version} -X ${stamp}.gitMajor=1 -X ${stamp}.gitMinor=36`;
const build = [
  'build',
  '-C',
  sources,
  '-trimpath',
  '-buildvcs=false',
  '-mod=readonly',
  '-ldflags',
  linked,
  '-v',
];
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

/** The program, whether it is built or not: one for each state of the sources. */
export function controlPlaneProgram(): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${linked}`);
  for (const name of compiled) hash.update(readFileSync(join(sources, name)));
  return join(openCache(), `control-plane-${hash.digest('hex').slice(0, 12)}`, 'control-plane');
}

export const isControlPlaneBuilt = (): boolean => existsSync(controlPlaneProgram());

/**
 * Builds the program unless it is there: the first time it takes some seven minutes on two cores, after a change of the sources half a
 * minute.
 *
 * @throws InfraError without Go, or with the end of the compiler's output.
 */
export async function buildControlPlane(progress: (line: string) => void): Promise<string> {
  const program = controlPlaneProgram();
  if (existsSync(program)) return program;
  const go = findGo();
  if (go === undefined) throw new InfraError('There is no Go to build Kubernetes with.', goRemedy);
  const folder = dirname(program);
  await mkdir(folder, { recursive: true });
  // A lock of its own: setups of other servers need not wait that long.
  return withLock(folder, async () => {
    if (existsSync(program)) return program;
    progress('building etcd, Kubernetes and KWOK for tests, once: about seven minutes, 130 MB are kept');
    const begun = performance.now();
    const minutes = () => ((performance.now() - begun) / 60_000).toFixed(1);
    const partial = `${program}.${process.pid}.partial`;
    let packages = 0;
    const announcing = setInterval(
      () => progress(`still building: ${packages} packages in ${minutes()} minutes`),
      logEveryMs,
    );
    try {
      const { code, tail } = await runQuietly(go, [...build, '-o', partial, '.'], {
        env: { CGO_ENABLED: '0' },
        onLine: () => packages++,
      });
      if (code !== 0) {
        throw new InfraError('The control plane for tests cannot be built.', goRemedy, tail);
      }
      await rename(partial, program);
    } finally {
      clearInterval(announcing);
      await rm(partial, { force: true });
    }
    progress(`built in ${minutes()} minutes: ${program}`);
    return program;
  });
}
